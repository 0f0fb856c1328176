import { monthsUpTo } from '../invoices/periods.ts';
import { addDecimals, DECIMAL_ZERO, negateDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import { agesStrip, bar, lengthOf, lengthOfAges, sampleOf } from './bars.ts';
import { failureText, missingText } from './doubts.ts';
import {
  isKnown,
  sumOf,
  type CurrencySection,
  type DatedFigures,
  type ListedInvoices,
  type OpenFigures,
  type OrganizationFigures,
  type ReportFigures,
} from './figures.ts';
import { el, noteLine, type Content, type Html } from './html.ts';
import { factLine, htmlPage, leftOutTexts, recordNotes } from './page-frame.ts';
import { SORT_SCRIPT, titledTable, type Column } from './table.ts';
import { TYPE_ROLES, type ReportDates } from './tallies.ts';
import { ageNames, fiscalIdTerm, statusTerm, typeTerm } from './terms.ts';
import { writingAt, type Writing } from './words.ts';

interface PageOptions {
  readonly writing: Writing;
  /** As `--version` prints it. */
  readonly version: string;
  /** The title of the page; undefined for the organization's name. */
  readonly title: string | undefined;
}

/** The report as one HTML page. Data of the service is escaped; no figure has a token or a signed link. */
export function reportPage(figures: ReportFigures, { writing, version, title }: PageOptions): string {
  const { words } = writing;
  const { organization, dates } = figures;
  const { profile, fiscalIds } = organization;
  const ids =
    fiscalIds.length === 0
      ? undefined
      : `${fiscalIdTerm(
          fiscalIds.map((fiscalId) => ({ fiscalId })),
          writing,
        )} ${fiscalIds.join(', ')}`;
  // Readers of the page do not know the name of the profile, so it comes last.
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
    el('main', verdict(figures, writing), organizationSection(organization, writing, dates)),
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

/** Everything about one organization: a summary of each currency on one screen, a part for each, and its funds. */
function organizationSection(figures: OrganizationFigures, writing: Writing, dates: ReportDates): Html {
  const { words } = writing;
  const { currencies, missing, inNoSum } = figures;
  const period = writing.period(dates.period.name);
  const hasMonths = isKnown(figures, 'months', 'issued', 'received');
  const views = currencies.map((section): SectionView => {
    const own = writingAt(writing, widestScale(sumsIn(section)));
    return { section, writing: own, dates, period, hasMonths };
  });
  const reasons = { balances: words.noBalances, months: words.noMonths, funds: words.noFunds };
  const lacking = missing.map((one) =>
    el('li', `${words[one.part]}: ${reasons[one.figure]} `, missingText(one, writing)),
  );
  const inNone = (['issued', 'received'] as const).flatMap((listing) => {
    const documents = inNoSum[listing] ?? 0;
    if (documents === 0) return [];
    return `${words[listing]}: ${words.inNoSum({ documents: documentsText(documents, writing) })}`;
  });
  return el(
    'section',
    el('h2', el('bdi', `${period[0]!.toUpperCase()}${period.slice(1)}`)),
    lacking.length === 0 ? undefined : el('div.verdict.warning', el('ul', lacking)),
    currencies.length === 0 ? el('p', words.settled) : [views.map(summary), views.map(currencySection)],
    noteLine(inNone),
    fundsTable(figures, writing),
  );
}

interface SectionView {
  readonly section: CurrencySection;
  /** All sums have as many decimals as the most exact one. */
  readonly writing: Writing;
  readonly dates: ReportDates;
  readonly period: string;
  /** Whether there are totals of what was issued and received; if so, a section may still have none. */
  readonly hasMonths: boolean;
}

function sumsIn({ receivable, payable, issued, received }: CurrencySection): Decimal[] {
  const open = [receivable, payable].flatMap((one) => (one === undefined ? [] : [one.open, one.cancelled]));
  const dated = [issued, received].flatMap((one) => [
    ...(one?.byType ?? []).flatMap((type) => TYPE_ROLES.map((role) => type[role])),
    ...Object.values(one?.months ?? {}),
  ]);
  return [...open, ...dated];
}

/** Characters of an amount that stay on one line, on a narrow screen, too. */
const MAX_UNBROKEN = 22;

/** The summary of the organization's balances in a currency. */
function summary({ section, writing, hasMonths }: SectionView): Html {
  const { receivable, payable, net, issued, received, currency } = section;
  const { words, amount, count } = writing;
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
  const dated = (label: string, figures: Partial<DatedFigures> = {}): Html => {
    const {
      inPeriod = DECIMAL_ZERO,
      documentsInPeriod = 0,
      cancelledDocumentsInPeriod: cancelled = 0,
    } = figures;
    const documents = documentsText(documentsInPeriod, writing);
    const ofThese = words[cancelled === 1 ? 'oneCancelled' : 'someCancelled'];
    const sum = amount(figures.cancelledInPeriod ?? DECIMAL_ZERO);
    const small =
      cancelled === 0 ? undefined : el('small', ofThese({ count: count(cancelled), amount: sum }));
    return card(label, inPeriod, el('small', words.inPeriod({ documents })), small);
  };
  const [billed, bought] = [taxIn(issued), taxIn(received)];
  const ofReceived = el('small', words.taxReceived({ amount: amount(bought) }));
  const tax = isSome(billed) || isSome(bought) ? card(words.tax, billed, ofReceived) : undefined;
  const leftOut = (label: string, figures: OpenFigures | undefined): string[] =>
    figures === undefined ? [] : leftOutTexts(figures, writing, amount).map((text) => `${label}: ${text}`);
  return el(
    'div.keep',
    el('h3', currency ?? words.noCurrency),
    el(
      'ul.cards',
      receivable && open(words.receivable, receivable),
      payable && open(words.payable, payable),
      net && card(words.net, net),
      hasMonths ? [dated(words.billed, issued), dated(words.received, received), tax] : undefined,
    ),
    noteLine([...leftOut(words.receivable, receivable), ...leftOut(words.payable, payable)]),
  );
}

function taxIn(figures: DatedFigures | undefined): Decimal {
  return sumOf((figures?.byType ?? []).map(({ tax }) => tax));
}

function documentsText(count: number, writing: Writing): string {
  return writing.words[count === 1 ? 'oneDocument' : 'someDocuments']({ count: writing.count(count) });
}

function isSome({ coefficient }: Decimal): boolean {
  return coefficient !== 0n;
}

function currencySection(view: SectionView): Html {
  const { words } = view.writing;
  const { section, period } = view;
  const { currency, receivable, payable, issued, received } = section;
  const types = [
    typeTable(words.issuedByType({ period }), issued, view),
    typeTable(words.receivedByType({ period }), received, view),
  ];
  return el(
    'section.currency',
    el('h3', currency ?? words.noCurrency),
    receivable && payable && ageing(receivable, payable, view),
    view.hasMonths ? months(view) : undefined,
    types,
    types.every((one) => one === undefined) ? undefined : el('p.note', words.byDocumentDate),
    parties(words.debtors, receivable, view),
    invoiceTable(words.largest, issued?.overdue, view, true),
    invoiceTable(words.dueSoon, issued?.dueSoon, view),
    invoiceTable(words.dueSoonPay, received?.dueSoon, view),
    parties(words.creditors, payable, view),
  );
}

function ageing(receivable: OpenFigures, payable: OpenFigures, { writing }: SectionView): Html | undefined {
  const { words } = writing;
  const all = [
    { label: words.receivable, sums: receivable.buckets },
    { label: words.payable, sums: payable.buckets },
  ].filter(({ sums }) => sums.some(isSome));
  if (all.length === 0) return undefined;
  const most = Math.max(...all.map(({ sums }) => lengthOfAges(sums)));
  const strips = all.map(({ label, sums }) => [el('p.note', label), agesStrip(sums, label, writing, most)]);
  return el('section.keep', el('h4', words.ageing), strips);
}

const MONTHS = 12;

function months({ section: { issued, received }, writing, dates }: SectionView): Html | undefined {
  const { words, amount } = writing;
  const shown = monthsUpTo(Math.min(dates.period.last, dates.today), MONTHS);
  const rows = shown.map(({ name }) => ({
    label: writing.month(name),
    issued: issued?.months?.[name] ?? DECIMAL_ZERO,
    received: received?.months?.[name] ?? DECIMAL_ZERO,
  }));
  const most = Math.max(...rows.flatMap((row) => [lengthOf(row.issued), lengthOf(row.received)]));
  if (most === 0) return undefined;
  const both = ['issued', 'received'] as const;
  const bars = (row: (typeof rows)[number]): Html[] =>
    both.map((name) => {
      const title = `${row.label}, ${words[name]}: ${amount(row[name])}`;
      return bar([{ amount: row[name], look: name, title }], most);
    });
  const columns: Column<(typeof rows)[number]>[] = [
    ['text', words.month, ({ label }) => label],
    ['amount', words.issued, (row) => row.issued],
    ['amount', words.received, (row) => row.received],
    ['text', `${words.issued} · ${words.received}`, (row) => el('span.beside', bars(row))],
  ];
  const legend = both.map((name) => [sampleOf(name), `${words[name]} `]);
  return titledTable(words.months, { columns, rows, note: [legend, '· ', words.monthsAbout] }, writing);
}

function typeTable(
  title: string,
  figures: DatedFigures | undefined,
  { writing }: SectionView,
): Html | undefined {
  const { words, language, count } = writing;
  const rows = figures?.byType ?? [];
  if (rows.length === 0) return undefined;
  const names = { exempt: words.exempt, net: words.netAmount, tax: words.tax, total: words.total };
  const without = TYPE_ROLES.flatMap((role) => {
    const missing = rows.reduce((sum, one) => sum + one.missing[role], 0);
    return missing > 0 && isSome(sumOf(rows.map((one) => one[role])))
      ? `${names[role]} ${count(missing)}`
      : [];
  }).join(', ');
  const columns: Column<(typeof rows)[number]>[] = [
    ['text', words.type, ({ type }) => typeTerm(type, language) || words.noType],
    ['count', words.documents, ({ documents }) => documents],
    ...TYPE_ROLES.map((role): (typeof columns)[number] => ['amount', names[role], (one) => one[role]]),
  ];
  const sums = TYPE_ROLES.map((role) => sumOf(rows.map((one) => one[role])));
  const foot = rows.length > 1 ? [[words.total, figures?.documentsInPeriod, ...sums]] : undefined;
  const note = without === '' ? undefined : words.without({ roles: without });
  return titledTable(title, { columns, rows, foot, note }, writing);
}

function parties(title: string, figures: OpenFigures | undefined, view: SectionView): Html | undefined {
  const { section, writing } = view;
  const { words, count } = writing;
  const { counterparties: rows = [], counterpartyCount = 0 } = figures ?? {};
  if (figures === undefined || rows.length === 0) return undefined;
  type OpenParty = Pick<(typeof rows)[number], 'total' | 'overdue' | 'buckets'>;
  const amountsOf = ({ total, overdue, buckets }: OpenParty): Decimal[] => [total, overdue, ...buckets];
  const all = amountsOf({ ...figures, total: figures.open });
  const others = all.map((sum, at) =>
    addDecimals(sum, negateDecimal(sumOf(rows.map((one) => amountsOf(one)[at]!)))),
  );
  const more = counterpartyCount - rows.length;
  const foot = [
    ...(more === 0 ? [] : [[words.others({ count: count(more) }), undefined, ...others]]),
    [words.total, undefined, ...all],
  ];
  // The row for documents without a counterparty or a currency.
  const unnamed = section.currency === undefined ? words.noCurrencyRow : words.noName;
  const columns: Column<(typeof rows)[number]>[] = [
    ['text', words.counterparty, ({ name, fiscalId }) => name ?? fiscalId ?? unnamed],
    ['id', fiscalIdTerm(rows, writing), ({ fiscalId }) => fiscalId],
    ...[words.total, words.overdue, ...ageNames(words)].map((name, at): (typeof columns)[number] => [
      'amount',
      name,
      (one) => amountsOf(one)[at],
    ]),
  ];
  return titledTable(title, { columns, rows, foot: counterpartyCount > 1 ? foot : undefined }, writing);
}

const MAX_OVERDUE = 10;

/** The first invoices of a list, with the sum below them, or with a note where there are more. */
function invoiceTable(
  title: string,
  list: ListedInvoices | undefined,
  { writing, dates }: SectionView,
  isOverdue = false,
): Html | undefined {
  if (list === undefined || list.count === 0) return undefined;
  const { words } = writing;
  const { count, sum } = list;
  const rows = list.first.slice(0, isOverdue ? MAX_OVERDUE : undefined);
  type Of = Column<(typeof rows)[number]>;
  const document: Of[] = [
    ['id', words.number, ({ number }) => number],
    ['text', words.counterparty, ({ counterparty }) => counterparty ?? words.noName],
  ];
  const due: Of = ['day', words.due, (invoice) => invoice.due];
  const amount: Of = ['amount', words.amount, (invoice) => invoice.amount];
  const id: Of = ['id', fiscalIdTerm(rows, writing), ({ fiscalId }) => fiscalId];
  const days: Of = ['count', words.days, (invoice) => dates.asOf - invoice.due];
  const columns = isOverdue ? [...document, id, due, days, amount] : [due, ...document, amount];
  if (count === rows.length) {
    const total = [words.total, ...columns.slice(2).map(() => undefined), sum];
    return titledTable(title, { columns, rows, foot: [total] }, writing);
  }
  const texts = { shown: writing.count(rows.length), all: writing.count(count), sum: writing.amount(sum) };
  return titledTable(title, { columns, rows, note: words.firstOf(texts) }, writing);
}

function fundsTable(
  { funds: rows = [], fundCount = 0 }: OrganizationFigures,
  writing: Writing,
): Html | undefined {
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
