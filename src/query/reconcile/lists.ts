import { UsageError } from '../../errors.ts';
import { familyOf } from '../../invoices/documents.ts';
import { foldFiscalId, isFiscalId } from '../../invoices/fiscal-ids.ts';
import { bareCurrency } from '../../invoices/document.ts';
import { monthOf, parsePeriod, type Period } from '../../invoices/periods.ts';
import { parseCalendarDay } from '../../json/calendar-day.ts';
import { addDecimals, DECIMAL_ZERO, type Decimal } from '../../json/decimal.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { bareNumber, entryOf, signedAmount, type Entry } from './entries.ts';
import { marksFor, readListAmount, type DecimalMark } from './list-amounts.ts';
import { readListFile, type ListRow } from './list-file.ts';
import {
  badList,
  checkMatch,
  layoutOf,
  readName,
  type Against,
  type ListField,
  type ListLayout,
  type Match,
} from './list-layout.ts';

/** The most documents of all lists. More are no month's. */
const MAX_DOCUMENTS = 1_000_000;

interface ListsOptions {
  readonly against?: Against | undefined;
  /** What neither the lists nor the user say, by whom they are about. */
  readonly impliedAgainst?: Against | undefined;
  readonly match?: Match | undefined;
  /** As given to --period. */
  readonly period?: string | undefined;
  /** In days since 1970-01-01. */
  readonly today: number;
}

/** A list whose headings are known. Its rows are still to be read. */
interface OpenList {
  readonly path: string;
  readonly layout: ListLayout;
  readonly rows: () => AsyncIterable<ListRow>;
  /** The month that its name or --period says. Where neither does, its dates say it. */
  readonly month: Period | undefined;
}

/** Lists whose headings are known, and what they are about together. */
export interface OpenLists {
  readonly lists: readonly OpenList[];
  readonly against: Against;
  /** Whose lists they are, by the name of a file; undefined where no name says it. */
  readonly owner: { readonly fiscalId: string; readonly path: string } | undefined;
}

/** Opens the lists and finds out what they are about. Throws UsageError where they are of several kinds or organizations. */
export async function openLists(paths: readonly string[], options: ListsOptions): Promise<OpenLists> {
  const { match, period, today } = options;
  if (match !== undefined) checkMatch(match);
  const whole = period === undefined ? undefined : parsePeriod(period, today);
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
  return { lists, against: againstOf(lists, options), owner: ownerOf(lists) };
}

const REGISTERS: Readonly<Record<Against, string>> = { received: 'purchases', issued: 'sales' };

function againstOf(lists: readonly OpenList[], { against: flag, impliedAgainst }: ListsOptions): Against {
  const registers = lists.flatMap(({ path, layout: { against } }) => (against ? [{ path, against }] : []));
  const [first] = registers;
  const other = registers.find(({ against }) => against !== first?.against);
  if (first !== undefined && other !== undefined) {
    throw new UsageError(
      `${first.path} is of ${REGISTERS[first.against]}, and ${other.path} of ${REGISTERS[other.against]}`,
      { hint: 'Reconcile purchases and sales one after the other.' },
    );
  }
  if (first !== undefined && flag !== undefined && first.against !== flag) {
    throw new UsageError(`--against ${flag}: ${first.path} is of ${REGISTERS[first.against]}`, {
      hint: `Leave --against out, or say --against ${first.against}.`,
    });
  }
  const against = first?.against ?? flag ?? impliedAgainst;
  if (against !== undefined) return against;
  throw new UsageError('nothing says what the list is to be held against', {
    hint: 'Add --against received for what you buy, --against issued for what you sell.',
  });
}

/** The organization whose registers they are. The name of another list may have the fiscal ID of a counterparty. */
function ownerOf(lists: readonly OpenList[]): OpenLists['owner'] {
  const owners = lists.flatMap(({ path, layout }) => {
    const { fiscalId } = readName(path);
    return layout.kind === 'other' || fiscalId === undefined ? [] : [{ fiscalId, path }];
  });
  const [first] = owners;
  const other = owners.find(({ fiscalId }) => foldFiscalId(fiscalId) !== foldFiscalId(first!.fiscalId));
  if (first === undefined || other === undefined) return first;
  throw new UsageError(`${first.path} is of ${first.fiscalId}, and ${other.path} of ${other.fiscalId}`, {
    hint: 'Reconcile the lists of one organization at a time.',
  });
}

/** What was read of the lists. */
export interface ListsRead {
  /** All documents, list after list. */
  readonly listed: Entry[];
  /** The months that the lists are of; none where nothing says it. */
  readonly months: readonly Period[];
  /** Rows that are the total of all receipts of a kind, and no documents. */
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

const AMOUNTS = ['total', 'net', 'exempt', 'tax'] as const satisfies readonly ListField[];

/** Which mark stands before the decimals of a field's amounts. */
type Marks = ReadonlyMap<ListField, DecimalMark | 'whole'>;

/**
 * Finds out which mark each column of amounts has, by the amounts that can be read with one of them alone. Throws UsageError where
 * there is none and an amount can be read with either.
 */
async function marksOf(list: OpenList, decimal: DecimalMark | undefined): Promise<Marks> {
  const { path, layout, rows } = list;
  const known = layout.kind === 'other' ? decimal : 'whole';
  const marks = new Map<ListField, DecimalMark | 'whole'>();
  const doubts = new Map<ListField, UsageError>();
  for (const field of AMOUNTS) if (known !== undefined) marks.set(field, known);
  if (known !== undefined) return marks;
  for await (const { line, cells } of rows()) {
    for (const field of AMOUNTS) {
      const places = layout.columns.get(field) ?? '';
      const cell = typeof places === 'string' ? places : (cells[places[0]!] ?? '');
      const [mark, other] = marks.has(field) ? [] : marksFor(cell);
      if (mark !== undefined && other === undefined) marks.set(field, mark);
      else if (other !== undefined && /[.,]/.test(cell) && !doubts.has(field)) {
        const heading = typeof places === 'string' ? field : layout.headings[places[0]!]!;
        const what = `${heading} is ${shown(cell.trim())}, and no amount of the column tells which mark is before decimals`;
        const hint = 'Say it with --decimal comma or --decimal point.';
        doubts.set(field, badList(path, line, what, hint));
      }
    }
  }
  for (const [field, doubt] of doubts) if (!marks.has(field)) throw doubt;
  return marks;
}

/** A cell and the heading above it. */
type LabelledCell = readonly [heading: string, cell: string];

/** Makes entries of the rows of one list: the function takes one row after the other. It throws UsageError. */
function rowReader(
  { path, layout }: OpenList,
  marks: Marks,
  read: Omit<ListsRead, 'months'>,
): (row: ListRow) => void {
  const { headings, columns, furtherTax } = layout;
  const isRegister = layout.kind !== 'other';
  let line = 0;
  let cells: readonly string[] = [];
  /** What rows without a number of their own go on. It is no document where the row before is the total of receipts. */
  let last: { readonly cells: readonly string[]; readonly entry?: Entry } | undefined;
  /** The further taxes of the last document, as they are written. */
  let further: Decimal | undefined;
  /** The line of a row that names no document: only the last may. */
  let totals: number | undefined;

  const bad = (what: string, hint?: string): UsageError => badList(path, line, what, hint);
  const nameless = (at: number): UsageError => badList(path, at, 'the row has no number of a document');
  const isEmpty = (cell: string | undefined): boolean => cell === undefined || cell.trim() === '';

  const headingOf = (field: ListField): string => {
    const indexes = columns.get(field);
    return typeof indexes === 'object' ? headings[indexes[0]!]! : field;
  };

  /** The cells of a field, each with its heading. */
  const cellsOf = (field: ListField): LabelledCell[] => {
    const indexes = columns.get(field) ?? [];
    return typeof indexes === 'string' ? [[field, indexes]] : indexes.map(cellAt);
  };
  const cellAt = (index: number): LabelledCell => [headings[index] ?? 'a further tax', cells[index] ?? ''];
  const textOf = (field: ListField): string => (cellsOf(field)[0]?.[1] ?? '').trim();

  /** The sum of the cells; undefined where all are empty. */
  const sumOf = (
    cells: readonly LabelledCell[],
    mark = marks.get('total') ?? 'point',
  ): Decimal | undefined => {
    const amounts = cells
      .filter(([, cell]) => !isEmpty(cell))
      .map(([heading, cell]) => {
        const amount = readListAmount(cell, mark);
        if (amount !== undefined) return amount;
        throw bad(
          `${heading} is ${shown(cell.trim())}, which is no ${isRegister ? 'whole number' : 'number'}`,
          AMOUNT_HINTS[mark],
        );
      });
    return amounts.length === 0 ? undefined : amounts.reduce(addDecimals);
  };

  /** Where the last headings are of a further tax, more of them may follow, three cells each. */
  const furtherTaxOf = (): Decimal | undefined => {
    if (furtherTax === undefined) return undefined;
    const { amount, isLast } = furtherTax;
    const isAmount = (index: number): boolean =>
      index === amount || (isLast && index > amount && (index - amount) % 3 === 0);
    return sumOf([...cells.keys()].filter(isAmount).map(cellAt));
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

  /** A row has a cell for each heading that has a name, and no text behind them but further taxes. */
  const checkWidth = (): void => {
    const isShort = headings.slice(cells.length).some((heading) => !isEmpty(heading));
    const isLong = furtherTax?.isLast !== true && !cells.slice(headings.length).every(isEmpty);
    if (!isShort && !isLong) return;
    throw bad(
      `the row has ${countOf(cells.length, 'cell')}, and there are ${countOf(headings.length, 'heading')}`,
    );
  };

  /** Whether the row has further taxes of the document before, and, where it names that again, nothing else than that. */
  const goesOn = (number: string): boolean => {
    if (layout.row === undefined || furtherTax === undefined || !isEmpty(cells[layout.row])) return false;
    const isOther = (cell: string, index: number) =>
      index < headings.length &&
      !furtherTax.indexes.includes(index) &&
      !isEmpty(cell) &&
      (number === '' || cell !== last?.cells[index]);
    // What has no tax of its own is the same document again.
    const hasMore = furtherTax.indexes.some((at) => !isEmpty(cells[at]) && cells[at] !== last?.cells[at]);
    return (number === '' || hasMore) && !cells.some(isOther);
  };

  const goOn = (): void => {
    if (last === undefined) throw bad('the row goes on a document before it, and there is none');
    const more = furtherTaxOf();
    if (more === undefined || last.entry === undefined) return;
    further = addDecimals(further ?? DECIMAL_ZERO, more);
    last.entry.furtherTax = signedAmount(further, last.entry.family);
  };

  const readDocument = (type: string, number: string): Entry => {
    further = furtherTaxOf();
    const amountOf = (field: ListField): Decimal | undefined => sumOf(cellsOf(field), marks.get(field));
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
      furtherTax: further,
      file: path,
      line,
      isPending: layout.kind === 'pending',
    });
  };

  return (row) => {
    ({ line, cells } = row);
    const isBlank = cells.every(isEmpty);
    // What is left of a row that was cut may look like totals, or like further taxes that there are not.
    if (row.isOpen && (!isBlank || cells.length > 1)) checkWidth();
    if (isBlank) return;
    if (totals !== undefined) throw nameless(totals);
    const [type, number] = [textOf('documentType'), textOf('number')];
    if (goesOn(number)) return goOn();
    const isTyped = typeof columns.get('documentType') === 'object' && type !== '';
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

const AMOUNT_HINTS: Readonly<Record<DecimalMark | 'whole', string>> = {
  whole: 'Amounts of a register are written 1190: no decimals, and nothing between thousands.',
  comma: 'Amounts of this column are written 1190,50 or 1.190,50: see --decimal.',
  point: 'Amounts of this column are written 1190.50 or 1,190.50: see --decimal.',
};

const MAX_SHOWN = 40;

function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
