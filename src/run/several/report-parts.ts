import { basename } from 'node:path';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { FormFlags } from '../../query/exports/csv-form.ts';
import { saysProfile } from '../../query/exports/read-export.ts';
import { funds } from '../../resources/funds.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import type { Source } from '../part.ts';
import { flagNamed, nameList, refuseForm, type RequestFlags } from '../parse-values.ts';
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
  /** The records say themselves of which organization they are; those to be told of are these, or all. */
  readonly ofSeveral?: { readonly only: readonly string[] | undefined };
  readonly source: Source;
}

interface ReportSources {
  readonly globals: GlobalFlags;
  readonly request: RequestFlags;
  readonly allProfiles: boolean | undefined;
  /** As given to --from. */
  readonly from: readonly string[] | undefined;
  /** What is said of how the exports were written. */
  readonly form: FormFlags;
}

/** What is read, and the flags that hold for it. */
interface ReportParts {
  readonly parts: readonly ReportPart[];
  readonly globals: GlobalFlags;
}

/** The listings to read of each organization, from the service or from what --from names. Throws UsageError. */
export async function reportParts(
  context: Context,
  { globals, request, allProfiles, from, form }: ReportSources,
): Promise<ReportParts> {
  if (from !== undefined) return partsFrom(context, from, { globals, allProfiles, request, form });
  refuseForm(form);
  const whom = { globals, profiles: { ...(allProfiles !== undefined && { allProfiles }) } };
  const profiles = asksSeveral(whom) ? await chooseProfiles(context, whom) : [undefined];
  const parts = profiles.flatMap((profile) =>
    LISTINGS.map((listing) => ({
      name: profile === undefined ? listing : `${profile} ${listing}`,
      listing,
      ...(profile !== undefined && { profile, organization: profile }),
      source: new ListingSource({ resource: RESOURCES[listing] }),
    })),
  );
  return { parts, globals };
}

async function partsFrom(
  context: Context,
  from: readonly string[],
  { globals, allProfiles, request, form }: Omit<ReportSources, 'from'>,
): Promise<ReportParts> {
  const { sandbox, baseUrl, tokenFile } = globals;
  const ofService = Object.entries({ ...request, sandbox, baseUrl, tokenFile });
  const [given] = ofService.find(([, value]) => value !== undefined) ?? [];
  if (given !== undefined) throw fileAgainst(flagNamed(given), 'Leave out one of the two.');
  const { isDatabase } = await import('../sync/database-records.ts');
  const [first = ''] = from;
  if (from.length === 1 && (await isDatabase(first))) {
    refuseForm(form);
    // The profiles are those of the database, whether or not there are some of these names here.
    const { profile, ...others } = globals;
    return { parts: await databaseParts(context, first, { profile, allProfiles }), globals: others };
  }
  return partsOfExports(from, { globals, allProfiles, form });
}

/** Where the exports say whose their records are, each organization is told of by itself, or those that --profile names. */
async function partsOfExports(
  from: readonly string[],
  { globals, allProfiles, form }: Pick<ReportSources, 'globals' | 'allProfiles' | 'form'>,
): Promise<ReportParts> {
  const parts = await exportParts(from, form);
  const said = await Promise.all(
    parts.map(async (part) => ({ part, saysProfile: await saysProfile(part.file, form) })),
  );
  const [of, ofOne] = [true, false].map(
    (says) => said.find(({ saysProfile }) => saysProfile === says)?.part.file,
  );
  if (of === undefined) {
    if (!allProfiles) return { parts, globals };
    throw fileAgainst(
      '--all-profiles',
      'Export with --all-profiles, too: then each record says whose it is.',
    );
  }
  if (ofOne !== undefined) {
    throw new UsageError(`${of} says of which profiles its records are, and ${ofOne} does not`, {
      hint: 'Export both with --all-profiles, or make a report of each profile.',
    });
  }
  const { profile, ...others } = globals;
  if (allProfiles && profile !== undefined) {
    throw new UsageError('--all-profiles and --profile do not go together', {
      hint: 'Leave one of them out.',
    });
  }
  const only = profile === undefined ? undefined : nameList('--profile')(profile);
  return { parts: parts.map((part) => ({ ...part, ofSeveral: { only } })), globals: others };
}

function fileAgainst(flag: string, hint: string): UsageError {
  return new UsageError(`--from and ${flag} do not go together: files are read, and no service asked`, {
    hint,
  });
}

async function exportParts(
  from: readonly string[],
  form: FormFlags,
): Promise<(ReportPart & { readonly file: string })[]> {
  const { ExportSource } = await import('../sources/export-source.ts');
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
    const source = new ExportSource({ file: path, resource: RESOURCES[listing], form });
    return { name: listing, listing, source, file: path };
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
    throw new UsageError('the database holds several profiles, and the report must be of some of them', {
      hint: profileHint(known),
    });
  }
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
