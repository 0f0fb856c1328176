import { WordView } from '../json/bytes.ts';
import { ABSENT, ESCAPED_TEXT, Projection, textOfSpan, type CellSpan } from '../json/cells.ts';
import type { ColumnFacts } from '../json/column-facts.ts';
import type { RecordBatch } from '../json/records.ts';
import type { CellContent, ColumnType, Dialect, RowSink, StoredRow, StoredValue } from './database.ts';
import type { TableColumn, TableColumns } from './table-columns.ts';

/** Rows as values, for statements that take them as parameters. */
export class ValueRows implements RowSink {
  readonly #dialect: Dialect;
  #row: StoredValue[] = [];
  #rows: StoredRow[] = [];

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  put(value: StoredValue): void {
    this.#row.push(value);
  }

  putText({ bytes }: WordView, start: number, end: number): void {
    this.#row.push(bytes.toString('utf8', start, end));
  }

  putCell(type: ColumnType, cell: CellSpan): void {
    this.#row.push(this.#dialect.value(type, textOfSpan(cell)));
  }

  endRow(): void {
    this.#rows.push(this.#row);
    this.#row = [];
  }

  /** The rows since the last call. */
  take(): StoredRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

/** What fields with these facts hold, as the columns of a table may hold it. */
export function contentsOf(facts: ColumnFacts): CellContent[] {
  const { texts, numbers, tooLong, booleans, nested } = facts;
  const held: Readonly<Record<CellContent, number>> = {
    // A number that nobody writes out is kept as it was sent.
    text: texts + tooLong,
    numeric: numbers - tooLong,
    boolean: booleans,
    json: nested,
  };
  return CONTENTS.filter((content) => held[content] > 0);
}

const CONTENTS = ['text', 'numeric', 'boolean', 'json'] as const;

/** A column means the same field in every run, whichever records that run writes. */
export const STABLE_NAMES = true;

/** Puts what records hold into the columns of their table. */
export class RecordCells {
  /** Records with a text in which NUL is shown as U+FFFD. */
  withNul = 0;
  readonly #projection = new Projection(undefined, STABLE_NAMES);
  readonly #known: TableColumns;
  readonly #fields: readonly TableColumn[];
  /** Which column of the projection each field is, as far as it has been met. */
  readonly #places: Int32Array;
  #placed = 0;
  readonly #span = { view: new WordView(Buffer.alloc(0)), spaced: false, kind: ABSENT, start: 0, end: 0 };

  constructor(columns: TableColumns) {
    this.#known = columns;
    this.#fields = columns.all;
    this.#places = new Int32Array(this.#fields.length).fill(-1);
  }

  /** Puts the record itself and a cell for each column, and ends the row. */
  putInto(rows: RowSink, batch: RecordBatch, index: number): void {
    this.#projection.project(batch, index);
    this.#place();
    const { view } = this.#projection;
    const { kinds, starts, ends } = this.#projection.cells;
    rows.putText(view, batch.bounds[2 * index]!, batch.bounds[2 * index + 1]!);
    const span = Object.assign(this.#span, { view, spaced: batch.spaced });
    let hasNul = false;
    for (let at = 0; at < this.#places.length; at++) {
      const place = this.#places[at]!;
      span.kind = place < 0 ? ABSENT : kinds[place]!;
      if (span.kind === ABSENT) {
        rows.put(null);
        continue;
      }
      span.start = starts[place]!;
      span.end = ends[place]!;
      if (mayHoldNul(span)) hasNul = putShown(rows, span) || hasNul;
      else rows.putCell(this.#fields[at]!.type, span);
    }
    rows.endRow();
    if (hasNul) this.withNul++;
  }

  /** Finds the columns of the fields that have been met since. */
  #place(): void {
    const { names } = this.#projection.columns;
    for (; this.#placed < names.length; this.#placed++) {
      const column = this.#known.of(names[this.#placed]!);
      const at = column === undefined ? -1 : this.#fields.findIndex(({ name }) => name === column.name);
      if (at >= 0) this.#places[at] = this.#placed;
    }
  }
}

function mayHoldNul({ view, kind, start, end }: CellSpan): boolean {
  return kind === ESCAPED_TEXT && view.bytes.toString('latin1', start, end).includes('\\u0000');
}

/** NUL, which PostgreSQL cannot hold and programs that read SQLite take for the end of the text, is shown as U+FFFD. */
function putShown(rows: RowSink, span: CellSpan): boolean {
  const text = textOfSpan(span);
  const shown = text.replaceAll('\0', '\uFFFD');
  rows.put(shown);
  return shown !== text;
}
