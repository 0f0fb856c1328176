import type { SyncedPart } from '../../database/sync-run.ts';
import type { WrittenRecords } from '../../database/write-records.ts';
import { shownInOrder } from '../../output/column-looks.ts';
import { writeAndCommit, openDestination } from '../../output/files/destination.ts';
import type { Format } from '../../output/formats.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { batchOfRows, type Row } from '../../query/result-rows.ts';
import { oneWordName, type Resource } from '../../resources/resource.ts';
import { checkResults } from '../completeness.ts';
import type { Notices } from '../notices.ts';
import { planOutput } from '../output-plan.ts';
import type { Run } from '../run.ts';
import { tableOf } from '../sources/database-source.ts';

interface ListingResult {
  /** As messages name it: `north issued`. */
  readonly name: string;
  readonly resource: Resource;
  readonly synced: SyncedPart;
}

/**
 * Shows a row for each listing, warns of values that could not be stored as they are, and keeps the rows for the receipt. Without
 * a `format`: a table on a terminal, else csv. Throws where a listing was not synced: IncompleteError where others were.
 */
export async function showResults(
  run: Run,
  results: readonly ListingResult[],
  format: Format | undefined,
): Promise<void> {
  const rows = results.map(resultRow);
  const records = results.reduce((sum, { synced }) => sum + (synced.total ?? 0), 0);
  const listings = rows.map((row) =>
    Object.fromEntries(row.map(([name, json]) => [name, JSON.parse(json) as unknown])),
  );
  // The parts of a sync are listings: they take the place of the profiles in the receipt.
  run.notices.add({ level: 'fact', text: '', facts: { records, profiles: undefined, listings } });
  await showRows(run, format, rows);
  for (const { name, resource, synced } of results) {
    const notices = results.length > 1 ? run.notices.forPart(name) : run.notices;
    if (synced.written !== undefined) warnOfTable(notices, tableOf(resource), synced.written);
  }
  checkResults(
    results.map(({ name, synced: { error: failure } }) => ({ name, failure })),
    {
      what: 'listings',
      lack: 'left as they were',
      hint: 'When that is seen to, run folio sync again for these.',
    },
  );
}

function warnOfTable(
  notices: Notices,
  table: string,
  { retyped, withoutColumn, unreadable }: WrittenRecords,
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
}

function rowOf(values: Readonly<Record<string, string | number | null>>): Row {
  return Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]);
}

function resultRow({ resource, synced }: ListingResult): Row {
  const { part, total = null, counts, error } = synced;
  return [
    ...rowOf({ profile: part.profile, resource: oneWordName(resource, '-'), total, ...counts }),
    ['seconds', ((part.readAt - part.startedAt) / 1000).toFixed(1)],
    ...rowOf({ error: error?.message ?? null }),
  ];
}

async function showRows(
  { context, flags }: Run,
  format: Format | undefined,
  rows: readonly Row[],
): Promise<void> {
  const plan = await planOutput(context, { format, color: flags.color });
  const isTable = plan.format === 'table';
  const shown = isTable ? forPeople(rows) : rows;
  const columns = isTable ? shown[0]!.map(([name]) => name) : undefined;
  const destination = await openDestination(plan.target, context, { styled: isTable, binary: false });
  await writeAndCommit(destination, async () => {
    const known = columns && shownInOrder(columns);
    const writer = plan.openWriter(destination, { ...plan.layout, columns, known });
    await writer.write(batchOfRows(shown));
    await writer.end();
  });
}

/** The rows without the columns that are useless in a table: those without values, and a profile that is the only one. */
function forPeople(rows: readonly Row[]): readonly Row[] {
  const isUseful = (name: string): boolean => {
    const values = new Set(rows.map((row) => row.find(([other]) => other === name)![1]));
    return name === 'profile' ? values.size > 1 : !(values.size === 1 && values.has('null'));
  };
  return rows.map((row) => row.filter(([name]) => isUseful(name)));
}
