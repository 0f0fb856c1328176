import type { Finding } from '../../findings.ts';
import { formatDay } from '../../json/calendar-day.ts';
import { addDecimals, formatDecimal, negateDecimal, type Decimal } from '../../json/decimal.ts';
import type { RecordBatch } from '../../json/records.ts';
import { runCooperatively, type CooperativeTask } from '../../json/cooperative-task.ts';
import { countOf, digitGrouper } from '../../output/terminal/number-text.ts';
import type { ShownColumns } from '../../output/column-roles.ts';
import { compareOrders } from '../cell-order.ts';
import type { Question } from '../questions.ts';
import { chosenColumns } from '../result-rows.ts';
import { amountJson, batchOfRows, textJson, type Row } from '../rows.ts';
import { sortedNumbers } from '../sort.ts';
import type { DocumentsKept } from './documents-kept.ts';
import { ROW_OUTCOMES, type Outcome, type Side } from './match-documents.ts';
import { Reconciliation, type ReconcileOptions } from './reconcile.ts';
import { NumberTable, type Texts } from './tables.ts';

/** The columns of the result, and which of them a narrow terminal has room for: that of the highest rank goes first. */
const SHOWN = {
  _match: { role: 'kind', rank: 1 },
  number: { rank: 2 },
  documentType: { role: 'document', rank: 8 },
  counterpartyFiscalId: { rank: 11 },
  counterpartyName: { role: 'party', rank: 5 },
  date: { rank: 7 },
  currency: { rank: 9 },
  total: { rank: 3 },
  'list.total': { role: 'amount', rank: 4 },
  difference: { role: 'amount', rank: 11 },
  differs: { role: 'kind', rank: 6 },
  'list.file': { rank: 12 },
  'list.row': { rank: 10 },
} as const satisfies ShownColumns;
const COLUMNS = Object.keys(SHOWN);

/** Rows that are written at a time. */
const ROWS_AT_ONCE = 1_000;

/** What is said where records are missing: what is on the list alone may be there, too. */
export const DOUBT = 'what is said to be only in the list may be wrong';

/** How the result is laid out. */
interface ReconcileLayout {
  /** Whether what is the same on both sides comes out, too. */
  readonly all: boolean;
  /** Of which lists, by the places of their files. */
  readonly paths: readonly string[];
  /** Rows of the lists that are the total of receipts, and no documents. */
  readonly receiptTotals: number;
  /** The locale whose separators group digits in notes. */
  readonly locale: string;
  readonly signal: AbortSignal;
}

/** The question that `folio reconcile` asks: a row for each document that is not the same on both sides. */
export function reconcileQuestion(options: ReconcileOptions, layout: ReconcileLayout): Question {
  const reconciliation = new Reconciliation(options);
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) reconciliation.add(batch);
      await runCooperatively(reconciliation.finish(), layout.signal);
      for await (const page of pagesOf(reconciliation, options.texts, layout))
        yield batchOfRows(rowsOf(reconciliation, layout, page));
    },
    result: {
      columns: (asked) =>
        asked === undefined ? COLUMNS : chosenColumns(COLUMNS, { asked, flag: '--columns' }),
      shown: SHOWN,
    },
    findings: () => {
      const counts = ROW_OUTCOMES.map(
        (outcome) => [outcome, reconciliation.sums.get(outcome)?.count ?? 0] as const,
      );
      return [
        { level: 'fact', text: '', facts: { matches: Object.fromEntries(counts) } },
        ...countsOf(reconciliation, options, layout),
        reconciliation.finding('reconcile', DOUBT),
      ];
    },
  };
}

/** Documents of an outcome: of the list, of the service, or of both. */
interface Found {
  readonly outcome: Outcome;
  readonly one: number | undefined;
  readonly other: number | undefined;
}

/** What the rows are of, so many at a time; at least one page, be it empty. */
async function* pagesOf(
  reconciliation: Reconciliation,
  texts: Texts,
  { all, signal }: ReconcileLayout,
): AsyncGenerator<Found[]> {
  let page: Found[] = [];
  for (const outcome of ROW_OUTCOMES) {
    if (outcome === 'same' && !all) continue;
    const { order, foundAt } = await runCooperatively(inOrder(reconciliation, texts, outcome), signal);
    for (const place of order) {
      page.push(foundAt(place));
      if (page.length < ROWS_AT_ONCE) continue;
      yield page;
      page = [];
    }
  }
  yield page;
}

interface Ordered {
  readonly order: Uint32Array;
  readonly foundAt: (place: number) => Found;
}

/** The documents of an outcome, by counterparty, then number, those of digits by value. */
function* inOrder(
  { matching: { list, service } }: Reconciliation,
  texts: Texts,
  outcome: Outcome,
): CooperativeTask<Ordered> {
  const listed = indicesOf(list, (index) => list.outcomeOf(index) === outcome);
  const served = indicesOf(
    service,
    (index) => service.outcomeOf(index) === outcome && service.mateOf(index) === undefined,
  );
  const order = new DocumentOrder(texts);
  for (const one of listed) {
    const other = list.mateOf(one);
    if (other === undefined) order.add(list.documents, one);
    else order.add(service.documents, other);
  }
  for (const other of served) order.add(service.documents, other);
  const foundAt = (place: number): Found => {
    const one = listed[place];
    return { outcome, one, other: one === undefined ? served[place - listed.length] : list.mateOf(one) };
  };
  return { order: yield* order.sorted(), foundAt };
}

function indicesOf({ documents }: Side, isWanted: (index: number) => boolean): number[] {
  const indices: number[] = [];
  for (let index = 0; index < documents.count; index++) if (isWanted(index)) indices.push(index);
  return indices;
}

/** Digits of fiscal IDs that are sorted by value. */
const PAD = 12;

/** The order of documents by counterparty and number, in little room. */
class DocumentOrder {
  #count = 0;
  readonly #texts: Texts;
  /** The texts that stand for the counterparties, and the place of each among them, by the number of the text. */
  readonly #parties: number[] = [];
  readonly #ranks = new NumberTable(Int32Array);
  readonly #partyOf = new NumberTable(Int32Array);
  readonly #numbers = new NumberTable(Float64Array);
  /** The numbers that have other characters than digits. */
  readonly #words = new Map<number, string>();

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  add(documents: DocumentsKept, index: number): void {
    const place = this.#count++;
    const party = documents.partyOf(index) || documents.nameNumberOf(index);
    if (this.#ranks.get(party) === 0) this.#ranks.set(party, this.#parties.push(party));
    this.#partyOf.set(place, party);
    const number = documents.numberKeyOf(index);
    if (number >= 0) this.#numbers.set(place, number);
    else this.#words.set(place, documents.numberOf(index) ?? '');
  }

  /** The places of the documents, as they were added, from 0. Equal ones keep their order. */
  *sorted(): CooperativeTask<Uint32Array> {
    const padded = this.#parties.map((party) => (this.#texts.of(party) ?? '').padStart(PAD, '0'));
    const parties = yield* sortedNumbers(
      padded.length,
      (a, b) => compareOrders(padded[a], padded[b]) || a - b,
    );
    for (const [rank, at] of parties.entries()) this.#ranks.set(this.#parties[at]!, rank);
    const rankOf = (place: number): number => this.#ranks.get(this.#partyOf.get(place));
    const compare = (a: number, b: number): number =>
      rankOf(a) - rankOf(b) ||
      this.#numbers.get(a) - this.#numbers.get(b) ||
      compareOrders(this.#words.get(a) ?? '', this.#words.get(b) ?? '') ||
      a - b;
    return yield* sortedNumbers(this.#count, compare);
  }
}

/** Rows are made one at a time, when they are written. */
function* rowsOf(
  reconciliation: Reconciliation,
  layout: ReconcileLayout,
  page: readonly Found[],
): Generator<Row> {
  for (const found of page) yield rowOf(reconciliation, layout, found);
}

function rowOf({ matching }: Reconciliation, { paths }: ReconcileLayout, found: Found): Row {
  const { list, service } = matching;
  const { outcome, one, other } = found;
  const [documents, index] = other === undefined ? [list.documents, one!] : [service.documents, other];
  const total = other === undefined ? undefined : service.documents.amountOf(other, 'total');
  const listTotal = one === undefined ? undefined : list.documents.amountOf(one, 'total');
  const isCompared = total !== undefined && listTotal !== undefined;
  const differs = outcome === 'differs' ? matching.differencesOf(one!, other!) : [];
  const day = documents.dayOf(index);
  return [
    ['_match', JSON.stringify(outcome)],
    ['number', numberJson(documents.numberOf(index))],
    ['documentType', textJson(documents.typeOf(index))],
    ['counterpartyFiscalId', textJson(documents.fiscalIdOf(index))],
    ['counterpartyName', textJson(documents.nameOf(index))],
    ['date', textJson(day === undefined ? undefined : formatDay(day))],
    ['currency', textJson(documents.currencyOf(index))],
    ['total', amountJson(total)],
    ['list.total', amountJson(listTotal)],
    ['difference', amountJson(isCompared ? addDecimals(total, negateDecimal(listTotal)) : undefined)],
    ['differs', textJson(differs.length === 0 ? undefined : differs.join(', '))],
    ['list.file', textJson(one === undefined ? undefined : paths[list.documents.fileOf(one)])],
    ['list.row', one === undefined ? 'null' : String(list.documents.lineOf(one))],
  ];
}

/** A number of digits is a number, as far as one holds it. */
function numberJson(number: string | undefined): string {
  return number !== undefined && /^(?:0|[1-9]\d{0,14})$/.test(number) ? number : textJson(number);
}

/** The counts and sums. They are part of the answer where the two sides differ. */
function countsOf(
  reconciliation: Reconciliation,
  { listed, against, months }: ReconcileOptions,
  { locale, receiptTotals }: ReconcileLayout,
): Finding[] {
  const group = digitGrouper(locale);
  const count = (n: number, what: string): string =>
    countOf(n, what).replace(/^\d+/, (digits) => group(digits));
  const { sums, apart, records } = reconciliation;
  const period = months.length === 0 ? '' : `${[...new Set(months.map(({ name }) => name))].join(', ')}: `;
  const lines = [
    `${period}${count(listed.count, 'document')} listed, ${count(records, `${against} invoice`)} looked at`,
  ];
  for (const outcome of ROW_OUTCOMES) {
    const sum = sums.get(outcome);
    if (sum === undefined) continue;
    const amounts = [...sum.byCurrency].flatMap(([code, { service, list }]) => {
      const currency = code === '' ? 'without a currency' : code;
      const amount = (value: Decimal | undefined): string[] =>
        value === undefined ? [] : [`${currency} ${group(formatDecimal(value))}`];
      const [served, listed] = [amount(service), amount(list)];
      if (served.length + listed.length < 2 || served[0] === listed[0]) return served[0] ?? listed;
      return [`${served[0]} in the service`, `${listed[0]} in the list`];
    });
    lines.push(`${outcome}: ${[group(String(sum.count)), ...amounts].join(' \u00b7 ')}`);
  }
  lines.push(...apartLines(reconciliation, { count, receiptTotals }));
  if (months.length === 0) lines.push('the lists have no dates: nothing counts as only in the service');
  if (apart.undated > 0)
    lines.push(`${count(apart.undated, 'document')} of the service without a date, in no period`);
  return lines.map((text) => ({ level: reconciliation.isSame ? 'remark' : 'answer', text }));
}

interface ApartWords {
  readonly count: (n: number, what: string) => string;
  readonly receiptTotals: number;
}

/** What is no difference, and is said. */
function apartLines({ apart, sums }: Reconciliation, { count, receiptTotals }: ApartWords): string[] {
  const lines: string[] = [];
  for (const [family, n] of apart.ofKind)
    lines.push(`${count(n, family)} of the service counted apart: the list has none`);
  if (receiptTotals > 0)
    lines.push(`${count(receiptTotals, 'row')} of the list left out: totals of receipts`);
  const other = sums.get('in another currency')?.count ?? 0;
  if (other > 0) {
    const currencies = [...apart.otherCurrency.keys()].join(', ');
    lines.push(
      `${count(other, 'document')} in another currency than the list’s (${currencies}): there on both sides, amounts not compared`,
    );
  }
  const pending = sums.get('pending before')?.count ?? 0;
  if (pending > 0) lines.push(`${count(pending, 'document')} also listed as pending: the other list counts`);
  if (apart.void > 0) lines.push(`${count(apart.void, 'void document')} of the service left out`);
  return lines;
}
