import { monthsUpTo } from '../invoices/periods.ts';
import { addDecimals, DECIMAL_ZERO, negateDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import { agesStrip, bar, lengthOf, lengthOfAges, sampleOf } from './bars.ts';
import { failureText, missingText } from './failure-texts.ts';
import {
  isKnown,
  sumOf,
  taxIn,
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
import { writingAt, type Writing } from './texts.ts';

interface PageOptions {
  readonly writing: Writing;
  /** As `--version` prints it. */
  readonly version: string;
  /** The title of the page; undefined for the organization's name. */
  readonly title: string | undefined;
}

/** The report as one HTML page. Data of the service is escaped; no figure has a token or a signed link. */
export function reportPage(figures: ReportFigures, { writing, version, title }: PageOptions): string {
  const { texts } = writing;
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
    name === undefined ? undefined : texts.title,
    texts.asOf({ day: writing.longDay(dates.asOf) }),
    ids === name ? undefined : ids,
    profile === name ? undefined : profile,
  ];
  const made = [
    `${texts.made} ${version}`,
    organization.organization && `${texts.organization} ${organization.organization}`,
  ];
  const body = [
    el('header', el('h1', el('bdi', name ?? texts.title)), factLine(...facts)),
    el('main', verdict(figures, writing), organizationSection(organization, writing, dates)),
    el('footer', factLine(...made)),
  ];
  const full = `${texts.title}${name === undefined ? '' : `: ${name}`}, ${writing.period(dates.period.name)}`;
  return htmlPage({ language: writing.language, title: full, body, script: SORT_SCRIPT });
}

function verdict(figures: ReportFigures, writing: Writing): Content {
  const { complete, failures, dates, caveats, organization } = figures;
  const { texts } = writing;
  const isAll = organization.missing.every(({ details }) => details?.code !== 'no source');
  const line = recordNotes({ ...dates, caveats: caveats.filter((note) => note !== 'part') }, writing);
  if (complete) return [el('p.verdict', isAll ? texts.whole : texts.givenWhole), line];
  const list = failures.map((failure) => el('li', failureText(failure, writing)));
  if (caveats.includes('part')) list.push(el('li', texts.part));
  return [el('div.verdict.warning', { role: 'alert' }, el('strong', texts.notWhole), el('ul', list)), line];
}

/** Everything about one organization: a summary of each currency on one screen, a part for each, and its funds. */
function organizationSection(figures: OrganizationFigures, writing: Writing, dates: ReportDates): Html {
  const { texts } = writing;
  const { currencies, missing, inNoSum } = figures;
  const period = writing.period(dates.period.name);
  const dated = DATED.filter((listing) => isKnown(figures, 'months', listing));
  const views = currencies.map((section): SectionView => {
    const own = writingAt(writing, widestScale(sumsIn(section)));
    return { section, writing: own, dates, period, dated };
  });
  const reasons = { balances: texts.noBalances, months: texts.noMonths, funds: texts.noFunds };
  const notShown = missing.map((one) =>
    el('li', `${texts[one.part]}: ${reasons[one.figure]} `, missingText(one, writing)),
  );
  const inNone = DATED.flatMap((listing) => {
    const documents = inNoSum[listing] ?? 0;
    if (documents === 0) return [];
    return `${texts[listing]}: ${texts.inNoSum({ documents: documentsText(documents, writing) })}`;
  });
  return el(
    'section',
    el('h2', el('bdi', `${period[0]!.toUpperCase()}${period.slice(1)}`)),
    notShown.length === 0 ? undefined : el('div.verdict.warning', el('ul', notShown)),
    isKnown(figures, 'balances', ...DATED) && currencies.length === 0 ? el('p', texts.settled) : undefined,
    [views.map(summary), views.map(currencySection)],
    noteLine(inNone),
    fundsTable(figures, writing),
  );
}

/** The listings whose documents are added up by date. */
const DATED = ['issued', 'received'] as const;

interface SectionView {
  readonly section: CurrencySection;
  /** All sums have as many decimals as the most exact one. */
  readonly writing: Writing;
  readonly dates: ReportDates;
  readonly period: string;
  /** The listings of which there are totals by date, though a section may have none. */
  readonly dated: readonly (typeof DATED)[number][];
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
function summary({ section, writing, dated: listings }: SectionView): Html {
  const { receivable, payable, net, issued, received, currency } = section;
  const { texts, amount, count } = writing;
  const card = (label: string, value: Decimal, ...small: readonly Content[]): Html => {
    const text = writing.money(value, currency);
    return el('li', label, el(text.length > MAX_UNBROKEN ? 'b.long' : 'b', text), small);
  };
  const open = (label: string, { open, overdue, invoices }: OpenFigures): Html => {
    const share = writing.share(overdue, open);
    const late = texts.overdueOf({ amount: amount(overdue) }) + (share === undefined ? '' : `, ${share}`);
    const nothing = invoices > 0 ? el('small', texts.nothingOverdue) : undefined;
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
    const ofThese = texts[cancelled === 1 ? 'oneCancelled' : 'someCancelled'];
    const sum = amount(figures.cancelledInPeriod ?? DECIMAL_ZERO);
    const small =
      cancelled === 0 ? undefined : el('small', ofThese({ count: count(cancelled), amount: sum }));
    return card(label, inPeriod, el('small', texts.inPeriod({ documents })), small);
  };
  const [billed, bought] = [taxIn(issued), taxIn(received)];
  const ofReceived = listings.includes('received')
    ? el('small', texts.taxReceived({ amount: amount(bought) }))
    : undefined;
  const tax = isSome(billed) || isSome(bought) ? card(texts.tax, billed, ofReceived) : undefined;
  const isBilled = listings.includes('issued');
  const inNoMonth = listings.flatMap((listing) => {
    const { missing = 0 } = section[listing] ?? {};
    if (missing === 0) return [];
    return `${texts[listing]}: ${texts.inNoMonth({ documents: documentsText(missing, writing) })}`;
  });
  const leftOut = (label: string, figures: OpenFigures | undefined): string[] =>
    figures === undefined ? [] : leftOutTexts(figures, writing, amount).map((text) => `${label}: ${text}`);
  return el(
    'div.keep',
    el('h3', currency ?? texts.noCurrency),
    el(
      'ul.cards',
      receivable && open(texts.receivable, receivable),
      payable && open(texts.payable, payable),
      net && card(texts.net, net),
      isBilled ? dated(texts.billed, issued) : undefined,
      listings.includes('received') ? dated(texts.received, received) : undefined,
      isBilled ? tax : undefined,
    ),
    noteLine([...leftOut(texts.receivable, receivable), ...leftOut(texts.payable, payable), ...inNoMonth]),
  );
}

function documentsText(count: number, writing: Writing): string {
  return writing.texts[count === 1 ? 'oneDocument' : 'someDocuments']({ count: writing.count(count) });
}

function isSome({ coefficient }: Decimal): boolean {
  return coefficient !== 0n;
}

function currencySection(view: SectionView): Html {
  const { texts } = view.writing;
  const { section, period } = view;
  const { currency, receivable, payable, issued, received } = section;
  const types = [
    typeTable(texts.issuedByType({ period }), issued, view),
    typeTable(texts.receivedByType({ period }), received, view),
  ];
  return el(
    'section.currency',
    el('h3', currency ?? texts.noCurrency),
    ageing(view),
    months(view),
    types,
    types.every((one) => one === undefined) ? undefined : el('p.note', texts.byDocumentDate),
    parties(texts.debtors, receivable, view),
    invoiceTable(texts.largest, issued?.overdue, view, true),
    invoiceTable(texts.dueSoon, issued?.dueSoon, view),
    invoiceTable(texts.dueSoonPay, received?.dueSoon, view),
    parties(texts.creditors, payable, view),
  );
}

function ageing({ section: { receivable, payable }, writing }: SectionView): Html | undefined {
  const { texts } = writing;
  const all = [
    { label: texts.receivable, sums: receivable?.buckets ?? [] },
    { label: texts.payable, sums: payable?.buckets ?? [] },
  ].filter(({ sums }) => sums.some(isSome));
  if (all.length === 0) return undefined;
  const most = Math.max(...all.map(({ sums }) => lengthOfAges(sums)));
  const strips = all.map(({ label, sums }) => [el('p.note', label), agesStrip(sums, label, writing, most)]);
  return el('section.keep', el('h4', texts.ageing), strips);
}

const MONTHS = 12;

function months({ section, writing, dates, dated }: SectionView): Html | undefined {
  const { texts, amount } = writing;
  const shown = monthsUpTo(Math.min(dates.period.last, dates.today), MONTHS);
  const rows = shown.map(({ name }) => ({
    label: writing.month(name),
    amounts: dated.map((listing) => section[listing]?.months?.[name] ?? DECIMAL_ZERO),
  }));
  const most = Math.max(0, ...rows.flatMap(({ amounts }) => amounts.map(lengthOf)));
  if (most === 0) return undefined;
  const bars = ({ label, amounts }: (typeof rows)[number]): Html[] =>
    dated.map((listing, at) => {
      const title = `${label}, ${texts[listing]}: ${amount(amounts[at]!)}`;
      return bar([{ amount: amounts[at]!, look: listing, title }], most);
    });
  const columns: Column<(typeof rows)[number]>[] = [
    ['text', texts.month, ({ label }) => label],
    ...dated.map((listing, at): (typeof columns)[number] => [
      'amount',
      texts[listing],
      ({ amounts }) => amounts[at],
    ]),
    ['text', dated.map((listing) => texts[listing]).join(' · '), (row) => el('span.beside', bars(row))],
  ];
  const legend = dated.map((listing) => [sampleOf(listing), `${texts[listing]} `]);
  const title = dated.length > 1 ? texts.months : texts[dated[0]!];
  return titledTable(title, { columns, rows, note: [legend, '· ', texts.monthsAbout] }, writing);
}

function typeTable(
  title: string,
  figures: DatedFigures | undefined,
  { writing }: SectionView,
): Html | undefined {
  const { texts, language, count } = writing;
  const rows = figures?.byType ?? [];
  if (rows.length === 0) return undefined;
  const names = { exempt: texts.exempt, net: texts.netAmount, tax: texts.tax, total: texts.total };
  const without = TYPE_ROLES.flatMap((role) => {
    const missing = rows.reduce((sum, one) => sum + one.missing[role], 0);
    return missing > 0 && isSome(sumOf(rows.map((one) => one[role])))
      ? `${names[role]} ${count(missing)}`
      : [];
  }).join(', ');
  const columns: Column<(typeof rows)[number]>[] = [
    ['text', texts.type, ({ type }) => typeTerm(type, language) || texts.noType],
    ['count', texts.documents, ({ documents }) => documents],
    ...TYPE_ROLES.map((role): (typeof columns)[number] => ['amount', names[role], (one) => one[role]]),
  ];
  const sums = TYPE_ROLES.map((role) => sumOf(rows.map((one) => one[role])));
  const foot = rows.length > 1 ? [[texts.total, figures?.documentsInPeriod, ...sums]] : undefined;
  const note = without === '' ? undefined : texts.without({ roles: without });
  return titledTable(title, { columns, rows, foot, note }, writing);
}

function parties(title: string, figures: OpenFigures | undefined, view: SectionView): Html | undefined {
  const { section, writing } = view;
  const { texts, count } = writing;
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
    ...(more === 0 ? [] : [[texts.others({ count: count(more) }), undefined, ...others]]),
    [texts.total, undefined, ...all],
  ];
  // The row for documents without a counterparty or a currency.
  const unnamed = section.currency === undefined ? texts.noCurrencyRow : texts.noName;
  const columns: Column<(typeof rows)[number]>[] = [
    ['text', texts.counterparty, ({ name, fiscalId }) => name ?? fiscalId ?? unnamed],
    ['id', fiscalIdTerm(rows, writing), ({ fiscalId }) => fiscalId],
    ...[texts.total, texts.overdue, ...ageNames(texts)].map((name, at): (typeof columns)[number] => [
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
  const { texts } = writing;
  const { count, sum } = list;
  const rows = list.first.slice(0, isOverdue ? MAX_OVERDUE : undefined);
  type Of = Column<(typeof rows)[number]>;
  const document: Of[] = [
    ['id', texts.number, ({ number }) => number],
    ['text', texts.counterparty, ({ counterparty }) => counterparty ?? texts.noName],
  ];
  const due: Of = ['day', texts.due, (invoice) => invoice.due];
  const amount: Of = ['amount', texts.amount, (invoice) => invoice.amount];
  const id: Of = ['id', fiscalIdTerm(rows, writing), ({ fiscalId }) => fiscalId];
  const days: Of = ['count', texts.days, (invoice) => dates.asOf - invoice.due];
  const columns = isOverdue ? [...document, id, due, days, amount] : [due, ...document, amount];
  if (count === rows.length) {
    const total = [texts.total, ...columns.slice(2).map(() => undefined), sum];
    return titledTable(title, { columns, rows, foot: [total] }, writing);
  }
  const shown = { shown: writing.count(rows.length), all: writing.count(count), sum: writing.amount(sum) };
  return titledTable(title, { columns, rows, note: texts.firstOf(shown) }, writing);
}

function fundsTable(
  { funds: rows = [], fundCount = 0 }: OrganizationFigures,
  writing: Writing,
): Html | undefined {
  const { texts, language, count } = writing;
  if (rows.length === 0) return undefined;
  const columns: Column<(typeof rows)[number]>[] = [
    ['text', texts.fund, ({ name = texts.noName }) => name],
    ['id', texts.number, ({ number }) => number],
    ['text', texts.status, ({ status }) => status && statusTerm(status, language)],
    ['text', texts.currency, ({ currency }) => currency],
    ['amount', texts.total, ({ amount }) => amount],
    ['amount', texts.balance, ({ balance }) => balance],
  ];
  const isCut = fundCount > rows.length;
  const note = isCut ? texts.firstParties({ shown: count(rows.length), all: count(fundCount) }) : undefined;
  return titledTable(texts.funds, { columns, rows, note }, writing, 'h3');
}
