import { basename } from 'node:path';
import type { Context } from '../../context.ts';
import { isDatabase } from '../../database/address.ts';
import { UsageError } from '../../errors.ts';
import { chooseHeld, profilesAsked, refuseProfiles, type ProfilesAsked } from '../../profiles/choice.ts';
import { inOrderOf } from '../../profiles/profile.ts';
import { profilesInExport } from '../../query/exports/read-export.ts';
import { readsOfExport } from '../../query/exports/read-receipt.ts';
import { funds } from '../../resources/funds.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import type { GlobalFlags, ProfilesFlags } from '../flags.ts';
import type { Source } from '../part.ts';
import type { ReadPath } from '../paths.ts';
import { isOfSeveral, chooseProfiles } from '../session.ts';
import { ListingSource } from '../sources/listing-source.ts';

const LISTINGS = ['issued', 'received', 'funds'] as const;
export type Listing = (typeof LISTINGS)[number];
export const RESOURCES = { issued, received, funds };

export interface ReportPart {
  readonly listing: Listing;
  readonly profile: string | undefined;
  readonly source: Source;
}

export interface ReportSources {
  /** Whom there is a report of; undefined where the records have no owner, or the flags name it. */
  readonly profiles: readonly (string | undefined)[];
  readonly partsOf: (profile: string | undefined) => readonly ReportPart[];
  readonly reads: readonly ReadPath[];
  readonly close?: () => Promise<void>;
}

type SourcesFlags = GlobalFlags & ProfilesFlags & { readonly from?: readonly string[] | undefined };

/** The listings of the service, or of what --from names. Throws UsageError. */
export async function reportSources(context: Context, flags: SourcesFlags): Promise<ReportSources> {
  const { from } = flags;
  if (from === undefined) {
    return {
      profiles: isOfSeveral(flags) ? await chooseProfiles(context, flags) : [undefined],
      partsOf: (profile) =>
        LISTINGS.map((listing) => ({
          listing,
          profile,
          source: new ListingSource({ resource: RESOURCES[listing] }),
        })),
      reads: [],
    };
  }
  if (from.some((text) => /^(?:(?:issued|received|funds)=)?-$/.test(text))) {
    throw new UsageError('--from - is one listing, and a report is of several', {
      hint: 'Write each to a file, as in --from issued.jsonl --from received.jsonl, or name a database of folio sync.',
    });
  }
  // The profiles are those of the source, whether or not there are some of these names here.
  const whose = profilesAsked(flags.profile, flags.allProfiles);
  const [only] = from;
  return from.length === 1 && (await isDatabase(only!))
    ? listingsOfDatabase(context, only!, whose)
    : listingsOfExports(context, from, whose);
}

/** The listings that a synced database holds: of the profiles named, of all, or of the only one that it has. */
async function listingsOfDatabase(
  context: Context,
  from: string,
  whose: ProfilesAsked,
): Promise<ReportSources> {
  const { DatabaseSource, FromDatabase, profilesHeld } = await import('../sources/database-source.ts');
  const database = new FromDatabase(from);
  try {
    const { known, held } = await profilesHeld(database, Object.values(RESOURCES), context);
    if (known.length === 0) {
      throw new UsageError('the database holds neither invoices nor funds', {
        hint: 'Bring them with `folio sync <database>`.',
      });
    }
    return {
      profiles: await chooseHeld({ shown: database.shown, held: known }, whose, context),
      partsOf: (profile) =>
        LISTINGS.filter((listing) => held.get(RESOURCES[listing])?.includes(profile!)).map((listing) => ({
          listing,
          profile,
          source: new DatabaseSource({ from, resource: RESOURCES[listing], database, whose: [profile!] }),
        })),
      reads: database.reads,
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The exports, each of one listing: where records have a profile, those of the profiles that the flags choose. */
async function listingsOfExports(
  context: Context,
  from: readonly string[],
  whose: ProfilesAsked,
): Promise<ReportSources> {
  const { ExportSource, refuseRows } = await import('../sources/export-source.ts');
  const files = from.map(listingOfFile);
  for (const { file } of files) await refuseRows(file);
  const twice = files.find(({ listing }, index) => files.findIndex((one) => one.listing === listing) < index);
  if (twice !== undefined) {
    throw new UsageError(`--from names two files of the ${twice.listing} listing`, {
      hint: 'Give one file for each listing.',
    });
  }
  const all = await Promise.all(
    files.map(async (one) => ({ ...one, held: await profilesInExport(one.file, { tolerant: true }) })),
  );
  const shown = files.map(({ file }) => file).join(', ');
  const several = all.find(({ held = [] }) => held.length > 0)?.file;
  const ofOne = all.find(({ held }) => held === undefined)?.file;
  if (several === undefined && ofOne !== undefined) refuseProfiles(shown, whose);
  if (several !== undefined && ofOne !== undefined) {
    throw new UsageError(`${several} says of which profiles its records are, and ${ofOne} does not`, {
      hint: 'Export both with --all-profiles, or make a report of each profile.',
    });
  }
  const known = inOrderOf(await context.config(), new Set(all.flatMap(({ held }) => held ?? [])));
  return {
    profiles: several === undefined ? [undefined] : await chooseHeld({ shown, held: known }, whose, context),
    partsOf: (profile) =>
      all.flatMap(({ listing, file, held = [] }) => {
        // A file without records is of everyone.
        if (held.length > 0 && !held.includes(profile!)) return [];
        const chosen = held.length > 0 ? [profile!] : [];
        const source = new ExportSource({ from: file, resource: RESOURCES[listing] }, chosen);
        return [{ listing, profile, source }];
      }),
    reads: files.flatMap(({ file }) => readsOfExport('--from', file)),
  };
}

function listingOfFile(text: string): { readonly listing: Listing; readonly file: string } {
  const [, named, file = text] = /^(issued|received|funds)=(.+)$/s.exec(text) ?? [];
  const listing = LISTINGS.find(
    (one) => one === named || (named === undefined && basename(file).startsWith(one)),
  );
  if (listing !== undefined) return { listing, file };
  throw new UsageError(`--from ${text} does not say which listing it is`, {
    hint: `Say so with --from issued=${text}, received=${text} or funds=${text}.`,
  });
}
