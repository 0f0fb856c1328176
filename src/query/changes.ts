import { UsageError, errorCode } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { isMoney, PLAIN_NAMES, type ColumnNames, fieldsOfColumns } from '../invoices/fields.ts';
import { DocumentReader } from '../invoices/document-reader.ts';
import { cellJson, CellReader } from '../json/cells.ts';
import { DigestReader } from '../json/digest-identity.ts';
import { FieldComparer } from '../json/field-comparer.ts';
import { RecordIndex } from '../json/record-index.ts';
import { KEY_HINT } from '../json/identity.ts';
import { recordBytes, sliceRecords, wholeRecords, type RecordBatch } from '../json/records.ts';
import { scanRecord } from '../json/scan-records.ts';
import { compactRecord } from '../json/signed-links.ts';
import type { ShownColumns } from '../output/column-roles.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { ExportFile } from './exports/export-file.ts';
import { ofProfiles, profilesInExport } from './exports/read-export.ts';
import { deliveredForm, type DeliveredFile } from './exports/read-receipt.ts';
import { missingColumns, noValueIn, refuseLists, refuseMissing } from './missing-columns.ts';
import type { SortColumn } from './question-syntax.ts';
import type { Question } from './questions.ts';
import { batchOfRows, batchesOfRows, type Row, type RowField } from './result-rows.ts';

interface ChangesOptions {
  /** The earlier export, jsonl or json. */
  readonly path: string;
  /** The export with the records of now; undefined for those of the service or of a database. */
  readonly newer?: { readonly shown: string; readonly delivered: DeliveredFile | undefined } | undefined;
  /** The columns that together tell records apart. */
  readonly key: readonly string[];
  /** The profiles whose records are compared; undefined where the records of now have no profile column. */
  readonly profiles?: readonly string[] | undefined;
  /** The listing whose records are compared, as receipts name it. */
  readonly listing: string;
  /** Whose the records of now are; undefined where that is unknown, or for several profiles. */
  readonly profile?: string | undefined;
  /** Selects the earlier records that count; without it all do. */
  readonly keep?: ((batch: RecordBatch) => RecordBatch) | undefined;
  /** Columns to show in each row beside the key, unless `columns` names others. */
  readonly shown: readonly string[];
  /** The columns of `--columns`: those of records are shown beside the key; those of changes are shown alone. */
  readonly columns?: readonly string[] | undefined;
  readonly names?: ColumnNames | undefined;
  /** Whether the listing of an earlier record could not be read: then the record does not count as gone. */
  readonly isUnread?: ((record: RecordBatch) => boolean) | undefined;
  readonly sort?: readonly SortColumn[] | undefined;
}

/** The columns of every row, whatever the records are. */
const CHANGE_COLUMNS = ['_change', 'field', 'old', 'new', 'record'];

/** Whether a column is one of changes: also `record.status`, as csv has what is added or gone. */
const isOfChanges = (column: string): boolean =>
  CHANGE_COLUMNS.includes(column) || column.startsWith('record.');

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
 * gone comes last, in its old order. Throws UsageError where the earlier export cannot be read or is another's, and, at the end,
 * where records came but none had the key: all of them would look new and all earlier ones gone.
 */
export async function changesQuestion(options: ChangesOptions, forTable: boolean): Promise<Question> {
  const { path, key, shown, columns = shown, names = PLAIN_NAMES, isUnread = () => false } = options;
  const earlier = await openEarlier(options);
  const extra = columns.filter((column) => !isOfChanges(column));
  const besideKey = [...new Set(extra)].filter((column) => !key.includes(column));
  const context = [...key, ...besideKey];
  const keyCells = new CellReader(key);
  const named = new DocumentReader(names, { roles: ['currency'], names: besideKey });
  const comparer = new FieldComparer();
  const identity = new DigestReader({ named: key });
  const keys = keyReader(key);
  const counts = { added: 0, changed: 0, gone: 0, unchanged: 0 };
  let { withoutKey } = earlier;
  let rows = 0;
  /** Of each row that comes out, where amounts are compared. */
  const currencies: (string | undefined)[] = [];
  const hasCurrencies = moneyIn(options.sort, names).length > 0;

  /** The rows of a record: each has an end of its own. */
  const rowsOf = (
    change: keyof typeof counts,
    [batch, index]: readonly [batch: RecordBatch, index: number],
    ends: readonly Row[],
  ): Row[] => {
    counts[change]++;
    const row: RowField[] = [['_change', JSON.stringify(change)]];
    const ofKey = keyCells.read(batch, index);
    for (const [at, column] of key.entries()) row.push([column, cellJson(ofKey[at])]);
    named.fold(sliceRecords(batch, index, index + 1), () => {
      for (const [at, column] of besideKey.entries()) row.push([column, cellJson(named.named(at))]);
      if (hasCurrencies) currencies.push(...ends.map(() => named.currency));
    });
    return ends.map((end) => [...row, ...end]);
  };
  const wholeRow = (change: 'added' | 'gone', batch: RecordBatch, index: number): Row[] => {
    const record = compactRecord(batch, index).toString('utf8');
    return rowsOf(change, [batch, index], [[...fieldChange('null', 'null', 'null'), ['record', record]]]);
  };
  const compareRecord = (batch: RecordBatch, index: number): Row[] => {
    const { hasKey } = identity.read(batch, index);
    if (!hasKey) withoutKey++;
    const before = earlier.take(identity);
    if (before === 'none') return wholeRow('added', batch, index);
    const fields = before === 'same' ? [] : [...comparer.differences([before, 0], [batch, index])];
    if (fields.length > 0) {
      const ends = fields.map(({ column, before: old, after }) =>
        fieldChange(JSON.stringify(column), cellJson(old), cellJson(after)),
      );
      return rowsOf('changed', [batch, index], ends);
    }
    counts.unchanged++;
    return [];
  };
  const compareBatch = (listed: RecordBatch): RecordBatch => {
    const batch = wholeRecords(listed);
    keys.findNames(batch);
    named.findNames(batch);
    earlier.checkColumns(batch);
    return batchOfRows(Array.from({ length: batch.count }, (_, index) => compareRecord(batch, index)).flat());
  };
  function* goneRows(): Generator<Row> {
    refuseWithoutKey(keys, ': in the listing,');
    for (const record of earlier.rest()) if (!isUnread(record)) yield* wholeRow('gone', record, 0);
  }
  async function* batches(records: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    for await (const batch of records) yield compareBatch(batch);
    yield* batchesOfRows(goneRows());
    if (options.columns === undefined) return;
    refuseLists(named, '--columns');
    refuseMissing(named, '--columns', { isShown: true });
  }

  const resultColumns = ['_change', ...context, 'field', 'old', 'new'];
  const onlyKey = key.filter((column) => !extra.includes(column));
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      try {
        for await (const batch of batches(records)) {
          rows += batch.count;
          if (batch.count > 0) yield batch;
        }
      } finally {
        await earlier.close();
      }
    },
    ...(hasCurrencies && { currencyOf: (nth: number) => currencies[nth] }),
    result: {
      columns: (chosen) => {
        if (chosen?.some(isOfChanges)) return chosen;
        // A table has no room for whole records. Other formats have them, in as many columns as the records have.
        return forTable || rows === 0 || chosen !== undefined ? resultColumns : undefined;
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
        ...(options.columns === undefined ? [] : missingColumns(named, '--columns')),
        ...warnings.map((text): Finding => ({ level: 'warning', text })),
      ];
    },
  };
}

function moneyIn(keys: readonly SortColumn[] = [], names: ColumnNames): string[] {
  return keys.map(({ column }) => column).filter((column) => isMoney(column.replace(/^record\./, ''), names));
}

/** What the columns of the rows mean by which they are sorted. */
export function namesOfChanges(keys: readonly SortColumn[], names: ColumnNames): ColumnNames {
  return { fields: { usual: fieldsOfColumns(moneyIn(keys, names).map((column) => [column, 'money'])) } };
}

function fieldChange(field: string, old: string, now: string): RowField[] {
  return [
    ['field', field],
    ['old', old],
    ['new', now],
  ];
}

const WORD = 2 ** 32;

/** Reads the earlier export once, and finds its records by their key. They stay in the file; a changed one is read again. */
async function openEarlier(options: ChangesOptions) {
  const { path, key, keep, profiles, newer } = options;
  const file = await ExportFile.open(path).catch((error: unknown) => {
    if (!(error instanceof Error) || errorCode(error.cause) !== 'ENOENT') throw error;
    throw new UsageError(error.message, {
      hint: `Write this before it, so that a first night compares with an empty file: \`[ -e ${path} ] || : > ${path}\`.`,
      cause: error.cause,
    });
  });
  const identity = new DigestReader({ named: key });
  const keys = keyReader(key);
  /** Beside each record: how many bytes it has, and where it begins in the file, in two words. */
  const index = new RecordIndex(3);
  let [withoutKey, repeatedKeys] = [0, 0];
  /** The members that all of its first records have. */
  let common: readonly string[] = [];

  const add = (batch: RecordBatch, offset: number): void => {
    if (index.count === 0 && batch.count > 0)
      common = membersOf(batch).reduce((all, own) => all.filter((name) => own.includes(name)));
    for (let record = 0; record < batch.count; record++) {
      const { hasKey, words } = identity.read(batch, record);
      if (!hasKey) withoutKey++;
      else if (index.find(words) >= 0) repeatedKeys++;
      const start = offset + batch.bounds[2 * record]!;
      const length = batch.bounds[2 * record + 1]! - batch.bounds[2 * record]!;
      index.add(words, [length, start % WORD, Math.floor(start / WORD)]);
    }
  };
  const read = (record: number): RecordBatch => {
    const [length, low, high] = [0, 1, 2].map((word) => index.more(record, word));
    const start = high! * WORD + low!;
    return scanRecord(file.read(start, start + length!));
  };

  let only: readonly string[];
  let others: readonly string[] = [];
  try {
    only = await checkReceipts(options);
    const held = await profilesInExport(path);
    if (profiles === undefined) refuseSeveral(path, held);
    else others = held?.filter((name) => !profiles.includes(name)) ?? [];
    for await (const { batch, offset } of file.parts()) {
      const own = others.length === 0 ? batch : ofProfiles(batch, profiles!);
      const kept = keep?.(own) ?? own;
      keys.findNames(kept);
      add(kept, offset);
    }
    refuseWithoutKey(keys, ` with ${path}:`);
  } catch (error) {
    await file.close();
    throw error;
  }
  const taken = new Uint8Array(index.count);

  return {
    withoutKey,
    repeatedKeys,
    /** The profiles whose records are not compared, since their listings are not read. */
    others,
    /** The flags by which it alone is a part of the listing. */
    only,
    close: () => file.close(),

    /** Throws UsageError where the records of --columns would be compared with whole ones: what they lack would look changed. */
    checkColumns(batch: RecordBatch): void {
      if (batch.count === 0 || common.length === 0) return;
      const have = new Set(membersOf(batch).flat());
      const missing = common.filter((member) => !have.has(member));
      common = [];
      const flat = missing.find((name) => name.includes('.') && have.has(name.split('.')[0]!));
      if (flat !== undefined) {
        throw new UsageError(
          `cannot compare with ${path}: it has the column ${flat}, and not whole records`,
          { hint: WHOLE_RECORDS },
        );
      }
      // A receipt reports whether the records of now were written with --columns.
      if (missing.length === 0 || newer === undefined || newer.delivered !== undefined) return;
      throw new UsageError(
        `cannot compare ${newer.shown} with ${path}: no record has ${missing[0]} now, and all had it`,
        { hint: 'Export whole records, without --columns, and with --receipt beside, which says so.' },
      );
    },

    /** The earlier record with this key, which is taken: the second record of a key gets the second earlier one. */
    take({ words }: DigestReader): 'none' | 'same' | RecordBatch {
      const record = index.rotate(words);
      // One that was taken comes first again when all of the key were.
      if (record < 0 || taken[record] === 1) return 'none';
      taken[record] = 1;
      return index.hasContent(record, words) ? 'same' : read(record);
    },

    /** The records that were not taken, in their order. */
    *rest(): Generator<RecordBatch> {
      for (let record = 0; record < index.count; record++) if (taken[record] === 0) yield read(record);
    },
  };
}

/** Looks in records for the columns of a key. */
function keyReader(key: readonly string[]): DocumentReader {
  return new DocumentReader(PLAIN_NAMES, { roles: [], names: key });
}

/** Throws UsageError where none of these records has a value in a column of the key. `where` names them. */
function refuseWithoutKey(reader: DocumentReader, where: string): void {
  for (const column of reader.namesWithoutValue)
    throw new UsageError(`cannot compare${where} ${noValueIn(column, reader)}`, { hint: KEY_HINT });
}

/** The names of the members of each record. */
function membersOf(batch: RecordBatch): readonly (readonly string[])[] {
  return Array.from({ length: batch.count }, (_, index) =>
    Object.keys(JSON.parse(recordBytes(batch, index).toString()) as object),
  );
}

const WHOLE_RECORDS = 'Keep an export without --columns to compare with: its records are whole.';

/**
 * Throws UsageError for exports whose receipts say that one has other records than the other, or columns of theirs that were chosen:
 * what they lack would look changed or gone. Returns the flags by which the earlier one alone is a part of the listing.
 */
async function checkReceipts(options: ChangesOptions): Promise<readonly string[]> {
  const { path, listing, profile, newer: { shown, delivered } = {} } = options;
  const form = await deliveredForm(path);
  const refuse = (reason: string, hint: string): never => {
    throw new UsageError(`cannot compare with ${path}: ${reason}`, { hint });
  };
  for (const [name, one] of [
    ['it', form],
    [shown, delivered],
  ] as const) {
    const chosen = one?.chosen ?? [];
    if (chosen.length > 0)
      refuse(
        `${name} was written with --columns ${chosen.join(',')}, and has no whole records`,
        WHOLE_RECORDS,
      );
  }
  const [earlierOnly, only] = [form?.only ?? [], delivered?.only ?? []];
  const isSamePart = earlierOnly.toSorted().join() === only.toSorted().join();
  if (only.length > 0 && (!isSamePart || only.some((flag) => /^--(?:limit|page|next-token) /.test(flag))))
    refuse(
      `${shown} has a part of its listing alone, by ${only.join(' ')}: the others would show as gone`,
      'Export all of it, or both with the same conditions.',
    );
  if (form === undefined) return [];
  if (form.expanded !== undefined)
    refuse(`it has a row for each of ${form.expanded}`, 'Keep an export without --expand to compare with.');
  const { resource, profiles } = form;
  if (resource !== '' && resource !== listing)
    refuse(
      `its receipt says that it is of ${resource}, not of ${listing}`,
      'Name the export of this listing.',
    );
  const [owner] = profiles;
  if (profile !== undefined && profiles.length === 1 && owner !== profile)
    refuse(`its receipt says that it is of ${owner}, not of ${profile}`, 'Name the export of this profile.');
  return isSamePart ? [] : earlierOnly;
}

/** Throws UsageError for an export of several profiles: those of one listing would be compared with the records of all. */
function refuseSeveral(path: string, held: readonly string[] = []): void {
  if (held.length === 0) return;
  throw new UsageError(
    `cannot compare with ${path}: its records are of ${held.join(', ')}, and those of the listing do not say whose they are`,
    {
      hint: 'Add --all-profiles; with --where _profile=<name>, it compares one. Or keep an export of this profile alone.',
    },
  );
}
