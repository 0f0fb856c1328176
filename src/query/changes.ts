import type { Finding } from '../findings.ts';
import { meaningOf, PLAIN_MEANINGS, type Meanings, fieldsOfColumns } from '../invoices/fields.ts';
import { DocumentReader } from '../invoices/document-reader.ts';
import { cellJson, CellReader, type Cell } from '../json/cells.ts';
import { DigestReader } from '../json/digest-identity.ts';
import { FieldComparer } from '../json/field-comparer.ts';
import { compactRecord, sliceRecords, wholeRecords, type RecordBatch } from '../json/records.ts';
import type { ShownColumns } from '../output/column-looks.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { keyReader, openEarlier, refuseWithoutKey, type EarlierOptions } from './exports/earlier-export.ts';
import { shownFlags } from './exports/read-receipt.ts';
import { missingColumns, refuseLists, refuseMissing, unlessRefused } from './missing-columns.ts';
import type { SortColumn } from './question-syntax.ts';
import type { Question, Records, Sorting } from './questions.ts';
import { batchOfRows, batchesOfRows, type Row, type RowField } from './result-rows.ts';
import type { WhereFilter } from './where/where.ts';

interface ChangesOptions extends EarlierOptions {
  /** Columns in each row beside the key, unless `columns` names others. */
  readonly shown: readonly string[];
  /** The columns of `--columns`: those of records are shown beside the key; those of changes are shown alone. */
  readonly columns?: readonly string[] | undefined;
  readonly meanings?: Meanings | undefined;
  /** Whether the listing of an earlier record could not be read: then the record does not count as gone. */
  readonly isUnread?: ((record: RecordBatch) => boolean) | undefined;
  /** Filters: a record has rows if it passes as it is now, or as it was before. */
  readonly conditions?: { readonly now: WhereFilter; readonly before: WhereFilter } | undefined;
  readonly sort?: readonly SortColumn[] | undefined;
}

/** The columns of every row, whatever the records are. */
const CHANGE_COLUMNS = ['_change', 'field', 'old', 'new', 'record'];

/** Whether a column is one of changes: also `record.status`, as csv has what is added or gone. */
const isOfChanges = (column: string): boolean =>
  CHANGE_COLUMNS.includes(column) || column.startsWith('record.');

/** Display ranks: a narrow terminal leaves out the key first, then the old value. */
const CHANGE_SHOWN: ShownColumns = {
  _change: { look: 'kind', rank: 0 },
  field: { look: 'document', rank: 101 },
  new: { look: 'value', rank: 102 },
  old: { look: 'value', rank: 103 },
};
const KEY_SHOWN = { rank: 104 };

/**
 * The question of `--changes-since`: compares a listing with an earlier export of it, in rows of one form for a table,
 * in csv and in jsonl:
 *
 *     _change  id  number  field   old      new
 *     added    9   10009
 *     changed  12  10012   status  PENDING  PAID
 *     gone     17  10017
 *
 * A changed record has a row for each field that changed; an added or gone record has one row, with all of it in `record`. Gone
 * records come last, in their old order. A record that no longer passes the conditions is changed, not gone. Throws UsageError
 * if the earlier export cannot be read or has another owner, and at the end if records came but none had the key: all of them
 * would look new and all earlier ones gone.
 */
export async function changesQuestion(options: ChangesOptions, forTable: boolean): Promise<Question> {
  const { key, shown, columns = shown, conditions } = options;
  const earlier = await openEarlier(options);
  const extra = columns.filter((column) => !isOfChanges(column));
  const besideKey = [...new Set(extra)].filter((column) => !key.includes(column));
  const { named, makeRows, sorting } = rowMaker(options, besideKey);
  const compared = comparison(options, earlier, makeRows);
  const { counts } = compared;
  const hasRows = (): boolean => counts.added + counts.changed + counts.gone > 0;

  async function* batches(records: Records): AsyncGenerator<RecordBatch> {
    for await (const batch of records) {
      const whole = wholeRecords(batch);
      named.findNames(whole);
      yield batchOfRows(compared.rowsIn(whole));
    }
    yield* batchesOfRows(compared.goneRows());
  }
  const refuse = (): void => {
    conditions?.now.refuse();
    earlier.refuseColumns();
    if (options.columns === undefined) return;
    refuseLists(named, '--columns');
    refuseMissing(named, '--columns', { isShown: true });
  };

  const resultColumns = ['_change', ...key, ...besideKey, 'field', 'old', 'new'];
  const onlyKey = key.filter((column) => !extra.includes(column));
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      try {
        for await (const batch of unlessRefused(batches(records), refuse)) if (batch.count > 0) yield batch;
      } finally {
        await earlier.close();
      }
    },
    sorting,
    result: {
      columns: (chosen) => {
        if (chosen?.some(isOfChanges)) return chosen;
        // A table has no room for whole records. Other formats have them, in as many columns as the records have.
        return forTable || !hasRows() || chosen !== undefined ? resultColumns : undefined;
      },
      shown: { ...CHANGE_SHOWN, ...Object.fromEntries(onlyKey.map((column) => [column, KEY_SHOWN])) },
    },
    findings: () => [
      ...(earlier.finding === undefined ? [] : [earlier.finding]),
      ...(conditions?.now.findings() ?? []),
      ...findingsOf(options, earlier, counts),
      ...(options.columns === undefined ? [] : missingColumns(named, '--columns')),
    ],
  };
}

type Earlier = Awaited<ReturnType<typeof openEarlier>>;
type MakeRows = ReturnType<typeof rowMaker>['makeRows'];
type OneRecord = readonly [batch: RecordBatch, index: number];

/** Makes rows of a record, each with its own end: the change, the key and the columns beside it are the same in all. */
function rowMaker(options: ChangesOptions, besideKey: readonly string[]) {
  const { key, meanings = PLAIN_MEANINGS } = options;
  const keyCells = new CellReader(key);
  const named = new DocumentReader(meanings, { roles: ['currency'], names: besideKey });
  const money = moneyIn(options);
  /** The currency of each row, if amounts are compared. */
  const currencies: (string | undefined)[] | undefined = money.length > 0 ? [] : undefined;
  const makeRows = (change: string, [batch, index]: OneRecord, ends: readonly Row[]): Row[] => {
    const row: RowField[] = [['_change', JSON.stringify(change)]];
    const ofKey = keyCells.read(batch, index);
    for (const [at, column] of key.entries()) row.push([column, cellJson(ofKey[at])]);
    named.fold(sliceRecords(batch, index, index + 1), () => {
      for (const [at, column] of besideKey.entries()) row.push([column, cellJson(named.named(at))]);
      currencies?.push(...ends.map(() => named.currency));
    });
    return ends.map((end) => [...row, ...end]);
  };
  const sorting: Sorting = {
    what: 'row of the changes',
    meanings: { fields: { usual: fieldsOfColumns(money.map((column) => [column, 'money'])) } },
    currencyOf: currencies && ((nth) => currencies[nth]),
  };
  return { named, makeRows, sorting };
}

/** Compares records with the earlier ones of the same key. */
function comparison(options: ChangesOptions, earlier: Earlier, makeRows: MakeRows) {
  const { key, conditions, isUnread = () => false } = options;
  const { now, before: then } = conditions ?? {};
  const comparer = new FieldComparer();
  const identity = new DigestReader({ named: key });
  const keys = keyReader(key);
  const counts = { added: 0, changed: 0, gone: 0, unchanged: 0, withoutKey: earlier.withoutKey };
  const passed = (record: RecordBatch): boolean => then === undefined || then.apply(record).count > 0;
  const wholeRow = (change: 'added' | 'gone', record: OneRecord): Row[] => {
    counts[change]++;
    const text = compactRecord(...record).toString('utf8');
    return makeRows(change, record, [[...fieldChange(null), ['record', text]]]);
  };
  const compareRecord = (record: OneRecord, passes: boolean): Row[] => {
    const { hasKey } = identity.read(...record);
    if (!hasKey) counts.withoutKey++;
    const before = earlier.take(identity);
    if (before === 'none') return passes ? wholeRow('added', record) : [];
    if (!passes && (before === 'same' || !passed(before))) return [];
    const fields = before === 'same' ? [] : [...comparer.differences([before, 0], record)];
    counts[fields.length > 0 ? 'changed' : 'unchanged']++;
    if (fields.length === 0) return [];
    const ends = fields.map((one) => fieldChange(one.column, one.before, one.after));
    return makeRows('changed', record, ends);
  };
  return {
    counts,
    *rowsIn(batch: RecordBatch): Generator<Row> {
      keys.findNames(batch);
      earlier.noteColumns(batch);
      const kept = now && new Set(now.apply(batch).bounds.filter((_, at) => at % 2 === 0));
      for (let index = 0; index < batch.count; index++)
        yield* compareRecord([batch, index], kept?.has(batch.bounds[2 * index]!) ?? true);
    },
    /** To be called at the end. Throws UsageError if records came but none had the key. */
    *goneRows(): Generator<Row> {
      refuseWithoutKey(keys, ': in the listing,');
      for (const record of earlier.rest())
        if (passed(record) && !isUnread(record)) yield* wholeRow('gone', [record, 0]);
    },
  };
}

/** How many records changed, and a warning for each reason why a row may be no change. */
function findingsOf(
  { path, key }: ChangesOptions,
  { others, repeatedKeys, only, conditions }: Earlier,
  { added, changed, gone, unchanged, withoutKey }: ReturnType<typeof comparison>['counts'],
): Finding[] {
  const ofKey = key.join(', ');
  const warnings = [
    only.length > 0 &&
      `${path} has only a part of its listing (${shownFlags(only)}): the others show as added`,
    conditions.length > 0 &&
      `both have only a part of their listing (${shownFlags(conditions)}): records that no longer match show as gone`,
    others.length > 0 &&
      `${path} has records of ${others.join(', ')}, too, whose listings are not read, so they are not compared`,
    withoutKey > 0 &&
      `${countOf(withoutKey, 'record')} without ${ofKey}: a change in one shows as one gone and one added`,
    repeatedKeys > 0 &&
      `${path} has ${countOf(repeatedKeys, 'record')} with a repeated ${ofKey}: compared in their order`,
  ].filter((warning) => warning !== false);
  const text = `since ${path}: ${added} added, ${changed} changed, ${gone} gone, ${unchanged} as they were`;
  return [{ level: 'remark', text }, ...warnings.map((text): Finding => ({ level: 'warning', text }))];
}

/** The columns of --sort that are amounts. */
function moneyIn({ sort = [], meanings = PLAIN_MEANINGS }: ChangesOptions): string[] {
  const isMoney = (column: string): boolean =>
    meaningOf(column.replace(/^record\./, ''), meanings).type === 'money';
  return sort.map(({ column }) => column).filter(isMoney);
}

function fieldChange(field: string | null, old?: Cell, now?: Cell): RowField[] {
  return [
    ['field', JSON.stringify(field)],
    ['old', cellJson(old)],
    ['new', cellJson(now)],
  ];
}
