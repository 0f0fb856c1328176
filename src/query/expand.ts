import { UsageError } from '../errors.ts';
import { PLAIN_MEANINGS } from '../invoices/fields.ts';
import { DocumentReader } from '../invoices/document-reader.ts';
import { type Span, WordView } from '../json/bytes.ts';
import { firstOf } from '../json/cells.ts';
import { findList, withoutMember, type RecordList } from '../json/record-lists.ts';
import { batchWithoutIds, wholeRecords, type RecordBatch } from '../json/records.ts';
import { missingColumns, refuseLists, refuseMissing } from './missing-columns.ts';
import type { ExpandQuestion, Records } from './questions.ts';

/** Bytes or rows after which a batch is passed on: a record may have many elements, and each row repeats the rest of it. */
const BATCH = { bytes: 2 ** 20, rows: 4_000 };
const MAX_NAMED = 3;

/**
 * The question of `--expand`: a row for each object in a list, its members as columns below the list's name, the rest of the
 * record repeated. A record without objects in the list is one row. A record with another value there comes out unchanged and
 * is named in a failure; if all records are like that, it throws UsageError.
 */
export function expandQuestion(column: string): ExpandQuestion {
  const path = column.replaceAll('\\.', '.');
  const reader = new DocumentReader(PLAIN_MEANINGS, { roles: [], names: [column] });
  const named: string[] = [];
  let [records, rows, others] = [0, 0, 0];
  let hasList = false;

  const refuse = (): void => {
    refuseMissing(reader, '--expand', { isShown: true });
    if (hasList || others === 0) return;
    throw new UsageError(`--expand ${column}: ${named[0]!}, not a list of objects`, {
      hint: 'Name a column that holds a list of objects, such as payments.',
    });
  };

  function* expanded({
    bytes,
    bounds,
    count,
    spaced,
    places: placesOfRecords,
  }: RecordBatch): Generator<RecordBatch> {
    const view = new WordView(bytes);
    let parts: Buffer[] = [];
    let ends = [0];
    /** For each waiting row, the position of its record in the listing. */
    let places: number[] = [];
    const takeBatch = (): RecordBatch => {
      const rowBounds = Int32Array.from(places.flatMap((_, row) => [ends[row]!, ends[row + 1]!]));
      const bytesOfRows = Buffer.concat(parts, ends.at(-1));
      rows += places.length;
      // The rows of one record would have the same identity.
      const batch = batchWithoutIds(bytesOfRows, rowBounds, spaced, Int32Array.from(places));
      [parts, ends, places] = [[], [0], []];
      return batch;
    };
    for (let index = 0; index < count; index++) {
      const record: Span = [bounds[2 * index]!, bounds[2 * index + 1]!];
      records++;
      const place = placesOfRecords?.[index] ?? records;
      const list = findList(view, record[0], path);
      if (list?.other !== undefined) {
        others++;
        if (named.length < MAX_NAMED) named.push(`in record ${place} it is ${list.other}`);
      } else if (list !== undefined) hasList = true;
      for (const row of rowsOf(bytes, record, list)) {
        parts.push(...row);
        ends.push(row.reduce((end, part) => end + part.length, ends.at(-1)!));
        places.push(place);
        if (ends.at(-1)! >= BATCH.bytes || places.length >= BATCH.rows) yield takeBatch();
      }
    }
    if (places.length > 0) yield takeBatch();
  }

  return {
    async *answer(batches: Records): AsyncGenerator<RecordBatch> {
      for await (const batch of batches) {
        reader.findNames(batch);
        refuseLists(reader, '--expand');
        yield* expanded(wholeRecords(batch));
      }
      refuse();
    },
    refuse,
    rows: () => rows,
    findings: () => {
      const found = missingColumns(reader, '--expand');
      if (others === 0) return found;
      const which = firstOf(named, others, '; ');
      const what = others === 1 ? '1 record is a row as it is' : `${others} records are rows as they are`;
      return [
        ...found,
        {
          level: 'failure',
          kind: 'incomplete',
          text: `--expand ${column}: ${what}, without a list of objects: ${which}`,
          hint: 'Look at these records with --format jsonl and without --expand.',
          missing: { notExpanded: others },
        },
      ];
    },
  };
}

function* rowsOf(bytes: Buffer, record: Span, list: RecordList | undefined): Generator<Buffer[]> {
  const [start, end] = record;
  if (list === undefined || list.other !== undefined) yield [bytes.subarray(start, end)];
  else if (list.count === 0) yield withoutMember(bytes, record, list.member);
  else {
    const [before, behind] = list.member.value;
    for (const [from, to] of list.objects)
      yield [bytes.subarray(start, before), bytes.subarray(from, to), bytes.subarray(behind, end)];
  }
}
