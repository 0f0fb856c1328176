import { PROFILE_COLUMN } from '../../invoices/fields.ts';
import { CellReader } from '../../json/cells.ts';
import { sliceRecords, type RecordBatch } from '../../json/records.ts';
import { withOwnColumn } from '../../json/scan-records.ts';
import type { Delivery } from '../../paging/page.ts';
import type { WalkStatus } from '../../paging/walk-status.ts';
import type { Resource } from '../../resources/resource.ts';
import {
  checkPart,
  hasRecords,
  recordsOf,
  type JoinedProfiles,
  type LocalReadOptions,
  type LocalSource,
  type Part,
  type PartResult,
  type Source,
} from '../part.ts';
import type { Run } from '../run.ts';
import { checkResults } from './outcome.ts';
import { BufferedParts, type NamedPart } from './buffered-parts.ts';

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
 * with the name of its profile as a column beside its records. One that fails is left out, and named at the end.
 */
export class JoinedSource implements LocalSource {
  readonly kind = 'local';
  readonly isSeveral = true;
  readonly joined: JoinedProfiles = {
    names: () => this.#options.names,
    had: () => this.#buffered?.namesHad ?? [],
    isUnread: (record) => {
      const profile = this.#profiles.read(record, 0)[0]?.text;
      return this.#options.names.some((name) => name === profile && !this.joined.had().includes(name));
    },
    counted: (records) => (this.#run.receipt.isWanted ? this.#counted(records) : records),
  };
  readonly #run: Run;
  readonly #options: JoinedOptions;
  readonly #profiles = new CellReader([PROFILE_COLUMN]);
  #buffered: BufferedParts<NamedPart> | undefined;

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
  async *read({ status }: LocalReadOptions, limit: number | undefined): AsyncGenerator<Delivery> {
    const { source, names } = this.#options;
    const statuses = new Map<string, WalkStatus>();
    const parts = names.map((profile) => ({ source, name: profile, profile }));
    const buffered = (this.#buffered = new BufferedParts(this.#run, parts, (part) => {
      statuses.set(part.name!, part.status);
      return wholePart(part, limit);
    }));
    let left = limit === undefined ? Infinity : this.#options.limit;
    for await (const { options, records } of buffered.read()) {
      const own = { name: PROFILE_COLUMN, value: JSON.stringify(options.name) };
      for await (const batch of records) {
        if (left === 0) break;
        const given = sliceRecords(batch, 0, left);
        left -= given.count;
        status.records += given.count;
        // The records of an export of several say themselves whose they are.
        yield { records: source.isSeveral ? given : withOwnColumn(given, own), next: undefined };
      }
    }
    if (buffered.namesHad.length === 0) this.check();
    status.totalAtEnd = totalOf(
      buffered.namesHad.map((name) => statuses.get(name)!),
      limit,
    );
  }

  async *#counted(records: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    const { receipt } = this.#run;
    const sections = new Map(this.#options.names.map((name) => [name, receipt.section(name)]));
    for await (const batch of records) {
      for (let index = 0; index < batch.count; index++)
        sections.get(this.#profiles.read(batch, index)[0]?.text ?? '')?.count(1);
      yield batch;
    }
  }

  /** Throws where profiles are missing, or not whole. */
  check(): void {
    checkProfiles(this.#buffered?.results ?? []);
  }
}

/** The records of a part. Throws IncompleteError after the last one where it is not whole. */
async function* wholePart(part: Part, limit: number | undefined): AsyncGenerator<RecordBatch> {
  yield* recordsOf(part, limit);
  checkPart(part);
}

/** How many records the listings have in all; undefined where one that was read as far as the limit does not say it. */
function totalOf(listings: readonly WalkStatus[], limit = Infinity): number | undefined {
  let total = 0;
  for (const { records, totalAtEnd = records < limit ? records : undefined } of listings) {
    if (totalAtEnd === undefined) return undefined;
    total += totalAtEnd;
  }
  return total;
}

/** Throws where profiles are missing, or not whole. */
export function checkProfiles(results: readonly PartResult[]): void {
  const failed = results.filter(({ failure }) => failure !== undefined);
  const names = failed.map(({ name }) => name);
  checkResults(results, {
    what: 'profiles',
    lack: failed.every(hasRecords) ? 'not whole' : 'missing',
    hint: `Run \`folio doctor --profile ${names[0]}\` to see what to fix there; to run these again, use --profile ${names.join(',')}.`,
  });
}
