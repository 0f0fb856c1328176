import type { DocumentReader } from './document-reader.ts';
import { IN_NO_SUM } from './document-types.ts';
import type { Finding, UnreadableCell } from '../findings.ts';
import { firstOf, quoteUnlessCode, type Cell } from '../json/cells.ts';
import { nameOfCell } from './open-items.ts';
import type { Role } from './fields.ts';

/** The kinds of special documents besides families: cancelled, void, or without a type. */
const [CANCELLED, VOID, UNTYPED] = ['cancelled document', 'void document', 'document'];

/** Counts the documents that sums treat specially, for the note below an answer. */
export class SpecialDocuments {
  readonly #counts = new Map<string, number>();
  #hasTypes = false;

  /**
   * Adds a document.
   *
   * @param changes whether it changes a sum, and whether a part of it was cancelled: one without an amount does neither
   */
  add(document: DocumentReader, changes: { readonly sum: boolean; readonly cancelled: boolean }): void {
    const { family, validity, isInSums } = document;
    if (!isInSums) this.#count(validity === 'void' ? VOID : family);
    else {
      if (family === 'credit note' && changes.sum) this.#count(family);
      if (validity === 'cancelled' && changes.cancelled) this.#count(CANCELLED);
    }
    if (document.cell('documentType') === undefined) this.#count(UNTYPED);
    else this.#hasTypes = true;
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  /**
   * A clause for each kind that there was.
   *
   * @param of which amounts are summed: open amounts, which leave out cancelled documents, other amounts, or both
   */
  clauses(of: 'open' | 'other' | 'both'): string[] {
    const cancelled = {
      open: 'not open',
      other: 'counted, like the credit notes that cancel them',
      both: 'not open, but in the other sums',
    };
    const clause = (what: string, how: string): string[] => {
      const count = this.#counts.get(what) ?? 0;
      return count === 0 ? [] : [`${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'} ${how}`];
    };
    const invoices = this.#counts.get(UNTYPED) === 1 ? 'invoice' : 'invoices';
    return [
      ...clause('credit note', 'subtracted'),
      ...clause(CANCELLED, cancelled[of]),
      ...[VOID, ...IN_NO_SUM].flatMap((what) => clause(what, 'in no sum')),
      ...(this.#hasTypes ? clause(UNTYPED, `without a type counted as ${invoices}`) : []),
    ];
  }
}

const MAX_NAMED = 3;

/** Counts the records that an answer leaves out because one of their cells cannot be read, and names the first of them. */
export class Unreadable {
  readonly #named: string[] = [];
  readonly #cells: UnreadableCell[] = [];
  count = 0;
  #last = 0;

  /** Notes a cell of a document, which counts once. The role `number` must be read, too: messages name documents by it. */
  noteCell(document: DocumentReader, column: string, cell: Cell): void {
    const { place } = document;
    if (place === this.#last) return;
    this.#last = place;
    if (this.count++ >= MAX_NAMED) return;
    const number = document.text('number');
    const who = `record ${place}${number === undefined ? '' : ` (number ${quoteUnlessCode(number)})`}`;
    this.#named.push(`${column} of ${who} is ${nameOfCell(cell)}`);
    this.#cells.push({ column, place, number });
  }

  noteRole(document: DocumentReader, role: Role): void {
    const cell = document.cell(role);
    if (cell !== undefined) this.noteCell(document, document.columnOf(role)!, cell);
  }

  /** The first that cannot be read: `dueBy of record 7 (number 12) is the text "soon"`. */
  get first(): string | undefined {
    return this.#named[0];
  }

  /** The failure for records left out; a fact if there are none. `flag` is the flag of the question. */
  finding(flag: string): Finding {
    const missing = { unreadable: this.count };
    if (this.count === 0) return { level: 'fact', text: '', missing };
    const named = firstOf(this.#named, this.count, '; ');
    const who =
      this.count === 1
        ? '1 record was left out, since it'
        : `${this.count} records were left out, since they`;
    return {
      level: 'failure',
      kind: 'incomplete',
      text: `${flag}: ${who} cannot be read: ${named}`,
      hint: 'Amounts are JSON numbers, and dates begin with year, month and day: 2024-10-15. Where they are in another column, name it with --field.',
      details: { code: 'unreadable', count: this.count, cells: this.#cells },
      missing,
    };
  }
}
