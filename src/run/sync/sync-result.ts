import type { SampleChange, SyncedPart } from '../../database/sync-run.ts';
import type { WrittenRecords } from '../../database/write-records.ts';
import { shownInOrder } from '../../output/column-roles.ts';
import { written } from '../../output/files/destination.ts';
import { openDestination } from '../../output/files/open-destination.ts';
import type { Format } from '../../output/formats.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { parseWithDigits } from '../../json/json-object.ts';
import { batchOfRows, type Row } from '../../query/rows.ts';
import { planOutput } from '../output-plan.ts';
import type { Notices } from '../notices.ts';
import { checkResults } from '../several/outcome.ts';
import type { Run } from '../run.ts';
import type { SyncResource } from './sync-resources.ts';

/** The result of one listing of one profile. */
interface ListingResult {
  /** As messages name it: `north issued`. */
  readonly name: string;
  readonly resource: SyncResource;
  readonly synced: SyncedPart;
}

interface ShowOptions {
  /** Undefined for the usual one: a table on a terminal, else csv. */
  readonly format: Format | undefined;
  /** With --plan: the first records of each kind of change. */
  readonly samples: readonly SampleChange[] | undefined;
}

/**
 * Shows a row for each listing, warns of values that could not be stored as they are, and notes the rows for the receipt.
 * Throws where a listing was not synced: IncompleteError where others were.
 */
export async function showResults(
  run: Run,
  results: readonly ListingResult[],
  { format, samples }: ShowOptions,
): Promise<void> {
  const rows = results.map((result) => resultRow(result, samples));
  const listings = rows.map((row) => Object.fromEntries(row.map(([name, json]) => [name, JSON.parse(json)])));
  const records = results.reduce((sum, { synced }) => sum + (synced.total ?? 0), 0);
  // The parts of a sync are listings: they take the place of the profiles in the receipt.
  run.notices.add({ level: 'fact', text: '', facts: { records, profiles: undefined, listings } });
  await showRows(run, format, { rows, samples: samplesOf(results, samples ?? []) });
  for (const result of results) warn(run, result, results.length > 1);
  checkResults(
    results.map(({ name, synced: { error: failure } }) => ({ name, failure })),
    {
      what: 'listings',
      lack: 'left as they were',
      hint: 'When that is seen to, run folio sync again for these.',
    },
  );
}

function warn(run: Run, { name, resource, synced }: ListingResult, isOneOfSeveral: boolean): void {
  const notices = isOneOfSeveral ? run.notices.about(name) : run.notices;
  if (synced.written !== undefined) warnOfTable(notices, resource.table, synced.written);
}

function warnOfTable(
  notices: Notices,
  table: string,
  { retyped, withoutColumn, withNul, unreadable }: WrittenRecords,
): void {
  for (const { name: column } of retyped) {
    notices.warn(
      `the column ${column} of ${table} holds text from now on: not all of its values are of one kind`,
    );
  }
  for (const { name: column, shownAs, records } of unreadable) {
    notices.warn(
      `${table}_current shows nothing in ${column} for ${countOf(records, 'new or changed record')}, where it is no ${shownAs}; ${table} has it as sent`,
    );
  }
  for (const field of withoutColumn) notices.warn(`${field} has no column: the table is full; _raw has it`);
  if (withNul > 0) {
    notices.warn(
      `${countOf(withNul, 'record')} with the character NUL in a text: columns show U+FFFD instead, _raw has it`,
    );
  }
}

function resultRow({ synced, resource }: ListingResult, samples: readonly SampleChange[] | undefined): Row {
  const { part, total, counts, error } = synced;
  const { added, changed, gone, back } = counts;
  const row: [string, string][] = [
    ['profile', JSON.stringify(part.profile)],
    ['resource', JSON.stringify(resource.name)],
    ['total', JSON.stringify(total ?? null)],
    ...Object.entries({ added, changed, gone, back }).map(([name, count]): [string, string] => [
      name,
      `${count}`,
    ]),
    ['seconds', ((part.readAt - part.startedAt) / 1000).toFixed(1)],
    ['error', JSON.stringify(error?.message ?? null)],
  ];
  if (samples === undefined) return row;
  for (const change of ['added', 'changed', 'gone', 'back'] as const) {
    const first = samples.filter((one) => one.part === part && one.change === change);
    row.push([
      `first.${change}`,
      JSON.stringify(first.map((one) => nameOf(one, resource)).join(', ') || null),
    ]);
  }
  return row;
}

/** The label of the record, and its key. */
function nameOf(sample: SampleChange, resource: SyncResource): string {
  const name = labelOf(sample, resource);
  return name !== undefined && name !== sample.key ? `${name} (${sample.key})` : sample.key;
}

function labelOf({ record }: SampleChange, { resource: { label } }: SyncResource): string | undefined {
  const name = (parseWithDigits(record) as Record<string, unknown>)[label];
  return typeof name === 'string' ? name : undefined;
}

/** A row for each of the sample records, for a table. */
function samplesOf(results: readonly ListingResult[], samples: readonly SampleChange[]): Row[] {
  return results.flatMap(({ resource, synced: { part } }) =>
    samples.flatMap((sample) => {
      if (sample.part !== part) return [];
      const { change, key } = sample;
      const { profile } = part;
      const cells = { change, profile, resource: resource.name, record: labelOf(sample, resource), key };
      return [
        Object.entries(cells).map(([name, value]): [string, string] => [name, JSON.stringify(value ?? null)]),
      ];
    }),
  );
}

interface ResultRows {
  readonly rows: readonly Row[];
  /** Shown below a table; other formats have them in their rows. */
  readonly samples: readonly Row[];
}

async function showRows(
  { context, flags }: Run,
  format: Format | undefined,
  { rows, samples }: ResultRows,
): Promise<void> {
  const plan = await planOutput(context, { flags: { format }, color: flags.color !== false, defaults: {} });
  const isTable = plan.format === 'table';
  const destination = await openDestination(plan.target, context, { styled: isTable, binary: false });
  const write = async (shown: readonly Row[]): Promise<void> => {
    const columns = isTable ? shown[0]!.map(([name]) => name) : undefined;
    const known = columns && shownInOrder(columns);
    const writer = plan.openWriter(destination, { ...plan.layout, columns, known });
    await writer.write(batchOfRows(shown));
    await writer.end();
  };
  await written(destination, async () => {
    if (!isTable) return write(rows);
    await write(forPeople(rows));
    if (samples.length === 0) return;
    await destination.write('\n');
    await write(forPeople(samples));
  });
}

/** The rows without columns that are useless in a table: columns without values, and those of another table. */
function forPeople(rows: readonly Row[]): readonly Row[] {
  const says = (name: string): boolean => {
    const values = new Set(rows.map((row) => row.find(([other]) => other === name)![1]));
    return name === 'profile' ? values.size > 1 : !(values.size === 1 && values.has('null'));
  };
  return rows.map((row) => row.filter(([name]) => !name.startsWith('first.') && says(name)));
}
