import { join, basename } from 'node:path';
import type { Context } from '../../context.ts';
import { isDatabase } from '../../database/address.ts';
import { findingOf, isFailure, UsageError } from '../../errors.ts';
import { monthOf, readBegunPeriod, readPeriod } from '../../invoices/periods.ts';
import { localDay } from '../../json/calendar-day.ts';
import type { RecordBatch } from '../../json/records.ts';
import { makeFolder } from '../../output/files/target.ts';
import { checkFlagsOfForm } from '../../output/formats.ts';
import type { HeldProfiles } from '../../profiles/choice.ts';
import { usualProfile } from '../../profiles/connection.ts';
import { inOrderOf } from '../../profiles/profile.ts';
import { batchOfRows } from '../../query/result-rows.ts';
import { figuresJson, reportFigures, type ListingName, type ReportFigures } from '../../report/figures.ts';
import { FundTally, InvoiceTally, type ReportDates } from '../../report/tallies.ts';
import { writingFor, type ReportLanguage } from '../../report/texts.ts';
import { funds } from '../../resources/listings.ts';
import { issued, received } from '../../resources/invoices.ts';
import { version } from '../../version.ts';
import { checkResults, hasRecords, keptFiles, wordsOfProfiles, type PartResult } from '../outcome.ts';
import type { ExportFlags } from '../flags.ts';
import { Notices } from '../notices.ts';
import { planOutput } from '../output-plan.ts';
import { deliver, storeOf, type Source, type Run } from '../run.ts';
import { checkPaths, type ReadPath } from '../paths.ts';
import type { RunDay } from '../run-state.ts';
import { chosenProfiles } from '../session.ts';
import { flagDefaults, organizationSet } from '../settings.ts';
import { listingSource } from '../sources/listing-source.ts';
import {
  deliverText,
  inPageRun,
  isOnTerminal,
  refusePage,
  type PagePart,
  type ReadParts,
} from './read-part.ts';

/** The forms that a report comes in, by the endings of their files. */
const FORMATS = ['html', 'json'] as const;
/** Without a file, a terminal shows only the month, as a table. */
type ReportFormat = (typeof FORMATS)[number] | 'table';

type ReportFlags = Omit<ExportFlags, 'format' | 'from' | 'period'> & {
  /** `2026-11`, `2026-Q3`, `last-month`. */
  readonly period?: string | undefined;
  /** Exports instead of the service: `issued.jsonl`, `received=in.json`. */
  readonly from?: readonly string[] | undefined;
  /** The day to count to, in days since 1970-01-01. */
  readonly asOf?: number | undefined;
  readonly lang?: ReportLanguage | undefined;
  /** What stands at the top of the page instead of the organization's name. */
  readonly title?: string | undefined;
  readonly format?: (typeof FORMATS)[number] | undefined;
};

interface Job {
  readonly flags: ReportFlags;
  readonly sources: ReportSources;
  readonly format: ReportFormat;
}

/**
 * Writes a page about one organization's invoices and funds; with --output-dir, a page for each of several. What could not be
 * read whole is marked at its top, and the run ends in IncompleteError. On other errors no page was written.
 */
export async function writeReport(context: Context, flags: ReportFlags): Promise<void> {
  const format = formatOf(context, flags);
  const { outputDir: folder, output, receipt } = flags;
  // Each page is a run of its own, which gets its own receipt.
  if (receipt !== undefined && folder !== undefined)
    (await import('../receipt.ts')).receiptOf(receipt, { folder, files: [] });
  if (flags.period !== undefined) readBegunPeriod(flags.period, localDay(context.clock.now()));
  const notices = new Notices(context, flags);
  const sources = await sourcesOf(flags);
  try {
    const chosen = await chooseSources(context, flags, { sources, notices });
    const job = { flags, sources: chosen, format };
    const { profiles } = chosen;
    if (format === 'table') return await writeMonth(context, job, notices);
    if (folder !== undefined) return await writePages(context, job, folder);
    if (profiles.length === 1) return await writePage(context, job, { profile: profiles[0], path: output });
    throw new UsageError(`a report is of one organization, and these are several: ${profiles.join(', ')}`, {
      hint: 'Have a page for each with --all-profiles --output-dir <dir>, or name one with --profile <name>.',
    });
  } finally {
    for (const { source } of sources) await source.close?.();
  }
}

/** Writes a page for each profile: `<profile>.report.html`. Those that fail are named at the end. */
async function writePages(context: Context, job: Job, folder: string): Promise<void> {
  const { profiles, reads } = job.sources;
  const pages = profiles.map((profile) => ({
    profile,
    owner: profiles.length > 1 ? profile : undefined,
    path: join(folder, `${profile === undefined ? '' : `${profile}.`}report.${job.format}`),
  }));
  const writes = pages.map(({ path }) => ({
    path,
    flag: '--output-dir:',
    what: 'where another report goes',
  }));
  await checkPaths(context, { tokenFile: job.flags.tokenFile, reads, writes });
  const removeEmpty = await makeFolder(folder);
  const results: (PartResult & { readonly output: string })[] = [];
  try {
    for (const page of pages) {
      const failure = await writePage(context, job, page).catch((error: unknown) => {
        if (isFailure(error)) return error;
        throw error;
      });
      results.push({ name: page.profile ?? 'report', failure: failure ?? undefined, output: page.path });
    }
  } finally {
    await removeEmpty();
  }
  const words = wordsOfProfiles(results, {
    isOfService: job.flags.from === undefined,
    notWhole: 'not whole, which they say',
    missing: 'missing or not whole',
  });
  checkResults(results, { ...words, what: 'reports', kept: keptFiles(results) });
}

interface PageOfReport {
  readonly profile: string | undefined;
  /** Undefined for standard output. */
  readonly path: string | undefined;
  /** Where there are pages of several, whose this is. */
  readonly owner?: string | undefined;
}

/** Writes one page, as a run of its own. */
async function writePage(context: Context, job: Job, { profile, path, owner }: PageOfReport): Promise<void> {
  const { flags, format, sources } = job;
  const parts = sources.partsOf(profile).map((part) => ({ ...part, name: part.listing }));
  const own = { name: 'report', flags, notices: new Notices(context, flags, { owner }) };
  const options = { ...own, records: 'invoices and funds', reads: sources.reads, output: path };
  const words = () => ({ what: 'listings', lack: 'not whole in the report, which says so' });
  await inPageRun(context, { options, parts, words }, (run, read) =>
    deliverText(run, { path, what: 'reports' }, async () => {
      const { all, figuresOf } = await readListings(run, flags, read);
      run.whole.owner = all.find((one) => one.profile !== undefined)?.profile;
      const figures = figuresOf(all);
      warnOfMissing(run.notices, figures);
      if (format === 'json') return figuresJson(figures);
      const { reportPage } = await import('../../report/page.ts');
      const { owner } = run.whole;
      const store = await storeOf(run);
      const { lang } = flagDefaults(store, owner ?? usualProfile(context.env, store), undefined);
      const writing = writingFor(context, flags.lang ?? lang);
      return reportPage(figures, { writing, version, title: flags.title ?? organizationSet(store, owner) });
    }),
  );
}

/** Reads the listings into figures. Throws UsageError for a period that the day of the records does not allow. */
async function readListings(run: Run, flags: ReportFlags, read: ReadParts<ReportPart>) {
  const dates = datesOf(run.day, flags);
  const parts = await read<InvoiceTally | FundTally>((fields, { listing }) =>
    listing === 'funds' ? new FundTally(fields) : new InvoiceTally(fields, listing, dates),
  );
  const all = parts.map((one) => ({ ...one, failure: one.result.failure && findingOf(one.result.failure) }));
  const { caveats } = run.day;
  return { dates, all, figuresOf: (own: typeof all) => reportFigures(own, { dates, caveats }) };
}

/** Writes the balances of each organization in each currency, as a table for a terminal, in one run. */
async function writeMonth(context: Context, job: Job, notices: Notices): Promise<void> {
  const { flags, sources } = job;
  const { monthForm, monthRows } = await import('../../report/month.ts');
  const { profiles } = sources;
  const isSeveral = profiles.length > 1;
  const parts = profiles.flatMap((profile) =>
    sources
      .partsOf(profile)
      .filter(({ listing }) => listing !== 'funds')
      .map((part) => ({ ...part, name: isSeveral ? `${profile} ${part.listing}` : part.listing })),
  );
  const hint =
    isSeveral && flags.from === undefined ? 'See what to fix with `folio doctor --all-profiles`.' : undefined;
  if (parts.length === 0)
    throw new UsageError('a report on a terminal is of invoices, and there are none', {
      hint: 'Have the funds on a page with -o report.html, or bring issued and received invoices.',
    });
  const options = { name: 'report', flags, records: 'invoices', reads: sources.reads, notices };
  const words = () => ({ what: 'listings', lack: 'not whole in these figures', hint });
  await inPageRun(context, { options, parts, words }, async (run, read) => {
    const store = await storeOf(run);
    const only = isSeveral ? undefined : (profiles[0] ?? usualProfile(context.env, store, flags.profile));
    const writing = writingFor(context, flags.lang ?? flagDefaults(store, only, undefined).lang);
    const form = monthForm(writing, isSeveral);
    const plan = await planOutput(run.context, { format: 'table', color: flags.color }, { form });
    const rows = async function* (): AsyncGenerator<RecordBatch> {
      const { dates, all, figuresOf } = await readListings(run, flags, read);
      for (const profile of profiles) {
        const own = all.filter((_, at) => parts[at]!.profile === profile);
        if (!own.some(({ result }) => hasRecords(result))) continue;
        const figures = figuresOf(own);
        const ofProfile = isSeveral ? run.notices.forPart(String(profile)) : run.notices;
        warnOfMissing(ofProfile, figures);
        yield batchOfRows(monthRows(figures, writing, isSeveral));
      }
      const { asOf, today, period } = dates;
      const asOfDay = writing.texts.asOf({ day: writing.longDay(asOf) });
      run.notices.remark(`${writing.period(period.name)} · ${asOfDay}`);
      if (asOf < today) run.notices.remark(writing.texts.laterPayments({ day: writing.longDay(today) }));
    };
    await deliver(run, rows(), { plan, state: run.whole });
  });
}

/** Warns of figures without a column in any record. Listings that failed are in the run's error. */
function warnOfMissing(notices: Pick<Notices, 'warn'>, { organization: { missing } }: ReportFigures): void {
  for (const { part, text, hint, details } of missing)
    if (details?.code === 'column missing') notices.warn(`${part}: ${[text, hint ?? []].flat().join('. ')}`);
}

/** The days of a report, which depend on the day of its records. A period that is over is reported as of its last day. */
function datesOf(day: RunDay, { period: named, asOf }: ReportFlags): ReportDates {
  const period =
    named === undefined ? monthOf(day.dayWithWarning()) : readPeriod(named, () => day.dayWithWarning());
  if (named !== undefined) readBegunPeriod(period.name, Math.max(day.day, asOf ?? 0));
  return { today: day.day, asOf: asOf === undefined ? day.endOf(period) : day.countedTo(), period };
}

function formatOf(context: Context, { format, output, outputDir, lang, title }: ReportFlags): ReportFormat {
  const ending = /\.([a-z]+)$/i.exec(output ?? '')?.[1]?.toLowerCase();
  const ofEnding = ending === 'htm' ? 'html' : FORMATS.find((one) => one === ending);
  if (format === undefined && ending !== undefined && ofEnding === undefined) {
    throw new UsageError(`-o ${output}: .${ending} is not a form of a report`, {
      hint: 'Give the file the ending .html or .json, or add --format.',
    });
  }
  const isShown = outputDir === undefined && isOnTerminal(context, output);
  const chosen = format ?? ofEnding ?? (isShown ? 'table' : 'html');
  // Nobody can name the table: it is the form of a terminal.
  checkFlagsOfForm(chosen, { '--title': [title, 'html'], '--lang': [chosen !== 'table' && lang, 'html'] });
  if (isShown && chosen === 'html') refusePage('Write it to a file with `folio report -o report.html`.');
  return chosen;
}

const LISTINGS: readonly ListingName[] = ['issued', 'received', 'funds'];
const RESOURCES = { issued, received, funds };

interface ReportPart extends PagePart {
  readonly listing: ListingName;
}

interface ReportSource {
  readonly listing: ListingName;
  readonly source: Source;
  /** Whether the listing is left out if it has no records. */
  readonly isOptional?: boolean;
}

interface ReportSources {
  /** The profile of each report; undefined if the records have no owner, or the flags name it. */
  readonly profiles: readonly (string | undefined)[];
  readonly partsOf: (profile: string | undefined) => readonly ReportPart[];
  readonly reads: readonly ReadPath[];
}

/** The listings of the service, or of what --from names. Throws UsageError. */
async function sourcesOf({ from }: ReportFlags): Promise<readonly ReportSource[]> {
  if (from === undefined)
    return LISTINGS.map((listing) => ({
      listing,
      source: listingSource({ resource: RESOURCES[listing] }),
    }));
  if (from.some((text) => /^(?:(?:issued|received|funds)=)?-$/.test(text))) {
    throw new UsageError('--from - is one listing, and a report is of several', {
      hint: 'Write each to a file, as in --from issued.jsonl --from received.jsonl, or name a database of folio sync.',
    });
  }
  const [only] = from;
  if (from.length === 1 && (await isDatabase(only!))) {
    const { databaseSource, databaseFrom } = await import('../sources/database-source.ts');
    const database = databaseFrom(only!, Object.values(RESOURCES));
    return LISTINGS.map((listing) => {
      const request = { from: only!, resource: RESOURCES[listing], ifPartial: 'warn' as const };
      return { listing, source: databaseSource({ ...request, database }), isOptional: true };
    });
  }
  const { exportSource } = await import('../sources/export-source.ts');
  const files = await Promise.all(from.map(listingOfFile));
  const twice = files.find(({ listing }, index) => files.findIndex((one) => one.listing === listing) < index);
  if (twice !== undefined) {
    throw new UsageError(`--from names two files of the ${twice.listing} listing`, {
      hint: 'Give one file for each listing.',
    });
  }
  return files.map(({ listing, file }) => ({
    listing,
    source: exportSource({ from: file, resource: RESOURCES[listing], ifPartial: 'warn' }),
  }));
}

/** Chooses the profiles to report on, and what is read for each. Throws UsageError. */
async function chooseSources(
  context: Context,
  flags: ReportFlags,
  { sources, notices }: { readonly sources: readonly ReportSource[]; readonly notices: Notices },
): Promise<ReportSources> {
  const all: (ReportSource & { readonly held: HeldProfiles | undefined })[] = [];
  for (const one of sources) {
    const held = await one.source.held?.(context);
    // A database may lack a listing; a file without records is of everyone.
    if (held?.profiles?.length !== 0 || !one.isOptional) all.push({ ...one, held });
  }
  if (all.length === 0) {
    throw new UsageError('the database holds neither invoices nor funds', {
      hint: 'Bring them with `folio sync <database>`.',
    });
  }
  const several = all.find(({ held }) => held?.profiles?.length)?.held;
  const ofNobody = all.find(({ held }) => held !== undefined && held.profiles === undefined)?.held;
  if (several !== undefined && ofNobody !== undefined) {
    throw new UsageError(
      `${several.shown} says of which profiles its records are, and ${ofNobody.shown} does not`,
      { hint: 'Export both with --all-profiles, or make a report of each profile.' },
    );
  }
  const [first, ...owned] = all.flatMap(({ held }) => (held?.owner === undefined ? [] : held));
  const other = owned.find(({ owner }) => owner !== first!.owner);
  if (other !== undefined) {
    throw new UsageError(`${first!.shown} is of ${first!.owner}, and ${other.shown} of ${other.owner}`, {
      hint: 'Make a report of each.',
    });
  }
  const names = all.flatMap(({ held }) => held?.profiles ?? []);
  // The service holds none; a sandbox needs no store.
  const held = all[0]!.held && {
    shown: [...new Set(all.map((one) => one.held?.shown))].join(', '),
    profiles: ofNobody === undefined ? inOrderOf(await context.config(), names) : undefined,
    organizations: all[0]!.held.organizations,
  };
  const chosen = await chosenProfiles(context, { held, flags, notices });
  return {
    profiles: chosen.length > 0 ? chosen : [undefined],
    partsOf: (profile) =>
      all.flatMap(({ listing, source, held: { profiles = [] } = {} }) =>
        profiles.length > 0 && !profiles.includes(profile!) ? [] : [{ listing, source, profile }],
      ),
    reads: all.flatMap(({ source }) => source.reads ?? []),
  };
}

/** Which listing a file has: as it is said before its name, else by the name, else by its receipt. Throws UsageError. */
async function listingOfFile(
  text: string,
): Promise<{ readonly listing: ListingName; readonly file: string }> {
  const [, named, file = text] = /^(issued|received|funds)=(.+)$/s.exec(text) ?? [];
  let listing = LISTINGS.find((one) =>
    named === undefined ? basename(file).startsWith(one) : one === named,
  );
  if (listing === undefined) {
    const { ExportFile } = await import('../../query/exports/export-file.ts');
    const opened = await ExportFile.open(file);
    const delivered = await opened.delivered();
    await opened.close();
    listing = LISTINGS.find((one) => one === delivered?.resource);
  }
  if (listing !== undefined) return { listing, file };
  throw new UsageError(`--from ${text} does not say which listing it is`, {
    hint: `Say so with --from issued=${text}, received=${text} or funds=${text}.`,
  });
}
