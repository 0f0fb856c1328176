import { basename } from 'node:path';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { funds } from '../../resources/funds.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import type { Source } from '../part.ts';
import { flagNamed, type RequestFlags } from '../parse-values.ts';
import type { GlobalFlags } from '../run.ts';
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
  readonly source: Source;
}

interface ReportSources {
  readonly everywhere: GlobalFlags;
  readonly request: RequestFlags;
  readonly allProfiles: boolean | undefined;
  /** As given to --from. */
  readonly from: readonly string[] | undefined;
}

/** What is read, and the flags that hold for it. */
interface ReportParts {
  readonly parts: readonly ReportPart[];
  readonly everywhere: GlobalFlags;
}

/** The listings to read of each organization, from the service or from what --from names. Throws UsageError. */
export async function reportParts(
  context: Context,
  { everywhere, request, allProfiles, from }: ReportSources,
): Promise<ReportParts> {
  if (from !== undefined) return partsFrom(context, from, { everywhere, allProfiles, request });
  const whom = { everywhere, profiles: { ...(allProfiles !== undefined && { allProfiles }) } };
  const profiles = asksSeveral(whom) ? await chooseProfiles(context, whom) : [undefined];
  const parts = profiles.flatMap((profile) =>
    LISTINGS.map((listing) => ({
      name: profile === undefined ? listing : `${profile} ${listing}`,
      listing,
      ...(profile !== undefined && { profile, organization: profile }),
      source: new ListingSource({ resource: RESOURCES[listing] }),
    })),
  );
  return { parts, everywhere };
}

async function partsFrom(
  context: Context,
  from: readonly string[],
  { everywhere, allProfiles, request }: Omit<ReportSources, 'from'>,
): Promise<ReportParts> {
  const { sandbox, baseUrl, tokenFile } = everywhere;
  const ofService = Object.entries({ ...request, sandbox, baseUrl, tokenFile });
  const [given] = ofService.find(([, value]) => value !== undefined) ?? [];
  if (given !== undefined) throw fileAgainst(flagNamed(given), 'Leave out one of the two.');
  const { isDatabase } = await import('../sync/database-records.ts');
  const [first = ''] = from;
  if (from.length === 1 && (await isDatabase(first))) {
    // The profiles are those of the database, whether or not there are some of these names here.
    const { profile, ...others } = everywhere;
    return { parts: await databaseParts(context, first, { profile, allProfiles }), everywhere: others };
  }
  if (allProfiles)
    throw fileAgainst('--all-profiles', 'A report of several profiles is read from a database.');
  return { parts: await exportParts(from), everywhere };
}

function fileAgainst(flag: string, hint: string): UsageError {
  return new UsageError(`--from and ${flag} do not go together: files are read, and no service asked`, {
    hint,
  });
}

async function exportParts(from: readonly string[]): Promise<ReportPart[]> {
  const { ExportSource } = await import('../sources/export-source.ts');
  const parts = from.map((text): ReportPart => {
    const [, named, path = text] = /^(issued|received|funds)=(.+)$/s.exec(text) ?? [];
    const listing = LISTINGS.find(
      (one) => one === named || (named === undefined && basename(path).startsWith(one)),
    );
    if (listing === undefined) {
      throw new UsageError(`--from ${text}: which listing is it?`, {
        hint: `Say so with --from issued=${text}, received=${text} or funds=${text}.`,
      });
    }
    const source = new ExportSource({ file: path, resource: RESOURCES[listing], output: undefined });
    return { name: listing, listing, source };
  });
  const twice = parts.find(({ listing }, index) => parts.findIndex((one) => one.listing === listing) < index);
  if (twice === undefined) return parts;
  throw new UsageError(`--from names two files of the ${twice.listing} listing`, {
    hint: 'Give one file for each listing.',
  });
}

/** The listings that a synced database holds: of the profiles named, of all, or of the only one that it has. */
async function databaseParts(
  context: Context,
  from: string,
  { profile: named, allProfiles = false }: { profile: string | undefined; allProfiles: boolean | undefined },
): Promise<ReportPart[]> {
  const { ExportSource } = await import('../sources/export-source.ts');
  const { DatabaseRecords, profileHint, profilesAsked, profilesHeld } =
    await import('../sync/database-records.ts');
  const { known, held } = await profilesHeld(from, Object.values(RESOURCES), context);
  if (known.length === 0) {
    throw new UsageError('the database holds neither invoices nor funds', {
      hint: 'Bring them with `folio sync <database>`.',
    });
  }
  const asked = await profilesAsked({ from, profile: named, allProfiles }, known, context);
  const isNamed = named !== undefined || allProfiles;
  const profiles = !isNamed && known.length === 1 ? known : asked;
  if (profiles === undefined) {
    throw new UsageError('the database holds several profiles: of which is the report?', {
      hint: profileHint(known),
    });
  }
  const sources = LISTINGS.flatMap((listing) => {
    const resource = RESOURCES[listing];
    const own = profiles.filter((profile) => held.get(resource)?.includes(profile));
    if (own.length === 0) return [];
    const database = new DatabaseRecords({ from, resource, profiles: own });
    return [
      { listing, own, source: new ExportSource({ file: from, resource, output: undefined, database }) },
    ];
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
