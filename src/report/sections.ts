import { addDecimals, DECIMAL_ZERO, negateDecimal, type Decimal } from '../json/decimal.ts';
import { monthsUpTo } from '../invoices/periods.ts';
import { ageNames, lookOf } from './ages.ts';
import { monthlyColumns, stackedBars, type Chart } from './charts.ts';
import { missingColumnText, saidByFolio } from './doubts.ts';
import type { CurrencySection, OpenFigures, OrganizationFigures } from './figures.ts';
import { el, noteLine, type Html, type Content } from './html.ts';
import type { InvoiceList, MissingFigure, ReportDates } from './invoice-figures.ts';
import { TYPE_ROLES, type TypeFigures } from './period-figures.ts';
import { table, type Column, type TableContent, type CellValue } from './table.ts';
import { fiscalIdTerm, statusTerm, typeTerm } from './terms.ts';
import type { Writing } from './words.ts';

interface SectionOptions {
  readonly writing: Writing;
  readonly dates: ReportDates;
}

const MONTHS = 12;
const MAX_OVERDUE = 10;
/** Characters of an amount that stay on one line, on a narrow screen, too. */
const MAX_UNBROKEN = 22;

/** Everything about one organization: first how it stands in each currency, on one screen; then a part for each, and its funds. */
export function organizationSection(figures: OrganizationFigures, options: SectionOptions): Html {
  const { writing, dates } = options;
  const { words } = writing;
  const { currencies, missing, inNoSum } = figures;
  const inNone = (['issued', 'received'] as const)
    .filter((direction) => inNoSum[direction] > 0)
    .map((direction) => {
      const documents = documentsText(inNoSum[direction], writing);
      return `${words[direction]}: ${words.inNoSum({ documents })}`;
    });
  const shown = shownFigures(missing);
  const month = currencies.map((section) => {
    const heading = el('h3', section.currency ?? words.noCurrency);
    return el('div.keep', heading, cards(section, writing, shown), leftOutNote(section, writing));
  });
  const sections = currencies.map((section, index) =>
    currencySection(section, { ...options, shown, id: `c${index + 1}` }),
  );
  return el(
    'section',
    el('h2', el('bdi', capital(writing.period(dates.period.name)))),
    missing.length === 0 ? undefined : missingNotes(missing, writing),
    currencies.length === 0 ? el('p', words.nothingOpen) : [month, sections],
    noteLine(inNone),
    fundsTable(figures, writing),
  );
}

function capital(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

function missingNotes(missing: OrganizationFigures['missing'], writing: Writing): Html {
  const { words } = writing;
  const lacks = { balances: words.noBalances, months: words.noMonths, funds: words.noFunds };
  const notes = missing.map(({ direction, figure, reason, hint, details, isNotGiven }) => {
    const said = missingColumnText(details, writing) ?? saidByFolio(`${reason} ${hint ?? ''}`, writing);
    return el('li', `${words[direction]}: ${lacks[figure]} `, isNotGiven ? words.notGiven : said);
  });
  return el('div.verdict.doubt', el('ul', notes));
}

interface Shown {
  readonly receivable: boolean;
  readonly payable: boolean;
  readonly months: boolean;
}

/** What there are figures of. */
function shownFigures(missing: OrganizationFigures['missing']): Shown {
  const has = (direction: 'issued' | 'received', figure: MissingFigure['figure']): boolean =>
    !missing.some((one) => one.direction === direction && one.figure === figure);
  return {
    receivable: has('issued', 'balances'),
    payable: has('received', 'balances'),
    months: has('issued', 'months') && has('received', 'months'),
  };
}

interface CurrencyOptions extends SectionOptions {
  readonly shown: Shown;
  /** The beginning of the ids of what is in the section. */
  readonly id: string;
}

function currencySection(section: CurrencySection, options: CurrencyOptions): Html {
  const { writing, shown } = options;
  const { words } = writing;
  const { currency, receivable, payable, issued, received } = section;
  const unnamed = currency === undefined ? words.noCurrencyRow : words.noName;
  return el(
    'section.currency',
    el('h3', currency ?? words.noCurrency),
    shown.receivable && shown.payable ? ageing(section, options) : undefined,
    shown.months ? months(section, options) : undefined,
    byType(section, options),
    shown.receivable ? parties(words.debtors, receivable, { writing, unnamed }) : undefined,
    overdueTable(issued?.overdue, options),
    dueTable(words.dueSoon, issued?.dueSoon, writing),
    dueTable(words.dueSoonPay, received?.dueSoon, writing),
    shown.payable ? parties(words.creditors, payable, { writing, unnamed }) : undefined,
  );
}

function cards(
  { receivable, payable, net, issued, received, currency }: CurrencySection,
  writing: Writing,
  shown: Shown,
): Html {
  const { words, amount } = writing;
  const card = (label: string, value: Decimal, ...small: readonly Content[]): Html => {
    const text = writing.money(value, currency);
    return el('li', label, el(text.length > MAX_UNBROKEN ? 'b.long' : 'b', text), small);
  };
  const open = (label: string, { open, overdue, invoices }: OpenFigures): Html => {
    const share = writing.share(overdue, open);
    const late = words.overdueOf({ amount: amount(overdue) }) + (share === undefined ? '' : `, ${share}`);
    const nothing = invoices > 0 ? el('small', words.nothingOverdue) : undefined;
    const documents = el('small', documentsText(invoices, writing));
    return card(label, open, documents, isSome(overdue) ? el('small.late', late) : nothing);
  };
  const period = (label: string, figures: CurrencySection['issued']): Html => {
    const { all, cancelled } = figures?.period ?? {};
    const documents = documentsText(all?.documents ?? 0, writing);
    return card(
      label,
      all?.amounts.total ?? DECIMAL_ZERO,
      el('small', words.inPeriod({ documents })),
      cancelled === undefined || cancelled.documents === 0
        ? undefined
        : el(
            'small',
            words[cancelled.documents === 1 ? 'oneCancelled' : 'someCancelled']({
              count: writing.count(cancelled.documents),
              amount: amount(cancelled.total),
            }),
          ),
    );
  };
  const [billed, bought] = [issued, received].map((one) => one?.period.all.amounts.tax ?? DECIMAL_ZERO);
  const ofReceived = el('small', words.taxReceived({ amount: amount(bought!) }));
  const tax = [billed!, bought!].some(isSome) ? card(words.tax, billed!, ofReceived) : undefined;
  return el(
    'ul.cards',
    shown.receivable ? open(words.receivable, receivable) : undefined,
    shown.payable ? open(words.payable, payable) : undefined,
    shown.receivable && shown.payable ? card(words.net, net) : undefined,
    shown.months ? [period(words.billed, issued), period(words.received, received), tax] : undefined,
  );
}

function documentsText(count: number, writing: Writing): string {
  return writing.words[count === 1 ? 'oneDocument' : 'someDocuments']({ count: writing.count(count) });
}

/** What is dated in the period, by type of document. */
function byType({ issued, received }: CurrencySection, { writing, dates }: SectionOptions): Content {
  const { words } = writing;
  const period = writing.period(dates.period.name);
  const tables = [
    typeTable(words.issuedByType({ period }), issued, writing),
    typeTable(words.receivedByType({ period }), received, writing),
  ];
  return tables.every((one) => one === undefined) ? undefined : [tables, el('p.note', words.byDocumentDate)];
}

function typeTable(title: string, figures: CurrencySection['issued'], writing: Writing): Html | undefined {
  const { words, language } = writing;
  if (figures === undefined || figures.period.all.documents === 0) return undefined;
  const { all, types } = figures.period;
  const row = (
    label: string,
    { documents, amounts }: Pick<TypeFigures, 'documents' | 'amounts'>,
  ): CellValue[] => [...[label, documents], ...TYPE_ROLES.map((role) => amounts[role])];
  const names = { exempt: words.exempt, net: words.netAmount, tax: words.tax, total: words.total };
  const lacks = TYPE_ROLES.filter((role) => all.missing[role] > 0 && isSome(all.amounts[role])).map(
    (role) => `${names[role]} ${writing.count(all.missing[role])}`,
  );
  return titledTable(
    title,
    {
      columns: [
        ['text', words.type],
        ['count', words.documents],
        ...TYPE_ROLES.map((role): Column => ['amount', names[role]]),
      ],
      rows: types.map((one) =>
        row(one.isRest ? words.otherTypes : typeTerm(one.type, language) || words.noType, one),
      ),
      foot: types.length > 1 ? [row(words.total, all)] : undefined,
      note: lacks.length === 0 ? undefined : words.without({ roles: lacks.join(', ') }),
    },
    writing,
  );
}

/** What is not in the open amounts: cancelled documents, and those that say no amount. */
function leftOutNote({ receivable, payable }: CurrencySection, writing: Writing): Html | undefined {
  const { words, amount, count } = writing;
  const notesOf = (label: string, { cancelled, missing }: OpenFigures): string[] => [
    ...(isSome(cancelled) ? [`${label}: ${words.cancelledOf({ amount: amount(cancelled) })}`] : []),
    ...(missing > 0 ? [`${label}: ${words.withoutAmount({ count: count(missing) })}`] : []),
  ];
  return noteLine([...notesOf(words.receivable, receivable), ...notesOf(words.payable, payable)]);
}

function ageing({ receivable, payable }: CurrencySection, options: CurrencyOptions): Html | undefined {
  const { words } = options.writing;
  const all = [
    { label: words.receivable, amounts: receivable.buckets },
    { label: words.payable, amounts: payable.buckets },
  ].filter(({ amounts }) => amounts.some(isSome));
  const parts = ageNames(words)
    .map((name, age) => ({ name, age, look: lookOf(age) }))
    .filter(({ age }) => all.some(({ amounts }) => isSome(amounts[age]!)));
  const rows = all.map(({ label, amounts }) => ({ label, amounts: parts.map(({ age }) => amounts[age]!) }));
  const chart = { title: words.ageing, about: words.ageingAbout, id: `${options.id}a`, parts, rows };
  return charted(chart, { draw: stackedBars, caption: words.ageing, head: '' }, options.writing);
}

function isSome({ coefficient }: Decimal): boolean {
  return coefficient !== 0n;
}

function months({ issued, received }: CurrencySection, options: CurrencyOptions): Html | undefined {
  const { writing, dates, id } = options;
  const { words } = writing;
  const shown = monthsUpTo(Math.min(dates.period.last, dates.today), MONTHS);
  const totalOf = (figures: CurrencySection['issued'], month: string): Decimal =>
    figures?.months.get(month) ?? DECIMAL_ZERO;
  const parts = [
    { name: words.issued, look: 'series0', figures: issued },
    { name: words.received, look: 'series1', figures: received },
  ].filter(({ figures }) => shown.some(({ name }) => isSome(totalOf(figures, name))));
  const rows = shown.map(({ name }) => ({
    label: writing.month(name),
    amounts: parts.map(({ figures }) => totalOf(figures, name)),
  }));
  const chart = { title: words.months, about: words.monthsAbout, id: `${id}m`, parts, rows };
  return charted(chart, { draw: monthlyColumns, caption: words.monthsAbout, head: words.month }, writing);
}

interface ChartedOptions {
  readonly draw: (chart: Chart, writing: Writing) => Content;
  readonly caption: string;
  readonly head: string;
}

/** A chart, and its figures as a table. */
function charted(chart: Chart, { draw, caption, head }: ChartedOptions, writing: Writing): Html | undefined {
  const { title, parts } = chart;
  if (parts.length === 0) return undefined;
  const columns: Column[] = [['text', head], ...parts.map(({ name }): Column => ['amount', name])];
  const rows = chart.rows.map(({ label, amounts }) => [label, ...amounts]);
  const figures = table({ caption, columns, rows }, writing);
  const folded = el('details', el('summary', writing.words.figures), figures);
  return el('section.keep', el('h4', title), el('figure', draw(chart, writing), folded));
}

/** @param unnamed who it is that the records do not name */
function parties(
  title: string,
  figures: OpenFigures,
  { writing, unnamed }: { readonly writing: Writing; readonly unnamed: string },
): Html | undefined {
  const { words, count } = writing;
  const { counterparties, counterpartyCount } = figures;
  if (counterparties.length === 0) return undefined;
  const amounts = counterparties.map(({ total, overdue, buckets }) => [total, overdue, ...buckets]);
  const all = [figures.open, figures.overdue, ...figures.buckets];
  const others = all.map((sum, index) =>
    amounts.reduce((left, one) => addDecimals(left, negateDecimal(one[index]!)), sum),
  );
  const further = counterpartyCount - counterparties.length;
  const foot = [
    ...(further === 0 ? [] : [[words.others({ count: count(further) }), undefined, ...others]]),
    [words.total, undefined, ...all],
  ];
  return titledTable(
    title,
    {
      columns: [
        ['text', words.counterparty],
        ['id', fiscalIdTerm(counterparties, writing)],
        ...[words.total, words.overdue, ...ageNames(words)].map((name): Column => ['amount', name]),
      ],
      rows: counterparties.map(({ name, fiscalId }, index) => {
        return [name ?? fiscalId ?? unnamed, fiscalId, ...amounts[index]!];
      }),
      foot: counterpartyCount > 1 ? foot : undefined,
    },
    writing,
  );
}

function overdueTable(list: InvoiceList | undefined, { writing, dates }: SectionOptions): Html | undefined {
  const { words } = writing;
  if (list === undefined) return undefined;
  const first = list.first.slice(0, MAX_OVERDUE);
  const columns: Column[] = [
    ['id', words.number],
    ['text', words.counterparty],
    ['id', fiscalIdTerm(first, writing)],
    ['day', words.due],
    ['count', words.days],
    ['amount', words.amount],
  ];
  const rows = first.map(({ number, counterparty = words.noName, fiscalId, due, amount }) => {
    return [number, counterparty, fiscalId, due, dates.asOf - due, amount];
  });
  return invoiceTable(words.largest, { columns, rows }, list, writing);
}

function dueTable(title: string, list: InvoiceList | undefined, writing: Writing): Html | undefined {
  const { words } = writing;
  if (list === undefined) return undefined;
  const columns: Column[] = [
    ['day', words.due],
    ['id', words.number],
    ['text', words.counterparty],
    ['amount', words.amount],
  ];
  const rows = list.first.map(({ number, counterparty = words.noName, due, amount }) => {
    return [due, number, counterparty, amount];
  });
  return invoiceTable(title, { columns, rows }, list, writing);
}

/** A table of the first invoices of a list, with the sum below it, or with a note where there are more. */
function invoiceTable(
  title: string,
  {
    columns,
    rows,
  }: { readonly columns: readonly Column[]; readonly rows: readonly (readonly CellValue[])[] },
  { count, sum }: InvoiceList,
  writing: Writing,
): Html | undefined {
  const { words } = writing;
  if (count === 0) return undefined;
  const isWhole = count === rows.length;
  const texts = { shown: writing.count(rows.length), all: writing.count(count), sum: writing.amount(sum) };
  const total = [words.total, ...columns.slice(2).map(() => undefined), sum];
  const foot = isWhole ? [total] : undefined;
  return titledTable(
    title,
    { columns, rows, foot, note: isWhole ? undefined : words.firstOf(texts) },
    writing,
  );
}

interface TitledContent extends Omit<TableContent, 'caption'> {
  readonly note?: string | undefined;
}

/** A table and its title, which stay together in print. */
function titledTable(
  title: string,
  { note, ...content }: TitledContent,
  writing: Writing,
  head = 'h4',
): Html {
  const below = note === undefined ? undefined : el('p.note', note);
  return el('section.block', el(head, title), table({ caption: title, ...content }, writing), below);
}

function fundsTable({ funds, fundCount }: OrganizationFigures, writing: Writing): Html | undefined {
  const { words, language, count } = writing;
  if (funds.length === 0) return undefined;
  const columns: Column[] = [
    ['text', words.fund],
    ['id', words.number],
    ['text', words.status],
    ['text', words.currency],
    ['amount', words.total],
    ['amount', words.balance],
  ];
  const rows = funds.map(({ name = words.noName, number, status, currency, amount, balance }) => {
    return [name, number, status && statusTerm(status, language), currency, amount, balance];
  });
  const note =
    fundCount > funds.length
      ? words.firstParties({ shown: count(funds.length), all: count(fundCount) })
      : undefined;
  return titledTable(words.funds, { columns, rows, note }, writing, 'h3');
}
