import type { ColumnRole } from './table-columns.ts';
import type { TableColumn } from './table-columns.ts';

/** Cells between two columns. */
export const GAP = 2;

/**
 * Display cells for a column of text that would take more: `least` is enough to tell rows apart, `comfort` is what it
 * may take before a further column gets room. Of a point in time, `2024-10-15…` says what most want to know.
 */
const SIZES: Readonly<Record<ColumnRole, { readonly least: number; readonly comfort: number }>> = {
  profile: { least: 16, comfort: 30 },
  number: { least: 16, comfort: 30 },
  status: { least: 12, comfort: 30 },
  date: { least: 11, comfort: 11 },
  party: { least: 16, comfort: 40 },
  amount: { least: 12, comfort: 30 },
  currency: { least: 3, comfort: 8 },
  // A UUID has 36.
  other: { least: 8, comfort: 36 },
};

/** A number is not readable without its end: it gets its room, but for one longer than money is. */
const NUMBER = { least: 16, comfort: 30 };

/** How many of a kind come before the first of the next kind: many dates must not take the amount's room. */
const FIRST: Readonly<Partial<Record<ColumnRole, number>>> = {
  profile: 1,
  number: 1,
  status: 1,
  date: 2,
  party: 1,
  amount: 1,
  currency: 1,
};

export interface FittedColumn {
  readonly column: TableColumn;
  /** Display cells that the column is given. */
  width: number;
}

/**
 * Chooses which columns a terminal of `room` cells shows, and how wide. As many as can be of those that matter, cut if
 * need be; then they grow; then further columns that fit; what is left goes to the ones that are still cut.
 * They stay in the order given.
 * @param asked the columns are the ones that the user named: all matter alike
 */
export function fitColumns(columns: readonly TableColumn[], room: number, asked: boolean): FittedColumn[] {
  const fit = new Fit(room);
  const matters = asked ? columns : columns.filter(({ role }) => role !== 'other');
  const first = asked ? columns : firstOfEachKind(columns);
  const least = (column: TableColumn): number =>
    sizeOf(asked ? { ...column, role: 'other' } : column, 'least');
  for (const column of new Set([...first, ...matters])) fit.add(column, least(column));
  fit.grow((column) => sizeOf(column, 'comfort'));
  for (const column of columns) if (!matters.includes(column)) fit.add(column, sizeOf(column, 'comfort'));
  fit.grow((column) => column.width);
  const fitted = fit.fitted.sort((a, b) => columns.indexOf(a.column) - columns.indexOf(b.column));
  if (fitted.length > 0 || columns.length === 0) return fitted;
  return [{ column: columns[0]!, width: Math.max(1, Math.min(columns[0]!.width, room)) }];
}

function firstOfEachKind(columns: readonly TableColumn[]): TableColumn[] {
  const seen = new Map<ColumnRole, number>();
  return columns.filter(({ role }) => {
    const count = (seen.get(role) ?? 0) + 1;
    seen.set(role, count);
    return count <= (FIRST[role] ?? 0);
  });
}

function sizeOf({ role, width, numeric }: TableColumn, size: 'least' | 'comfort'): number {
  return Math.min(width, (numeric ? NUMBER : SIZES[role])[size]);
}

class Fit {
  readonly fitted: FittedColumn[] = [];
  #room: number;

  constructor(room: number) {
    this.#room = room + GAP;
  }

  /** Takes the column in, when there is room for it. */
  add(column: TableColumn, width: number): void {
    if (width + GAP > this.#room) return;
    this.#room -= width + GAP;
    this.fitted.push({ column, width });
  }

  /** Lets the columns take what room there is, up to a size each: who it is first; times of day last, all or none. */
  grow(size: (column: TableColumn) => number): void {
    const wanted = (fitted: FittedColumn): number => Math.max(0, size(fitted.column) - fitted.width);
    const [dates, others] = [this.#ofRole('date', true), this.#ofRole('date', false)];
    for (const fitted of [...this.#ofRole('party', true), ...others]) this.#widen(fitted, wanted(fitted));
    const allDates = dates.reduce((sum, fitted) => sum + wanted(fitted), 0);
    if (allDates <= this.#room) for (const fitted of dates) this.#widen(fitted, wanted(fitted));
  }

  #ofRole(role: ColumnRole, so: boolean): FittedColumn[] {
    return this.fitted.filter(({ column }) => (column.role === role) === so);
  }

  #widen(fitted: FittedColumn, cells: number): void {
    const more = Math.min(cells, this.#room);
    fitted.width += more;
    this.#room -= more;
  }
}
