import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import type { FieldsOf } from '../../invoices/fields.ts';
import type { RecordBatch } from '../../json/records.ts';
import { openDestination, writeAndCommit } from '../../output/files/destination.ts';
import type { WhereFilter } from '../../query/where/where.ts';
import { checkResults, hasRecords, passUnknownIds, type OutcomeWords } from '../outcome.ts';
import type { RecordFilters } from '../filters.ts';
import { filterOf, withFieldCheck } from '../open-questions.ts';
import {
  forEachPart,
  inPart,
  missingIn,
  recordsOf,
  type OpenSource,
  type PartOptions,
  type Source,
  inRun,
  type Run,
  type RunOptions,
} from '../run.ts';
import { statesOf, type PartState } from '../run-state.ts';
import { organizationOf } from '../session.ts';

interface Tally {
  /** @param filter which of the records count; without it, all */
  add(batch: RecordBatch, filter?: WhereFilter): void;
  /** May be called more than once. */
  finish(): { readonly findings: readonly Finding[] };
}

interface PartRead<Read> {
  readonly profile: string | undefined;
  /** As the token names it. */
  readonly organization: string | undefined;
  readonly result: PartState;
  /** Whether all of the listing was there, even if some of its documents cannot be read. */
  readonly isWhole: boolean;
  /** Undefined where there are no records. */
  readonly tally: Read | undefined;
}

/** What a page is made of: the records of a source, of one organization. */
export interface PagePart {
  readonly source: Source;
  /** The name of the part, where the run has several. */
  readonly name?: string;
  readonly profile: string | undefined;
  /** Whether the columns of --field have to be there. */
  readonly watchesFields?: boolean;
  /** Which documents count, where not all do. */
  readonly keeps?: RecordFilters;
}

/** Reads every part into a tally of its own, in the order of the parts. Throws at once where nothing could be read. */
export type ReadParts<Of> = <Read extends Tally>(
  open: (fields: FieldsOf, part: Of) => Read,
) => Promise<readonly (Of & PartRead<Read>)[]>;

interface PageRun<Of> {
  readonly options: RunOptions;
  readonly parts: readonly Of[];
  /** The words of the error if some parts are not whole. */
  readonly words: (results: readonly PartState[]) => OutcomeWords;
}

/** Opens sources, which the caller closes, and calls `write`, in one run. Throws at its end if one could not be read whole. */
export async function inPageRun<Of extends PagePart>(
  context: Context,
  { options, parts, words }: PageRun<Of>,
  write: (run: Run, read: ReadParts<Of>) => Promise<unknown>,
): Promise<void> {
  const partNames = parts.flatMap(({ name }) => name ?? []);
  await inRun(context, { ...options, partNames }, async (run) => {
    const results = statesOf(run);
    const check = (): void => checkResults(results, words(results));
    const opened = new Map<Source, OpenSource>();
    for (const { source } of parts) {
      const own = parts.flatMap((part) => (part.source === source ? (part.profile ?? []) : []));
      if (!opened.has(source)) opened.set(source, await source.open(run, own));
    }
    await write(run, async (open) => {
      const all = [];
      const reading = forEachPart(run, parts, (part, signal) =>
        readPart(run, { ...part, source: opened.get(part.source)!, signal }, (fields) => open(fields, part)),
      );
      for await (const read of reading) all.push({ ...parts[all.length]!, ...read });
      passUnknownIds(results);
      if (!results.some(hasRecords)) check();
      return all;
    });
    check();
  });
}

/** Reads the records of a part into a tally, and returns its result. */
async function readPart<Read extends Tally>(
  run: Run,
  { watchesFields = false, keeps = {}, ...options }: Omit<PagePart, 'source'> & PartOptions,
  open: (fields: FieldsOf) => Read,
): Promise<PartRead<Read>> {
  let tally: Read | undefined;
  let isWhole = false;
  const result = await inPart(run, options, async (part) => {
    tally = open(part.meanings.fields);
    const records = recordsOf(part);
    const filter = await filterOf(part, keeps);
    for await (const batch of watchesFields ? await withFieldCheck(part, records) : records)
      tally.add(batch, filter);
    filter?.refuse();
    const found = filter?.findings() ?? [];
    part.notices.add(...found);
    isWhole = missingIn(part).length === 0;
    return isWhole ? { found: [...found, ...tally.finish().findings] } : {};
  });
  const { session } = result;
  return {
    // An export without a receipt has no owner: the current profile only defines what its columns mean.
    profile: session === undefined ? result.owner : session.profile,
    organization: organizationOf(session),
    result,
    isWhole,
    tally: hasRecords(result) ? tally : undefined,
  };
}

/** Whether what goes to `path`, undefined for standard output, is shown on a terminal. */
export function isOnTerminal({ stdout }: Context, path = '-'): boolean {
  return path === '-' && stdout.isTerminal;
}

export function refusePage(hint: string): never {
  throw new UsageError('a page cannot be shown on a terminal', { hint });
}

/** Writes a page or another text as a whole. Its file is opened before the text is made. */
export async function deliverText(
  run: Run,
  { path, what }: { readonly path: string | undefined; readonly what: string },
  make: () => Promise<string>,
): Promise<void> {
  const opened = await openDestination(path, run.context, { hasReceipt: run.flags.receipt !== undefined });
  const delivered = await writeAndCommit(opened, async (destination) => destination.write(await make()));
  run.whole.delivered = delivered;
  run.notices.remarkFile(delivered, { count: 1, what, place: path });
}
