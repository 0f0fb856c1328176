import { firstOf } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { ColumnLook, KnownColumn } from '../column-looks.ts';
import { countOf } from '../terminal/number-text.ts';
import { columnWidth, displayWidth, truncate } from '../terminal/terminal-text.ts';
import { tableRows, type ShownColumn } from './table-rows.ts';

/** Cells between two columns; the narrow one where columns that people look for need the room. */
export const GAP = 2;
const NARROW_GAP = 1;

/**
 * Display cells for a column whose text is longer: the least, by which rows can be told apart, and those to which it grows
 * before another column gets room. Only text is ever cut: a part of a day, an amount, a fiscal ID or a document's number (the
 * longest is a UUID, 36) would say something else. Of a point in time, `2024-10-15…` is enough for most.
 */
const SIZES: Readonly<Partial<Record<ColumnLook, readonly [least: number, comfort: number]>>> = {
  profile: [12, 30],
  status: [8, 30],
  date: [11, 11],
  due: [11, 11],
  party: [12, 40],
  currency: [3, 8],
  document: [4, 30],
  value: [12, 36],
  other: [8, 36],
};
const WHOLE = [36, 36] as const;

/** A number cannot be read without its end, so it gets all its room, unless it is longer than any amount. */
const MAX_NUMBER = 30;

const MAX_HEAD = 20;

/** Display cells in which a party's name reads well. */
const READABLE_NAME = 16;

/** Display cells of a column of short words, such as `CREDIT_NOTE`: they are whole before longer texts get more room. */
const SHORT_WORDS = 12;

interface FittedColumn {
  readonly column: ShownColumn;
  width: number;
}

export interface FittedTable {
  readonly columns: readonly FittedColumn[];
  readonly gap: number;
}

type WidthOf = (column: ShownColumn) => number;

/**
 * Chooses the columns that a terminal of `room` cells shows, and their widths. The order stays.
 *
 * Columns are added by rank, at the least width; the first that does not fit ends that, so that what is missing is always the
 * least important. An amount is shown only beside its currency. Then the columns grow, others are added as wide as they read
 * well, and the rest goes to those that are still cut.
 *
 * @param isChosen whether the user named the columns: then all are equally important, as far as they fit
 */
export function fitColumns(columns: readonly ShownColumn[], room: number, isChosen: boolean): FittedTable {
  const fit = isChosen ? new Fit(room, GAP) : fitByRank(columns, room);
  if (isChosen) for (const column of columns) fit.add([column], leastOf);
  for (const widthOf of [wholeIfShort, legibleOf, comfortOf]) fit.growTo(widthOf);
  fit.growTo(({ width }) => width);
  const fitted = columns.flatMap((column) => fit.fitted.get(column) ?? []);
  // Even a terminal that has no room for any column shows one.
  if (fitted.length === 0 && columns.length > 0)
    fitted.push({ column: columns[0]!, width: Math.max(1, Math.min(columns[0]!.width, room)) });
  return { columns: fitted, gap: fit.gap };
}

/** Measures the width in which the parties' names, and the types of documents, differ in these rows. */
export function withDistinct(
  columns: readonly ShownColumn[],
  rows: readonly (readonly (string | undefined)[])[],
): ShownColumn[] {
  return columns.map((column) => {
    if (column.look !== 'party' && column.look !== 'document') return column;
    const texts = new Set(rows.map((row) => row[column.index]).filter((text) => text !== undefined));
    return { ...column, distinct: distinctWidth(texts) };
  });
}

/** The least width at which texts that differ are not cut to the same text. */
function distinctWidth(texts: Iterable<string>): number {
  const sorted = [...texts].toSorted();
  let distinct = 0;
  for (let at = 1; at < sorted.length; at++) {
    const [one, other] = [sorted[at - 1]!, sorted[at]!];
    let common = 0;
    while (common < one.length && one[common] === other[common]) common++;
    // The first character that differs, and the mark of what is cut; or the shorter text as a whole.
    const both = columnWidth(other.slice(0, common) + String.fromCodePoint(other.codePointAt(common)!)) + 1;
    distinct = Math.max(distinct, Math.min(both, columnWidth(one)));
  }
  return distinct;
}

/** The display cells of a table of rows, each cell cut as far as names still differ. */
export function leastTableWidth(rows: RecordBatch, columns: readonly KnownColumn[]): number {
  const reader = tableRows({
    columns: columns.flatMap(({ names }) => names),
    isChosen: true,
    known: columns,
  });
  const texts = Array.from({ length: rows.count }, (_, index) => reader.read(rows, index));
  return withDistinct(reader.columns(), texts).reduce((sum, column) => sum + distinctOf(column) + GAP, -GAP);
}

export function headOf({ column, width }: FittedColumn): string {
  const { name, word } = column;
  return columnWidth(name) <= width ? name : truncate(word, width);
}

/**
 * Adds columns by rank. Names get a width in which they read well, or one in which they just differ, where that shows more
 * columns (the last one does not count). They are cut to the same text only to keep the date.
 */
function fitByRank(columns: readonly ShownColumn[], room: number): Fit {
  const ranked = byRank(columns);
  const currency = ranked.find(({ look }) => look === 'currency');
  const date = ranked.find(({ look }) => look === 'date');
  const gap = ranked.reduce((sum, column) => sum + comfortOf(column) + GAP, -GAP) <= room ? GAP : NARROW_GAP;
  const fitWith = (widthOf: WidthOf): Fit => {
    const fit = new Fit(room, gap);
    for (const column of ranked) {
      const isMoney = column.look === 'amount' || column.look === 'open';
      if (!fit.add(isMoney && currency !== undefined ? [currency, column] : [column], widthOf)) break;
    }
    return fit;
  };
  const [good, distinct] = [fitWith(readableOf), fitWith(distinctOf)];
  const [legible, least] = [fitWith(legibleOf), fitWith(leastOf)];
  const butLast = ranked.slice(0, -1);
  const countIn = ({ fitted }: Fit): number => butLast.filter((column) => fitted.has(column)).length;
  const readable = countIn(distinct) > countIn(good) ? distinct : good;
  const alike = countIn(least) > countIn(legible) ? least : legible;
  const isForDate = date !== undefined && alike.fitted.has(date) && !readable.fitted.has(date);
  const fit = isForDate ? alike : readable;
  if (fit.fitted.size < ranked.length) return fit;
  for (const widthOf of [wholeIfShort, comfortOf]) fit.growTo(widthOf);
  for (const nested of [false, true])
    for (const column of columns) if (column.nested === nested) fit.add([column], comfortOf);
  return fit;
}

/**
 * The columns that matter, the most important first: those with a rank, and after them those of them that are empty. Where none
 * has a rank, those with a look by their name: the first of each look before a second one.
 */
function byRank(columns: readonly ShownColumn[]): readonly ShownColumn[] {
  const ranked = columns.filter(({ rank }) => rank !== undefined);
  if (ranked.some(({ look }) => look !== 'profile'))
    return ranked.toSorted(
      (one, other) => Number(one.empty) - Number(other.empty) || one.rank! - other.rank!,
    );
  const withLook = columns.filter(({ look }) => look !== 'other');
  const first = withLook.filter((column) => column === withLook.find(({ look }) => look === column.look));
  return [...new Set([...first, ...withLook])];
}

/** In display cells. A long name is not a reason to make a column wider where there is a word for it, which is not cut. */
function leastOf(column: ShownColumn): number {
  const [size] = sizesOf(column);
  const least = Math.min(Math.max(column.cells, columnWidth(column.word)), size);
  return Math.max(least, Math.min(column.head, MAX_HEAD));
}

function distinctOf(column: ShownColumn): number {
  const [, comfort] = sizesOf(column);
  return Math.max(leastOf(column), Math.min(column.distinct, comfort));
}

/** Names that may be cut to the same text, but read well. */
function legibleOf(column: ShownColumn): number {
  if (column.look !== 'party') return distinctOf(column);
  return Math.max(leastOf(column), Math.min(column.cells, READABLE_NAME));
}

function readableOf(column: ShownColumn): number {
  return Math.max(distinctOf(column), legibleOf(column));
}

function wholeIfShort({ cells }: ShownColumn): number {
  return cells <= SHORT_WORDS ? cells : 0;
}

function comfortOf(column: ShownColumn): number {
  const [, comfort] = sizesOf(column);
  return Math.min(column.width, Math.max(column.head, comfort));
}

function sizesOf({ look, number }: ShownColumn): readonly [least: number, comfort: number] {
  const [least, comfort] = SIZES[look] ?? WHOLE;
  const room = Math.min(number, MAX_NUMBER);
  return [Math.max(least, room), Math.max(comfort, room)];
}

class Fit {
  readonly gap: number;
  readonly fitted = new Map<ShownColumn, FittedColumn>();
  #room: number;

  constructor(room: number, gap: number) {
    this.gap = gap;
    this.#room = room + gap;
  }

  /** Adds those of the columns that are missing, if there is room for all of them; whether there was. */
  add(columns: readonly ShownColumn[], widthOf: WidthOf): boolean {
    const added = columns.filter((column) => !this.fitted.has(column));
    const cells = added.reduce((sum, column) => sum + widthOf(column) + this.gap, 0);
    if (cells > this.#room) return false;
    this.#room -= cells;
    for (const column of added) this.fitted.set(column, { column, width: widthOf(column) });
    return true;
  }

  /** Widens the columns, each up to a width, names first. A point in time gets the room for its time of day, or none. */
  growTo(widthOf: WidthOf): void {
    const all = [...this.fitted.values()];
    const names = all.filter(({ column }) => column.look === 'party');
    const statuses = all.filter(({ column }) => column.look === 'status');
    for (const fitted of [...names, ...statuses, ...all]) {
      const { column, width } = fitted;
      const wanted = Math.max(0, widthOf(column) - width);
      const isTime = column.look === 'date' || column.look === 'due';
      const more = isTime && wanted > this.#room ? 0 : Math.min(wanted, this.#room);
      fitted.width += more;
      this.#room -= more;
    }
  }
}

const HOW_TO_SEE = {
  narrow: ' · --columns, --wide',
  late: ' · they came late: --columns, or a file',
} as const;

/**
 * The line below a table that names the columns it leaves out, as many as `width` display cells have room for, and how to see
 * them. A narrow terminal has no room for the latter.
 */
export function leftOutNote(names: readonly string[], width: number, how: keyof typeof HOW_TO_SEE): string {
  if (names.length === 0) return '';
  const short = names.slice(0, width).map((name) => truncate(name, width));
  for (const end of [HOW_TO_SEE[how], '']) {
    for (let count = short.length; count > 0; count = Math.min(count - 1, Math.floor(width / 3))) {
      const line = `Not shown: ${firstOf(short.slice(0, count), names.length)}${end}`;
      if (displayWidth(line) <= width) return line;
    }
  }
  return truncate(`Not shown: ${countOf(names.length, 'column')}`, width);
}
