import { basename } from 'node:path';
import type { Context } from '../../context.ts';
import { IncompleteError, UsageError } from '../../errors.ts';
import { localDay } from '../../json/calendar-day.ts';
import { openDestination } from '../../output/files/open-destination.ts';
import { localeOf } from '../../output/terminal/number-text.ts';
import { ISSUED_COLUMNS, mapKnownColumns, RECEIVED_COLUMNS } from '../../query/known-columns.ts';
import {
  FundTally,
  organizationFigures,
  type FundFigures,
  type ListingFigures,
  type ReportFigures,
} from '../../report/figures.ts';
import {
  InvoiceFigures,
  type DirectionFigures,
  type MissingFigure,
  type ReportDates,
} from '../../report/invoice-figures.ts';
import { monthOf, parsePeriod } from '../../report/period.ts';
import { REPORT_FORMATS, type ReportFormat, type ReportLanguage } from '../../report/choices.ts';
import { languageOf, writingOf } from '../../report/words.ts';
import { funds } from '../../resources/funds.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import { version } from '../../version.ts';
import { ListingSource } from '../sources/listing-source.ts';
import { checkPart, hasRecords, tryPart, type Part, type PartResult, type Source } from '../part.ts';
import { names, type RequestFlags } from '../parse-values.ts';
import { forEachPart } from './parts-aside.ts';
import { asksSeveral, chooseProfiles } from './profile-choice.ts';
import type { ReportFlags } from '../receipt.ts';
import { inRun, type GlobalFlags, type Run } from '../run.ts';
import { fieldMap } from '../settings.ts';

/** What is asked of a report. */
export interface PageFlags {
  /** `2026-11`, `2026-Q3`, `last-month`. */
  readonly period?: string;
  readonly allProfiles?: boolean;
  /** Exports instead of the service: `issued.jsonl`, `received=in.csv`. */
  readonly from?: readonly string[];
  readonly lang?: ReportLanguage;
  readonly field?: readonly (readonly [field: string, column: string])[];
}

/** Where the report goes, and in which form. */
export interface PageOutputFlags {
  readonly format?: ReportFormat;
  readonly output?: string;
}

export interface ReportRun {
  readonly everywhere: GlobalFlags;
  readonly request: RequestFlags;
  readonly report: ReportFlags;
  readonly page: PageFlags;
  readonly output: PageOutputFlags;
}

const LISTINGS = ['issued', 'received', 'funds'] as const;
type Listing = (typeof LISTINGS)[number];
const RESOURCES = { issued, received, funds };

/** One listing of one organization, as a part of the run. */
interface ReportPart {
  readonly name: string;
  readonly listing: Listing;
  /** Under which name the organization is told of, where there are several. */
  readonly organization?: string;
  /** Whose token and settings hold. */
  readonly profile?: string;
  readonly source: Source;
}

/** What takes in the records of a listing. */
type Tally =
  | { readonly of: 'invoices'; readonly figures: InvoiceFigures }
  | { readonly of: 'funds'; readonly figures: FundTally };

/** What became of it. */
interface PartFigures {
  readonly part: ReportPart;
  readonly result: PartResult;
  readonly organization: string | undefined;
  readonly profile: string | undefined;
  readonly tally: Tally | undefined;
}

/**
 * Reads the invoices and funds of one organization or of several, and writes one page about them. A listing that could not
 * be read whole does not keep the page from being written: it is said at its top, and the run ends in IncompleteError.
 *
 * @throws UsageError, AuthError, ServiceError, OutputError: no page was written
 */
export async function writeReport(context: Context, asked: ReportRun): Promise<void> {
  const { everywhere, request, report, page, output } = asked;
  const format = formatOf(context, output);
  const dates = datesOf(context, page);
  const parts = await partsOf(context, asked);
  const names = parts.map(({ name }) => name);
  const options = { everywhere, request, report, name: 'report', records: 'invoices and funds' };
  await inRun(context, { ...options, output: output.output, parts: names }, async (run) => {
    const destination = await openDestination(output.output, run.context, {
      digest: report.report !== undefined,
    });
    try {
      for (const { source } of parts) await source.open?.(run);
      const read: PartFigures[] = [];
      for await (const one of forEachPart(run, parts, (part, signal) =>
        readPart(run, { part, signal, dates, page }),
      )) {
        read.push(one);
      }
      if (!read.some(({ result }) => hasRecords(result))) throw read[0]!.result.failure!;
      await destination.write(await textOf(figuresOf(read, dates), { format, page, context }));
      await destination.commit();
      checkRead(read);
    } finally {
      for (const { source } of parts) await source.close?.();
      await destination.discard();
    }
  });
}

function formatOf(context: Context, { format, output }: PageOutputFlags): ReportFormat {
  const ending = /\.([a-z]+)$/i.exec(output ?? '')?.[1]?.toLowerCase();
  const ofEnding = ending === 'htm' ? 'html' : REPORT_FORMATS.find((one) => one === ending);
  if (
    format === undefined &&
    output !== undefined &&
    output !== '-' &&
    ofEnding === undefined &&
    ending !== undefined
  ) {
    throw new UsageError(`-o ${output}: .${ending} is no form of a report`, {
      hint: 'Give the file the ending .html or .json, or add --format.',
    });
  }
  const chosen = format ?? ofEnding ?? 'html';
  if (chosen === 'html' && (output === undefined || output === '-') && context.stdout.isTerminal) {
    throw new UsageError('a page cannot be shown on a terminal', {
      hint: 'Write it to a file with `folio report -o report.html`.',
    });
  }
  return chosen;
}

/** A period that is over is told as of its last day. */
function datesOf({ clock }: Context, { period: wish }: PageFlags): ReportDates {
  const today = localDay(clock.now());
  const period = wish === undefined ? monthOf(today) : parsePeriod(wish, today);
  return { today, asOf: Math.min(today, period.last), period };
}

async function partsOf(context: Context, { everywhere, page }: ReportRun): Promise<ReportPart[]> {
  const { allProfiles, from } = page;
  if (from !== undefined) return exportParts(from, { everywhere, allProfiles });
  const whom = { everywhere, profiles: { ...(allProfiles !== undefined && { allProfiles }) } };
  const profiles = asksSeveral(whom) ? await chooseProfiles(context, whom) : [undefined];
  return profiles.flatMap((profile) =>
    LISTINGS.map((listing) => ({
      name: profile === undefined ? listing : `${profile} ${listing}`,
      listing,
      ...(profile !== undefined && { profile, organization: profile }),
      source: new ListingSource({ resource: RESOURCES[listing] }),
    })),
  );
}

async function exportParts(
  from: readonly string[],
  { everywhere, allProfiles }: { everywhere: GlobalFlags; allProfiles: boolean | undefined },
): Promise<ReportPart[]> {
  const clash = everywhere.sandbox ? '--sandbox' : allProfiles ? '--all-profiles' : undefined;
  if (clash !== undefined) {
    throw new UsageError(`--from and ${clash} do not go together: files are read, and no service asked`, {
      hint: allProfiles ? 'Name the profiles of a database with --profile a,b.' : 'Leave out one of the two.',
    });
  }
  const { isDatabase } = await import('../sync/database-records.ts');
  const [first = ''] = from;
  if (from.length === 1 && (await isDatabase(first))) return databaseParts(first, everywhere.profile);
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

/** The listings that a synced database has, of the profiles named, or of the only one that it has. */
async function databaseParts(from: string, profiles: string | undefined): Promise<ReportPart[]> {
  const { ExportSource } = await import('../sources/export-source.ts');
  const { DatabaseRecords } = await import('../sync/database-records.ts');
  const named = profiles === undefined ? [undefined] : names('--profile')(profiles);
  return named.flatMap((profile) =>
    LISTINGS.map((listing): ReportPart => {
      const resource = RESOURCES[listing];
      const database = new DatabaseRecords({ from, resource, id: undefined, profile, allProfiles: false });
      const source = new ExportSource({ file: from, resource, output: undefined, database });
      const name = profile === undefined ? listing : `${profile} ${listing}`;
      return { name, listing, source, ...(profile !== undefined && { organization: profile }) };
    }),
  );
}

interface PartReading {
  readonly part: ReportPart;
  readonly signal: AbortSignal;
  readonly dates: ReportDates;
  readonly page: PageFlags;
}

async function readPart(run: Run, { part, signal, dates, page }: PartReading): Promise<PartFigures> {
  let who: Pick<PartFigures, 'organization' | 'profile'> = { organization: undefined, profile: part.profile };
  let tally: PartFigures['tally'];
  const result = await tryPart(run, { ...part, signal }, async (open) => {
    who = { organization: open.session?.organization, profile: part.organization ?? open.profile };
    tally = await openTally(open, { part, dates, page });
    for await (const { records } of open.read(undefined)) tally.figures.add(records);
    checkPart(open);
  });
  return { part, result, tally, ...who };
}

async function openTally(
  { context, profile, everywhere }: Part,
  { part, dates, page }: Omit<PartReading, 'signal'>,
): Promise<Tally> {
  const { listing } = part;
  if (listing === 'funds') return { of: 'funds', figures: new FundTally() };
  // The sandbox takes no settings, as it takes no profile.
  const stored = everywhere.sandbox ? {} : fieldMap(await context.config(), profile);
  const defaults = listing === 'issued' ? ISSUED_COLUMNS : RECEIVED_COLUMNS;
  const own =
    listing === 'issued' ? ['issuerFiscalId', 'issuer.fiscalId'] : ['receiverFiscalId', 'receiver.fiscalId'];
  const fields = mapKnownColumns(defaults, { ...stored, ...Object.fromEntries(page.field ?? []) });
  return { of: 'invoices', figures: new InvoiceFigures(fields, own, dates) };
}

function figuresOf(read: readonly PartFigures[], dates: ReportDates): ReportFigures {
  const shown = [...new Set(read.map(({ part }) => part.organization))];
  const organizations = shown.map((name) => {
    const own = read.filter(({ part }) => part.organization === name);
    const known = own.find(({ organization }) => organization !== undefined) ?? own[0];
    return organizationFigures({
      profile: known?.profile,
      organization: known?.organization,
      issued: invoicesOf(own, 'issued'),
      received: invoicesOf(own, 'received'),
      funds: fundsOf(own),
    });
  });
  const doubts = read.flatMap(({ part, result }) =>
    result.failure ? [`${part.name}: ${result.failure.message}`] : [],
  );
  return { dates, complete: doubts.length === 0, doubts, organizations };
}

function invoicesOf(own: readonly PartFigures[], listing: Listing): ListingFigures<DirectionFigures> {
  const { tally, failure } = readListing(own, listing);
  return tally?.of === 'invoices' ? { figures: tally.figures.finish() } : { failure };
}

function fundsOf(own: readonly PartFigures[]): ListingFigures<FundFigures> {
  const { tally, failure } = readListing(own, 'funds');
  return tally?.of === 'funds' ? { figures: tally.figures.finish() } : { failure };
}

/** What was read of a listing, be it not all; without it, why there is nothing. */
function readListing(
  own: readonly PartFigures[],
  listing: Listing,
): { tally: Tally | undefined; failure: Pick<MissingFigure, 'reason' | 'hint'> } {
  const read = own.find(({ part }) => part.listing === listing);
  const failure = read?.result.failure;
  const reason =
    failure === undefined ? `No export of ${RESOURCES[listing].records} was given.` : `${failure.message}.`;
  return {
    tally: read !== undefined && hasRecords(read.result) ? read.tally : undefined,
    failure: { reason, hint: failure?.hint },
  };
}

interface TextOptions {
  readonly format: ReportFormat;
  readonly page: PageFlags;
  readonly context: Context;
}

async function textOf(figures: ReportFigures, { format, page, context }: TextOptions): Promise<string> {
  if (format === 'json') {
    const { figuresJson } = await import('../../report/figures-json.ts');
    return figuresJson(figures);
  }
  const { reportPage } = await import('../../report/page.ts');
  const locale = localeOf(context.env);
  return reportPage(figures, { writing: writingOf(page.lang ?? languageOf(locale), locale), version });
}

/** Throws IncompleteError where the page is not about everything. */
function checkRead(read: readonly PartFigures[]): void {
  const failed = read.flatMap(({ part, result: { failure } }) =>
    failure ? [{ name: part.name, failure }] : [],
  );
  const [first] = failed;
  if (first === undefined) return;
  const reasons = failed.map(({ name, failure }) => `${name}: ${failure.message}`).join('; ');
  throw new IncompleteError(`the report is not whole, and says so: ${reasons}`, {
    hint: first.failure.hint,
    cause: first.failure,
  });
}
