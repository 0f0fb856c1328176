import { profilesAsked } from '../../profiles/choice.ts';
import { STANDARD_INPUT } from '../../query/exports/export-file.ts';
import type { Resource } from '../../resources/resource.ts';
import type { Source } from '../part.ts';
import type { ExportFlags } from '../flags.ts';
import { ListingSource } from './listing-source.ts';

interface SourceAsked {
  readonly resource: Resource;
  readonly id?: string | undefined;
  /** Whether whatever is in an export is asked about, be it rows of --expand or a part of a listing. */
  readonly rowsToo?: boolean;
  /** Whether an answer from a part of the listing is incomplete. */
  readonly needsWhole?: boolean;
  /** The fiscal IDs, where the command has flags of its own for them. */
  readonly fiscalIds?: readonly string[] | undefined;
}

/** The source that the flags ask for: the listing of the service, or with --from an export or a synced database. */
export async function askedSource(
  flags: Omit<ExportFlags, 'format'>,
  { resource, id, rowsToo = false, needsWhole = false, fiscalIds = flags.fiscalIds }: SourceAsked,
): Promise<Source> {
  const { from } = flags;
  if (from === undefined) return new ListingSource({ resource, id, flags, fiscalIds });
  const { isDatabase } = await import('../../database/address.ts');
  // The profiles are those of the source, whether or not there are some of these names here.
  const whose = profilesAsked(flags.profile, flags.allProfiles);
  const filters = { fiscalIds, sortBy: flags.sortBy, sortOrder: flags.sortOrder };
  const questions = rowsToo ? flags : undefined;
  const request = { from, resource, id, filters, whose, rowsToo, needsWhole, questions };
  if (from !== STANDARD_INPUT && (await isDatabase(from))) {
    const { DatabaseSource, FromDatabase } = await import('./database-source.ts');
    return new DatabaseSource({ ...request, database: new FromDatabase(from) });
  }
  const { ExportSource, refuseRows } = await import('./export-source.ts');
  await refuseRows(from, questions);
  return new ExportSource(request);
}
