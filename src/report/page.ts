import type { CurrencySection, OpenFigures, OrganizationFigures, ReportFigures } from './figures.ts';
import { failureText, missingText } from './doubts.ts';
import { el, noteLine, type Content, type Html } from './html.ts';
import { factLine, htmlPage, leftOutTexts, recordNotes } from './page-frame.ts';
import { ageNames, fiscalIdTerm, lookOf, statusTerm, typeTerm } from './terms.ts';
import { writingAt, type Writing } from './words.ts';
import { DECIMAL_ZERO, addDecimals, negateDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import { monthsUpTo } from '../invoices/periods.ts';
import { chartSection } from './charts.ts';
import { REST, TYPE_ROLES, type InvoiceList, type ReportDates } from './invoice-figures.ts';
import { SORT_SCRIPT, titledTable, type Column } from './table.ts';

interface PageOptions {
  readonly writing: Writing;
  /** As `--version` prints it. */
  readonly version: string;
  /** What stands at the top; undefined for the organization's name. */
  readonly title: string | undefined;
}

/** The report as one HTML page. Data of the service is escaped; no figure has a token or a signed link. */
export function reportPage(figures: ReportFigures, { writing, version, title }: PageOptions): string {
  const { words } = writing;
  const { organization, dates } = figures;
  const { profile, fiscalIds } = organization;
  const ids =
    fiscalIds.length === 0 ? undefined : `${fiscalIdTerm(fiscalIds, writing)} ${fiscalIds.join(', ')}`;
  // A profile's name means nothing to whoever gets the page.
  const name = title ?? organization.name ?? ids ?? profile;
  const facts = [
    name === undefined ? undefined : words.title,
    words.asOf({ day: writing.longDay(dates.asOf) }),
    ids === name ? undefined : ids,
    profile === name ? undefined : profile,
  ];
  const made = [
    `${words.made} ${version}`,
    organization.organization && `${words.organization} ${organization.organization}`,
  ];
  const body = [
    el('header', el('h1', el('bdi', name ?? words.title)), factLine(...facts)),
    el('main', verdict(figures, writing), organizationSection(organization, { writing, dates })),
    el('footer', factLine(...made)),
  ];
  const full = `${words.title}${name === undefined ? '' : `: ${name}`}, ${writing.period(dates.period.name)}`;
  return htmlPage({ language: writing.language, title: full, body, script: SORT_SCRIPT });
}

function verdict({ complete, failures, dates, caveats }: ReportFigures, writing: Writing): Content {
  const { words } = writing;
  const line = recordNotes({ ...dates, caveats: caveats.filter((note) => note !== 'part') }, writing);
  if (complete) return [el('p.verdict', words.whole), line];
  const list = failures.map((failure) => el('li', failureText(failure, writing)));
  if (caveats.includes('part')) list.push(el('li', words.part));
  return [el('div.verdict.warning', { role: 'alert' }, el('strong', words.notWhole), el('ul', list)), line];
}

interface SectionOptions {
  readonly writing: Writing;
  readonly dates: ReportDates;
}

const MONTHS = 12;
const MAX_OVERDUE = 10;
/** Characters of an amount that stay on one line, on a narrow screen, too. */
const MAX_UNBROKEN = 22;

/** Everything about one organization: first how it stands in each currency, on one screen; then a part for each, and its funds. */
function organizationSection(figures: OrganizationFigures, options: SectionOptions): Html {
  const { writing, dates } = options;
  const { words } = writing;
  const { currencies, known, missing, inNoSum } = figures;
  const inNone = (['issued', 'received'] as const)
    .filter((direction) => inNoSum[direction] > 0)
    .map((direction) => {
      const documents = documentsText(inNoSum[direction], writing);
      return `${words[direction]}: ${words.inNoSum({ documents })}`;
    });
  const all = currencies.map((section) => ({
    section,
    own: writingAt(writing, widestScale(sumsOf(section))),
  }));
  const summaries = all.map(({ section, own }) => {
    const heading = el('h3', section.currency ?? words.noCurrency);
    return el('div.keep', heading, cards(section, own, known), leftOutNote(section, own));
  });
  const sections = all.map(({ section, own }, index) =>
    currencySection(section, { dates, writing: own, known, id: `c${index + 1}` }),
  );
  const period = writing.period(dates.period.name);
  return el(
    'section',
    el('h2', el('bdi', `${period[0]!.toUpperCase()}${period.slice(1)}`)),
    missing.length === 0 ? undefined : missingNotes(missing, writing),
    currencies.length === 0 ? el('p', words.settled) : [summaries, sections],
    noteLine(inNone),
    fundsTable(figures, writing),
  );
}

/** Sums that are as exact as the most exact amount of the section. */
function sumsOf({ receivable, payable, issued, received }: CurrencySection): Decimal[] {
  const open = [receivable, payable].flatMap((one) => [one.open, one.cancelled]);
  const dated = [issued, received].flatMap((one) =>
    one === undefined ? [] : [...Object.values(one.all.amounts), ...one.months.values()],
  );
  return [...open, ...dated];
}

function missingNotes(missing: OrganizationFigures['missing'], writing: Writing): Html {
  const { words } = writing;
  const texts = { balances: words.noBalances, months: words.noMonths, funds: words.noFunds };
  const items = missing.map((one) =>
    el('li', `${words[one.part]}: ${texts[one.figure]} `, missingText(one, writing)),
  );
  return el('div.verdict.warning', el('ul', items));
}

interface CurrencyOptions extends SectionOptions {
  readonly known: OrganizationFigures['known'];
  /** The beginning of the ids of what is in the section. */
  readonly id: string;
}

function currencySection(section: CurrencySection, options: CurrencyOptions): Html {
  const { writing, known, dates } = options;
  const { words } = writing;
  const { currency, receivable, payable, issued, received } = section;
  const unnamed = currency === undefined ? words.noCurrencyRow : words.noName;
  const period = writing.period(dates.period.name);
  const types = [
    typeTable(words.issuedByType({ period }), issued, writing),
    typeTable(words.receivedByType({ period }), received, writing),
  ];
  return el(
    'section.currency',
    el('h3', currency ?? words.noCurrency),
    known.issued.balances && known.received.balances ? ageing(section, options) : undefined,
    known.issued.months && known.received.months ? months(section, options) : undefined,
    types,
    types.every((one) => one === undefined) ? undefined : el('p.note', words.byDocumentDate),
    known.issued.balances ? parties(words.debtors, receivable, { writing, unnamed }) : undefined,
    overdueTable(issued?.overdue, options),
    dueTable(words.dueSoon, issued?.dueSoon, writing),
    dueTable(words.dueSoonPay, received?.dueSoon, writing),
    known.received.balances ? parties(words.creditors, payable, { writing, unnamed }) : undefined,
  );
}

function cards(section: CurrencySection, writing: Writing, known: OrganizationFigures['known']): Html {
  const { receivable, payable, net, issued, received, currency } = section;
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
    const { all, cancelled: { documents: cancelled, total } = { documents: 0, total: DECIMAL_ZERO } } =
      figures ?? {};
    const documents = documentsText(all?.documents ?? 0, writing);
    const ofThese = words[cancelled === 1 ? 'oneCancelled' : 'someCancelled'];
    return card(
      label,
      all?.amounts.total ?? DECIMAL_ZERO,
      el('small', words.inPeriod({ documents })),
      cancelled === 0
        ? undefined
        : el('small', ofThese({ count: writing.count(cancelled), amount: amount(total) })),
    );
  };
  const [billed, bought] = [issued, received].map((one) => one?.all.amounts.tax ?? DECIMAL_ZERO);
  const ofReceived = el('small', words.taxReceived({ amount: amount(bought!) }));
  const tax = [billed!, bought!].some(isSome) ? card(words.tax, billed!, ofReceived) : undefined;
  return el(
    'ul.cards',
    known.issued.balances ? open(words.receivable, receivable) : undefined,
    known.received.balances ? open(words.payable, payable) : undefined,
    known.issued.balances && known.received.balances ? card(words.net, net) : undefined,
    known.issued.months && known.received.months
      ? [period(words.billed, issued), period(words.received, received), tax]
      : undefined,
  );
}

function documentsText(count: number, writing: Writing): string {
  return writing.words[count === 1 ? 'oneDocument' : 'someDocuments']({ count: writing.count(count) });
}

function leftOutNote({ receivable, payable }: CurrencySection, writing: Writing): Html | undefined {
  const { words, amount } = writing;
  const notesOf = (label: string, figures: OpenFigures): string[] =>
    leftOutTexts(figures, writing, amount).map((text) => `${label}: ${text}`);
  return noteLine([...notesOf(words.receivable, receivable), ...notesOf(words.payable, payable)]);
}

function isSome({ coefficient }: Decimal): boolean {
  return coefficient !== 0n;
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
  const texts = { title: words.ageing, about: words.ageingAbout, caption: words.ageing, head: '' };
  return chartSection({ kind: 'bars', id: `${options.id}a`, ...texts, parts, rows }, options.writing);
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
  const { months: title, monthsAbout: about, month: head } = words;
  return chartSection(
    { kind: 'columns', id: `${id}m`, title, about, caption: about, head, parts, rows },
    writing,
  );
}

function typeTable(title: string, figures: CurrencySection['issued'], writing: Writing): Html | undefined {
  const { words, language, count } = writing;
  if (figures === undefined || figures.all.documents === 0) return undefined;
  const { all, types } = figures;
  const names = { exempt: words.exempt, net: words.netAmount, tax: words.tax, total: words.total };
  const without = TYPE_ROLES.filter((role) => all.missing[role] > 0 && isSome(all.amounts[role]))
    .map((role) => `${names[role]} ${count(all.missing[role])}`)
    .join(', ');
  const columns: Column<(typeof types)[number]>[] = [
    [
      'text',
      words.type,
      ({ type }) => (type === REST ? words.otherTypes : typeTerm(type, language) || words.noType),
    ],
    ['count', words.documents, ({ documents }) => documents],
    ...TYPE_ROLES.map((role): (typeof columns)[number] => [
      'amount',
      names[role],
      ({ amounts }) => amounts[role],
    ]),
  ];
  const total = [words.total, ...columns.slice(1).map(([, , cell]) => cell(all))];
  const foot = types.length > 1 ? [total] : undefined;
  const note = without === '' ? undefined : words.without({ roles: without });
  return titledTable(title, { columns, rows: types, foot, note }, writing);
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
  type OpenParty = (typeof counterparties)[number];
  const amountsOf = ({ total, overdue, buckets }: Pick<OpenParty, 'total' | 'overdue' | 'buckets'>) => [
    total,
    overdue,
    ...buckets,
  ];
  const all = amountsOf({ ...figures, total: figures.open });
  const others = all.map((sum, index) =>
    counterparties.reduce((left, one) => addDecimals(left, negateDecimal(amountsOf(one)[index]!)), sum),
  );
  const more = counterpartyCount - counterparties.length;
  const foot = [
    ...(more === 0 ? [] : [[words.others({ count: count(more) }), undefined, ...others]]),
    [words.total, undefined, ...all],
  ];
  const columns: Column<OpenParty>[] = [
    ['text', words.counterparty, ({ name, fiscalId }) => name ?? fiscalId ?? unnamed],
    [
      'id',
      fiscalIdTerm(
        counterparties.map(({ fiscalId }) => fiscalId),
        writing,
      ),
      ({ fiscalId }) => fiscalId,
    ],
    ...[words.total, words.overdue, ...ageNames(words)].map((name, index): (typeof columns)[number] => [
      'amount',
      name,
      (one) => amountsOf(one)[index],
    ]),
  ];
  return titledTable(
    title,
    { columns, rows: counterparties, foot: counterpartyCount > 1 ? foot : undefined },
    writing,
  );
}

type OpenInvoice = InvoiceList['first'][number];

const fiscalIdOf = ({ party }: OpenInvoice): string | undefined => party.fiscalId?.text;

function invoiceColumns({ words }: Writing) {
  return {
    number: ['id', words.number, ({ number }) => number],
    party: ['text', words.counterparty, (one) => one.party.name?.text ?? fiscalIdOf(one) ?? words.noName],
    due: ['day', words.due, ({ due }) => due],
    amount: ['amount', words.amount, ({ amount }) => amount],
  } satisfies Record<string, Column<OpenInvoice>>;
}

function overdueTable(list: InvoiceList | undefined, { writing, dates }: SectionOptions): Html | undefined {
  const { words } = writing;
  if (list === undefined) return undefined;
  const first = list.first.slice(0, MAX_OVERDUE);
  const { number, party, due, amount } = invoiceColumns(writing);
  const columns: Column<OpenInvoice>[] = [
    number,
    party,
    ['id', fiscalIdTerm(first.map(fiscalIdOf), writing), fiscalIdOf],
    due,
    ['count', words.days, (invoice) => dates.asOf - invoice.due],
    amount,
  ];
  return invoiceTable(words.largest, columns, { ...list, first }, writing);
}

function dueTable(title: string, list: InvoiceList | undefined, writing: Writing): Html | undefined {
  const { number, party, due, amount } = invoiceColumns(writing);
  return list && invoiceTable(title, [due, number, party, amount], list, writing);
}

/** A table of the first invoices of a list, with the sum below it, or with a note where there are more. */
function invoiceTable(
  title: string,
  columns: readonly Column<OpenInvoice>[],
  { first: rows, count, sum }: Pick<InvoiceList, 'first' | 'count' | 'sum'>,
  writing: Writing,
): Html | undefined {
  const { words } = writing;
  if (count === 0) return undefined;
  if (count === rows.length) {
    const total = [words.total, ...columns.slice(2).map(() => undefined), sum];
    return titledTable(title, { columns, rows, foot: [total] }, writing);
  }
  const texts = { shown: writing.count(rows.length), all: writing.count(count), sum: writing.amount(sum) };
  return titledTable(title, { columns, rows, note: words.firstOf(texts) }, writing);
}

function fundsTable({ funds: rows, fundCount }: OrganizationFigures, writing: Writing): Html | undefined {
  const { words, language, count } = writing;
  if (rows.length === 0) return undefined;
  const columns: Column<(typeof rows)[number]>[] = [
    ['text', words.fund, ({ name = words.noName }) => name],
    ['id', words.number, ({ number }) => number],
    ['text', words.status, ({ status }) => status && statusTerm(status, language)],
    ['text', words.currency, ({ currency }) => currency],
    ['amount', words.total, ({ amount }) => amount],
    ['amount', words.balance, ({ balance }) => balance],
  ];
  const isCut = fundCount > rows.length;
  const note = isCut ? words.firstParties({ shown: count(rows.length), all: count(fundCount) }) : undefined;
  return titledTable(words.funds, { columns, rows, note }, writing, 'h3');
}
