import type { DocumentReader } from '../../invoices/document-reader.ts';
import type { Finding } from '../../findings.ts';
import { cellJson, CellReader } from '../../json/cells.ts';
import { DigestReader } from '../../json/digest-identity.ts';
import { FieldComparer } from '../../json/field-comparer.ts';
import { wholeRecords, type RecordBatch } from '../../json/records.ts';
import { compactRecord } from '../../json/signed-links.ts';
import type { ShownColumns } from '../../output/column-roles.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import type { Question, Records } from '../questions.ts';
import { batchOfRows, type Row, type RowField } from '../rows.ts';
import { EarlierExport, keyReader, refuseWithoutKey, type EarlierExportOptions } from './earlier-export.ts';

/** The question of `--changes-since`. Throws UsageError where the earlier export cannot be read. */
export async function changesQuestion(options: ChangesOptions, forTable: boolean): Promise<Question> {
  const changes = await Changes.open(options);
  let rows = 0;
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      try {
        for await (const batch of compared(changes, records)) {
          rows += batch.count;
          if (batch.count > 0) yield batch;
        }
      } finally {
        await changes.close();
      }
    },
    result: {
      columns: (asked) => {
        if (asked?.some((column) => CHANGE_COLUMNS.includes(column))) return asked;
        // A table has no room for whole records. Other formats have them, in as many columns as the records have.
        return forTable || rows === 0 || asked !== undefined ? changes.columns : undefined;
      },
      shown: changes.shown,
    },
    findings: () => findingsOf(changes, options),
  };
}

async function* compared(changes: Changes, records: Records): AsyncGenerator<RecordBatch> {
  for await (const batch of records) yield changes.compare(wholeRecords(batch));
  yield* changes.goneRecords();
}

function findingsOf({ summary, others }: Changes, { path, key }: ChangesOptions): Finding[] {
  const { added, changed, gone, unchanged, withoutKey, repeatedKeys } = summary;
  const found: Finding[] = [
    {
      level: 'remark',
      text: `since ${path}: ${added} added, ${changed} changed, ${gone} gone, ${unchanged} as they were`,
    },
  ];
  if (others.length > 0) {
    const text = `${path} has records of ${others.join(', ')}, too, whose listings are not read: they are not compared`;
    found.push({ level: 'warning', text });
  }
  if (withoutKey > 0) {
    const text = `${countOf(withoutKey, 'record')} without ${key.join(', ')}: a change in one shows as one gone and one added`;
    found.push({ level: 'warning', text });
  }
  if (repeatedKeys > 0) {
    const text = `${path} has ${countOf(repeatedKeys, 'record')} whose ${key.join(', ')} another one has: paired in their order`;
    found.push({ level: 'warning', text });
  }
  return found;
}

interface ChangesOptions extends EarlierExportOptions {
  /** Columns to show in each row beside the key, unless `columns` names others. */
  readonly shown: readonly string[];
  /** The columns of `--columns`: those of records are shown beside the key; those of changes are shown alone. */
  readonly columns?: readonly string[] | undefined;
  /** Whether the listing of an earlier record could not be read: then the record does not count as gone. */
  readonly isUnread?: ((record: RecordBatch) => boolean) | undefined;
}

/** The columns of every row, whatever the records are. */
const CHANGE_COLUMNS = ['_change', 'field', 'old', 'new', 'record'];

/** Display ranks: a narrow terminal leaves out the key first, then the old value. */
const CHANGE_SHOWN: ShownColumns = {
  _change: { role: 'kind', rank: 0 },
  field: { role: 'document', rank: 101 },
  new: { role: 'value', rank: 102 },
  old: { role: 'value', rank: 103 },
};
const KEY_SHOWN = { rank: 104 };

/** How many records there are of each kind, and how many of them make the comparison uncertain. */
export interface ChangesSummary {
  added: number;
  changed: number;
  gone: number;
  unchanged: number;
  /** Records of both exports that lack a part of the key: a change in one shows as one gone and one added. */
  withoutKey: number;
  /** Records of the earlier export that share their key with an earlier one: they are paired in order. */
  repeatedKeys: number;
}

const ROWS_TOGETHER = 1000;

/** Compares a listing, as it comes, with an earlier export of it. */
export class Changes {
  readonly summary: ChangesSummary;
  readonly #earlier: EarlierExport;
  readonly #identity: DigestReader;
  readonly #rows: ChangeRows;
  readonly #shown: ShownColumns;
  readonly #keys: DocumentReader;
  readonly #isUnread: NonNullable<ChangesOptions['isUnread']>;

  private constructor(
    { key, shown, columns = shown, isUnread = () => false }: ChangesOptions,
    earlier: EarlierExport,
  ) {
    const { withoutKey, repeatedKeys } = earlier;
    this.summary = { added: 0, changed: 0, gone: 0, unchanged: 0, withoutKey, repeatedKeys };
    this.#earlier = earlier;
    this.#identity = new DigestReader({ named: key });
    const beside = columns.filter((column) => !CHANGE_COLUMNS.includes(column));
    this.#rows = new ChangeRows(key, beside);
    const onlyKey = key.filter((column) => !beside.includes(column));
    this.#shown = { ...CHANGE_SHOWN, ...Object.fromEntries(onlyKey.map((column) => [column, KEY_SHOWN])) };
    this.#keys = keyReader(key);
    this.#isUnread = isUnread;
  }

  /** Reads the earlier export, before anything is asked of the service. Throws UsageError as `EarlierExport.open` does. */
  static async open(options: ChangesOptions): Promise<Changes> {
    return new Changes(options, await EarlierExport.open(options));
  }

  /** The profiles whose earlier records are not compared. */
  get others(): readonly string[] {
    return this.#earlier.others;
  }

  /** The columns without those of whole records: for a terminal. */
  get columns(): readonly string[] {
    return this.#rows.columns;
  }

  /** What these are to a reader. */
  get shown(): ShownColumns {
    return this.#shown;
  }

  /** Compares a batch. Returns a row for each change, in the order of the records; none for unchanged records. */
  compare(batch: RecordBatch): RecordBatch {
    this.#keys.look(batch);
    this.#earlier.refuseColumns(batch);
    const rows: Row[] = [];
    for (let index = 0; index < batch.count; index++) rows.push(...this.#compareRecord(batch, index));
    return batchOfRows(rows);
  }

  /**
   * At the end of the whole listing: the records that are gone, in their old order. Throws UsageError where records
   * came but none had the key, since all of them would look new and all earlier ones gone.
   */
  *goneRecords(): Generator<RecordBatch> {
    refuseWithoutKey(this.#keys, ': in the listing,');
    let rows: Row[] = [];
    for (const record of this.#earlier.rest()) {
      if (this.#isUnread(record)) continue;
      this.summary.gone++;
      rows.push(this.#rows.whole('gone', record, 0));
      if (rows.length < ROWS_TOGETHER) continue;
      yield batchOfRows(rows);
      rows = [];
    }
    yield batchOfRows(rows);
  }

  async close(): Promise<void> {
    await this.#earlier.close();
  }

  #compareRecord(batch: RecordBatch, index: number): Row[] {
    const identity = this.#identity.read(batch, index);
    if (!identity.hasKey) this.summary.withoutKey++;
    const earlier = this.#earlier.take(identity);
    if (earlier === 'none') {
      this.summary.added++;
      return [this.#rows.whole('added', batch, index)];
    }
    const rows = earlier === 'same' ? [] : this.#rows.changed(earlier.record, batch, index);
    if (rows.length === 0) this.summary.unchanged++;
    else this.summary.changed++;
    return rows;
  }
}

const NOTHING = 'null';

/**
 * Changes as rows that read alike in a table, in csv and in jsonl:
 *
 *     _change  id  number  field   old      new
 *     added    9   10009
 *     changed  12  10012   status  PENDING  PAID
 *     gone     17  10017
 *
 * A changed record has a row for each field that changed. An added or gone record has one row, with all of it in `record`.
 */
class ChangeRows {
  readonly #context: readonly string[];
  readonly #contextReader: CellReader;
  readonly #comparer = new FieldComparer();

  /**
   * @param key the columns by which records are matched
   * @param shown further columns to show beside the key
   */
  constructor(key: readonly string[], shown: readonly string[]) {
    this.#context = [...new Set([...key, ...shown])];
    this.#contextReader = new CellReader(this.#context);
  }

  /** The columns of a row without those of the whole record. */
  get columns(): readonly string[] {
    return ['_change', ...this.#context, 'field', 'old', 'new'];
  }

  /** The row of a record that was added or is gone. */
  whole(change: 'added' | 'gone', batch: RecordBatch, index: number): Row {
    const record = compactRecord(batch, index).toString('utf8');
    return [
      ...this.#start(change, batch, index),
      ...fieldChange(NOTHING, NOTHING, NOTHING),
      ['record', record],
    ];
  }

  /**
   * A row for each field that differs; none where the records say the same.
   *
   * @param old a batch of one record
   */
  changed(old: RecordBatch, now: RecordBatch, index: number): Row[] {
    const fields = [...this.#comparer.differences([old, 0], [now, index])];
    if (fields.length === 0) return [];
    const start = this.#start('changed', now, index);
    return fields.map(({ column, before, after }) => [
      ...start,
      ...fieldChange(JSON.stringify(column), cellJson(before), cellJson(after)),
    ]);
  }

  #start(change: string, batch: RecordBatch, index: number): Row {
    const cells = this.#contextReader.read(batch, index);
    return [
      ['_change', JSON.stringify(change)],
      ...this.#context.map((column, at): RowField => [column, cellJson(cells[at])]),
    ];
  }
}

function fieldChange(field: string, old: string, now: string): RowField[] {
  return [
    ['field', field],
    ['old', old],
    ['new', now],
  ];
}
