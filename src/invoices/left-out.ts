import type { DocumentReader } from './document-reader.ts';
import type { Finding, UnreadableCell } from '../findings.ts';
import type { Cell } from '../json/cells.ts';
import { nameOfCell } from './open-items.ts';
import type { Role } from './fields.ts';

/** Counts the documents that sums treat specially, for the sentence below an answer. */
export class SpecialDocuments {
  #creditNotes = 0;
  #cancelled = 0;
  #void = 0;
  readonly #inNoSum = new Map<string, number>();
  #typed = 0;
  #untyped = 0;

  /**
   * Adds a document.
   *
   * @param changes whether it changes a sum, and whether a part of it was cancelled: one without an amount does neither
   */
  add(document: DocumentReader, changes: { readonly sum: boolean; readonly cancelled: boolean }): void {
    const { family, validity, isInSums } = document;
    if (validity === 'void') this.#void++;
    else if (!isInSums) this.#inNoSum.set(family, (this.#inNoSum.get(family) ?? 0) + 1);
    else {
      if (family === 'credit note' && changes.sum) this.#creditNotes++;
      if (validity === 'cancelled' && changes.cancelled) this.#cancelled++;
    }
    if (document.cell('documentType') === undefined) this.#untyped++;
    else this.#typed++;
  }

  /**
   * A clause for each kind that there was.
   *
   * @param of which amounts are summed: open ones, which leave out cancelled documents, others, or both
   */
  clauses(of: 'open' | 'other' | 'both'): string[] {
    const clauses: string[] = [];
    const clause = (count: number, what: string, how: string): void => {
      if (count > 0) clauses.push(`${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'} ${how}`);
    };
    clause(this.#creditNotes, 'credit note', 'taken away');
    const cancelled = {
      open: 'not open',
      other: 'counted, as the credit notes are that cancel them',
      both: 'not open, but in the other sums',
    };
    clause(this.#cancelled, 'cancelled document', cancelled[of]);
    clause(this.#void, 'void document', 'in no sum');
    for (const [family, count] of this.#inNoSum) clause(count, family, 'in no sum');
    if (this.#typed > 0)
      clause(this.#untyped, 'document', `without a type counted as invoice${this.#untyped === 1 ? '' : 's'}`);
    return clauses;
  }
}

const MAX_NAMED = 3;

/** Counts the records that an answer leaves out because a cell of theirs cannot be read, and names the first of them. */
export class Unreadable {
  readonly #named: string[] = [];
  readonly #cells: UnreadableCell[] = [];
  count = 0;
  #last = 0;

  /** Notes what cannot be read in a record, which counts once. `place` is its number in the listing, from 1. */
  note(place: number, what: string, cell?: UnreadableCell): void {
    if (place === this.#last) return;
    this.#last = place;
    if (this.count++ >= MAX_NAMED) return;
    this.#named.push(what);
    if (cell !== undefined) this.#cells.push(cell);
  }

  /** Notes a cell of a document. Its role `number` must be read, too: people know a document by it. */
  noteCell(document: DocumentReader, column: string, cell: Cell): void {
    const { place } = document;
    const number = document.text('number');
    const isNamed = number !== undefined && /^[\p{L}\p{N}/-]{1,30}$/u.test(number);
    const who = isNamed ? `record ${place} (number ${number})` : `record ${place}`;
    this.note(place, `${column} of ${who} is ${nameOfCell(cell)}`, { column, place, number });
  }

  noteRole(document: DocumentReader, role: Role): void {
    const cell = document.cell(role);
    if (cell !== undefined) this.noteCell(document, document.columnOf(role)!, cell);
  }

  /** The first that cannot be read: `dueBy of record 7 (number 12) is the text "soon"`. */
  get first(): string | undefined {
    return this.#named[0];
  }

  /** The records left out, as a failure where there are any. `flag` is the one of the question. */
  finding(flag: string): Finding {
    const missing = { unreadable: this.count };
    if (this.count === 0) return { level: 'fact', text: '', missing };
    const rest = this.count - this.#named.length;
    const more = rest > 0 ? `; and ${rest} more` : '';
    const who =
      this.count === 1
        ? '1 record was left out, since it'
        : `${this.count} records were left out, since they`;
    return {
      level: 'failure',
      kind: 'incomplete',
      text: `${flag}: ${who} cannot be read: ${this.#named.join('; ')}${more}`,
      hint: 'Amounts are JSON numbers, and dates begin with year, month and day: 2024-10-15. Where they are in another column, name it with --field.',
      details: { code: 'unreadable', count: this.count, cells: this.#cells },
      missing,
    };
  }
}
