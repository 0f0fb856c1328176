import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createRetryQuota } from '../api/retry.ts';
import type { ListingFlags } from '../cli/flags.ts';
import { listColumns } from './list-columns.ts';
import { asksForTotals, openQuestions, tableLimit } from './open-questions.ts';
import { flagDefaults, type FlagDefaults } from '../cli/settings.ts';
import type { Context } from '../context.ts';
import { IncompleteError } from '../errors.ts';
import { prependMember, type RecordBatch } from '../json/records.ts';
import { cannotWrite } from '../output/files/cannot-write.ts';
import { checkFlagsOfFormat, endingOf, type Format } from '../output/formats.ts';
import { RecordSpool } from '../output/spool.ts';
import { WalkStatus } from '../paging/walk-status.ts';
import { filterParameters } from '../resources/listing-query.ts';
import { fiscalIdsOf, queryOf, type ListingRun } from './listing-query.ts';
import { Notices } from './notices.ts';
import { discardNotice, planOutput, type OutputPlan } from './output-plan.ts';
import {
  checkListingComplete,
  deliver,
  exportListing,
  listingRecords,
  remarkCount,
  withLimit,
  type OrganizationListing,
} from './pipeline.ts';
import {
  askProfile,
  checkProfileResults,
  chooseProfiles,
  forEachProfile,
  type ProfileResult,
  type ProfilesRun,
} from './profiles.ts';
import { Progress } from './progress.ts';
import { Receipt } from './receipt.ts';
import { startOwnService } from './session.ts';

/** The name of the column that says of which organization a record is. */
const PROFILE_COLUMN = '_profile';

/** The records with the name of their profile as first member, so that every filter, sum and writer sees it. */
async function* nameProfile(
  records: AsyncIterable<RecordBatch>,
  profile: string,
): AsyncGenerator<RecordBatch> {
  const member = `${JSON.stringify(PROFILE_COLUMN)}:${JSON.stringify(profile)}`;
  for await (const batch of records) yield prependMember(batch, member);
}

/**
 * The records of several organizations as those of one listing: profile by profile, each named in its records. A
 * profile is put aside until it is known to be had, so that one that fails midway leaves nothing behind: what there
 * is of each is whole, or said to be not.
 */
class JoinedRecords {
  /** What became of each profile so far, in order. */
  readonly outcomes: ProfileResult[] = [];
  readonly #group: ProfilesRun;
  readonly #each: OutputPlan | undefined;
  readonly #limit: number | undefined;
  readonly #spools = new Set<RecordSpool>();
  readonly #remarks: (() => void)[] = [];

  /**
   * @param each the plan, where the questions are about each profile by itself; else all its records are wanted
   * @param limit the most records that are wanted of each profile then
   */
  constructor(group: ProfilesRun, each: OutputPlan | undefined, limit?: number) {
    this.#group = group;
    this.#each = each;
    this.#limit = limit;
  }

  /** To be read once. Throws, as `checkOutcomes` does, when nothing was had of any profile. */
  async *read(): AsyncGenerator<RecordBatch> {
    const { sections } = this.#group;
    try {
      const all = forEachProfile(this.#group, (profile, signal) => this.#putAside(profile, signal));
      for await (const { outcome, records } of all) {
        this.outcomes.push(outcome);
        if (hasRecords(outcome)) yield* sections.get(outcome.profile)!.counted(records.read());
        await records.close();
        this.#spools.delete(records);
      }
      if (!this.outcomes.some(hasRecords)) checkProfileResults(this.outcomes);
    } finally {
      for (const spool of this.#spools) await spool.close();
    }
  }

  /** Those that there are records of, so far, be it not all. */
  get profilesHad(): readonly string[] {
    return this.outcomes.filter(hasRecords).map(({ profile }) => profile);
  }

  /** Says of each profile how many records there are beside those shown; to be called after these. */
  remark(): void {
    for (const remark of this.#remarks) remark();
  }

  async #putAside(
    profile: string,
    signal: AbortSignal,
  ): Promise<{ outcome: ProfileResult; records: RecordSpool }> {
    const records = new RecordSpool();
    this.#spools.add(records);
    const outcome = await askProfile(this.#group, { profile, signal }, async (listing) => {
      for await (const batch of await this.#answers(listing, profile)) await records.append(batch);
      checkListingComplete(listing);
    });
    return { outcome, records };
  }

  async #answers(listing: OrganizationListing, profile: string): Promise<AsyncIterable<RecordBatch>> {
    const { context, flags, resource } = listing;
    const plan = this.#each;
    if (plan === undefined) return nameProfile(listingRecords(withLimit(listing, this.#limit)), profile);
    const questions = await openQuestions(context, { flags, resource, plan });
    this.#remarks.push(() => remarkCount(listing, questions, plan));
    return questions.answer(
      nameProfile(listingRecords(withLimit(listing, questions.limitOfListing)), profile),
    );
  }
}

/** Whether there are records of the profile, be it not all. */
function hasRecords({ failure }: ProfileResult): boolean {
  return failure === undefined || failure instanceof IncompleteError;
}

/** Two organizations may have records of the same id. */
function keyedByProfile<Flags extends ListingFlags>(flags: Flags): Flags {
  return flags.changesSince === undefined ? flags : { ...flags, key: flags.key ?? [PROFILE_COLUMN, 'id'] };
}

/** Writes the records of all profiles as one result. What became of each is for the caller to check. */
async function exportJoined(group: ProfilesRun, receipt: Receipt): Promise<readonly ProfileResult[]> {
  const { context, flags } = group;
  if (flags.listColumns) {
    const asked = { flags: keyedByProfile(flags), resource: group.resource, plan: undefined };
    const questions = await openQuestions(context, asked);
    const joined = new JoinedRecords(group, undefined, questions.limitOfListing);
    await listColumns(context, joined.read(), { questions, output: flags.output });
    return joined.outcomes;
  }
  const plan = await planJoined(group);
  if (isResult(flags) || flags.sort !== undefined) return exportAnswer(group, receipt, plan);
  const joined = new JoinedRecords(group, plan);
  await deliverJoined({ group, receipt, plan: withSheets(group, plan, joined) }, joined.read());
  joined.remark();
  return joined.outcomes;
}

/** Sums, changes and what is sorted are of all records together, and a limit counts what comes out. */
async function exportAnswer(
  group: ProfilesRun,
  receipt: Receipt,
  output: OutputPlan,
): Promise<readonly ProfileResult[]> {
  const { context, flags, resource, notices } = group;
  const joined = new JoinedRecords(group, undefined);
  const asked = { flags: keyedByProfile(flags), resource, plan: output };
  const questions = await openQuestions(context, asked);
  const plan = { ...withSheets(group, output, joined), openWriter: questions.writer(output.openWriter) };
  let read = 0;
  const counted = async function* (): AsyncGenerator<RecordBatch> {
    for await (const batch of joined.read()) {
      read += batch.count;
      yield batch;
    }
  };
  await deliverJoined({ group, receipt, plan }, questions.answer(counted()));
  notices.tell(questions.notes(read, tableLimit(flags, plan) !== undefined));
  return joined.outcomes;
}

async function deliverJoined(
  { group, receipt, plan }: { group: ProfilesRun; receipt: Receipt; plan: OutputPlan },
  records: AsyncIterable<RecordBatch>,
): Promise<void> {
  receipt.note({ plan });
  const delivered = await deliver(group.context, plan, receipt.counted(records), {
    digest: receipt.isWanted,
    ...discardNotice(group.notices, plan.target),
  });
  receipt.note({ delivered });
}

/** How one result is laid out is for the flags and the settings for all profiles to say: no single one decides. */
async function planJoined({ context, flags, resource }: ProfilesRun): Promise<OutputPlan> {
  const { columns, sandbox } = flags;
  const isNamed = columns === undefined || columns.includes(PROFILE_COLUMN) || isResult(flags);
  const named = isNamed ? {} : { columns: [PROFILE_COLUMN, ...columns] };
  const defaults = sandbox ? {} : flagDefaults(await context.config(), undefined, resource);
  return planOutput(context, { flags: { ...flags, ...named }, defaults, sheet: resource.records });
}

/** With --sheet-per-profile each profile that was had has a sheet, also where it has no records. */
function withSheets({ flags }: ProfilesRun, plan: OutputPlan, joined: JoinedRecords): OutputPlan {
  checkFlagsOfFormat(plan.format, { '--sheet-per-profile': flags.sheetPerProfile });
  if (!flags.sheetPerProfile) return plan;
  const sheetFor = { column: PROFILE_COLUMN, values: () => joined.profilesHad };
  return { ...plan, layout: { ...plan.layout, sheetFor } };
}

/** Whether something else comes out than the records. */
function isResult(flags: ListingFlags): boolean {
  return asksForTotals(flags) || flags.changesSince !== undefined;
}

/**
 * Writes the records of each profile into a file of its own in the folder, which is made if need be: the file that
 * `--profile <name> -o <folder>/<name>.<ending>` writes. One that fails leaves its file as it was.
 * Throws OutputError when there can be no such folder.
 */
async function exportApart(group: ProfilesRun, folder: string): Promise<readonly ProfileResult[]> {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw cannotWrite(folder, error, 'Name a folder, or a place where one can be made.');
  });
  const outcomes: ProfileResult[] = [];
  const all = forEachProfile(group, (profile, signal) =>
    askProfile(group, { profile, signal }, (listing) => {
      const format = fileFormat(listing.flags, listing.session.defaults);
      const output = join(folder, `${profile}.${endingOf(format)}`);
      return exportListing(listing, {
        flags: { ...listing.flags, format, output },
        site: listing.context,
      });
    }),
  );
  for await (const outcome of all) outcomes.push(outcome);
  return outcomes;
}

function fileFormat({ format, excel, delimiter }: ListingFlags, defaults: FlagDefaults): Format {
  const implied = excel || delimiter !== undefined ? 'csv' : defaults.format;
  return format ?? implied ?? 'csv';
}

/**
 * Lists or exports a resource of several organizations: into one result, or with --output-dir into a file for each.
 * Those that can be had are delivered whole; the others are named in the IncompleteError at the end.
 */
export async function runSideBySide(context: Context, run: ListingRun): Promise<void> {
  const { flags, resource } = run;
  const profiles = await chooseProfiles(context, flags);
  const notices = new Notices(context, flags);
  const options = { flags, what: resource.records, names: profiles };
  await Progress.during(context, options, async (progress, site) => {
    const receipt = await Receipt.open(context, { flags, resource, account: new WalkStatus(), notices });
    const sections = new Map(profiles.map((profile) => [profile, receipt.section(profile)]));
    await receipt.during(async () => {
      const fiscalIds = await fiscalIdsOf(context, run);
      // What is wrong with the command line is told once, before anybody is asked.
      filterParameters(resource, queryOf(run, fiscalIds));
      await askAll({ ...run, context: site, profiles, fiscalIds, notices, progress, sections }, receipt);
    });
  });
}

async function askAll(group: Omit<ProfilesRun, 'shared'>, receipt: Receipt): Promise<void> {
  const { context, flags } = group;
  const service = flags.sandbox ? await startOwnService(context, flags) : undefined;
  const whole: ProfilesRun = { ...group, shared: { quota: createRetryQuota(), service } };
  try {
    const apart = flags.listColumns ? undefined : flags.outputDir;
    checkProfileResults(
      apart === undefined ? await exportJoined(whole, receipt) : await exportApart(whole, apart),
    );
  } finally {
    await service?.close();
  }
}
