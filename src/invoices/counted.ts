import type { Document } from './document.ts';

/** Counts the documents that sums treat specially, for the sentence below an answer. */
export class Counted {
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
  add(document: Document, changes: { readonly sum: boolean; readonly cancelled: boolean }): void {
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
