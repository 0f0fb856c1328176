import { isLoopback } from '../../api/address.ts';
import { FileClient } from '../../api/files.ts';
import { IncompleteError } from '../../errors.ts';
import { sliceRecords } from '../../json/records.ts';
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
import { countOf } from '../../output/terminal/number-text.ts';
import { mapInOrder } from '../../paging/map-in-order.ts';
import type { Delivery } from '../../paging/page.ts';
import { issued } from '../../resources/issued.ts';
import { numberedPages, filterParameters } from '../../resources/listing-pages.ts';
import { version } from '../../version.ts';
import type { ExtentFlags, FilterFlags, QuestionFlags } from '../flags.ts';
import type { Written } from '../notices.ts';
import { filterOf } from '../open-questions.ts';
import type { ServicePart } from '../part.ts';
import type { ReadPath } from '../paths.ts';
import type { Run } from '../run.ts';
import { ListingSource } from './listing-source.ts';

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

const MAX_NAMED = 20;

/** Fetches the files of the invoices of a listing while it is walked, and yields a record with the result of each. */
export class DownloadSource extends ListingSource {
  readonly #options: DownloadSourceOptions;
  #folder: DownloadFolder | undefined;
  /** Files that are in the folder, and their bytes. */
  #files = 0;
  #bytes = 0;
  readonly #failed: string[] = [];
  #withoutFiles = 0;

  constructor(options: DownloadSourceOptions) {
    const { flags } = options;
    super({ resource: issued, flags, fiscalIds: flags.fiscalIds });
    this.#options = options;
  }

  override get reads(): readonly ReadPath[] {
    const { folder } = this.#options;
    return [...super.reads, { path: folder, is: `a file of an invoice in ${folder}`, names: OWN_NAMES }];
  }

  /** Rows of files are in no order that the service has. */
  override begins(): undefined {}

  override async open(run: Run): Promise<void> {
    await super.open(run);
    this.#folder = await openDownloadFolder(this.#options.folder, run.context);
  }

  /** Takes no limit: that of the command line counts invoices, and is the listing's own. Each record leaves at once. */
  override async *read(part: ServicePart): AsyncGenerator<Delivery> {
    for await (const result of this.#results(part)) {
      const { file, status, stored, failure } = result;
      if (status === 'unwanted') continue;
      this.#bytes += stored?.bytes ?? 0;
      if (failure === undefined) this.#files++;
      else this.#failed.push(`${file.invoice}-${file.index} (${failure.message})`);
      // The invoice's number is written as the service wrote it.
      const rest = JSON.stringify({ file: stored?.name ?? null, bytes: stored?.bytes ?? null, status });
      const records = scanLines(Buffer.from(`{"invoice":${file.shown},${rest.slice(1)}\n`));
      yield { records };
    }
  }

  written(): Written {
    const without = this.#withoutFiles;
    return {
      count: this.#files,
      what: 'files of issued invoices',
      place: this.#options.folder,
      bytes: this.#bytes,
      more: without === 0 ? [] : [`${countOf(without, 'invoice')} without files`],
    };
  }

  failure(): IncompleteError | undefined {
    const { length } = this.#failed;
    if (length === 0) return undefined;
    const named = this.#failed.slice(0, MAX_NAMED).join('; ');
    const more = length > MAX_NAMED ? `; and ${length - MAX_NAMED} more` : '';
    const all = this.#files + length;
    return new IncompleteError(`${length} of ${all} files could not be had: ${named}${more}`, {
      hint: 'Run the same command again: what is there is not fetched again.',
    });
  }

  async close(): Promise<void> {
    await this.#folder?.close();
  }

  async *#results(part: ServicePart): AsyncGenerator<DownloadResult> {
    const { context, session } = part;
    const folder = this.#folder;
    if (folder === undefined) throw new TypeError('read before it was opened');
    const client = await openFileClient(part);
    const filters = filterParameters(issued, this.query(session.defaults));
    const request = { path: issued.path, filters, client: session.client, onErrors: () => {} };
    const filesOf = invoiceFilesOf(session.organization ?? session.baseUrl.origin);
    const renew = linkRenewal(numberedPages(request, issued.paging), filesOf, context.signal);
    const downloads = { folder, client, renew, only: this.#options.flags.only };
    const limits = { concurrency: FILES_AT_ONCE, ahead: AHEAD, signal: context.signal };
    try {
      yield* mapInOrder(
        (signal) => this.#jobs({ ...part, context: { ...context, signal } }, folder, filesOf),
        (job, signal) => downloadFile(job, downloads, signal),
        limits,
      );
    } finally {
      await client.close();
    }
  }

  /**
   * The files of the invoices that `--where` keeps, as the walk finds them, each with its name in the folder. A limit counts these
   * invoices, not the ones that are read to find them.
   */
  async *#jobs(part: ServicePart, folder: DownloadFolder, filesOf: ReadFiles): AsyncGenerator<DownloadJob> {
    const { where, page, limit } = this.#options.flags;
    const filter = await filterOf(part, { where });
    const isLimited = filter !== undefined && page === undefined;
    let left = isLimited ? (limit ?? Infinity) : Infinity;
    try {
      for await (const { records, next } of super.read(part, isLimited ? undefined : limit)) {
        const start = typeof next === 'number' ? next - records.count : undefined;
        const { seen, kept } = filter?.counts() ?? { seen: 0, kept: 0 };
        const some = filter === undefined ? records : sliceRecords(filter.apply(records), 0, left);
        for (let index = 0; index < some.count; index++) {
          const offset = filter === undefined ? index : filter.placeOf(kept + index + 1) - 1 - seen;
          // The place of an invoice in the listing, from 0, as far as that is known.
          const files = filesOf(some, index, start === undefined ? undefined : start + offset);
          if (files.length === 0) this.#withoutFiles++;
          for (const file of files) yield folder.claim(file);
        }
        if ((left -= some.count) <= 0) break;
      }
      filter?.refuse();
    } finally {
      part.notices.add(...(filter?.findings() ?? []));
    }
  }
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
