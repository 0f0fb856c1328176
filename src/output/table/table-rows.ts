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

/** Reads records as rows of text that is safe for a terminal, and measures them. */
export class TableRows {
  readonly #reader: CellReader;
  readonly #known: readonly KnownColumn[];
  readonly #sources: Layout['sources'];
  readonly #ordered: boolean;
  readonly #asSent: boolean;
  readonly #group: GroupDigits;
  readonly #seen: SeenColumn[] = [];
  /** The places of the columns that are read; undefined for all. */
  #wanted: ReadonlySet<number> | undefined;

  constructor({
    columns,
    asked = false,
    known = [],
    sources,
    raw = false,
    locale = 'en-US',
  }: Pick<Layout, 'columns' | 'asked' | 'known' | 'sources' | 'raw' | 'locale'>) {
    this.#reader = new CellReader(columns);
    this.#known = known;
    this.#sources = sources;
    this.#ordered = asked;
    this.#asSent = raw;
    this.#group = raw ? (literal) => literal : digitGrouper(locale);
  }

  /** The texts of a record, one for each column so far. Empty for null and for missing fields. */
  read(batch: RecordBatch, index: number): string[] {
    const cells = this.#reader.read(batch, index);
    const texts: string[] = Array.from({ length: cells.length });
    for (const [column, cell] of cells.entries()) texts[column] = this.#textOf(cell, column);
    return texts;
  }

  /** From now on only the cells at these places are made texts, and none is measured; the others are empty. */
  readOnly(places: Iterable<number>): void {
    this.#wanted = new Set(places);
  }

  /** The columns so far: in the order asked for, else first those that people look for, in their order. */
  columns(): ShownColumn[] {
    const names = this.#reader.columns;
    const found = knownAmong(names, this.#known);
    const places = new Map(this.#known.map((column, place) => [column, place]));
    const columns = names.map((column, index) => this.#shownColumn(column, index, found.get(column)));
    if (this.#ordered) return columns;
    const place = ({ index, role }: ShownColumn): number => {
      const column = found.get(names[index]!);
      if (role === 'profile') return -1;
      if (column !== undefined) return places.get(column)!;
      return this.#known.length + (found.size > 0 ? 0 : rankOf(role));
    };
    return columns.sort((a, b) => place(a) - place(b));
  }

  #shownColumn(column: string, index: number, known: KnownColumn | undefined): ShownColumn {
    const name = visible(column);
    const { facts, width, number } = this.#seen[index] ?? NOTHING_SEEN;
    const { numbers, nested, empty, days } = facts;
    const midnights = facts.midnights + facts.localMidnights;
    const filled = facts.cells - empty;
    const areDays = !this.#asSent && midnights > 0 && midnights + days === filled;
    const cells = Math.max(areDays ? DAY_LENGTH : width, 1);
    const told = known?.role ?? roleOf(column);
    const role = told === 'other' && filled > 0 && facts.dated === filled ? 'date' : told;
    return {
      index,
      name,
      word: known?.word ?? name,
      head: known === undefined ? 0 : columnWidth(known.word),
      role,
      empty: filled === 0,
      rank: known?.rank ?? (role === 'profile' ? 0 : undefined),
      cells,
      width: Math.max(columnWidth(name), cells),
      number,
      telling: 0,
      numeric: numbers > 0 && numbers === filled,
      days: areDays,
      nested: nested > 0,
    };
  }

  #textOf(cell: Cell | undefined, column: number): string {
    if (cell === undefined || this.#wanted?.has(column) === false) return '';
    const seen = (this.#seen[column] ??= new SeenColumn());
    if (this.#wanted !== undefined) return this.#shown(cell, column, seen);
    seen.facts.add(cell);
    const text = this.#shown(cell, column, seen);
    const width = columnWidth(text);
    if (width > seen.width) seen.width = width;
    if (cell.kind === 'number' && width > seen.number) seen.number = width;
    return text;
  }

  #shown({ kind, text }: Cell, column: number, seen: SeenColumn): string {
    if (kind !== 'number') return visible(text);
    const name = this.#reader.columns[column]!;
    return (seen.group ??= isIdentifier(this.#sources?.get(name) ?? name) ? asSent : this.#group)(text);
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
