import type { FolioError } from '../errors.ts';
import { PROFILE_COLUMN } from '../invoices/fields.ts';
import { CellReader } from '../json/cells.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { withOwnColumn } from '../json/scan-records.ts';
import { Collected } from '../output/collected.ts';
import type { Delivery } from '../paging/page.ts';
import type { Resource } from '../resources/resource.ts';
import {
  checkPart,
  forEachPart,
  recordsOf,
  tryPart,
  type JoinedProfiles,
  type LocalSource,
  type Part,
  type Source,
} from './part.ts';
import { hasRecords, outcomeOf, stateOf, wordsOfProfiles, type PartState, type Run } from './run.ts';

interface JoinedOptions {
  /** What is read of each. The caller opens and closes it. */
  readonly source: Source;
  /** The profiles, in the order in which their records come. */
  readonly names: readonly string[];
  /** The most records of all together that are wanted of a listing. */
  readonly limit: number;
}

/**
 * The records of several organizations as those of one source: one organization after the other, each put aside until it is whole,
 * with the name of its profile as a column beside its records. One that fails is left out, and named at the end. Memory does not
 * grow with them.
 */
export class JoinedSource implements LocalSource {
  readonly kind = 'local';
  readonly isSeveral = true;
  readonly joined: JoinedProfiles = {
    names: () => this.#options.names,
    had: () => this.#read.filter(hasRecords).map(({ name }) => name!),
    isUnread: (record) => {
      const profile = this.#profiles.read(record, 0)[0]?.text;
      return this.#options.names.some((name) => name === profile && !this.joined.had().includes(name));
    },
    counted: (records) => (this.#run.flags.receipt === undefined ? records : this.#counted(records)),
  };
  readonly #run: Run;
  readonly #options: JoinedOptions;
  readonly #profiles = new CellReader([PROFILE_COLUMN]);
  /** The profiles that were read so far. */
  readonly #read: PartState[] = [];

  constructor(run: Run, options: JoinedOptions) {
    this.#run = run;
    this.#options = options;
  }

  get name(): string {
    return this.#options.source.name;
  }

  get records(): string {
    return this.#options.source.records;
  }

  get resource(): Resource | undefined {
    return this.#options.source.resource;
  }

  get headings(): ReadonlyMap<string, string> | undefined {
    return this.#options.source.headings;
  }

  /** Of each profile. */
  preferNewest(): boolean {
    return this.#options.source.preferNewest?.() === true;
  }

  /** @param limit records of each profile, at most, where they are wanted as they are listed */
  async *read({ status }: Part, limit: number | undefined): AsyncGenerator<Delivery> {
    const { source, names } = this.#options;
    const open = new Set<Collected>();
    const collect = async (profile: string, signal: AbortSignal) => {
      const collected = new Collected();
      open.add(collected);
      const state = await tryPart(this.#run, { source, name: profile, profile, signal }, async (part) => {
        for await (const batch of recordsOf(part, limit)) await collected.add(batch);
        checkPart(part);
      });
      return { profile, state, collected };
    };
    let left = limit === undefined ? Infinity : this.#options.limit;
    try {
      for await (const { profile, state, collected } of forEachPart(this.#run, names, collect)) {
        this.#read.push(state);
        const own = { name: PROFILE_COLUMN, value: JSON.stringify(profile) };
        for await (const batch of hasRecords(state) ? collected.read() : []) {
          if (left === 0) break;
          const given = sliceRecords(batch, 0, left);
          left -= given.count;
          status.records += given.count;
          // The records of an export of several say themselves whose they are.
          yield { records: source.isSeveral ? given : withOwnColumn(given, own), next: undefined };
        }
        await collected.close();
        open.delete(collected);
      }
    } finally {
      for (const collected of open) await collected.close();
    }
    const had = this.#read.filter(hasRecords);
    const failure = had.length === 0 ? this.failure() : undefined;
    if (failure !== undefined) throw failure;
    status.totalAtEnd = totalOf(had, limit);
  }

  async *#counted(records: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    const states = new Map(this.#options.names.map((name) => [name, stateOf(this.#run, name)]));
    for await (const batch of records) {
      for (let index = 0; index < batch.count; index++) {
        const state = states.get(this.#profiles.read(batch, index)[0]?.text ?? '');
        if (state !== undefined) state.records++;
      }
      yield batch;
    }
  }

  /** That profiles are missing, or not whole. */
  failure(): FolioError | undefined {
    return outcomeOf(this.#read, wordsOfProfiles(this.#read));
  }
}

/** How many records the listings have in all; undefined where one that was read as far as the limit does not say it. */
function totalOf(parts: readonly PartState[], limit = Infinity): number | undefined {
  let total = 0;
  for (const { status } of parts) {
    const { records, totalAtEnd = records < limit ? records : undefined } = status;
    if (totalAtEnd === undefined) return undefined;
    total += totalAtEnd;
  }
  return total;
}
