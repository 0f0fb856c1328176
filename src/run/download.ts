import { isLoopback } from '../api/address.ts';
import { createFileClient, type FileClient } from '../api/files.ts';
import { requestDefaults, type GlobalFlags, type ListingFlags, type RequestFlags } from '../cli/flags.ts';
import type { QuestionFlags } from '../cli/question-flags.ts';
import type { Context } from '../context.ts';
import { IncompleteError } from '../errors.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { scanLines } from '../json/scan-records.ts';
import { downloadFile, type DownloadJob, type DownloadResult } from '../output/downloads/download-file.ts';
import { DownloadFolder } from '../output/downloads/download-folder.ts';
import { InvoiceFileReader, LinkRenewal } from '../output/downloads/invoice-files.ts';
import { mapInOrder } from '../paging/map-in-order.ts';
import type { Delivery } from '../paging/page.ts';
import { WalkStatus } from '../paging/walk-status.ts';
import { WhereFilter, whereNotes } from '../query/where.ts';
import { issued } from '../resources/issued.ts';
import { numberedPages } from '../resources/listing-pages.ts';
import { filterParameters, type ListingQuery } from '../resources/listing-query.ts';
import { openListing } from '../resources/open-listing.ts';
import type { NumberedPaging } from '../resources/resource.ts';
import { version } from '../version.ts';
import { checkComplete, explainUnknownIds, PartialResults } from './completeness.ts';
import { readQuery } from './listing-query.ts';
import { Notices } from './notices.ts';
import { planOutput } from './output-plan.ts';
import { deliver } from './pipeline.ts';
import { Progress } from './progress.ts';
import { Receipt } from './receipt.ts';
import { openSession, type Session } from './session.ts';

/** Files that are fetched at once. */
const FILES_AT_ONCE = 8;

/** The client for files behind links of the service at `baseUrl`; it never sees a token. Sends nothing. */
async function makeFileClient(context: Context, baseUrl: URL, flags: RequestFlags): Promise<FileClient> {
  const { retries, retryDelay: delay, timeout } = { ...requestDefaults, ...flags };
  const { env, clock } = context;
  const transport = await context.openFileTransport({ connections: FILES_AT_ONCE, env });
  const retry = { retries, delay };
  const onLoopback = isLoopback(baseUrl.hostname);
  return createFileClient({
    transport,
    retry,
    timeout,
    clock,
    version,
    onLoopback,
    concurrency: FILES_AT_ONCE,
  });
}

interface JobSources {
  readonly flags: Pick<QuestionFlags, 'where'>;
  readonly notices: Notices;
  readonly session: Session;
  readonly folder: DownloadFolder;
  readonly query: ListingQuery;
  readonly account: WalkStatus;
  readonly partial: PartialResults;
}

/** Invoices of one page, and where in the listing each stands, from 0, as far as that is known. */
interface Invoices {
  readonly records: RecordBatch;
  readonly placeOf: (index: number) => number | undefined;
}

/** The files of the invoices that are asked for, as the walk finds them, each with its name in the folder. */
async function* downloadJobs(sources: JobSources, signal: AbortSignal): AsyncGenerator<DownloadJob> {
  const { flags, folder } = sources;
  const reader = new InvoiceFileReader();
  const invoices = flags.where === undefined ? allOf(sources, signal) : someOf(sources, flags.where, signal);
  for await (const { records, placeOf } of invoices) {
    for (let index = 0; index < records.count; index++) {
      for (const file of reader.read(records, index, placeOf(index)))
        yield { file, claim: folder.claim(file) };
    }
  }
}

async function* allOf(sources: JobSources, signal: AbortSignal): AsyncGenerator<Invoices> {
  for await (const { records, next } of walk(sources, sources.query, signal)) {
    const start = startOf(records, next);
    yield { records, placeOf: (index) => start && start.place + index };
  }
}

/** Those for which `--where` holds; a limit is of them, and not of what is read to find them. */
async function* someOf(
  sources: JobSources,
  where: NonNullable<QuestionFlags['where']>,
  signal: AbortSignal,
): AsyncGenerator<Invoices> {
  const filter = new WhereFilter(where);
  const { query, notices } = sources;
  let left = query.page === undefined ? (query.limit ?? Infinity) : Infinity;
  const wide = query.page === undefined ? { ...query, limit: undefined } : query;
  try {
    for await (const { records, next } of walk(sources, wide, signal)) {
      const [seen, kept] = [filter.seen, filter.kept];
      const start = startOf(records, next);
      const some = sliceRecords(filter.apply(records), 0, left);
      const placeOf = (index: number): number | undefined =>
        start && start.place + filter.placeOf(kept + index + 1) - 1 - seen;
      yield { records: some, placeOf };
      if ((left -= some.count) <= 0) return;
    }
  } finally {
    notices.tell(whereNotes(filter));
  }
}

function walk(
  { session, account, partial }: JobSources,
  query: ListingQuery,
  signal: AbortSignal,
): AsyncGenerator<Delivery> {
  const { client, concurrency } = session;
  const onErrors = (errors: Buffer): void => partial.add(errors);
  return openListing(issued, query, { client, concurrency, status: account, signal, onErrors });
}

function startOf(records: RecordBatch, next: Delivery['next']): { readonly place: number } | undefined {
  return typeof next === 'number' ? { place: next - records.count } : undefined;
}

/** What a record of a download says. */
const downloadColumns = ['invoice', 'file', 'bytes', 'status'] as const;

/** Files named in a message, at most. */
const MOST_NAMED = 20;

/** Turns what became of files into records, and keeps count of those that could not be had. */
class DownloadRecords {
  readonly #failed: string[] = [];
  #files = 0;

  /** One record, as a batch of its own so that it leaves at once; undefined for a file that was not asked for. */
  recordOf(result: DownloadResult): RecordBatch | undefined {
    const { file, status, stored, failure } = result;
    if (status === 'unwanted') return undefined;
    this.#files++;
    if (failure !== undefined) this.#failed.push(`${file.stem}-${file.index} (${failure.message})`);
    // The invoice's number is written as the service wrote it.
    const rest = JSON.stringify({ file: stored?.name ?? null, bytes: stored?.bytes ?? null, status });
    return scanLines(Buffer.from(`{"invoice":${file.shown},${rest.slice(1)}\n`));
  }

  /** Throws IncompleteError, with the list, where some could not be had. */
  checkAll(): void {
    const failed = this.#failed;
    if (failed.length === 0) return;
    const named = failed.slice(0, MOST_NAMED).join('; ');
    const more = failed.length > MOST_NAMED ? `; and ${failed.length - MOST_NAMED} more` : '';
    throw new IncompleteError(`${failed.length} of ${this.#files} files could not be had: ${named}${more}`, {
      hint: 'Run the same command again: what is there is not fetched again.',
    });
  }
}

export interface DownloadFlags extends ListingFlags, GlobalFlags, Pick<QuestionFlags, 'where'> {
  readonly only?: ReadonlySet<string>;
}

/** Files done and not yet told, since one before them is slow. */
const AHEAD = 256;

interface DownloadRun {
  readonly context: Context;
  readonly flags: DownloadFlags;
  readonly notices: Notices;
  readonly session: Session;
  readonly folder: DownloadFolder;
  readonly query: ListingQuery;
  readonly account: WalkStatus;
  readonly partial: PartialResults;
  readonly receipt: Receipt;
}

/** Fetches the files of the invoices that a listing gives, while it is walked. */
export async function runIssuedDownload(context: Context, path: string, flags: DownloadFlags): Promise<void> {
  if (flags.listColumns) return context.stdout.write(`${downloadColumns.join('\n')}\n`);
  const notices = new Notices(context, flags);
  await Progress.during(context, { flags, what: issued.records }, async (progress, site) => {
    const track = progress.track(notices);
    const account = new WalkStatus((event) => track.walked(event));
    const receipt = await Receipt.open(context, { flags, resource: issued, account, notices });
    await receipt.during(async () => {
      const session = await openSession(context, { flags, resource: issued, notices, observe: track.asked });
      receipt.note({ session });
      try {
        const merged = { ...session.defaults, ...flags };
        const query = await readQuery(context, { resource: issued, id: undefined, flags: merged });
        await inFolder(path, { context: site, flags, notices, session, query, account, receipt });
      } finally {
        await session.close();
      }
    });
  });
}

async function inFolder(path: string, run: Omit<DownloadRun, 'folder' | 'partial'>): Promise<void> {
  const partial = new PartialResults(run.query.fiscalIds, run.context.secrets.redact);
  run.receipt.note({ partial });
  const folder = await DownloadFolder.open(path, run.context);
  try {
    await downloadAll({ ...run, folder, partial });
  } catch (error) {
    throw await explainUnknownIds(error, { ...run, partial, resource: issued });
  } finally {
    await folder.close();
    partial.announce(run.notices, issued.fiscalIds);
  }
}

async function downloadAll(run: DownloadRun): Promise<void> {
  const { context, flags, session, account, partial, receipt } = run;
  const wish = { flags: { ...flags, columns: flags.columns ?? downloadColumns }, defaults: session.defaults };
  const plan = await planOutput(context, wish);
  receipt.note({ plan });
  const records = new DownloadRecords();
  const batches = receipt.counted(resultRecords(results(run), records));
  receipt.note({ delivered: await deliver(context, plan, batches, { digest: receipt.isWanted }) });
  records.checkAll();
  checkComplete(account, flags.strict ? [...partial.missingFiscalIds] : []);
}

async function* resultRecords(
  files: AsyncIterable<DownloadResult>,
  records: DownloadRecords,
): AsyncGenerator<RecordBatch> {
  for await (const result of files) {
    const record = records.recordOf(result);
    if (record !== undefined) yield record;
  }
}

async function* results(run: DownloadRun): AsyncGenerator<DownloadResult> {
  const { context, flags, session, folder, query } = run;
  const client = await makeFileClient(context, session.baseUrl, { ...session.defaults, ...flags });
  const request = { path: issued.path, filters: filterParameters(issued, query), client: session.client };
  const pages = numberedPages({ ...request, onErrors: () => {} }, issued.paging as NumberedPaging);
  const renewal = new LinkRenewal(pages, context.signal);
  const downloads = { folder, client, renewal, only: flags.only };
  const limits = { concurrency: FILES_AT_ONCE, ahead: AHEAD, signal: context.signal };
  try {
    yield* mapInOrder(
      (signal) => downloadJobs(run, signal),
      (job, signal) => downloadFile(job, downloads, signal),
      limits,
    );
  } finally {
    await client.close();
  }
}
