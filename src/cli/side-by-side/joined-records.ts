import { IncompleteError } from '../../errors.ts';
import type { RecordBatch } from '../../json/record-batch.ts';
import { RecordSpool } from '../../output/record-spool.ts';
import { sayHowMany, withLimit } from '../export-listing.ts';
import { checkListing, recordsOf, type OrganizationListing } from '../list-organization.ts';
import type { OutputPlan } from '../output-plan.ts';
import { openQuestions } from '../questions/open-questions.ts';
import { askProfile, forEachProfile, type Group } from './ask-profiles.ts';
import { nameProfile } from './name-profile.ts';
import { checkOutcomes, type Outcome } from './outcome.ts';

/**
 * The records of several organizations as those of one listing: profile by profile, each named in its records. A
 * profile is put aside until it is known to be had, so that one that fails midway leaves nothing behind: what there
 * is of each is whole, or said to be not.
 */
export class JoinedRecords {
  /** What became of each profile so far, in order. */
  readonly outcomes: Outcome[] = [];
  readonly #group: Group;
  readonly #each: OutputPlan | undefined;
  readonly #spools = new Set<RecordSpool>();
  readonly #remarks: (() => void)[] = [];

  /** @param each the plan, where the questions are about each profile by itself; else all its records are wanted */
  constructor(group: Group, each: OutputPlan | undefined) {
    this.#group = group;
    this.#each = each;
  }

  /** To be read once. Throws, as `checkOutcomes` does, when nothing was had of any profile. */
  async *read(): AsyncGenerator<RecordBatch> {
    const { sections } = this.#group;
    try {
      const all = forEachProfile(this.#group, (profile, signal) => this.#putAside(profile, signal));
      for await (const { outcome, records } of all) {
        this.outcomes.push(outcome);
        if (isThere(outcome)) yield* sections.get(outcome.profile)!.counted(records.read());
        await records.close();
        this.#spools.delete(records);
      }
      if (!this.outcomes.some(isThere)) checkOutcomes(this.outcomes);
    } finally {
      for (const spool of this.#spools) await spool.close();
    }
  }

  /** Those that there are records of, so far, be it not all. */
  get profilesHad(): readonly string[] {
    return this.outcomes.filter(isThere).map(({ profile }) => profile);
  }

  /** Says of each profile how many records there are beside those shown; to be called after these. */
  remark(): void {
    for (const remark of this.#remarks) remark();
  }

  async #putAside(profile: string, signal: AbortSignal): Promise<{ outcome: Outcome; records: RecordSpool }> {
    const records = new RecordSpool();
    this.#spools.add(records);
    const outcome = await askProfile(this.#group, { profile, signal }, async (listing) => {
      for await (const batch of await this.#answers(listing, profile)) await records.append(batch);
      checkListing(listing);
    });
    return { outcome, records };
  }

  async #answers(listing: OrganizationListing, profile: string): Promise<AsyncIterable<RecordBatch>> {
    const { context, flags, resource, notices } = listing;
    const plan = this.#each;
    // With --list-columns the limit is how many records are looked at; with questions, how many rows come out.
    const all = flags.listColumns ? listing : withLimit(listing, undefined);
    if (plan === undefined) return nameProfile(recordsOf(all), profile);
    const questions = await openQuestions(context, { flags, resource, plan, notices });
    this.#remarks.push(() => sayHowMany(listing, questions, plan));
    return questions.answer(nameProfile(recordsOf(withLimit(listing, questions.limitOfListing)), profile));
  }
}

/** Whether there are records of the profile, be it not all. */
function isThere({ failure }: Outcome): boolean {
  return failure === undefined || failure instanceof IncompleteError;
}
