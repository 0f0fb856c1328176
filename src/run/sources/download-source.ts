import { isLoopback } from '../../api/address.ts';
import { FileClient, FileRefused } from '../../api/files.ts';
import { IncompleteError } from '../../errors.ts';
import { firstOf } from '../../json/cells.ts';
import { sliceRecords } from '../../json/records.ts';
import { scanLines } from '../../json/scan-records.ts';
import {
  downloadFile,
  openDownloadFolder,
  OWN_NAMES,
  type DownloadFolder,
  type DownloadJob,
} from '../../output/downloads/download-folder.ts';
import { invoiceFilesOf, linkRenewal } from '../../output/downloads/invoice-files.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { mapInOrder } from '../../paging/map-in-order.ts';
import type { Window } from '../../paging/page.ts';
import { issued } from '../../resources/invoices.ts';
import { asFailure, numberedPages } from '../../resources/listing-pages.ts';
import { version } from '../../version.ts';
import type { ExtentFlags, FilterFlags, QuestionFlags } from '../flags.ts';
import { filterOf } from '../open-questions.ts';
import type { ServicePart, OpenSource, Source } from '../run.ts';
import { organizationOf } from '../session.ts';
import { listingQuery, listingSource } from './listing-source.ts';

export const downloadColumns = ['invoice', 'file', 'bytes', 'status'] as const;

interface DownloadRequest {
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

/** The most files that may be done before an earlier, slower one. */
const AHEAD = 256;

const MAX_NAMED = 20;

/** Fetches the files of the invoices of a listing while it is walked, and yields a record with the result of each. */
export function downloadSource({ folder: path, flags }: DownloadRequest): Source {
  const listingRequest = { resource: issued, flags, fiscalIds: flags.fiscalIds };
  const source = listingSource(listingRequest);
  let folder: DownloadFolder | undefined;
  /** Takes no limit: that of the command line counts invoices, and is the listing's own. Each record leaves at once. */
  const read = async function* (listing: OpenSource, into: DownloadFolder, part: ServicePart) {
    let [files, bytes, withoutFiles, mayCome] = [0, 0, 0, false];
    const failed: string[] = [];
    const { context, session } = part;
    const query = listingQuery(listingRequest, listing.fiscalIds, session.defaults);
    const options = { client: session.client, onErrors: () => {} };
    const fetchPage = numberedPages({ resource: issued, query, options }, issued.paging);
    const filesOf = invoiceFilesOf(organizationOf(session) ?? session.baseUrl.origin);
    const page = (window: Window) => asFailure(fetchPage(window, context.signal, 'retry'));
    const renew = linkRenewal(page, filesOf);
    const client = await openFileClient(part);
    const downloads = { folder: into, client, renew, only: flags.only };
    /** Each file with its name in the folder. */
    const jobs = async function* (signal: AbortSignal): AsyncGenerator<DownloadJob> {
      const own = { ...part, context: { ...context, signal } };
      for await (const { records, index, place } of invoicesOf(own, listing, flags)) {
        const all = filesOf(records, index, place);
        if (all.length === 0) withoutFiles++;
        for (const file of all) yield into.claim(file);
      }
    };
    const limits = { concurrency: FILES_AT_ONCE, ahead: AHEAD, signal: context.signal };
    try {
      const results = mapInOrder(jobs, (job, signal) => downloadFile(job, downloads, signal), limits);
      for await (const { file, status, stored, failure } of results) {
        if (status === 'unwanted') continue;
        bytes += stored?.bytes ?? 0;
        if (failure === undefined) files++;
        else failed.push(`${file.invoice}-${file.index} (${failure.message})`);
        mayCome ||= failure !== undefined && !(failure instanceof FileRefused);
        // The invoice's number is written as the service wrote it.
        const rest = JSON.stringify({ file: stored?.name ?? null, bytes: stored?.bytes ?? null, status });
        const line = `{"invoice":${file.shown},${rest.slice(1)}\n`;
        yield { records: scanLines(Buffer.from(line)) };
      }
    } finally {
      await client.close();
    }
    const more = withoutFiles === 0 ? [] : [`${countOf(withoutFiles, 'invoice')} without files`];
    part.state.written = { count: files, what: 'files of issued invoices', place: path, bytes, more };
    if (failed.length > 0) part.lacks.push(failedFiles(failed, files, mayCome));
  };
  return {
    ...source,
    reads: [...(source.reads ?? []), { path, what: `a file of an invoice in ${path}`, names: OWN_NAMES }],
    async open(run, profiles) {
      const listing = await source.open(run, profiles);
      const into = await openDownloadFolder(path, run.context);
      folder = into;
      // The rows of files do not have the order of the service.
      return { ...listing, order: undefined, read: (part: ServicePart) => read(listing, into, part) };
    },
    close: async () => folder?.close(),
  };
}

/** @param mayCome whether some of them may come in another run */
function failedFiles(failed: readonly string[], files: number, mayCome: boolean): IncompleteError {
  const { length } = failed;
  const named = firstOf(failed.slice(0, MAX_NAMED), length, '; ');
  const hint = mayCome
    ? 'Run the same command again: what is there is not fetched again.'
    : 'Running it again will hardly help: ask the service for these files.';
  const text = `${length} of ${files + length} files could not be downloaded: ${named}`;
  return new IncompleteError(text, { hint });
}

/**
 * The invoices that `--where` keeps, as the walk finds them, each with its place in the listing, from 0, as far as that is known.
 * A limit counts these invoices, not the ones that are read to find them.
 */
async function* invoicesOf(
  part: ServicePart,
  listing: OpenSource,
  { where, limit }: DownloadRequest['flags'],
) {
  const filter = await filterOf(part, { where });
  const limitOfListing = filter === undefined ? limit : undefined;
  let left = filter === undefined ? Infinity : (limit ?? Infinity);
  try {
    for await (const { records, next } of listing.read(part, { limit: limitOfListing })) {
      const start = typeof next === 'number' ? next - records.count : undefined;
      const seen = filter?.counts().seen ?? 0;
      const some = filter === undefined ? records : sliceRecords(filter.apply(records), 0, left);
      for (let index = 0; index < some.count; index++) {
        const offset = (some.places?.[index] ?? seen + index + 1) - 1 - seen;
        yield { records: some, index, place: start === undefined ? undefined : start + offset };
      }
      if ((left -= some.count) <= 0) break;
    }
    filter?.refuse();
  } finally {
    part.notices.add(...(filter?.findings() ?? []));
  }
}

/** The client for files behind links of the service; it gets no token. Sends nothing. */
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
  const concurrency = FILES_AT_ONCE;
  return new FileClient({ transport, retry, timeout, clock, version, onLoopback, concurrency });
}
