import type { ColumnRole } from './table-columns.ts';
import type { ShownColumn } from './table-columns.ts';

/** Cells between two columns. */
export const GAP = 2;

/**
 * Display cells for a column whose text is longer: `least` is enough to tell rows apart; up to `comfort` it grows before
 * another column gets room. Of a point in time, `2024-10-15…` is enough for most.
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

/** A number cannot be read without its end, so it gets all its room, unless it is longer than any amount. */
const NUMBER = { least: 16, comfort: 30 };

/** How many columns of a kind come before the next kind: many dates must not take the room of the amount. */
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
  readonly column: ShownColumn;
  /** Display cells that the column is given. */
  width: number;
}

/**
 * Chooses the columns that a terminal of `room` cells shows, and their widths. First come as many important columns as
 * fit, cut if necessary. Then these grow, then other columns are added, and what is left goes to those that are still cut.
 * The order stays as given.
 *
 * @param asked whether the user named the columns: then all are equally important
 */
export function fitColumns(columns: readonly ShownColumn[], room: number, asked: boolean): FittedColumn[] {
  const fit = new Fit(room);
  const matters = asked ? columns : columns.filter(({ role }) => role !== 'other');
  const first = asked ? columns : firstOfEachKind(columns);
  const least = (column: ShownColumn): number =>
    sizeOf(asked ? { ...column, role: 'other' } : column, 'least');
  for (const column of new Set([...first, ...matters])) fit.add(column, least(column));
  fit.grow((column) => sizeOf(column, 'comfort'));
  for (const column of columns) if (!matters.includes(column)) fit.add(column, sizeOf(column, 'comfort'));
  fit.grow((column) => column.width);
  const fitted = fit.fitted.sort((a, b) => columns.indexOf(a.column) - columns.indexOf(b.column));
  if (fitted.length > 0 || columns.length === 0) return fitted;
  return [{ column: columns[0]!, width: Math.max(1, Math.min(columns[0]!.width, room)) }];
}

function firstOfEachKind(columns: readonly ShownColumn[]): ShownColumn[] {
  const seen = new Map<ColumnRole, number>();
  return columns.filter(({ role }) => {
    const count = (seen.get(role) ?? 0) + 1;
    seen.set(role, count);
    return count <= (FIRST[role] ?? 0);
  });
}

function sizeOf({ role, width, numeric }: ShownColumn, size: 'least' | 'comfort'): number {
  return Math.min(width, (numeric ? NUMBER : SIZES[role])[size]);
}

class Fit {
  readonly fitted: FittedColumn[] = [];
  #room: number;

  constructor(room: number) {
    this.#room = room + GAP;
  }

  /** Adds the column if there is room for it. */
  add(column: ShownColumn, width: number): void {
    if (width + GAP > this.#room) return;
    this.#room -= width + GAP;
    this.fitted.push({ column, width });
  }

  /** Lets the columns grow, each up to a size: first the name of the party, last the times of day, all or none. */
  grow(size: (column: ShownColumn) => number): void {
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
