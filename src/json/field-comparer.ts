import { CellReader, cellJson, type Cell } from './cells.ts';
import { canonicalNumber } from './decimal.ts';
import type { RecordBatch } from './records.ts';
import { withoutSignedLinks } from './signed-links.ts';

interface DifferingField {
  readonly column: string;
  readonly before: Cell | undefined;
  readonly after: Cell | undefined;
}

/** Fields after which those of earlier records are forgotten: names may be keys of data, other ones in each record. */
const MANY_FIELDS = 1000;

/**
 * Compares two records field by field, where their bytes differ. The order of members, how texts are escaped, white space and
 * signed links do not count; null, missing and an object without a value are the same, and so are 10.0 and 10.00, which are one
 * number. The number 1 and the text "1" differ.
 */
export class FieldComparer {
  #reader = new CellReader();

  /** The fields that differ. Throws ServiceError where the two records have too many. */
  *differences(
    [before, beforeAt]: readonly [RecordBatch, number],
    [after, afterAt]: readonly [RecordBatch, number],
  ): Generator<DifferingField> {
    if (this.#reader.columns.length > MANY_FIELDS) this.#reader = new CellReader();
    const [old, now] = [this.#reader.read(before, beforeAt), this.#reader.read(after, afterAt)];
    for (const [at, column] of this.#reader.columns.entries()) {
      const field = { column, before: old[at], after: now[at] };
      if (!isSame(field)) yield field;
    }
  }

  /** Whether the records say the same. Throws as `differences` does. */
  isSame(...records: Parameters<FieldComparer['differences']>): boolean {
    return this.differences(...records).next().done === true;
  }
}

function isSame({ column, before, after }: DifferingField): boolean {
  if (before?.kind === after?.kind && before?.text === after?.text) return true;
  // The links called `fileUrl` are known by that name.
  const name = JSON.stringify(column.slice(column.lastIndexOf('.') + 1));
  const [one, other] = [before, after].map((cell) => canonical(`{${name}:${cellJson(cell)}}`));
  return one === other;
}

/** The quotes and numbers in JSON text. An escape is one match, so that its quote is none. */
const QUOTE_OR_NUMBER = /\\.|"|-?\d[\d.eE+-]*/g;

/** JSON text that is the same for all spellings of a value. Numbers become texts, and texts begin with a quote. */
function canonical(json: string): string {
  let isInText = false;
  // A pattern for a whole text would exhaust the stack where that has 9 MB.
  const texts = withoutSignedLinks(json).replace(QUOTE_OR_NUMBER, (found) => {
    if (found !== '"') return isInText ? found : `"${canonicalNumber(found)}"`;
    isInText = !isInText;
    return isInText ? '"\\"' : found;
  });
  const known: unknown = JSON.parse(texts, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const members = Object.entries(value).filter(([, member]) => member !== null);
    return members.length === 0 ? null : Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return JSON.stringify(known);
}
