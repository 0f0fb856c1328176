import { UsageError } from '../errors.ts';

/** One part of `--sort`. */
export interface SortKey {
  readonly column: string;
  readonly descending: boolean;
}

/** Reads `dueBy,-totalAmount`: columns in order of weight, a minus before those that are to descend. Throws UsageError. */
export function parseSort(text: string): SortKey[] {
  return text.split(',').map((part) => {
    const descending = part.trim().startsWith('-');
    const column = part.trim().slice(descending ? 1 : 0);
    if (column !== '') return { column, descending };
    throw new UsageError(`--sort '${text}' names an empty column`, {
      hint: 'Name columns with commas between them, a minus before one that is to descend: --sort dueBy,-totalAmount',
    });
  });
}
