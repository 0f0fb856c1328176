import { STANDARD_INPUT } from '../../query/exports/export-file.ts';
import type { ExportFlags } from '../flags.ts';
import type { Source } from '../part.ts';
import type { FromRequest } from './from-source.ts';
import { listingSource } from './listing-source.ts';

/** The fiscal IDs are those of the flags, unless the command has flags of its own for them. */
type SourceOptions = Pick<FromRequest, 'resource' | 'id' | 'fiscalIds'> &
  Partial<Pick<FromRequest, 'ifPartial'>>;

/** The source that the flags name: the listing of the service, or with --from an export or a synced database. */
export async function sourceFor(
  flags: Omit<ExportFlags, 'format'>,
  { resource, id, ifPartial = 'warn', fiscalIds = flags.fiscalIds }: SourceOptions,
): Promise<Source> {
  const { from } = flags;
  if (from === undefined) return listingSource({ resource, id, flags, fiscalIds });
  const { isDatabase } = await import('../../database/address.ts');
  const request = { from, resource, id, flags, fiscalIds, ifPartial };
  if (from !== STANDARD_INPUT && (await isDatabase(from))) {
    const { databaseSource, databaseFrom } = await import('./database-source.ts');
    return databaseSource({ ...request, database: databaseFrom(from, [resource]) });
  }
  return (await import('./export-source.ts')).exportSource(request);
}
