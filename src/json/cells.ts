import { compact } from './checked-text.ts';
import { ABSENT, BOOLEAN_LITERAL, ESCAPED_TEXT, JSON_TEXT, NUMBER_LITERAL } from './projection.ts';
import { Projection } from './projection.ts';
import type { RecordBatch } from './records.ts';

type CellKind = 'string' | 'number' | 'boolean' | 'array';

/** One value of a record as text: a string decoded, a number as it was sent, an array or a whole object as compact JSON. */
export interface Cell {
  readonly kind: CellKind;
  readonly text: string;
}

/** Reads records as rows of flat cells. Plain csv reads the same projection without making strings, which is faster. */
export class CellReader {
  readonly #projection: Projection;

  /** @param columns which columns, in which order; without them all columns, in the order in which they first appear */
  constructor(columns?: readonly string[]) {
    this.#projection = new Projection(columns);
  }

  /** The columns until now. */
  get columns(): readonly string[] {
    return this.#projection.columns.names;
  }

  /**
   * The cells of record `index`, one for each column until now; undefined when the record has null or nothing there.
   * Throws ServiceError when the records have too many columns or levels.
   */
  read(batch: RecordBatch, index: number): (Cell | undefined)[] {
    this.#projection.project(batch, index);
    return Array.from(this.columns, (_, column) => this.#cell(batch, column));
  }

  #cell(batch: RecordBatch, column: number): Cell | undefined {
    const { kinds, starts, ends } = this.#projection.cells;
    const kind = kinds[column]!;
    const start = starts[column]!;
    const end = ends[column]!;
    if (kind === ABSENT) return undefined;
    if (kind === JSON_TEXT && batch.spaced) {
      return { kind: 'array', text: compact(batch.bytes, start, end).toString('utf8') };
    }
    const text = batch.bytes.toString('utf8', start, end);
    if (kind === ESCAPED_TEXT) return { kind: 'string', text: JSON.parse(`"${text}"`) as string };
    return {
      kind:
        kind === NUMBER_LITERAL
          ? 'number'
          : kind === BOOLEAN_LITERAL
            ? 'boolean'
            : kind === JSON_TEXT
              ? 'array'
              : 'string',
      text,
    };
  }
}
