import { WhereFilter } from '../analysis/where-filter.ts';
import type { DownloadFolder } from '../downloads/download-folder.ts';
import type { DownloadJob } from '../downloads/download-files.ts';
import { InvoiceFileReader } from '../downloads/invoice-files.ts';
import { sliceRecords, type RecordBatch } from '../json/record-batch.ts';
import type { Delivery } from '../paging/page.ts';
import type { WalkAccount } from '../paging/walk-account.ts';
import { issued } from '../resources/issued.ts';
import type { ListingQuery } from '../resources/listing-query.ts';
import { openListing } from '../resources/open-listing.ts';
import { count } from './count.ts';
import type { Notices } from './notices.ts';
import type { PartialResults } from './partial-results.ts';
import type { QuestionFlags } from './questions/question-flags.ts';
import type { Session } from './session.ts';

export interface JobSources {
  readonly flags: Pick<QuestionFlags, 'where'>;
  readonly notices: Notices;
  readonly session: Session;
  readonly folder: DownloadFolder;
  readonly query: ListingQuery;
  readonly account: WalkAccount;
  readonly partial: PartialResults;
}

/** Invoices of one page, and where in the listing each stands, from 0, as far as that is known. */
interface Invoices {
  readonly records: RecordBatch;
  readonly placeOf: (index: number) => number | undefined;
}

/** The files of the invoices that are asked for, as the walk finds them, each with its name in the folder. */
export async function* downloadJobs(sources: JobSources, signal: AbortSignal): AsyncGenerator<DownloadJob> {
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
    for (const complaint of filter.complaints()) {
      notices.warn(`--where: ${complaint} (${count(filter.seen, 'record')} read)`);
    }
  }
}

function walk(
  { session, account, partial }: JobSources,
  query: ListingQuery,
  signal: AbortSignal,
): AsyncGenerator<Delivery> {
  const { client, concurrency } = session;
  const onErrors = (errors: Buffer): void => partial.add(errors);
  return openListing(issued, query, { client, concurrency, account, signal, onErrors });
}

function startOf(records: RecordBatch, next: Delivery['next']): { readonly place: number } | undefined {
  return typeof next === 'number' ? { place: next - records.count } : undefined;
}
