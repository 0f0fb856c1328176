import { addDecimals, DECIMAL_ZERO, negateDecimal, type Decimal } from '../json/decimal.ts';
import { monthsUpTo } from '../invoices/periods.ts';
import { agesOf, overdueOf, totalOf, type AgedBalance } from '../query/aging.ts';
import { ageNames, lookOf } from './ages.ts';
import { monthlyColumns, stackedBars } from './charts.ts';
import { missingColumnText, saidByFolio } from './doubts.ts';
import type { CurrencySection, OpenFigures, OrganizationFigures } from './figures.ts';
import { markup, noteLine, type Html } from './html.ts';
import type { InvoiceList, MissingFigure, ReportDates } from './invoice-figures.ts';
import { PeriodTally, TYPE_ROLES, type PeriodFigures, type TypeFigures } from './period-figures.ts';
import {
  amountCell,
  blankCell,
  countCell,
  dayCell,
  idCell,
  table,
  textCell,
  type TableCell,
  type TableContent,
} from './table.ts';
import { fiscalIdTerm, statusTerm, typeTerm } from './terms.ts';
import type { Words, Writing } from './words.ts';

interface SectionOptions {
  readonly writing: Writing;
  readonly dates: ReportDates;
  readonly heading: string;
  /** The beginning of the ids of what is in the section. */
  readonly id: string;
}

const MONTHS = 12;
const MAX_OVERDUE = 10;
/** Characters of an amount that stay on one line, on a narrow screen, too. */
const MAX_UNBROKEN = 22;

/** Everything about one organization: a part for each currency, then its funds, then what could not be told. */
export function organizationSection(figures: OrganizationFigures, options: SectionOptions): Html {
  const { writing, heading, id } = options;
  const { words } = writing;
  const currencies = figures.currencies.map((section, index) =>
    currencySection(section, { ...options, id: `${id}c${index + 1}` }, figures.missing),
  );
  return markup`<section>
    <h2><bdi>${heading}</bdi></h2>
    ${missingNotes(figures, writing)}
    ${figures.currencies.length === 0 ? markup`<p>${words.nothingOpen}</p>` : currencies}
    ${inNoSumNote(figures, writing)} ${fundsTable(figures, writing)}
  </section>`;
}

function inNoSumNote({ inNoSum }: OrganizationFigures, { words, count }: Writing): Html | undefined {
  const notes = (['issued', 'received'] as const).flatMap((direction) => {
    const number = inNoSum[direction];
    return number === 0 ? [] : [`${words[direction]}: ${words.inNoSum(number, count(number))}`];
  });
  return noteLine(notes);
}

function missingNotes({ missing }: OrganizationFigures, writing: Writing): Html | undefined {
  const { words } = writing;
  if (missing.length === 0) return undefined;
  const notes = missing.map(({ direction, figure, reason, hint, details, isNotGiven }) => {
    const which =
      direction === 'issued' ? words.issued : direction === 'received' ? words.received : words.funds;
    const said = () => missingColumnText(details, writing) ?? saidByFolio(`${reason} ${hint ?? ''}`, writing);
    const why = isNotGiven ? words.notGiven : said();
    return markup`<li>${which}: ${words.missing[figure]} ${why}</li>`;
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
    ${byType(section, options)}
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

function cards(section: CurrencySection, writing: Writing, shown: Shown): Html {
  const { receivable, payable, net, issued, received, currency } = section;
  const { words } = writing;
  const money = (value: Decimal): Html => {
    const text = writing.money(value, currency);
    return markup`<b${text.length > MAX_UNBROKEN ? markup` class="long"` : undefined}>${text}</b>`;
  };
  const documents = (count: number): string => words.countDocuments(count, writing.count(count));
  const open = (label: string, { open, overdue, invoices }: OpenFigures): Html => {
    const late = markup`<small class="late"
      >${words.overdueOf(writing.amount(overdue), writing.share(overdue, open))}</small
    >`;
    const nothing = markup`<small>${words.nothingOverdue}</small>`;
    return markup`<li>
      ${label}${money(open)}<small>${documents(invoices)}</small>${
        isSome(overdue) ? late : invoices > 0 ? nothing : undefined
      }
    </li>`;
  };
  const period = (label: string, figures: CurrencySection['issued']): Html => {
    const { all, cancelled } = figures?.period ?? NOTHING;
    return markup`<li>
      ${label}${money(all.amounts.total)}<small>${words.inPeriod(documents(all.documents))}</small>${
        cancelled.documents === 0
          ? undefined
          : markup`<small
              >${words.cancelledIn(cancelled.documents, writing.count(cancelled.documents), writing.amount(cancelled.total))}</small
            >`
      }
    </li>`;
  };
  return markup`<ul class="cards">
    ${shown.hasReceivable ? open(words.receivable, receivable) : undefined}${
      shown.hasPayable ? open(words.payable, payable) : undefined
    }${
      shown.hasReceivable && shown.hasPayable ? markup`<li>${words.net}${money(net)}</li>` : undefined
    }${shown.hasMonths ? [period(words.issued, issued), period(words.received, received)] : undefined}
  </ul>`;
}

const NOTHING: PeriodFigures = new PeriodTally().figures;

/** What is dated in the period, by type of document. */
function byType({ issued, received }: CurrencySection, { writing, dates }: SectionOptions): Html | undefined {
  const { words } = writing;
  const name = writing.period(dates.period.name);
  const tables = [
    typeTable(words.issuedByType(name), issued, writing),
    typeTable(words.receivedByType(name), received, writing),
  ];
  if (tables.every((one) => one === undefined)) return undefined;
  return markup`${tables}
    <p class="note">${words.byDocumentDate}</p>`;
}

function typeTable(title: string, figures: CurrencySection['issued'], writing: Writing): Html | undefined {
  const { words, language } = writing;
  const { all, types } = figures?.period ?? NOTHING;
  if (all.documents === 0) return undefined;
  const row = (
    label: string,
    { documents, amounts }: Pick<TypeFigures, 'documents' | 'amounts'>,
  ): TableCell[] => [
    textCell(label),
    countCell(documents, writing),
    ...TYPE_ROLES.map((role) => amountCell(amounts[role], writing)),
  ];
  const rows = types.map((one) =>
    row(one.isRest ? words.otherTypes : typeTerm(one.type, language) || words.noType, one),
  );
  const roleNames = { exempt: words.exempt, net: words.netAmount, tax: words.tax, total: words.total };
  const lacks = TYPE_ROLES.filter((role) => all.missing[role] > 0 && isSome(all.amounts[role])).map(
    (role) => `${roleNames[role]} ${writing.count(all.missing[role])}`,
  );
  const heads = [words.type, words.documents, ...TYPE_ROLES.map((role) => roleNames[role])];
  const foot = types.length > 1 ? [row(words.total, all)] : undefined;
  return titled(title, [
    table({ caption: title, heads, amounts: 1, rows, foot }, writing),
    lacks.length === 0 ? undefined : markup`<p class="note">${words.without(lacks.join(', '))}</p>`,
  ]);
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
  return noteLine(notes);
}

function ageing({ receivable, payable }: CurrencySection, { writing, id }: SectionOptions): Html | undefined {
  const { words } = writing;
  const bars = [
    { label: words.receivable, amounts: receivable.buckets },
    { label: words.payable, amounts: payable.buckets },
  ].filter(({ amounts }) => amounts.some(isSome));
  if (bars.length === 0) return undefined;
  const names = ageNames(words);
  const there = [...names.keys()].filter((part) => bars.some(({ amounts }) => isSome(amounts[part]!)));
  const chart = {
    title: words.ageing,
    about: words.ageingAbout,
    parts: there.map((part) => ({ name: names[part]!, look: lookOf(part) })),
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

function parties(title: string, figures: OpenFigures, writing: Writing): Html | undefined {
  const { words } = writing;
  const { parties, partyCount } = figures;
  if (parties.length === 0) return undefined;
  const row = (cells: readonly TableCell[], sums: PartySums): TableCell[] => [
    ...cells,
    ...[sums.open, sums.overdue, ...sums.buckets].map((amount) => amountCell(amount, writing)),
  ];
  const shown = parties.map(sumsOf);
  const rows = parties.map((balance, index) =>
    row([textCell(partyName(balance, words)), idCell(balance.fiscalId ?? '')], shown[index]!),
  );
  const count = partyCount - parties.length;
  const others =
    count === 0
      ? []
      : [
          row(
            [textCell(words.others(writing.count(count))), blankCell()],
            shown.reduce<PartySums>(less, figures),
          ),
        ];
  const foot = [...others, row([textCell(words.total), blankCell()], figures)];
  const ids = parties.flatMap(({ fiscalId }) => fiscalId ?? []);
  const heads = [
    words.counterparty,
    fiscalIdTerm(ids, writing),
    words.total,
    words.overdue,
    ...ageNames(words),
  ];
  return titled(title, [
    table({ caption: title, heads, amounts: 2, rows, foot: partyCount > 1 ? foot : undefined }, writing),
  ]);
}

/** The sums of one party, or of several. */
type PartySums = Pick<OpenFigures, 'open' | 'overdue' | 'buckets'>;

function sumsOf(balance: AgedBalance): PartySums {
  return { open: totalOf(balance), overdue: overdueOf(balance), buckets: agesOf(balance) };
}

/** What is left of sums without those of one party. */
function less(all: PartySums, one: PartySums): PartySums {
  const minus = (left: Decimal, right: Decimal): Decimal => addDecimals(left, negateDecimal(right));
  return {
    open: minus(all.open, one.open),
    overdue: minus(all.overdue, one.overdue),
    buckets: all.buckets.map((amount, index) => minus(amount, one.buckets[index]!)),
  };
}

function partyName({ kind, name, fiscalId }: AgedBalance, words: Words): string {
  if (kind === 'noCurrency') return words.noCurrencyRow;
  return name ?? fiscalId ?? words.noName;
}

function overdueTable(list: InvoiceList | undefined, { writing, dates }: SectionOptions): Html | undefined {
  const { words } = writing;
  if (list === undefined || list.count === 0) return undefined;
  const first = list.first.slice(0, MAX_OVERDUE);
  const rows = first.map(({ number, counterparty, fiscalId, due, amount }) => [
    idCell(number ?? ''),
    textCell(counterparty ?? words.noName),
    idCell(fiscalId ?? ''),
    dayCell(due, writing),
    countCell(dates.asOf - due, writing),
    amountCell(amount, writing),
  ]);
  const ids = fiscalIdTerm(
    first.flatMap(({ fiscalId }) => fiscalId ?? []),
    writing,
  );
  const heads = [words.number, words.counterparty, ids, words.due, words.days, words.amount];
  return invoiceTable({ caption: words.largest, heads, amounts: 4, rows }, { ...list, first }, writing);
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
    textCell(status === undefined ? '' : statusTerm(status, writing.language)),
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
