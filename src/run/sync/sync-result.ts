import type { SampleChange, SyncedPart } from '../../database/sync-run.ts';
import { IncompleteError } from '../../errors.ts';
import { written } from '../../output/files/destination.ts';
import { openDestination } from '../../output/files/open-destination.ts';
import type { Format } from '../../output/formats.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { batchOfRows, type Row } from '../../query/rows.ts';
import { planOutput } from '../output-plan.ts';
import { sameKind } from '../several/parts-aside.ts';
import type { Run } from '../run.ts';
import type { SyncResource } from './sync-resources.ts';

/** What became of one listing of one profile. */
export interface ListingResult {
  /** As messages name it: `north issued`. */
  readonly name: string;
  readonly resource: SyncResource;
  readonly synced: SyncedPart;
}

interface Showing {
  /** A table on a terminal, else csv, unless it is given. */
  readonly format: Format | undefined;
  /** In a plan: the first records of each kind. */
  readonly samples: readonly SampleChange[] | undefined;
}

/**
 * Shows a row a listing, says what is to be known of how they were stored, and notes the rows for the receipt. Throws where
 * a listing was not synced: IncompleteError where others were.
 */
export async function showResults(
  run: Run,
  results: readonly ListingResult[],
  { format, samples }: Showing,
): Promise<void> {
  const rows = results.map((result) => resultRow(result, samples));
  const listings = rows.map((row) => Object.fromEntries(row.map(([name, json]) => [name, JSON.parse(json)])));
  const records = results.reduce((sum, { synced }) => sum + (synced.total ?? 0), 0);
  run.receipt.note({ results: { records, listings } });
  await showRows(run, format, rows);
  for (const result of results) warn(run, result, results.length > 1);
  checkSynced(results);
}

function warn(run: Run, { name, resource, synced }: ListingResult, isOneOfSeveral: boolean): void {
  const notices = isOneOfSeveral ? run.notices.about(name) : run.notices;
  const { retyped = [], withoutColumn = [], withNul = 0 } = synced.written ?? {};
  for (const { name: column } of retyped) {
    notices.warn(
      `the column ${column} of ${resource.table} holds text from now on: not all of its values are of one kind`,
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
  const { part, total, added, changed, gone, back, error } = synced;
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

/** What people call the record, and its key. */
function nameOf({ key, record }: SampleChange, { label }: SyncResource): string {
  const fields = JSON.parse(record) as Record<string, unknown>;
  const name = fields[label];
  const isName = typeof name === 'string' || typeof name === 'number';
  return isName && String(name) !== key ? `${String(name)} (${key})` : key;
}

async function showRows(
  { context, everywhere }: Run,
  format: Format | undefined,
  rows: readonly Row[],
): Promise<void> {
  const flags = { header: true, ...(format !== undefined && { format }) };
  const plan = await planOutput(context, { flags, color: everywhere.color, defaults: {} });
  const isTable = plan.format === 'table';
  // People need no column that says nothing.
  const saysNothing = (name: string): boolean => {
    const values = new Set(
      rows.flatMap((row) => row.filter(([other]) => other === name).map(([, json]) => json)),
    );
    return name === 'profile' ? values.size < 2 : values.size === 1 && values.has('null');
  };
  const shown = rows.map((row) => row.filter(([name]) => !isTable || !saysNothing(name)));
  const destination = await openDestination(plan.target, context, { styled: isTable, binary: false });
  await written(destination, async () => {
    const writer = plan.openWriter(destination, plan.layout);
    await writer.write(batchOfRows(shown));
    await writer.end();
  });
}

/** Where no listing was synced, the failure is of the kind of the first, and so is the exit code. */
function checkSynced(parts: readonly ListingResult[]): void {
  const failed = parts.flatMap(({ name, synced: { error } }) =>
    error === undefined ? [] : [{ name, error }],
  );
  const [first] = failed;
  if (first === undefined) return;
  const reasons = failed.map(({ name, error }) => `${name}: ${error.message}`).join('; ');
  if (failed.length === parts.length) {
    if (failed.length === 1 || failed.every(({ error }) => error.message === first.error.message))
      throw first.error;
    const message = `none of ${parts.length} listings was synced: ${reasons}`;
    throw sameKind(first.error, message, { hint: first.error.hint, cause: first.error });
  }
  throw new IncompleteError(`${failed.length} of ${parts.length} listings left as they were: ${reasons}`, {
    hint: first.error.hint ?? 'Run folio sync again for these.',
    cause: first.error,
  });
}
