import type { Finding, UnreadableCell } from '../findings.ts';
import { nameOfCell } from './amounts.ts';
import type { Role } from './fields.ts';
import type { Invoice } from './invoice.ts';

const MAX_NAMED = 3;

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

  /** What is left out, as a failure where there is any. `flag` asked for the answer. */
  finding(flag: string): Finding {
    const missing = { unreadable: this.#count };
    if (this.#count === 0) return { level: 'fact', text: '', missing };
    const rest = this.#count - this.#named.length;
    const more = rest > 0 ? `; and ${rest} more` : '';
    const records = this.#count === 1 ? '1 record is' : `${this.#count} records are`;
    return {
      level: 'failure',
      kind: 'incomplete',
      text: `${flag}: ${records} left out, since they cannot be read: ${this.#named.join('; ')}${more}`,
      hint: 'Amounts are JSON numbers, and dates begin with year, month and day: 2024-10-15. Where they are in another column, name it with --field.',
      details: { code: 'unreadable', count: this.#count, cells: this.#cells },
      missing,
    };
  }
}
