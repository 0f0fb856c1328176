import type { ApiClient } from '../api/client.ts';
import { pathSegment, type QueryPair } from '../api/address.ts';
import { StatusError } from '../api/status-failure.ts';
import type { Clock } from '../context.ts';
import { NotFoundError } from '../errors.ts';
import { recordBytes, type RecordBatch } from '../json/records.ts';
import { scanRecord } from '../json/scan-records.ts';
import { walkNumbered } from '../paging/numbered-walk.ts';
import type { WalkStatus } from '../paging/walk-status.ts';
import { fundDocuments } from './fund-documents.ts';
import { numberedPages } from './listing-pages.ts';
import type { NumberedPaging } from './resource.ts';

/** Tries before a 500 counts as the service's answer for an unknown customer and not as a passing fault. */
const TRIES = 3;
/** Milliseconds between them. */
const PAUSE = 500;

/**
 * One customer, as a batch of one record.
 *
 * An unknown customer is answered with 500 at present and with 404 one day (spec 4.4): NotFoundError in both cases.
 */
export async function fetchCustomer(
  client: ApiClient,
  id: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<RecordBatch> {
  const path = `/customers/${pathSegment(id)}`;
  for (let tried = 1; ; tried++) {
    try {
      return await client.get({ path, query: [], parse: scanRecord, passes: [500] });
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 500) throw error;
      if (tried === TRIES) {
        throw new NotFoundError(`the service answers 500 for customer ${id}, ${TRIES} times in a row`, {
          hint: 'At present the service answers like this for customers that do not exist. Check the ID with `folio customers`.',
          cause: error,
        });
      }
      await clock.sleep(PAUSE * tried, signal);
    }
  }
}

/** The link to a customer's portal. Its parameters and its body are not in the specification (spec 4.9). */
export function fetchPortalLink(client: ApiClient, query: readonly QueryPair[]): Promise<RecordBatch> {
  return client.get({ path: '/customers/portal-link', query, parse: scanRecord });
}

interface FetchFundOptions {
  readonly client: ApiClient;
  readonly id: string;
  readonly concurrency: number;
  readonly status: WalkStatus;
  readonly signal: AbortSignal;
  readonly onErrors: (errors: Buffer) => void;
}

/**
 * One fund with every document assigned to it, as a batch of one record: the first page as it was sent, its documents
 * followed by those of the other pages.
 */
export async function fetchFund({
  client,
  id,
  onErrors,
  ...options
}: FetchFundOptions): Promise<RecordBatch> {
  const paging = fundDocuments.paging as NumberedPaging;
  const path = fundDocuments.path.replace('{id}', () => pathSegment(id));
  let fund: Buffer | undefined;
  const onBody = (body: Buffer): void => void (fund ??= body);
  const fetchPage = numberedPages({ path, filters: [], client, onErrors, onBody }, paging, { isOurs: true });
  const documents: Buffer[] = [];
  let first: RecordBatch | undefined;
  for await (const { records } of walkNumbered({
    ...options,
    fetchPage,
    size: paging.walkSize,
    maxSize: paging.maxSize,
  })) {
    first ??= records;
    for (let index = 0; index < records.count; index++) documents.push(recordBytes(records, index));
  }
  if (fund === undefined) throw new NotFoundError(`the service sent nothing for fund ${id}`);
  return scanRecord(first === undefined ? fund : withDocuments(first, documents));
}

/** The body of the first page with all documents in place of its own. */
function withDocuments({ bytes, bounds }: RecordBatch, documents: readonly Buffer[]): Buffer {
  const separated = documents.flatMap((document, index) => (index === 0 ? [document] : [COMMA, document]));
  return Buffer.concat([bytes.subarray(0, bounds[0]), ...separated, bytes.subarray(bounds.at(-1))]);
}

const COMMA = Buffer.from(',');
