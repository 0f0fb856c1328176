import { IncompleteError } from '../errors.ts';
import { nameOfCell } from './amounts.ts';
import type { Role } from './fields.ts';
import type { Invoice } from './invoice.ts';

const MAX_NAMED = 3;

/** A cell that cannot be read: its column, and the place of its record in the listing, from 1, with its number. */
export interface UnreadableCell {
  readonly column: string;
  readonly place: number;
  readonly number: string | undefined;
}

/** Records are left out because cells of theirs cannot be read. */
export class RecordsUnreadable extends IncompleteError {
  readonly count: number;
  /** The first of the cells. */
  readonly cells: readonly UnreadableCell[];

  constructor(message: string, hint: string, { count, cells }: Pick<RecordsUnreadable, 'count' | 'cells'>) {
    super(message, { hint });
    this.count = count;
    this.cells = cells;
  }
}

/** Counts the records that an answer leaves out because a cell of theirs cannot be read, and names the first of them. */
export class Unreadable {
  readonly #named: string[] = [];
  readonly #cells: UnreadableCell[] = [];
  #count = 0;
  #last = 0;

  /** Notes a cell that cannot be read. A record counts once. `place` is its number in the listing, from 1. */
  note(place: number, what: string): void {
    if (place === this.#last) return;
    this.#last = place;
    this.#count++;
    if (this.#named.length < MAX_NAMED) this.#named.push(what);
  }

  /** Notes the cell of a role. The role `number` must be read, too: people know a document by it. */
  noteRole(invoice: Invoice, role: Role, place: number): void {
    const found = invoice.found(role);
    if (found === undefined) return;
    const number = invoice.cell('number')?.text;
    if (place !== this.#last && this.#cells.length < MAX_NAMED)
      this.#cells.push({ column: found.column, place, number });
    const who = number === undefined ? `record ${place}` : `record ${place} (number ${number})`;
    this.note(place, `${found.column} of ${who} is ${nameOfCell(found.cell)}`);
  }

  /** How many records are left out. */
  get count(): number {
    return this.#count;
  }

  /** The error to throw when the answer is delivered; undefined where everything could be read. */
  failure(flag: string): RecordsUnreadable | undefined {
    if (this.#count === 0) return undefined;
    const rest = this.#count - this.#named.length;
    const more = rest > 0 ? `; and ${rest} more` : '';
    const records = this.#count === 1 ? '1 record is' : `${this.#count} records are`;
    return new RecordsUnreadable(
      `${flag}: ${records} left out, since they cannot be read: ${this.#named.join('; ')}${more}`,
      'Amounts are JSON numbers, and dates begin with year, month and day: 2024-10-15. Where they are in another column, name it with --field.',
      { count: this.#count, cells: this.#cells },
    );
  }
}
