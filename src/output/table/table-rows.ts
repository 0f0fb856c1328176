import { DAY_ALONE } from '../../json/calendar-day.ts';
import { CellReader, type Cell } from '../../json/cells.ts';
import { ColumnFacts } from '../../json/column-facts.ts';
import type { RecordBatch } from '../../json/records.ts';
import {
  isIdentifier,
  knownAmong,
  rankOf,
  roleOf,
  type ColumnRole,
  type KnownColumn,
} from '../column-roles.ts';
import { columnWidth, visible } from '../terminal/terminal-text.ts';
import { digitGrouper, type GroupDigits } from '../terminal/number-text.ts';
import type { Layout } from '../writer.ts';

/** A column, as far as the rows are read. */
export interface ShownColumn {
  /** Its place in the rows. */
  readonly index: number;
  /** The column of the records. */
  readonly column: string;
  /** What stands above it. */
  readonly name: string;
  /** In its head, where it is too narrow for its name. */
  readonly word: string;
  /** Display cells that the head has at least; 0 where there is no word for the column. */
  readonly head: number;
  readonly role: ColumnRole;
  /** Where room is short, columns of higher ranks are left out first; undefined for columns that nobody looks for. */
  readonly rank: number | undefined;
  /** Whether nothing is in it so far. */
  readonly empty: boolean;
  /** Display cells of its widest cell. */
  readonly cells: number;
  /** Display cells of its widest cell or its name. */
  readonly width: number;
  /** Display cells of its widest number. */
  readonly number: number;
  /** Display cells with which the names of parties can be told apart; 0 for other columns. */
  readonly telling: number;
  /** Numbers only: aligned on the right. */
  readonly numeric: boolean;
  /** All are days, some of them written as the midnight with which they begin: shown as days. */
  readonly days: boolean;
  /** Lists or whole objects, which nobody reads in a cell. */
  readonly nested: boolean;
}

type RowsLayout = Pick<Layout, 'columns' | 'headings' | 'asked' | 'known' | 'raw' | 'locale'>;

/** Reads records as rows of text that is safe for a terminal, and measures them. */
export class TableRows {
  readonly #reader: CellReader;
  readonly #layout: RowsLayout;
  readonly #group: GroupDigits;
  readonly #seen: SeenColumn[] = [];
  /** The places of the columns that are read; undefined for all. */
  #wanted: ReadonlySet<number> | undefined;

  constructor(layout: RowsLayout) {
    this.#reader = new CellReader(layout.columns);
    this.#layout = layout;
    this.#group = layout.raw === true ? asSent : digitGrouper(layout.locale ?? 'en-US');
  }

  /** The texts of a record, one for each column so far. Empty for null and for missing fields. */
  read(batch: RecordBatch, index: number): string[] {
    return this.#reader.read(batch, index).map((cell, column) => this.#textOf(cell, column));
  }

  /** From now on only the cells at these places are made texts, and none is measured; the others are empty. */
  readOnly(places: Iterable<number>): void {
    this.#wanted = new Set(places);
  }

  /** The columns so far: in the order asked for, else first those that people look for, in their order. */
  columns(): ShownColumn[] {
    const { asked, known = [], headings } = this.#layout;
    const names = this.#reader.columns;
    const found = knownAmong(names, known);
    const shown = headings?.(names);
    const columns = names.map((name, index) => this.#shownColumn(index, shown?.[index], found.get(name)));
    if (asked === true) return columns;
    const places = new Map(known.map((column, place) => [column, place]));
    const place = ({ index, role }: ShownColumn): number => {
      const column = found.get(names[index]!);
      if (role === 'profile') return -1;
      if (column !== undefined) return places.get(column)!;
      return known.length + (found.size > 0 ? 0 : rankOf(role));
    };
    return columns.sort((a, b) => place(a) - place(b));
  }

  #shownColumn(index: number, heading: string | undefined, known: KnownColumn | undefined): ShownColumn {
    const column = this.#reader.columns[index]!;
    const name = visible(heading ?? column);
    const word = heading === undefined || heading === column ? (known?.word ?? name) : name;
    const { facts, width, number } = this.#seen[index] ?? NOTHING_SEEN;
    const filled = facts.cells - facts.empty;
    const midnights = facts.midnights + facts.localMidnights;
    const days = this.#layout.raw !== true && midnights > 0 && midnights + facts.days === filled;
    const cells = Math.max(days ? DAY_LENGTH : width, 1);
    const told = known?.role ?? roleOf(column);
    const role = told === 'other' && filled > 0 && facts.dated === filled ? 'date' : told;
    return {
      index,
      name,
      column,
      word,
      head: known === undefined && heading === undefined ? 0 : columnWidth(word),
      role,
      empty: filled === 0,
      rank: known?.rank ?? (role === 'profile' ? 0 : undefined),
      cells,
      width: Math.max(columnWidth(name), cells),
      number,
      telling: 0,
      numeric: facts.numbers > 0 && facts.numbers === filled,
      days,
      nested: facts.nested > 0,
    };
  }

  #textOf(cell: Cell | undefined, column: number): string {
    if (cell === undefined || this.#wanted?.has(column) === false) return '';
    const seen = (this.#seen[column] ??= new SeenColumn());
    let text: string;
    if (cell.kind === 'number') text = (seen.group ??= this.#groupOf(column))(cell.text);
    else text = visible(cell.text);
    if (this.#wanted !== undefined) return text;
    seen.facts.add(cell);
    const width = columnWidth(text);
    seen.width = Math.max(seen.width, width);
    if (cell.kind === 'number') seen.number = Math.max(seen.number, width);
    return text;
  }

  #groupOf(column: number): GroupDigits {
    return isIdentifier(this.#reader.columns[column]!) ? asSent : this.#group;
  }
}

/** Characters of `2024-10-15`. */
const DAY_LENGTH = 10;

/** What the cells of a column were so far, and how wide. */
class SeenColumn {
  readonly facts = new ColumnFacts();
  width = 0;
  number = 0;
  group: GroupDigits | undefined;
}

const NOTHING_SEEN = new SeenColumn();

function asSent(literal: string): string {
  return literal;
}

/** The day of a point in time that is the midnight with which a day begins; any other text as it is. */
export function dayOf(text: string): string {
  return DAY_ALONE.test(text) ? text.slice(0, DAY_LENGTH) : text;
}
