import { CellReader, type Cell } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import { displayWidth } from '../terminal/display-width.ts';
import { digitGrouper, type GroupDigits } from '../terminal/number-text.ts';
import { visible } from '../terminal/terminal-text.ts';
import type { Layout } from '../writer.ts';

/** A column, as far as the rows are read. */
export interface ShownColumn {
  /** Its place in the rows. */
  readonly index: number;
  readonly name: string;
  readonly role: ColumnRole;
  /** Display cells of its widest cell or its name. */
  readonly width: number;
  /** Numbers only: aligned on the right. */
  readonly numeric: boolean;
}

/** Reads records as rows of text that is safe for a terminal, and measures them. */
export class TableRows {
  readonly #reader: CellReader;
  readonly #ordered: boolean;
  readonly #group: GroupDigits | undefined;
  readonly #shape: ((literal: string) => string)[] = [];
  readonly #widths: number[] = [];
  readonly #numbers: number[] = [];
  readonly #others: number[] = [];

  constructor({ columns, raw = false, locale = 'en-US' }: Pick<Layout, 'columns' | 'raw' | 'locale'>) {
    this.#reader = new CellReader(columns);
    this.#ordered = columns !== undefined;
    this.#group = raw ? undefined : digitGrouper(locale);
  }

  /** The texts of a record, one for each column so far. Empty for null and for missing fields. */
  read(batch: RecordBatch, index: number): string[] {
    return this.#reader
      .read(batch, index)
      .map((cell, column) => (cell === undefined ? '' : this.#text(cell, column)));
  }

  /** The columns so far, in the order asked for; otherwise the most important first. */
  columns(): ShownColumn[] {
    const columns = this.#reader.columns.map((column, index) => {
      const name = visible(column);
      const width = Math.max(displayWidth(name), this.#widths[index] ?? 0, 1);
      const numeric = this.#numbers[index] !== undefined && this.#others[index] === undefined;
      return { index, name, role: roleOf(column), width, numeric };
    });
    return this.#ordered ? columns : columns.sort((a, b) => rankOf(a.role) - rankOf(b.role));
  }

  #text(cell: Cell, column: number): string {
    const isNumber = cell.kind === 'number';
    (isNumber ? this.#numbers : this.#others)[column] = 1;
    const text = isNumber ? this.#shapeOf(column)(cell.text) : visible(cell.text);
    this.#widths[column] = Math.max(this.#widths[column] ?? 0, displayWidth(text));
    return text;
  }

  #shapeOf(column: number): (literal: string) => string {
    return (this.#shape[column] ??=
      this.#group && !isIdentifier(this.#reader.columns[column]!) ? this.#group : asSent);
  }
}

function asSent(literal: string): string {
  return literal;
}

/** What a column means to people. Only its name tells: records are whatever the service sends. */
export type ColumnRole = 'profile' | 'number' | 'status' | 'date' | 'party' | 'amount' | 'currency' | 'other';

/** The most important first. */
const ROLES: readonly (readonly [ColumnRole, RegExp])[] = [
  ['profile', /^_profile$/],
  ['number', /^(?:number|folio|(?:invoice|document)_?number)$/i],
  ['status', /^status$/i],
  ['date', /^(?:[Dd]ate|\w+(?:Date|_date)|[Dd]ue(?:_?[Bb]y)?|(?:issued|emitted)_?(?:at|on|At|On))$/],
  ['party', /^(?:counterparty|(?:(?:customer|issuer|receiver|supplier|provider|vendor|client)[._]?)?name)$/i],
  ['amount', /^(?:\w*(?:amount|balance)\w*|total|balance\.\w+)$/i],
  ['currency', /^currency$/i],
];

/** Names of numbers that identify rather than count: their digits are never grouped. */
const IDENTIFIER =
  /(?:^|[._])(?:id|number|invoice|folio|code|year|phone|zip)$|[a-z](?:I[Dd]|Number|Folio|Code|Year|Phone|Zip)$/;

export function roleOf(column: string): ColumnRole {
  return ROLES.find(([, name]) => name.test(column))?.[0] ?? 'other';
}

/** The importance of a column: 0 for the most important. Equal ones keep the order of the records. */
export function rankOf(role: ColumnRole): number {
  const rank = ROLES.findIndex(([name]) => name === role);
  return rank < 0 ? ROLES.length : rank;
}

export function isIdentifier(column: string): boolean {
  return IDENTIFIER.test(column);
}

/** Whether the column holds the date by which something is to be paid. */
export function isDueDate(column: string): boolean {
  return /^due/i.test(column);
}
