import { basename } from 'node:path';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { profilesInExport } from '../../query/exports/read-export.ts';
import { chooseHeld, profilesAsked, refuseProfiles, type ProfilesAsked } from '../../profiles/choice.ts';
import { inOrderOf } from '../../profiles/profile.ts';
import { parseDatabaseAddress } from '../../database/address.ts';
import { funds } from '../../resources/funds.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import type { Source } from '../part.ts';
import type { GlobalFlags, ProfilesFlags } from '../flags.ts';
import { ListingSource } from '../sources/listing-source.ts';
import { asksSeveral, chooseProfiles } from '../session.ts';

const LISTINGS = ['issued', 'received', 'funds'] as const;
export type Listing = (typeof LISTINGS)[number];
export const RESOURCES = { issued, received, funds };

/** One listing of one organization, as a part of the run. */
export interface ReportPart {
  readonly name: string;
  readonly listing: Listing;
  /** Under which name the organization is told of, where there are several. */
  readonly organization?: string;
  /** Whose token and settings hold. */
  readonly profile?: string;
  /** The records say themselves of which organization they are; these are to be told of. */
  readonly ofSeveral?: { readonly only: readonly string[] };
  readonly source: Source;
}

/** The listings to read of each organization, from the service or from what --from names. Throws UsageError. */
export async function reportParts(
  context: Context,
  flags: GlobalFlags & Pick<ProfilesFlags, 'allProfiles'> & { readonly from?: readonly string[] | undefined },
): Promise<readonly ReportPart[]> {
  if (flags.from !== undefined) {
    // The profiles are those of what is read, whether or not there are some of these names here.
    return partsFrom(context, flags.from, profilesAsked(flags.profile, flags.allProfiles));
  }
  const profiles = asksSeveral(flags) ? await chooseProfiles(context, flags) : [undefined];
  return profiles.flatMap((profile) =>
    LISTINGS.map((listing) => ({
      name: profile === undefined ? listing : `${profile} ${listing}`,
      listing,
      ...(profile !== undefined && { profile, organization: profile }),
      source: new ListingSource({ resource: RESOURCES[listing] }),
    })),
  );
}

async function partsFrom(
  context: Context,
  from: readonly string[],
  whose: ProfilesAsked,
): Promise<readonly ReportPart[]> {
  const { isDatabase } = await import('../sync/database-records.ts');
  const [first = ''] = from;
  if (from.some((text) => /^(?:(?:issued|received|funds)=)?-$/.test(text))) {
    throw new UsageError('--from - is one listing, and a report is of several', {
      hint: 'Write each to a file, as in --from issued.jsonl --from received.jsonl, or name a database of folio sync.',
    });
  }
  if (from.length === 1 && (await isDatabase(first))) return databaseParts(context, first, whose);
  return partsOfExports(context, from, whose);
}

/** Where the exports say whose their records are, each organization that is chosen is told of by itself. */
async function partsOfExports(
  context: Context,
  from: readonly string[],
  whose: ProfilesAsked,
): Promise<readonly ReportPart[]> {
  const parts = await exportParts(from);
  const said = await Promise.all(
    parts.map(async (part) => ({
      part,
      held: await profilesInExport(part.file, { tolerant: true }),
    })),
  );
  const shown = parts.map(({ file }) => file).join(', ');
  const several = said.find(({ held }) => held !== undefined && held.length > 0)?.part.file;
  const ofOne = said.find(({ held }) => held === undefined)?.part.file;
  if (several === undefined) {
    if (ofOne !== undefined) refuseProfiles(shown, whose);
    return parts;
  }
  if (ofOne !== undefined) {
    throw new UsageError(`${several} says of which profiles its records are, and ${ofOne} does not`, {
      hint: 'Export both with --all-profiles, or make a report of each profile.',
    });
  }
  const held = inOrderOf(await context.config(), new Set(said.flatMap((one) => one.held ?? [])));
  const only = await chooseHeld({ shown, held }, whose, context);
  return parts.map((part) => ({ ...part, ofSeveral: { only } }));
}

async function exportParts(from: readonly string[]): Promise<(ReportPart & { readonly file: string })[]> {
  const { ExportSource, refuseRows } = await import('../sources/export-source.ts');
  const parts = from.map((text) => {
    const [, named, path = text] = /^(issued|received|funds)=(.+)$/s.exec(text) ?? [];
    const listing = LISTINGS.find(
      (one) => one === named || (named === undefined && basename(path).startsWith(one)),
    );
    if (listing === undefined) {
      throw new UsageError(`--from ${text} does not say which listing it is`, {
        hint: `Say so with --from issued=${text}, received=${text} or funds=${text}.`,
      });
    }
    const source = new ExportSource({ file: path, resource: RESOURCES[listing] });
    return { name: listing, listing, source, file: path };
  });
  const twice = parts.find(({ listing }, index) => parts.findIndex((one) => one.listing === listing) < index);
  for (const { file } of parts) await refuseRows(file);
  if (twice === undefined) return parts;
  throw new UsageError(`--from names two files of the ${twice.listing} listing`, {
    hint: 'Give one file for each listing.',
  });
}

/** The listings that a synced database holds: of the profiles named, of all, or of the only one that it has. */
async function databaseParts(context: Context, from: string, whose: ProfilesAsked): Promise<ReportPart[]> {
  const { ExportSource } = await import('../sources/export-source.ts');
  const { DatabaseRecords, profilesHeld } = await import('../sync/database-records.ts');
  const { known, held } = await profilesHeld(from, Object.values(RESOURCES), context);
  if (known.length === 0) {
    throw new UsageError('the database holds neither invoices nor funds', {
      hint: 'Bring them with `folio sync <database>`.',
    });
  }
  const { shown } = parseDatabaseAddress(from);
  const profiles = await chooseHeld({ shown, held: known }, whose, context);
  const isNamed = whose.names !== undefined || whose.all || profiles.length > 1;
  const sources = LISTINGS.flatMap((listing) => {
    const resource = RESOURCES[listing];
    const own = profiles.filter((profile) => held.get(resource)?.includes(profile));
    if (own.length === 0) return [];
    const database = new DatabaseRecords({ from, resource, profiles: own });
    return [{ listing, own, source: new ExportSource({ file: from, resource, database }) }];
  });
  return profiles.flatMap((profile) =>
    sources
      .filter(({ own }) => own.includes(profile))
      .map(({ listing, source }): ReportPart => {
        if (!isNamed) return { name: listing, listing, profile, source };
        return { name: `${profile} ${listing}`, listing, profile, source, organization: profile };
      }),
  );
}
