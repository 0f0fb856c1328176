/** A page of help that is about no single command; shown by `folio help <name>` and in the manual. */
export interface Topic {
  /** As it is typed: `exit-codes`. */
  readonly name: string;
  /** One line, for lists. */
  readonly about: string;
  /** Paragraphs, and lists of terms with what they mean. */
  readonly blocks: readonly (string | TermList)[];
}

export type TermList = readonly (readonly [term: string, meaning: string])[];
