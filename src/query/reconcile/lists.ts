import { UsageError } from '../../errors.ts';
import { bareCurrency } from '../../invoices/document-reader.ts';
import { familyOf, signedAmount } from '../../invoices/document-types.ts';
import { foldFiscalId, isFiscalId } from '../../invoices/fiscal-ids.ts';
import { monthOf, readBegunPeriod, type Period } from '../../invoices/periods.ts';
import { quoteText } from '../../json/cells.ts';
import { parseCalendarDay } from '../../json/calendar-day.ts';
import { addDecimals, DECIMAL_ZERO, parseDecimal, type Decimal } from '../../json/decimal.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { readListFile, type ListRow } from './list-file.ts';
import {
  badList,
  DECIMAL_MARKS,
  layoutOf,
  readName,
  type Against,
  type DecimalMark,
  type ListField,
  type ListLayout,
  type Match,
} from './list-layout.ts';
import { entryOf, type Entry } from './matching.ts';

interface ListsOptions {
  readonly against?: Against | undefined;
  /** Used if neither the lists nor --against decide it. */
  readonly impliedAgainst?: Against | undefined;
  readonly match?: Match | undefined;
  readonly period?: string | undefined;
  /** In days since 1970-01-01. */
  readonly today: number;
}

/** A list whose headings are known. Its rows are still to be read. */
interface OpenList {
  readonly path: string;
  readonly isPending: boolean;
  readonly layout: ListLayout;
  readonly rows: () => AsyncIterable<ListRow>;
  /** The month in its name or in --period; undefined if its dates decide. */
  readonly month: Period | undefined;
}

export type OpenLists = Awaited<ReturnType<typeof openLists>>;

/** Opens the lists and finds out what they are about. Throws UsageError where they are of several kinds or organizations. */
export async function openLists(paths: readonly string[], signal: AbortSignal, options: ListsOptions) {
  const { match, period, today } = options;
  const missing = match && (['number', 'total'] as const).find((field) => !match.has(field));
  if (missing !== undefined) {
    throw new UsageError(`--match does not say which column is the ${missing}`, {
      hint: `Add ${missing}=<heading>: number and total are needed.`,
    });
  }
  const whole = period === undefined ? undefined : readBegunPeriod(period, today);
  const lists: OpenList[] = [];
  for (const path of paths) {
    const { headings, rows } = await readListFile(path, signal);
    const layout = layoutOf(path, headings, match);
    const month = whole ?? readName(path).month;
    lists.push({ path, isPending: layout.kind === 'pending', layout, rows, month });
  }
  const nameless = lists.find(({ layout, month }) => layout.against === 'received' && month === undefined);
  if (nameless !== undefined) {
    throw new UsageError(`${nameless.path} does not have its month in its name`, {
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

function againstOf(lists: readonly OpenList[], { against: flag, impliedAgainst }: ListsOptions): Against {
  const register = onlyValue(
    lists,
    ({ layout: { against } }) => against && (against === 'issued' ? 'sales' : 'purchases'),
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
  throw new UsageError('nothing says what to compare the list with', {
    hint: 'Add --against received for what you buy, --against issued for what you sell.',
  });
}

/** The value of the first list that has one. Throws UsageError where another list has a different one (IDs: any spelling). */
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
  readonly listed: readonly Entry[];
  /** The months of the lists; empty if neither names nor dates tell. */
  readonly months: readonly Period[];
  /** Rows that are the total of all receipts of a kind, not documents. */
  readonly receiptTotals: number;
}

/** The most documents of all lists: no month has more. */
const MAX_DOCUMENTS = 1_000_000;

/** Reads all documents of the lists. Throws UsageError, with the line, for what cannot be read. */
export async function readLists(
  lists: readonly OpenList[],
  decimal: DecimalMark | undefined,
): Promise<ListsRead> {
  const months = new Map<string, Period>();
  const listed: Entry[] = [];
  let receiptTotals = 0;
  for (const list of lists) {
    const from = listed.length;
    const forms = await formsOf(list, decimal);
    for await (const entry of documentsIn(list, forms)) {
      if (entry === undefined) receiptTotals++;
      else if (listed.push(entry) > MAX_DOCUMENTS)
        throw badList(list.path, entry.line!, 'there are more than 1,000,000 documents');
    }
    const month = list.month ?? monthsOf(listed.slice(from));
    if (month !== undefined) months.set(month.name, month);
  }
  return { listed, receiptTotals, months: [...months.values()] };
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

/** How amounts are written: with this decimal mark, the other mark between thousands; or whole, as in registers. */
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
async function formsOf(list: OpenList, decimal: DecimalMark | undefined): Promise<AmountForms> {
  const { path, layout, rows } = list;
  const known = layout.kind === 'other' ? decimal : 'whole';
  if (known !== undefined) return new Map(AMOUNTS.map((field) => [field, known]));
  const forms = new Map<ListField, AmountForm>();
  const unclear = new Map<ListField, UsageError>();
  const columns = AMOUNTS.flatMap((field) => indexesOf(layout, field).map((index) => ({ field, index })));
  for await (const { line, cells } of rows()) {
    if (forms.size === columns.length) break;
    for (const { field, index } of columns) {
      if (forms.has(field)) continue;
      const cell = cells[index] ?? '';
      const [mark, other] = DECIMAL_MARKS.filter((one) => AMOUNT_FORMS[one].pattern.test(bareAmount(cell)));
      if (mark !== undefined && other === undefined) forms.set(field, mark);
      else if (other !== undefined && /[.,]/.test(cell) && !unclear.has(field)) {
        const what = `${layout.headings[index]} is ${quoteText(cell.trim())}, and no amount of the column tells which mark is before decimals`;
        unclear.set(field, badList(path, line, what, 'Say it with --decimal comma or --decimal point.'));
      }
    }
  }
  for (const [field, error] of unclear) if (!forms.has(field)) throw error;
  return forms;
}

/** A row of a list whose amounts are written in these forms. */
interface Row extends ListRow {
  readonly list: OpenList;
  readonly forms: AmountForms;
}

/** The documents in the rows of a list; undefined for a row that is the total of all receipts. Throws UsageError. */
async function* documentsIn(list: OpenList, forms: AmountForms): AsyncGenerator<Entry | undefined> {
  const { layout } = list;
  /** The row that rows without a number of their own continue. A total of receipts has no entry. */
  let before: { readonly cells: readonly string[]; readonly entry: Entry | undefined } | undefined;
  /** A row that names no document, such as totals: only the last row may. */
  let totals: Row | undefined;
  for await (const listRow of list.rows()) {
    const row: Row = { ...listRow, list, forms };
    const { cells, isOpen } = row;
    const isBlank = cells.every(isEmpty);
    // The rest of a row that was cut may look like totals, or like other taxes.
    if (isOpen && (!isBlank || cells.length > 1)) checkWidth(row);
    if (isBlank) continue;
    if (totals !== undefined) throw bad(totals, NAMELESS);
    const [type, number] = [textOf(row, 'documentType'), textOf(row, 'number')];
    if (continues(row, before?.cells ?? [])) {
      if (before === undefined) throw bad(row, 'the row goes on a document before it, and there is none');
      const more = otherTaxOf(row);
      const { entry } = before;
      if (entry !== undefined && more !== undefined)
        entry.otherTax = addDecimals(entry.otherTax ?? DECIMAL_ZERO, signedAmount(more, entry.family));
    } else if (number === '' && (type === '' || indexesOf(layout, 'documentType').length === 0)) {
      // Without a total the row is not a line of totals, but may be a document that was cut.
      if (textOf(row, 'total') === '') checkWidth(row);
      totals = row;
    } else {
      checkWidth(row);
      const isOfReceipts = /^0*$/.test(number) && layout.kind === 'sales' && familyOf(type) === 'receipt';
      if (number === '' && !isOfReceipts) throw bad(row, NAMELESS);
      const entry = isOfReceipts ? undefined : documentOf(row);
      before = { cells, entry };
      yield entry;
    }
  }
}

const NAMELESS = 'the row has no number of a document';

function bad({ list, line }: Row, what: string, hint?: string): UsageError {
  return badList(list.path, line, what, hint);
}

/** The cell of a field; empty where there is none. */
function textOf({ list, cells }: Row, field: ListField): string {
  const at = list.layout.fields.get(field);
  return (typeof at === 'string' ? at : (cells[at?.[0] ?? -1] ?? '')).trim();
}

/** Whether the row continues the document before it: it has other taxes, and else only repeats that document's cells. */
function continues(row: Row, before: readonly string[]): boolean {
  const { layout } = row.list;
  const { cells } = row;
  if (layout.row === undefined || layout.otherTax === undefined || !isEmpty(cells[layout.row])) return false;
  const isNumbered = textOf(row, 'number') !== '';
  const isOwn = (at: number): boolean => !isEmpty(cells[at]) && !(isNumbered && cells[at] === before[at]);
  const { indexes } = layout.otherTax;
  if (layout.headings.some((_, at) => !indexes.includes(at) && isOwn(at))) return false;
  // Without a tax of its own it is the same document again.
  return !isNumbered || indexes.some(isOwn);
}

/** Throws UsageError unless the row has a cell for each named heading, and no text after them but other taxes. */
function checkWidth(row: Row): void {
  const { headings, otherTax } = row.list.layout;
  const { cells } = row;
  const isShort = headings.slice(cells.length).some((heading) => !isEmpty(heading));
  const isLong = otherTax?.isLast !== true && !cells.slice(headings.length).every(isEmpty);
  if (!isShort && !isLong) return;
  const width = `the row has ${countOf(cells.length, 'cell')}`;
  throw bad(row, `${width}, and there are ${countOf(headings.length, 'heading')}`);
}

function documentOf(row: Row): Entry {
  const { list, line, forms } = row;
  const { layout } = list;
  const amountOf = (field: ListField): Decimal | undefined =>
    sumOf(row, indexesOf(layout, field), forms.get(field));
  const total = amountOf('total');
  if (total === undefined) throw bad(row, `${headingOf(layout, 'total')} is empty`);
  const [type, fiscalId] = [textOf(row, 'documentType'), textOf(row, 'counterpartyFiscalId')];
  if (layout.kind !== 'other' && !/^\d{1,4}$/.test(type))
    throw bad(row, `${headingOf(layout, 'documentType')} is ${quoteText(type)}, which is not a code`);
  return entryOf({
    number: textOf(row, 'number'),
    type: type || undefined,
    fiscalId: isFiscalId(fiscalId) ? fiscalId : undefined,
    name: textOf(row, 'counterpartyName') || undefined,
    currency: bareCurrency(textOf(row, 'currency')),
    day: dayOf(row),
    total,
    net: amountOf('net'),
    exempt: amountOf('exempt'),
    tax: amountOf('tax'),
    otherTax: otherTaxOf(row),
    list,
    line,
  });
}

/** Where the last headings are of another tax, more of them may follow, three cells each. */
function otherTaxOf(row: Row): Decimal | undefined {
  const { amount = Infinity, isLast = false } = row.list.layout.otherTax ?? {};
  const indexes: number[] = [];
  for (let at = amount; at < row.cells.length; at += isLast ? 3 : Infinity) indexes.push(at);
  return sumOf(row, indexes, 'whole');
}

/** The sum of the cells with these indexes; undefined where all are empty. */
function sumOf(row: Row, indexes: readonly number[], form: AmountForm = 'point'): Decimal | undefined {
  const { headings, kind } = row.list.layout;
  let sum: Decimal | undefined;
  for (const index of indexes) {
    const cell = row.cells[index] ?? '';
    if (isEmpty(cell)) continue;
    const amount = amountIn(cell, form);
    if (amount === undefined) {
      const what = `${headings[index] ?? 'another tax'} is ${quoteText(cell.trim())}`;
      const wanted = kind === 'other' ? 'number' : 'whole number';
      throw bad(row, `${what}, which is not a ${wanted}`, AMOUNT_FORMS[form].hint);
    }
    sum = addDecimals(sum ?? DECIMAL_ZERO, amount);
  }
  return sum;
}

/** Days are written `15/06/2026`, `15-06-2026` or `2026-06-15`, with or without a time. */
function dayOf(row: Row): number | undefined {
  const text = textOf(row, 'date');
  if (text === '' || text.toLowerCase() === 'null') return undefined;
  const [, day = '', month = '', year] = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?:$|[ T])/.exec(text) ?? [];
  const iso = year === undefined ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const found = parseCalendarDay(iso);
  if (found !== undefined) return found;
  const what = `${headingOf(row.list.layout, 'date')} is ${quoteText(text)}, which is not a day`;
  throw bad(row, what, 'Days are written 15/06/2026, 15-06-2026 or 2026-06-15.');
}

function headingOf(layout: ListLayout, field: ListField): string {
  return layout.headings[indexesOf(layout, field)[0] ?? -1] ?? field;
}

function isEmpty(cell: string | undefined): boolean {
  return cell === undefined || cell.trim() === '';
}

/** The indexes of the cells of a field; empty if one text stands for all rows. */
function indexesOf({ fields }: ListLayout, field: ListField): readonly number[] {
  const at = fields.get(field);
  return at === undefined || typeof at === 'string' ? [] : at;
}
