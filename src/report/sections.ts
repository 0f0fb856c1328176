import { DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import { DEFAULT_BUCKETS } from '../invoices/open-items.ts';
import { monthsUpTo } from '../invoices/periods.ts';
import { overdueOf, totalOf, type AgedBalance } from '../query/aging.ts';
import { monthlyColumns, stackedBars } from './charts.ts';
import type { CurrencySection, OpenFigures, OrganizationFigures } from './figures.ts';
import { markup, type Html } from './html.ts';
import type { InvoiceList, MissingFigure, ReportDates } from './invoice-figures.ts';
import {
  amountCell,
  blankCell,
  countCell,
  dayCell,
  idCell,
  table,
  textCell,
  type TableContent,
} from './table.ts';
import type { Words, Writing } from './words.ts';

interface SectionOptions {
  readonly writing: Writing;
  readonly dates: ReportDates;
  readonly name: string;
  /** The beginning of the ids of what is in the section. */
  readonly id: string;
}

/** Stands apart from the templates, which keep characters as they are written. */
const DOT = '\u00b7';
const MONTHS = 12;
const MAX_OVERDUE = 10;

/** Everything about one organization: a part for each currency, then its funds, then what could not be told. */
export function organizationSection(figures: OrganizationFigures, options: SectionOptions): Html {
  const { writing, name, id } = options;
  const { words } = writing;
  const ids = figures.fiscalIds.join(', ');
  const facts = markup`<p class="facts">
    ${ids === '' ? undefined : markup`<span>${words.fiscalId} ${ids}</span>`}
    ${
      figures.organization === undefined || figures.organization === name
        ? undefined
        : markup`<span>${words.organization} <bdi>${figures.organization}</bdi></span>`
    }
  </p>`;
  const currencies = figures.currencies.map((section, index) =>
    currencySection(section, { ...options, id: `${id}c${index + 1}` }, figures.missing),
  );
  return markup`<section>
    <h2><bdi>${name}</bdi></h2>
    ${facts} ${missingNotes(figures, writing)}
    ${figures.currencies.length === 0 ? markup`<p>${words.nothingOpen}</p>` : currencies}
    ${fundsTable(figures, writing)}
  </section>`;
}

function missingNotes({ missing }: OrganizationFigures, { words }: Writing): Html | undefined {
  if (missing.length === 0) return undefined;
  const notes = missing.map(({ direction, figure, reason, hint }) => {
    const which =
      direction === 'issued' ? words.issued : direction === 'received' ? words.received : words.funds;
    return markup`<li>${which}: ${words.missing[figure]} <code>${reason} ${hint ?? ''}</code></li>`;
  });
  return markup`<div class="verdict doubt">
    <ul>
      ${notes}
    </ul>
  </div>`;
}

function currencySection(
  section: CurrencySection,
  options: SectionOptions,
  missing: OrganizationFigures['missing'],
): Html {
  const { words } = options.writing;
  const lacks = (direction: 'issued' | 'received', figure: MissingFigure['figure']): boolean =>
    missing.some((one) => one.direction === direction && one.figure === figure);
  const hasReceivable = !lacks('issued', 'balances');
  const hasPayable = !lacks('received', 'balances');
  const hasMonths = !lacks('issued', 'months') && !lacks('received', 'months');
  return markup`<section class="currency">
    <div class="keep">
      <h3>${section.currency ?? words.noCurrency}</h3>
      ${cards(section, options.writing, { hasReceivable, hasPayable, hasMonths })}
      ${leftOutNote(section, options.writing)}
    </div>
    ${hasReceivable && hasPayable ? ageing(section, options) : undefined}
    ${hasMonths ? months(section, options) : undefined}
    ${hasReceivable ? parties(words.debtors, section.receivable, options.writing) : undefined}
    ${overdueTable(section.issued?.overdue, options)}
    ${dueTable(words.dueSoon, section.issued?.dueSoon, options.writing)}
    ${dueTable(words.dueSoonPay, section.received?.dueSoon, options.writing)}
    ${hasPayable ? parties(words.creditors, section.payable, options.writing) : undefined}
  </section>`;
}

interface Shown {
  readonly hasReceivable: boolean;
  readonly hasPayable: boolean;
  readonly hasMonths: boolean;
}

function cards(
  { receivable, payable, net, issued, received }: CurrencySection,
  writing: Writing,
  shown: Shown,
): Html {
  const { words } = writing;
  const open = (label: string, { open, overdue, invoices }: OpenFigures): Html => {
    const share = writing.share(overdue, open);
    return markup`<li>
      ${label}<b>${writing.amount(open)}</b><small>${writing.count(invoices)} ${words.invoices}</small>${
        share === undefined
          ? undefined
          : markup`<small class="late">${writing.amount(overdue)} ${DOT} ${share} ${words.overdueShare}</small>`
      }
    </li>`;
  };
  const period = (label: string, figures: CurrencySection['issued']): Html =>
    markup`<li>
      ${label}<b>${writing.amount(figures?.inPeriod ?? DECIMAL_ZERO)}</b
      ><small>${writing.count(figures?.documentsInPeriod ?? 0)} ${words.documents} ${words.inPeriod}</small>
    </li>`;
  return markup`<ul class="cards">
    ${shown.hasReceivable ? open(words.receivable, receivable) : undefined}${
      shown.hasPayable ? open(words.payable, payable) : undefined
    }${
      shown.hasReceivable && shown.hasPayable
        ? markup`<li>${words.net}<b>${writing.amount(net)}</b></li>`
        : undefined
    }${shown.hasMonths ? [period(words.issued, issued), period(words.received, received)] : undefined}
  </ul>`;
}

/** What is not in the open amounts: cancelled documents, and those that say no amount. */
function leftOutNote(
  { receivable, payable }: CurrencySection,
  { words, amount, count }: Writing,
): Html | undefined {
  const directions = [
    { label: words.receivable, figures: receivable },
    { label: words.payable, figures: payable },
  ];
  const notes = directions.flatMap(({ label, figures: { cancelled, missing } }) => [
    ...(cancelled.coefficient === 0n ? [] : [`${label}: ${words.cancelledOf(amount(cancelled))}`]),
    ...(missing === 0 ? [] : [`${label}: ${words.withoutAmount(count(missing))}`]),
  ]);
  return notes.length === 0 ? undefined : markup`<p class="note">${notes.join(' ')}</p>`;
}

function ageing({ receivable, payable }: CurrencySection, { writing, id }: SectionOptions): Html | undefined {
  const { words } = writing;
  const bars = [
    { label: words.receivable, amounts: receivable.buckets },
    { label: words.payable, amounts: payable.buckets },
  ].filter(({ amounts }) => amounts.some(isSome));
  if (bars.length === 0) return undefined;
  const names = bucketNames(words);
  const there = [...names.keys()].filter((part) => bars.some(({ amounts }) => isSome(amounts[part]!)));
  const chart = {
    title: words.ageing,
    about: words.ageingAbout,
    parts: there.map((part) => ({ name: names[part]!, look: part === UNDATED ? 'undated' : `part${part}` })),
    bars: bars.map(({ label, amounts }) => ({ label, amounts: there.map((part) => amounts[part]!) })),
  };
  const rows = bars.map(({ label, amounts }) => [
    textCell(label),
    ...amounts.map((amount) => amountCell(amount, writing)),
  ]);
  return markup`<section class="keep">
    <h4>${words.ageing}</h4>
    <figure class="ageing">
      ${stackedBars(chart, writing, `${id}a`)}${folded(
        table({ caption: words.ageing, heads: ['', ...names], amounts: 1, rows }, writing),
        words,
      )}
    </figure>
  </section>`;
}

/** The place of what has no due date among the buckets. */
const UNDATED = DEFAULT_BUCKETS.length + 2;

function isSome({ coefficient }: Decimal): boolean {
  return coefficient !== 0n;
}

function months(
  { issued, received }: CurrencySection,
  { writing, dates, id }: SectionOptions,
): Html | undefined {
  const { words } = writing;
  const last = Math.min(dates.period.last, dates.today);
  const shown = monthsUpTo(last, MONTHS);
  const series = [
    { name: words.issued, look: 'series0', figures: issued },
    { name: words.received, look: 'series1', figures: received },
  ].filter(({ figures }) => shown.some(({ name }) => isSome(figures?.months.get(name) ?? DECIMAL_ZERO)));
  if (series.length === 0) return undefined;
  const months = shown.map(({ name }) => ({
    label: writing.month(name),
    amounts: series.map(({ figures }) => figures?.months.get(name) ?? DECIMAL_ZERO),
  }));
  const rows = months.map(({ label, amounts }) => [
    textCell(label),
    ...amounts.map((amount) => amountCell(amount, writing)),
  ]);
  const heads = [words.month, ...series.map(({ name }) => name)];
  return markup`<section class="keep">
    <h4>${words.months}</h4>
    <figure>
      ${monthlyColumns({ title: words.months, about: words.monthsAbout, series, months }, writing, `${id}m`)}${folded(
        table({ caption: words.monthsAbout, heads, amounts: 1, rows }, writing),
        words,
      )}
    </figure>
  </section>`;
}

function folded(content: Html, words: Words): Html {
  return markup`<details>
    <summary>${words.figures}</summary>
    ${content}
  </details>`;
}

function parties(title: string, { parties, partyCount }: OpenFigures, writing: Writing): Html | undefined {
  const { words } = writing;
  if (parties.length === 0) return undefined;
  const rows = parties.map((balance) => [
    textCell(partyName(balance, words)),
    idCell(balance.fiscalId ?? ''),
    amountCell(totalOf(balance), writing),
    amountCell(overdueOf(balance), writing),
    ...[...balance.amounts, balance.undated, balance.credits].map((amount) => amountCell(amount, writing)),
  ]);
  const heads = [words.counterparty, words.fiscalId, words.total, words.overdue, ...bucketNames(words)];
  const rest =
    partyCount > parties.length
      ? markup`<p class="note">
          ${words.firstParties(writing.count(parties.length), writing.count(partyCount))}
        </p>`
      : undefined;
  return titled(title, [table({ caption: title, heads, amounts: 2, rows }, writing), rest]);
}

function partyName({ kind, name, fiscalId }: AgedBalance, words: Words): string {
  if (kind === 'noCurrency') return words.noCurrencyRow;
  return name ?? fiscalId ?? words.noName;
}

function overdueTable(list: InvoiceList | undefined, { writing, dates }: SectionOptions): Html | undefined {
  const { words } = writing;
  if (list === undefined || list.count === 0) return undefined;
  const first = list.first.slice(0, MAX_OVERDUE);
  const rows = first.map(({ number, counterparty, due, amount }) => [
    idCell(number ?? ''),
    textCell(counterparty ?? words.noName),
    dayCell(due, writing),
    countCell(dates.asOf - due, writing),
    amountCell(amount, writing),
  ]);
  const heads = [words.number, words.counterparty, words.due, words.days, words.amount];
  return invoiceTable({ caption: words.largest, heads, amounts: 3, rows }, { ...list, first }, writing);
}

function dueTable(title: string, list: InvoiceList | undefined, writing: Writing): Html | undefined {
  const { words } = writing;
  if (list === undefined || list.count === 0) return undefined;
  const rows = list.first.map(({ number, counterparty, due, amount }) => [
    dayCell(due, writing),
    idCell(number ?? ''),
    textCell(counterparty ?? words.noName),
    amountCell(amount, writing),
  ]);
  const heads = [words.due, words.number, words.counterparty, words.amount];
  return invoiceTable({ caption: title, heads, amounts: 3, rows }, list, writing);
}

/** A table of the first invoices of a list, with the sum below it, or with a note where there are more. */
function invoiceTable(content: TableContent, { first, count, sum }: InvoiceList, writing: Writing): Html {
  const { words } = writing;
  const foot = [
    textCell(words.total),
    ...content.heads.slice(2).map(() => blankCell()),
    amountCell(sum, writing),
  ];
  const isWhole = count === first.length;
  const rest = markup`<p class="note">
    ${words.firstOf(writing.count(first.length), writing.count(count), writing.amount(sum))}
  </p>`;
  return titled(content.caption, [
    table({ ...content, foot: isWhole ? [foot] : undefined }, writing),
    isWhole ? undefined : rest,
  ]);
}

/** A title and what it is of, which stay together in print. */
function titled(title: string, content: readonly (Html | undefined)[]): Html {
  return markup`<section class="block">
    <h4>${title}</h4>
    ${content}
  </section>`;
}

function fundsTable({ funds, fundCount }: OrganizationFigures, writing: Writing): Html | undefined {
  const { words } = writing;
  if (funds.length === 0) return undefined;
  const rows = funds.map(({ name, number, status, currency, amount, balance }) => [
    textCell(name ?? words.noName),
    idCell(number ?? ''),
    textCell(status ?? ''),
    textCell(currency ?? ''),
    amountCell(amount, writing),
    amountCell(balance, writing),
  ]);
  const heads = [words.fund, words.number, words.status, words.currency, words.total, words.balance];
  const rest =
    fundCount > funds.length
      ? markup`<p class="note">${words.firstParties(writing.count(funds.length), writing.count(fundCount))}</p>`
      : undefined;
  return markup`<section class="block">
    <h3>${words.funds}</h3>
    ${table({ caption: words.funds, heads, amounts: 4, rows }, writing)}${rest}
  </section>`;
}

function bucketNames(words: Words): string[] {
  const ranges = DEFAULT_BUCKETS.map((last, index) =>
    words.daysRange((DEFAULT_BUCKETS[index - 1] ?? 0) + 1, last),
  );
  return [words.notDue, ...ranges, words.over(DEFAULT_BUCKETS.at(-1)!), words.noDueDate, words.credits];
}
