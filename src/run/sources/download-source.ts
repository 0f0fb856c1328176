import { isLoopback } from '../../api/address.ts';
import { FileClient } from '../../api/files.ts';
import { IncompleteError } from '../../errors.ts';
import { sliceRecords, type RecordBatch } from '../../json/records.ts';
import { scanLines } from '../../json/scan-records.ts';
import {
  downloadFile,
  openDownloadFolder,
  OWN_NAMES,
  type DownloadFolder,
  type DownloadJob,
  type DownloadResult,
} from '../../output/downloads/download-folder.ts';
import { invoiceFilesOf, linkRenewal, type ReadFiles } from '../../output/downloads/invoice-files.ts';
import { mapInOrder } from '../../paging/map-in-order.ts';
import type { Delivery } from '../../paging/page.ts';
import { conditionTest, WhereFilter } from '../../query/where/where.ts';
import { issued } from '../../resources/issued.ts';
import { numberedPages, filterParameters } from '../../resources/listing-pages.ts';
import { version } from '../../version.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import type { Written } from '../notices.ts';
import type { ExtentFlags, FilterFlags, QuestionFlags } from '../flags.ts';
import { ListingSource } from './listing-source.ts';
import { whereContext } from '../open-questions.ts';
import type { ReadPath } from '../paths.ts';
import type { ServicePart, ServiceSource } from '../part.ts';
import type { Run } from '../run.ts';

/** What a record of a download says. */
export const downloadColumns = ['invoice', 'file', 'bytes', 'status'] as const;

interface DownloadSourceOptions {
  /** The folder, which is made if need be. */
  readonly folder: string;
  readonly flags: FilterFlags &
    ExtentFlags &
    Pick<QuestionFlags, 'where'> & {
      /** Endings of files; undefined for any. */
      readonly only?: ReadonlySet<string> | undefined;
    };
}

const FILES_AT_ONCE = 8;

/** Files that are done and wait for a slower one before them, at most. */
const AHEAD = 256;

/** Fetches the files of the invoices that a listing gives, while it is walked: a record for each says what became of it. */
export class DownloadSource implements ServiceSource {
  readonly kind = 'service';
  readonly name = issued.name;
  readonly records = issued.records;
  readonly resource = issued;
  readonly #options: DownloadSourceOptions;
  readonly #listing: ListingSource;
  readonly #told = new DownloadRecords();
  #withoutFiles = 0;
  #folder: DownloadFolder | undefined;

  constructor(options: DownloadSourceOptions) {
    this.#options = options;
    this.#listing = new ListingSource({
      resource: issued,
      flags: options.flags,
      fiscalIds: options.flags.fiscalIds,
    });
  }

  get fiscalIds(): readonly string[] {
    return this.#listing.fiscalIds;
  }

  get reads(): readonly ReadPath[] {
    const { folder } = this.#options;
    return [
      ...this.#listing.reads,
      { path: folder, is: `a file of an invoice in ${folder}`, names: OWN_NAMES },
    ];
  }

  get strict(): boolean {
    return this.#listing.strict;
  }

  async open(run: Run): Promise<void> {
    await this.#listing.open(run);
    this.#folder = await openDownloadFolder(this.#options.folder, run.context);
  }

  /** The limit of the command line is one of invoices, and the listing's own. */
  async *read(options: ServicePart): AsyncGenerator<Delivery> {
    for await (const result of this.#results(options)) {
      const record = this.#told.recordOf(result);
      if (record !== undefined) yield { records: record, next: undefined };
    }
  }

  written(): Written {
    const { files, bytes } = this.#told;
    const without = this.#withoutFiles;
    return {
      count: files,
      what: 'files of issued invoices',
      place: this.#options.folder,
      bytes,
      more: without === 0 ? [] : [`${countOf(without, 'invoice')} without files`],
    };
  }

  failure(): IncompleteError | undefined {
    return this.#told.failure();
  }

  async close(): Promise<void> {
    await this.#folder?.close();
  }

  async *#results(options: ServicePart): AsyncGenerator<DownloadResult> {
    const { context, session } = options;
    const folder = this.#folder;
    if (folder === undefined) throw new TypeError('read before it was opened');
    const client = await openFileClient(options);
    const filters = filterParameters(issued, this.#listing.query(session.defaults));
    const request = { path: issued.path, filters, client: session.client, onErrors: () => {} };
    const filesOf = invoiceFilesOf(session.organization ?? session.baseUrl.origin);
    const renew = linkRenewal(numberedPages(request, issued.paging), filesOf, context.signal);
    const downloads = { folder, client, renew, only: this.#options.flags.only };
    const limits = { concurrency: FILES_AT_ONCE, ahead: AHEAD, signal: context.signal };
    try {
      yield* mapInOrder(
        (signal) => this.#jobs({ ...options, context: { ...context, signal } }, folder, filesOf),
        (job, signal) => downloadFile(job, downloads, signal),
        limits,
      );
    } finally {
      await client.close();
    }
  }

  /** The files of the invoices that are asked for, as the walk finds them, each with its name in the folder. */
  async *#jobs(
    options: ServicePart,
    folder: DownloadFolder,
    filesOf: ReadFiles,
  ): AsyncGenerator<DownloadJob> {
    for await (const { records, placeOf } of this.#invoices(options)) {
      for (let index = 0; index < records.count; index++) {
        const files = filesOf(records, index, placeOf(index));
        if (files.length === 0) this.#withoutFiles++;
        for (const file of files) yield folder.claim(file);
      }
    }
  }

  /** The invoices for which `--where` holds. A limit counts these, not the ones that are read to find them. */
  async *#invoices(options: ServicePart): AsyncGenerator<PlacedInvoices> {
    const { where, page, limit } = this.#options.flags;
    const { context, run } = options;
    const tests = where?.map((condition) => conditionTest(condition, whereContext(context, run.day)));
    const filter = tests && new WhereFilter(tests, { names: options.names });
    const isLimited = filter !== undefined && page === undefined;
    let left = isLimited ? (limit ?? Infinity) : Infinity;
    try {
      for await (const { records, next } of this.#listing.read(options, isLimited ? undefined : limit)) {
        const start = typeof next === 'number' ? next - records.count : undefined;
        const { seen, kept } = filter?.counts() ?? { seen: 0, kept: 0 };
        const some = filter === undefined ? records : sliceRecords(filter.apply(records), 0, left);
        const placeOf = (index: number): number | undefined =>
          start === undefined
            ? undefined
            : start + (filter === undefined ? index : filter.placeOf(kept + index + 1) - 1 - seen);
        yield { records: some, placeOf };
        if ((left -= some.count) <= 0) break;
      }
      filter?.refuse();
    } finally {
      options.notices.add(...(filter?.findings() ?? []));
    }
  }
}

/** Invoices of one page, and where in the listing each stands, from 0, as far as that is known. */
interface PlacedInvoices {
  readonly records: RecordBatch;
  readonly placeOf: (index: number) => number | undefined;
}

/** The client for files behind links of the service; it never sees a token. Sends nothing. */
async function openFileClient({ context, session }: ServicePart): Promise<FileClient> {
  const { retries, retryDelay: delay, timeout } = session.limits;
  const { env, clock } = context;
  const onLoopback = isLoopback(session.baseUrl.hostname);
  const transport = await context.openTransport({
    connections: FILES_AT_ONCE,
    env,
    refusesThisMachine: !onLoopback,
  });
  const retry = { retries, delay };
  return new FileClient({
    transport,
    retry,
    timeout,
    clock,
    version,
    onLoopback,
    concurrency: FILES_AT_ONCE,
  });
}

/** Files named in a message, at most. */
const MAX_NAMED = 20;

/** Turns the results of downloads into records, and counts the files that could not be had. */
class DownloadRecords {
  readonly #failed: string[] = [];
  /** Files that are in the folder, and their bytes. */
  files = 0;
  bytes = 0;

  /** One record, as a batch of its own so that it leaves at once; undefined for a file that was not asked for. */
  recordOf({ file, status, stored, failure }: DownloadResult): RecordBatch | undefined {
    if (status === 'unwanted') return undefined;
    this.bytes += stored?.bytes ?? 0;
    if (failure === undefined) this.files++;
    else this.#failed.push(`${file.invoice}-${file.index} (${failure.message})`);
    // The invoice's number is written as the service wrote it.
    const rest = JSON.stringify({ file: stored?.name ?? null, bytes: stored?.bytes ?? null, status });
    return scanLines(Buffer.from(`{"invoice":${file.shown},${rest.slice(1)}\n`));
  }

  /** That some could not be had, with the list. */
  failure(): IncompleteError | undefined {
    const failed = this.#failed;
    if (failed.length === 0) return undefined;
    const named = failed.slice(0, MAX_NAMED).join('; ');
    const more = failed.length > MAX_NAMED ? `; and ${failed.length - MAX_NAMED} more` : '';
    const all = this.files + failed.length;
    return new IncompleteError(`${failed.length} of ${all} files could not be had: ${named}${more}`, {
      hint: 'Run the same command again: what is there is not fetched again.',
    });
  }
}
