import { UsageError } from '../../errors.ts';
import { familyOf, signedAmount } from '../../invoices/document-types.ts';
import { foldFiscalId, isFiscalId } from '../../invoices/fiscal-ids.ts';
import { bareCurrency } from '../../invoices/document.ts';
import { monthOf, readBegunPeriod, type Period } from '../../invoices/periods.ts';
import { parseCalendarDay } from '../../json/calendar-day.ts';
import { addDecimals, DECIMAL_ZERO, parseDecimal, type Decimal } from '../../json/decimal.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { bareNumber, entryOf, type Entry } from './matching.ts';
import {
  DECIMAL_MARKS,
  badList,
  checkMatch,
  layoutOf,
  readListFile,
  readName,
  type Against,
  type DecimalMark,
  type ListField,
  type ListLayout,
  type ListRow,
  type Match,
} from './list-file.ts';

/** The most documents of all lists: no month has more. */
const MAX_DOCUMENTS = 1_000_000;

interface ListsOptions {
  readonly against?: Against | undefined;
  /** Used where neither the lists nor --against say it. */
  readonly impliedAgainst?: Against | undefined;
  readonly match?: Match | undefined;
  readonly period?: string | undefined;
  /** In days since 1970-01-01. */
  readonly today: number;
}

/** A list whose headings are known. Its rows are still to be read. */
interface OpenList {
  readonly path: string;
  readonly layout: ListLayout;
  readonly rows: () => AsyncIterable<ListRow>;
  /** The month of its name or of --period; undefined where its dates decide. */
  readonly month: Period | undefined;
}

export type OpenLists = Awaited<ReturnType<typeof openLists>>;

/** Opens the lists and finds out what they are about. Throws UsageError where they are of several kinds or organizations. */
export async function openLists(paths: readonly string[], options: ListsOptions) {
  const { match, period, today } = options;
  if (match !== undefined) checkMatch(match);
  const whole = period === undefined ? undefined : readBegunPeriod(period, today);
  const lists: OpenList[] = [];
  for (const path of paths) {
    const { headings, rows } = await readListFile(path);
    const layout = layoutOf(path, headings, match);
    lists.push({ path, layout, rows, month: whole ?? readName(path).month });
  }
  const nameless = lists.find(({ layout, month }) => layout.against === 'received' && month === undefined);
  if (nameless !== undefined) {
    throw new UsageError(`${nameless.path} does not say in its name of which month it is`, {
      hint: 'Say it with --period 2026-10: purchases stand in the month in which they were accepted, whatever their dates.',
    });
  }
  return {
    lists: lists as readonly OpenList[],
    against: againstOf(lists, options),
    /** The organization whose registers they are, from the name of a file; undefined where no name has it. */
    owner: onlyValue(
      lists,
      // The name of another list may have the fiscal ID of a counterparty.
      ({ path, layout }) => (layout.kind === 'other' ? undefined : readName(path).fiscalId),
      'Reconcile the lists of one organization at a time.',
    ),
  };
}

const REGISTERS: Readonly<Record<Against, string>> = { received: 'purchases', issued: 'sales' };

function againstOf(lists: readonly OpenList[], { against: flag, impliedAgainst }: ListsOptions): Against {
  const register = onlyValue(
    lists,
    ({ layout }) => layout.against && REGISTERS[layout.against],
    'Reconcile purchases and sales one after the other.',
  );
  const known = lists.find(({ layout }) => layout.against !== undefined)?.layout.against;
  if (register !== undefined && flag !== undefined && known !== flag) {
    throw new UsageError(`--against ${flag}: ${register.path} is of ${register.value}`, {
      hint: `Leave --against out, or say --against ${known}.`,
    });
  }
  const against = known ?? flag ?? impliedAgainst;
  if (against !== undefined) return against;
  throw new UsageError('nothing says what the list is to be held against', {
    hint: 'Add --against received for what you buy, --against issued for what you sell.',
  });
}

/** The value of the first list that has one. Throws UsageError where another list has a different value, in any spelling of an ID. */
function onlyValue(
  lists: readonly OpenList[],
  valueOf: (list: OpenList) => string | undefined,
  hint: string,
): { readonly path: string; readonly value: string } | undefined {
  const all = lists.flatMap((list) => {
    const value = valueOf(list);
    return value === undefined ? [] : [{ path: list.path, value }];
  });
  const [first] = all;
  const other = all.find(({ value }) => foldFiscalId(value) !== foldFiscalId(first!.value));
  if (first === undefined || other === undefined) return first;
  throw new UsageError(`${first.path} is of ${first.value}, and ${other.path} of ${other.value}`, { hint });
}

export interface ListsRead {
  readonly listed: Entry[];
  /** The months that the lists are of; none where neither names nor dates tell. */
  readonly months: readonly Period[];
  /** Rows that are the total of all receipts of a kind, not documents. */
  receiptTotals: number;
}

/** Reads all documents of the lists. Throws UsageError, with the line, for what cannot be read. */
export async function readLists(
  lists: readonly OpenList[],
  decimal: DecimalMark | undefined,
): Promise<ListsRead> {
  const months = new Map<string, Period>();
  const read = { listed: [] as Entry[], receiptTotals: 0 };
  for (const list of lists) {
    const from = read.listed.length;
    const addRow = rowReader(list, await marksOf(list, decimal), read);
    for await (const row of list.rows()) addRow(row);
    const month = list.month ?? monthsOf(read.listed.slice(from));
    if (month !== undefined) months.set(month.name, month);
  }
  return { ...read, months: [...months.values()] };
}

/** The months from the first to the last date of the documents; undefined without dates. */
function monthsOf(entries: readonly Entry[]): Period | undefined {
  let [first, last] = [Infinity, -Infinity];
  for (const { day } of entries)
    if (day !== undefined) [first, last] = [Math.min(first, day), Math.max(last, day)];
  if (first > last) return undefined;
  const [one, other] = [monthOf(first), monthOf(last)];
  const name = one.name === other.name ? one.name : `${one.name} to ${other.name}`;
  return { name, first: one.first, last: other.last };
}

/** How amounts may be written: with a decimal mark, the other mark between thousands; or whole, as registers have them. */
type AmountForm = DecimalMark | 'whole';

const AMOUNT_FORMS: Readonly<Record<AmountForm, { readonly pattern: RegExp; readonly hint: string }>> = {
  comma: {
    pattern: /^-?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/,
    hint: 'Amounts of this column are written 1190,50 or 1.190,50: see --decimal.',
  },
  point: {
    pattern: /^-?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/,
    hint: 'Amounts of this column are written 1190.50 or 1,190.50: see --decimal.',
  },
  whole: {
    pattern: /^-?\d+$/,
    hint: 'Amounts of a register are written 1190: no decimals, and nothing between thousands.',
  },
};

/** Without blanks and the sign of pesos around it. */
function bareAmount(cell: string): string {
  return cell.trim().replace(/^(-?)\s*\$?\s*(-?)\s*(.*?)\s*\$?$/s, '$1$2$3');
}

/** The exact amount in a cell: `1190.10`, `$ 1.190,10`; undefined for one of another form. */
function amountIn(cell: string, form: AmountForm): Decimal | undefined {
  const text = bareAmount(cell);
  if (!AMOUNT_FORMS[form].pattern.test(text)) return undefined;
  const plain = form === 'comma' ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '');
  const amount = parseDecimal(plain.replace(/^(-?)0+(?=\d)/, '$1'));
  return typeof amount === 'object' ? amount : undefined;
}

const AMOUNTS = ['total', 'net', 'exempt', 'tax'] as const satisfies readonly ListField[];
type AmountForms = ReadonlyMap<ListField, AmountForm>;

/** Finds each column's decimal mark, by amounts that only one mark fits. Throws UsageError where either fits. */
async function marksOf(list: OpenList, decimal: DecimalMark | undefined): Promise<AmountForms> {
  const { path, layout, rows } = list;
  const known = layout.kind === 'other' ? decimal : 'whole';
  if (known !== undefined) return new Map(AMOUNTS.map((field) => [field, known]));
  const marks = new Map<ListField, AmountForm>();
  const unclear = new Map<ListField, UsageError>();
  for await (const { line, cells } of rows()) {
    for (const field of AMOUNTS) {
      const [index] = indexesOf(layout, field);
      if (index === undefined || marks.has(field)) continue;
      const cell = cells[index] ?? '';
      const text = bareAmount(cell);
      const [mark, other] = DECIMAL_MARKS.filter((one) => AMOUNT_FORMS[one].pattern.test(text));
      if (mark !== undefined && other === undefined) marks.set(field, mark);
      else if (other !== undefined && /[.,]/.test(cell) && !unclear.has(field)) {
        const what = `${layout.headings[index]} is ${shown(cell)}, and no amount of the column tells which mark is before decimals`;
        unclear.set(field, badList(path, line, what, 'Say it with --decimal comma or --decimal point.'));
      }
    }
  }
  for (const [field, error] of unclear) if (!marks.has(field)) throw error;
  return marks;
}

/** Makes entries of the rows of one list: the function takes one row after the other. It throws UsageError. */
function rowReader(
  { path, layout }: OpenList,
  marks: AmountForms,
  read: Omit<ListsRead, 'months'>,
): (row: ListRow) => void {
  const { headings, fields, furtherTax } = layout;
  const isRegister = layout.kind !== 'other';
  let line = 0;
  let cells: readonly string[] = [];
  /** The row that rows without a number of their own continue. A total of receipts has no entry. */
  let last: { readonly cells: readonly string[]; readonly entry?: Entry } | undefined;
  /** The other taxes of the last document, without its sign. */
  let otherTax: Decimal | undefined;
  /** The line of a row that names no document, such as totals: only the last row may. */
  let totals: number | undefined;

  const bad = (what: string, hint?: string): UsageError => badList(path, line, what, hint);
  const nameless = (at: number): UsageError => badList(path, at, 'the row has no number of a document');
  const isEmpty = (cell: string | undefined): boolean => cell === undefined || cell.trim() === '';
  const headingOf = (field: ListField): string => headings[indexesOf(layout, field)[0] ?? -1] ?? field;
  const textOf = (field: ListField): string => {
    const at = fields.get(field);
    return (typeof at === 'string' ? at : (cells[at?.[0] ?? -1] ?? '')).trim();
  };

  /** The sum of the cells with these indexes; undefined where all are empty. */
  const sumOf = (indexes: readonly number[], form: AmountForm = 'point'): Decimal | undefined => {
    const amounts = indexes.flatMap((index) => {
      const cell = cells[index];
      if (cell === undefined || isEmpty(cell)) return [];
      const amount = amountIn(cell, form);
      if (amount !== undefined) return amount;
      const what = `which is no ${isRegister ? 'whole number' : 'number'}`;
      const heading = headings[index] ?? 'another tax';
      throw bad(`${heading} is ${shown(cell)}, ${what}`, AMOUNT_FORMS[form].hint);
    });
    return amounts.length === 0 ? undefined : amounts.reduce(addDecimals);
  };
  const amountOf = (field: ListField): Decimal | undefined =>
    sumOf(indexesOf(layout, field), marks.get(field));

  /** Where the last headings are of another tax, more of them may follow, three cells each. */
  const furtherTaxOf = (): Decimal | undefined => {
    if (furtherTax === undefined) return undefined;
    const { amount, isLast } = furtherTax;
    const isAmount = (index: number): boolean =>
      index === amount || (isLast && index > amount && (index - amount) % 3 === 0);
    return sumOf([...cells.keys()].filter(isAmount), 'whole');
  };

  /** Days are written `15/06/2026`, `15-06-2026` or `2026-06-15`, with or without a time. */
  const dayOf = (): number | undefined => {
    const text = textOf('date');
    if (text === '' || text.toLowerCase() === 'null') return undefined;
    const [, day = '', month = '', year] = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?:$|[ T])/.exec(text) ?? [];
    const iso = year === undefined ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    const found = parseCalendarDay(iso);
    if (found !== undefined) return found;
    throw bad(
      `${headingOf('date')} is ${shown(text)}, which is no day`,
      'Days are written 15/06/2026, 15-06-2026 or 2026-06-15.',
    );
  };

  /** A row has a cell for each heading that has a name, and no text behind them but other taxes. */
  const checkWidth = (): void => {
    const isShort = headings.slice(cells.length).some((heading) => !isEmpty(heading));
    const isLong = furtherTax?.isLast !== true && !cells.slice(headings.length).every(isEmpty);
    if (!isShort && !isLong) return;
    throw bad(
      `the row has ${countOf(cells.length, 'cell')}, and there are ${countOf(headings.length, 'heading')}`,
    );
  };

  /** Whether the row has other taxes of the document before, and repeats of that document nothing but its own cells. */
  const isContinued = (number: string): boolean => {
    if (layout.row === undefined || furtherTax === undefined || !isEmpty(cells[layout.row])) return false;
    const isOther = (cell: string, index: number) =>
      index < headings.length &&
      !furtherTax.indexes.includes(index) &&
      !isEmpty(cell) &&
      (number === '' || cell !== last?.cells[index]);
    // Without a tax of its own it is the same document again.
    const hasMore = furtherTax.indexes.some((at) => !isEmpty(cells[at]) && cells[at] !== last?.cells[at]);
    return (number === '' || hasMore) && !cells.some(isOther);
  };

  const addFurtherTax = (): void => {
    if (last === undefined) throw bad('the row goes on a document before it, and there is none');
    const more = furtherTaxOf();
    if (more === undefined || last.entry === undefined) return;
    otherTax = addDecimals(otherTax ?? DECIMAL_ZERO, more);
    last.entry.furtherTax = signedAmount(otherTax, last.entry.family);
  };

  const readDocument = (type: string, number: string): Entry => {
    otherTax = furtherTaxOf();
    const total = amountOf('total');
    if (total === undefined) throw bad(`${headingOf('total')} is empty`);
    if (isRegister && !/^\d{1,4}$/.test(type))
      throw bad(`${headingOf('documentType')} is ${shown(type)}, which is no code`);
    const fiscalId = textOf('counterpartyFiscalId');
    return entryOf({
      side: 'list',
      number: bareNumber(number),
      type: type || undefined,
      fiscalId: isFiscalId(fiscalId) ? fiscalId : undefined,
      name: textOf('counterpartyName') || undefined,
      currency: bareCurrency(textOf('currency')),
      day: dayOf(),
      total,
      net: amountOf('net'),
      exempt: amountOf('exempt'),
      tax: amountOf('tax'),
      furtherTax: otherTax,
      file: path,
      line,
      isPending: layout.kind === 'pending',
    });
  };

  return (row) => {
    ({ line, cells } = row);
    const isBlank = cells.every(isEmpty);
    // The rest of a row that was cut may look like totals, or like other taxes.
    if (row.isOpen && (!isBlank || cells.length > 1)) checkWidth();
    if (isBlank) return;
    if (totals !== undefined) throw nameless(totals);
    const [type, number] = [textOf('documentType'), textOf('number')];
    if (isContinued(number)) return addFurtherTax();
    const isTyped = indexesOf(layout, 'documentType').length > 0 && type !== '';
    if (number === '' && !isTyped) {
      // Without a total it is no line of totals, but perhaps a document that was cut.
      if (textOf('total') === '') checkWidth();
      totals = line;
      return;
    }
    checkWidth();
    if (/^0*$/.test(number) && layout.kind === 'sales' && familyOf(type) === 'receipt') {
      read.receiptTotals++;
      last = { cells };
      return;
    }
    if (number === '') throw nameless(line);
    if (read.listed.length === MAX_DOCUMENTS) throw bad('there are more than 1,000,000 documents');
    const entry = readDocument(type, number);
    read.listed.push(entry);
    last = { cells, entry };
  };
}

/** The indexes of the cells of a field; none where a text stands for all rows. */
function indexesOf({ fields }: ListLayout, field: ListField): readonly number[] {
  const at = fields.get(field);
  return at === undefined || typeof at === 'string' ? [] : at;
}

const MAX_SHOWN = 40;

function shown(cell: string): string {
  const text = cell.trim();
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
