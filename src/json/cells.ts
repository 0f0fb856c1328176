import { compact } from './checked-text.ts';
import { ABSENT, BOOLEAN_LITERAL, ESCAPED_TEXT, JSON_TEXT, NUMBER_LITERAL } from './projection.ts';
import { Projection } from './projection.ts';
import type { RecordBatch } from './records.ts';

type CellKind = 'string' | 'number' | 'boolean' | 'array';

/** One value of a record, as text: strings decoded, numbers as sent, arrays (and objects asked for) as compact JSON. */
export interface Cell {
  readonly kind: CellKind;
  readonly text: string;
}

/** Reads records as rows of flat cells. The fast path of csv works on the same projection without making strings. */
export class CellReader {
  readonly #projection: Projection;

  /** @param columns Which columns, in which order; without them, all, by first appearance over all that is read. */
  constructor(columns?: readonly string[]) {
    this.#projection = new Projection(columns);
  }

  /** The columns so far. */
  get columns(): readonly string[] {
    return this.#projection.columns.names;
  }

  /**
   * The cells of record `index`, one for each column so far; undefined where the record has null or nothing.
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
