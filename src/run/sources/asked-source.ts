import { profilesAsked } from '../../profiles/choice.ts';
import { STANDARD_INPUT } from '../../query/exports/export-file.ts';
import type { Resource } from '../../resources/resource.ts';
import type { Export } from '../export-part.ts';
import type { Source } from '../part.ts';
import type { FromFlags } from './export-source.ts';
import { ListingSource } from './listing-source.ts';

/** Where the records of a resource come from. */
interface SourceAsked {
  readonly resource: Resource;
  /** Takes the place of `{id}` in the resource's path. */
  readonly id?: string | undefined;
  readonly from: FromFlags;
  /** Whether rows of --expand may be in an export in place of records. */
  readonly rowsToo?: boolean;
}

/** The source that the flags ask for: the listing of the service, or with --from an export or a synced database. */
export async function askedSource(
  { globals, profiles, filters, extent, questions = {} }: Omit<Export, 'source' | 'output'>,
  { resource, id, from: { from: file }, rowsToo = false }: SourceAsked,
): Promise<Source> {
  const { field } = questions;
  if (file === undefined) return new ListingSource({ resource, id, filters, extent });
  const { ExportSource, refuseRows } = await import('./export-source.ts');
  const { isDatabase, DatabaseRecords } = await import('../sync/database-records.ts');
  // The profiles are those of the source, whether or not there are some of these names here.
  const whose = profilesAsked(globals.profile, profiles?.allProfiles);
  const options = { file, resource, filters, field, whose };
  if (file === STANDARD_INPUT || !(await isDatabase(file))) {
    await refuseRows(file, rowsToo ? questions : undefined);
    return new ExportSource(options);
  }
  return new ExportSource({
    ...options,
    database: new DatabaseRecords({ from: file, resource, id, profiles: whose }),
  });
}
