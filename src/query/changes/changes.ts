import type { Finding } from '../../findings.ts';
import { cellJson, CellReader } from '../../json/cells.ts';
import { DigestReader } from '../../json/digest-identity.ts';
import { FieldComparer } from '../../json/field-comparer.ts';
import { wholeRecords, type RecordBatch } from '../../json/records.ts';
import { compactRecord } from '../../json/signed-links.ts';
import type { ShownColumns } from '../../output/column-roles.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import type { Question } from '../questions.ts';
import { batchesOfRows, batchOfRows, type Row, type RowField } from '../rows.ts';
import { EarlierExport, keyReader, refuseWithoutKey, type EarlierExportOptions } from './earlier-export.ts';

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

/**
 * The question of `--changes-since`: a listing, as it comes, beside an earlier export of it, in rows that read alike in a table, in
 * csv and in jsonl:
 *
 *     _change  id  number  field   old      new
 *     added    9   10009
 *     changed  12  10012   status  PENDING  PAID
 *     gone     17  10017
 *
 * A changed record has a row for each field that changed; an added or gone record has one row, with all of it in `record`. What is
 * gone comes last, in its old order. Throws UsageError where the earlier export cannot be read, and, at the end, where records
 * came but none had the key: all of them would look new and all earlier ones gone.
 */
export async function changesQuestion(options: ChangesOptions, forTable: boolean): Promise<Question> {
  const { path, key, shown, columns = shown, isUnread = () => false } = options;
  const earlier = await EarlierExport.open(options);
  const beside = columns.filter((column) => !CHANGE_COLUMNS.includes(column));
  const context = [...new Set([...key, ...beside])];
  const contextReader = new CellReader(context);
  const comparer = new FieldComparer();
  const identity = new DigestReader({ named: key });
  const keys = keyReader(key);
  const counts = { added: 0, changed: 0, gone: 0, unchanged: 0 };
  let { withoutKey } = earlier;

  const rowOf = (change: keyof typeof counts, batch: RecordBatch, index: number): RowField[] => {
    const cells = contextReader.read(batch, index);
    return [
      ['_change', JSON.stringify(change)],
      ...context.map((column, at): RowField => [column, cellJson(cells[at])]),
    ];
  };
  const wholeRow = (change: 'added' | 'gone', batch: RecordBatch, index: number): Row => {
    counts[change]++;
    const record = compactRecord(batch, index).toString('utf8');
    return [...rowOf(change, batch, index), ...fieldChange('null', 'null', 'null'), ['record', record]];
  };
  const compareRecord = (batch: RecordBatch, index: number): Row[] => {
    const { hasKey } = identity.read(batch, index);
    if (!hasKey) withoutKey++;
    const before = earlier.take(identity);
    if (before === 'none') return [wholeRow('added', batch, index)];
    const fields = before === 'same' ? [] : [...comparer.differences([before.record, 0], [batch, index])];
    counts[fields.length === 0 ? 'unchanged' : 'changed']++;
    if (fields.length === 0) return [];
    const start = rowOf('changed', batch, index);
    return fields.map(({ column, before: old, after }) => [
      ...start,
      ...fieldChange(JSON.stringify(column), cellJson(old), cellJson(after)),
    ]);
  };
  const compare = (given: RecordBatch): RecordBatch => {
    const batch = wholeRecords(given);
    keys.look(batch);
    earlier.refuseColumns(batch);
    const rows: Row[] = [];
    for (let index = 0; index < batch.count; index++) rows.push(...compareRecord(batch, index));
    return batchOfRows(rows);
  };
  function* goneRows(): Generator<Row> {
    refuseWithoutKey(keys, ': in the listing,');
    for (const record of earlier.rest()) if (!isUnread(record)) yield wholeRow('gone', record, 0);
  }

  const resultColumns = ['_change', ...context, 'field', 'old', 'new'];
  const onlyKey = key.filter((column) => !beside.includes(column));
  let rows = 0;
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      try {
        for await (const batch of records) {
          const found = compare(batch);
          rows += found.count;
          if (found.count > 0) yield found;
        }
        for (const gone of batchesOfRows(goneRows())) {
          rows += gone.count;
          if (gone.count > 0) yield gone;
        }
      } finally {
        await earlier.close();
      }
    },
    result: {
      columns: (asked) => {
        if (asked?.some((column) => CHANGE_COLUMNS.includes(column))) return asked;
        // A table has no room for whole records. Other formats have them, in as many columns as the records have.
        return forTable || rows === 0 || asked !== undefined ? resultColumns : undefined;
      },
      shown: { ...CHANGE_SHOWN, ...Object.fromEntries(onlyKey.map((column) => [column, KEY_SHOWN])) },
    },
    findings: () => {
      const { added, changed, gone, unchanged } = counts;
      const { others, repeatedKeys, only } = earlier;
      const warnings: string[] = [];
      // With conditions of its own, a comparison is one of parts.
      if (only.length > 0 && options.keep === undefined)
        warnings.push(
          `${path} has a part of its listing alone, by ${only.join(' ')}: the others show as added`,
        );
      if (others.length > 0)
        warnings.push(
          `${path} has records of ${others.join(', ')}, too, whose listings are not read: they are not compared`,
        );
      if (withoutKey > 0)
        warnings.push(
          `${countOf(withoutKey, 'record')} without ${key.join(', ')}: a change in one shows as one gone and one added`,
        );
      if (repeatedKeys > 0)
        warnings.push(
          `${path} has ${countOf(repeatedKeys, 'record')} whose ${key.join(', ')} another one has: paired in their order`,
        );
      return [
        {
          level: 'remark',
          text: `since ${path}: ${added} added, ${changed} changed, ${gone} gone, ${unchanged} as they were`,
        },
        ...warnings.map((text): Finding => ({ level: 'warning', text })),
      ];
    },
  };
}

function fieldChange(field: string, old: string, now: string): RowField[] {
  return [
    ['field', field],
    ['old', old],
    ['new', now],
  ];
}
