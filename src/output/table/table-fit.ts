import { displayWidth, truncate, columnWidth } from '../terminal/terminal-text.ts';
import { countOf } from '../terminal/number-text.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { ColumnRole, KnownColumn } from '../column-roles.ts';
import { tableRows, type ShownColumn } from './table-rows.ts';

/** Cells between two columns; the narrow one where it makes room for another column that people look for. */
export const GAP = 2;
const NARROW_GAP = 1;

/**
 * Display cells for a column whose text is longer: `least` is enough to tell rows apart; up to `comfort` it grows before
 * another column gets room. Only text is ever cut: no day, no amount, no fiscal ID and no number of a document, of which a part
 * says something else or nothing; the longest such number is a UUID. Of a point in time, `2024-10-15…` is enough for most.
 */
const SIZES: Readonly<Record<ColumnRole, { readonly least: number; readonly comfort: number }>> = {
  profile: { least: 12, comfort: 30 },
  number: { least: 36, comfort: 36 },
  status: { least: 8, comfort: 30 },
  date: { least: 11, comfort: 11 },
  due: { least: 11, comfort: 11 },
  party: { least: 10, comfort: 40 },
  fiscalId: { least: 20, comfort: 36 },
  amount: { least: 30, comfort: 30 },
  open: { least: 30, comfort: 30 },
  currency: { least: 3, comfort: 8 },
  document: { least: 8, comfort: 30 },
  kind: { least: 30, comfort: 30 },
  value: { least: 12, comfort: 36 },
  // A UUID has 36.
  other: { least: 8, comfort: 36 },
};

/** A number cannot be read without its end, so it gets all its room, unless it is longer than any amount. */
const MAX_NUMBER = 30;

/** Display cells of a head that is not cut. */
const MAX_HEAD = 20;

/** Display cells of a name of a party that come before the date of issue and the status, but before no amount. */
const READABLE_NAME = 20;

interface FittedColumn {
  readonly column: ShownColumn;
  /** Display cells that the column is given. */
  width: number;
}

export interface FittedTable {
  readonly columns: readonly FittedColumn[];
  /** Cells between two columns. */
  readonly gap: number;
}

/**
 * Chooses the columns that a terminal of `room` cells shows, and their widths. The order stays as given.
 *
 * Those that matter come by rank, at the least width; the first that does not fit ends that, so that what is missing is
 * always the least important. An amount is shown only beside its currency. Then the columns grow, others are added as wide
 * as they read well, and what is left goes to those that are still cut.
 *
 * @param asked whether the user named the columns: then all are equally important, as far as they fit
 */
export function fitColumns(columns: readonly ShownColumn[], room: number, asked: boolean): FittedTable {
  const fit = asked ? fitAsked(columns, room) : fitByRank(columns, room);
  fit.growTo(comfortOf);
  fit.growTo(({ width }) => width);
  const fitted = columns.flatMap((column) => fit.fitted.get(column) ?? []);
  // Even a terminal that has no room for any column shows one.
  if (fitted.length === 0 && columns.length > 0)
    fitted.push({ column: columns[0]!, width: Math.max(1, Math.min(columns[0]!.width, room)) });
  return { columns: fitted, gap: fit.gap };
}

/** The columns with what the names of parties and types of documents, which are among the texts of these rows, need to be told apart. */
export function withTelling(
  columns: readonly ShownColumn[],
  rows: readonly (readonly (string | undefined)[])[],
): ShownColumn[] {
  return columns.map((column) =>
    column.role === 'party' || column.role === 'document'
      ? { ...column, telling: tellingWidth(rows.map((texts) => texts[column.index])) }
      : column,
  );
}

/**
 * The display cells of a table of rows, with all its columns in a gap's distance: with every cell whole, and with each cut as far as
 * it can be without that two names become one.
 */
export function tableWidth(
  rows: RecordBatch,
  columns: readonly KnownColumn[],
): { readonly whole: number; readonly least: number } {
  const reader = tableRows({
    columns: columns.flatMap(({ names }) => names),
    asked: true,
    known: columns,
  });
  const isNamed = columns.map(({ role }) => role === 'party');
  const names = Array.from({ length: rows.count }, (_, index) =>
    reader.read(rows, index).map((text, column) => (isNamed[column] ? text : undefined)),
  );
  const measured = withTelling(reader.columns(), names);
  const sumOf = (widthOf: WidthOf): number =>
    measured.reduce((sum, column) => sum + widthOf(column) + GAP, -GAP);
  return { whole: sumOf(({ width }) => width), least: sumOf(tellingOf) };
}

export function headOf({ column, width }: FittedColumn): string {
  const { name, word } = column;
  return columnWidth(name) <= width ? name : truncate(word, width);
}

function fitAsked(columns: readonly ShownColumn[], room: number): Fit {
  const fit = new Fit(room, GAP);
  for (const column of columns) fit.add([column], leastOf);
  return fit;
}

function fitByRank(columns: readonly ShownColumn[], room: number): Fit {
  const ranked = byRank(columns);
  const currency = ranked.find(({ role }) => role === 'currency');
  const fitWith = (gap: number, widthOf: WidthOf): Fit => {
    const fit = new Fit(room, gap);
    for (const column of ranked) {
      const isMoney = column.role === 'amount' || column.role === 'open';
      const needed = isMoney && currency !== undefined ? [currency, column] : [column];
      // No two names are cut to the same text, but where columns that matter more leave no room for that.
      if (!fit.add(needed, widthOf) && !fit.add(needed, leastOf)) break;
    }
    return fit;
  };
  const fullest = (widthOf: WidthOf): Fit => {
    const [wide, narrow] = [fitWith(GAP, widthOf), fitWith(NARROW_GAP, widthOf)];
    return narrow.fitted.size > wide.fitted.size ? narrow : wide;
  };
  const [telling, readable] = [fullest(tellingOf), fullest(readableOf)];
  const lost = [...telling.fitted.keys()].filter((column) => !readable.fitted.has(column));
  const fit = lost.every(({ role }) => role === 'date' || role === 'status') ? readable : telling;
  if (fit.fitted.size < ranked.length) return fit;
  fit.growTo(comfortOf);
  for (const nested of [false, true])
    for (const column of columns) if (column.nested === nested) fit.add([column], comfortOf);
  return fit;
}

/** How many columns of a kind come before the next kind: many dates must not take the room of the amount. */
const FIRST: Readonly<Partial<Record<ColumnRole, number>>> = {
  profile: 1,
  number: 1,
  status: 1,
  due: 1,
  date: 1,
  party: 1,
  amount: 1,
  currency: 1,
};

/**
 * The columns that matter, the most important first: those with a rank, before those of them in which nothing is; where there are
 * none, what the names tell.
 */
function byRank(columns: readonly ShownColumn[]): readonly ShownColumn[] {
  const ranked = columns.filter(({ rank }) => rank !== undefined);
  if (ranked.some(({ role }) => role !== 'profile'))
    return ranked.toSorted(
      (one, other) => Number(one.empty) - Number(other.empty) || one.rank! - other.rank!,
    );
  const seen = new Map<ColumnRole, number>();
  const first = columns.filter(({ role }) => {
    const count = (seen.get(role) ?? 0) + 1;
    seen.set(role, count);
    return count <= (FIRST[role] ?? 0);
  });
  return [...new Set([...first, ...columns.filter(({ role }) => role !== 'other')])];
}

/** In display cells. The name of a column is no reason to make it wider where there is a word for it, which is not cut. */
function leastOf(column: ShownColumn): number {
  const least = Math.min(Math.max(column.cells, columnWidth(column.word)), sizeOf(column, 'least'));
  return Math.max(least, Math.min(column.head, MAX_HEAD));
}

function tellingOf(column: ShownColumn): number {
  return Math.max(leastOf(column), Math.min(column.telling, sizeOf(column, 'comfort')));
}

function readableOf(column: ShownColumn): number {
  const name = column.role === 'party' ? Math.min(column.cells, READABLE_NAME) : 0;
  return Math.max(tellingOf(column), name);
}

/** The least width at which texts that differ are not cut to the same text. */
function tellingWidth(texts: Iterable<string | undefined>): number {
  const sorted = [...new Set(texts)].filter((text) => text !== undefined).toSorted();
  let telling = 0;
  for (let at = 1; at < sorted.length; at++) {
    const [one, other] = [sorted[at - 1]!, sorted[at]!];
    let common = 0;
    while (common < one.length && one[common] === other[common]) common++;
    // The first character that differs, and the mark of what is cut; or the shorter text as a whole.
    const both = columnWidth(other.slice(0, common) + String.fromCodePoint(other.codePointAt(common)!)) + 1;
    telling = Math.max(telling, Math.min(both, columnWidth(one)));
  }
  return telling;
}

function comfortOf(column: ShownColumn): number {
  return Math.min(column.width, Math.max(column.head, sizeOf(column, 'comfort')));
}

function sizeOf({ role, number }: ShownColumn, size: 'least' | 'comfort'): number {
  return Math.max(SIZES[role][size], Math.min(number, MAX_NUMBER));
}

type WidthOf = (column: ShownColumn) => number;

class Fit {
  readonly gap: number;
  readonly fitted = new Map<ShownColumn, FittedColumn>();
  #room: number;

  constructor(room: number, gap: number) {
    this.gap = gap;
    this.#room = room + gap;
  }

  /** Adds those of the columns that are not there yet, if there is room for all of them; whether there was. */
  add(columns: readonly ShownColumn[], widthOf: WidthOf): boolean {
    const added = columns.filter((column) => !this.fitted.has(column));
    const cells = added.reduce((sum, column) => sum + widthOf(column) + this.gap, 0);
    if (cells > this.#room) return false;
    this.#room -= cells;
    for (const column of added) this.fitted.set(column, { column, width: widthOf(column) });
    return true;
  }

  /**
   * Lets the columns grow, each up to a width: first the name of the party until it can be told, then the status, whose
   * words say nothing when cut, then the rest of the name; last the times of day, all or none.
   */
  growTo(widthOf: WidthOf): void {
    const wanted = (fitted: FittedColumn): number => Math.max(0, widthOf(fitted.column) - fitted.width);
    const all = [...this.fitted.values()];
    const of = (...roles: ColumnRole[]): FittedColumn[] =>
      all.filter(({ column }) => roles.includes(column.role));
    const [dates, parties, statuses] = [of('date', 'due'), of('party'), of('status')];
    for (const fitted of parties)
      this.#widen(fitted, Math.min(wanted(fitted), Math.max(0, READABLE_NAME - fitted.width)));
    const others = all.filter((fitted) => !dates.includes(fitted));
    for (const fitted of [...statuses, ...parties, ...others]) this.#widen(fitted, wanted(fitted));
    const allDates = dates.reduce((sum, fitted) => sum + wanted(fitted), 0);
    if (allDates <= this.#room) for (const fitted of dates) this.#widen(fitted, wanted(fitted));
  }

  #widen(fitted: FittedColumn, cells: number): void {
    const more = Math.min(cells, this.#room);
    fitted.width += more;
    this.#room -= more;
  }
}

/** How to see the columns that a table leaves out. */
const HOW_TO_SEE = {
  narrow: ' · --columns, --wide',
  late: ' · they came late: --columns, or a file',
} as const;

/** The line below a table that names the columns it leaves out, as many as `width` display cells have room for. */
export function leftOutNote(names: readonly string[], width: number, how: keyof typeof HOW_TO_SEE): string {
  if (names.length === 0) return '';
  // A narrow terminal has no room for the advice.
  const short = names.slice(0, width).map((name) => truncate(name, width));
  for (const end of [HOW_TO_SEE[how], '']) {
    for (let count = short.length; count > 0; count = Math.min(count - 1, Math.floor(width / 3))) {
      const rest = names.length - count;
      const more = rest === 0 ? '' : ` and ${rest} more`;
      const line = `Not shown: ${short.slice(0, count).join(', ')}${more}${end}`;
      if (displayWidth(line) <= width) return line;
    }
  }
  return truncate(`Not shown: ${countOf(names.length, 'column')}`, width);
}
