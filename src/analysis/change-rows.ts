import { CellReader, type Cell } from '../json/cells.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import { compactRecord } from './key-reader.ts';
import { cellJson, type Field, type Row } from './rows.ts';
import { withoutSignatures } from './signed-links.ts';

const NOTHING = 'null';

/**
 * Changes as rows that read alike in a table, in csv and in jsonl:
 *
 *     _change  id  number  field   old      new
 *     added    9   10009
 *     changed  12  10012   status  PENDING  PAID
 *     gone     17  10017
 *
 * One row for each field that changed; one for a record that was added or is gone, with the whole record in `record`.
 */
export class ChangeRows {
  readonly #context: readonly string[];
  readonly #contextReader: CellReader;
  readonly #reader = new CellReader();

  /** @param key The columns that records are matched by. @param shown More columns to show beside it, where records have them. */
  constructor(key: readonly string[], shown: readonly string[]) {
    this.#context = [...new Set([...key, ...shown])];
    this.#contextReader = new CellReader(this.#context);
  }

  /** The columns that make sense of a row without the record: for a terminal. */
  get columns(): readonly string[] {
    return ['_change', ...this.#context, 'field', 'old', 'new'];
  }

  whole(change: 'added' | 'gone', batch: RecordBatch, index: number): Row {
    const record = compactRecord(batch, index).toString('utf8');
    return [
      ...this.#start(change, batch, index),
      ...fieldChange(NOTHING, NOTHING, NOTHING),
      ['record', record],
    ];
  }

  /** `old` is a batch of one. A row for each column whose cell is not the same; none when only the order of members or white space is another. */
  changed(old: RecordBatch, now: RecordBatch, index: number): Row[] {
    const before = this.#reader.read(old, 0);
    const after = this.#reader.read(now, index);
    const start = this.#start('changed', now, index);
    const rows: Row[] = [];
    for (const [at, column] of this.#reader.columns.entries()) {
      if (isSame(before[at], after[at])) continue;
      rows.push([
        ...start,
        ...fieldChange(JSON.stringify(column), cellJson(before[at]), cellJson(after[at])),
      ]);
    }
    return rows;
  }

  #start(change: string, batch: RecordBatch, index: number): Row {
    const cells = this.#contextReader.read(batch, index);
    return [
      ['_change', JSON.stringify(change)],
      ...this.#context.map((column, at): Field => [column, cellJson(cells[at])]),
    ];
  }
}

function fieldChange(field: string, old: string, now: string): Field[] {
  return [
    ['field', field],
    ['old', old],
    ['new', now],
  ];
}

/** By the text as sent: 10.0 and 10.00 differ, as do the number 1 and the text "1". Null and missing do not, nor signatures. */
function isSame(a: Cell | undefined, b: Cell | undefined): boolean {
  if (a?.kind !== b?.kind) return false;
  return (
    a?.text === b?.text || (a?.kind === 'array' && withoutSignatures(a.text) === withoutSignatures(b!.text))
  );
}
