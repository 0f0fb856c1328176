import type { ApiClient } from '../api/client.ts';
import { pathSegment, type QueryPair } from '../api/address.ts';
import { StatusError } from '../api/status-failure.ts';
import type { ResponseHead } from '../api/transport.ts';
import { BadBody, isFailure, NotFoundError } from '../errors.ts';
import { RecordKeys } from '../json/identity.ts';
import { recordBytes, type RecordBatch } from '../json/records.ts';
import { scanArray, scanRecord } from '../json/scan-records.ts';
import { checkJson } from '../json/scanner.ts';
import { WalkStatus } from '../paging/walk-status.ts';
import { customers, fundDocuments } from './listings.ts';
import { openListing, type OpenListingOptions } from './listing-pages.ts';
import { isChileanFiscalId } from '../invoices/fiscal-ids.ts';

/** The request for one customer. */
interface CustomerRequest<T> {
  /** `/customers/` and the ID, percent-encoded. */
  readonly path: string;
  readonly query: readonly QueryPair[];
  readonly parse: (body: Buffer) => T;
  readonly signal: AbortSignal;
}

/** One customer, as a batch of one record. Rejects like `getCustomer`. */
export function fetchCustomer(client: ApiClient, id: string, signal: AbortSignal): Promise<RecordBatch> {
  return getCustomer(client, { path: `/customers/${pathSegment(id)}`, query: [], parse: scanItem, signal });
}

/** The members of an error (spec 7), which may come with status 200. */
const ERROR_MEMBERS = ['error', 'errors', 'message', 'Message'];

/** A body that is one record. Throws BadBody, also for an error. */
function scanItem(body: Buffer): RecordBatch {
  const record = scanRecord(body);
  const names = Object.keys(JSON.parse(body.toString()) as object);
  if (names.some((name) => !ERROR_MEMBERS.includes(name))) return record;
  throw new BadBody(`expected a record, found ${names.join(' and ') || 'an empty object'}`, 0);
}

/** Whether a path below the base address names one customer. */
export function isCustomerPath(path: string): boolean {
  return /^\/customers\/[^/]+$/.test(path) && path !== PORTAL_LINK;
}

/**
 * Gets one customer. For an unknown customer the service answers 500 now, and 404 in future (spec 4.4). So after
 * a 500 and all retries the listing decides: a customer that it does not have is unknown. An id that can only
 * be a fiscal ID is requested once. Throws NotFoundError for an unknown customer; else as `ApiClient.get` does.
 */
export async function getCustomer<T>(client: ApiClient, request: CustomerRequest<T>): Promise<T> {
  const id = decoded(request.path.slice('/customers/'.length));
  const isFiscalId = isChileanFiscalId(id);
  try {
    return await client.get({ ...request, passes: isFiscalId ? [500] : [] });
  } catch (error) {
    if (isFiscalId && (isStatus500(error) || error instanceof NotFoundError)) {
      const find = `folio customers --where fiscalId=${id} --columns id,name`;
      throw new NotFoundError(`no customer has the id ${id}, which looks like a fiscal ID`, {
        hint: `Customers are known by their id: find it with \`${find}\`.`,
        cause: error,
      });
    }
    if (!isStatus500(error)) throw error;
    const listed = await isListed(client, id, request.signal);
    if (listed === undefined) throw error;
    if (listed) {
      throw error.reworded(
        `${error.message}; customer ${id} exists, since the listing has it`,
        'Try again later, or take it from the listing: `folio customers --where id=…`.',
      );
    }
    throw new NotFoundError(
      `the service answers 500 for customer ${id}, and has no such id among its customers`,
      {
        hint: 'At present it answers so for customers that do not exist. Check the ID with `folio customers`.',
        cause: error,
      },
    );
  }
}

/** Decodes percent-encoded text; returns text that is not encoded correctly as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isStatus500(error: unknown): error is StatusError {
  return error instanceof StatusError && error.status === 500;
}

/** The most pages that are read: a service may never stop sending cursors. */
const MOST_PAGES = 300;

/** Whether the listing has a customer with this id; undefined if the listing cannot be read, or has no ids. */
async function isListed(client: ApiClient, id: string, signal: AbortSignal): Promise<boolean | undefined> {
  const keys = new RecordKeys();
  const status = new WalkStatus();
  const options = { client, concurrency: 1, status, signal, onErrors: () => {} };
  let [pages, ids] = [0, 0];
  try {
    for await (const { records } of openListing(customers, { fiscalIds: [], params: [] }, options)) {
      if (++pages > MOST_PAGES) return undefined;
      for (let index = 0; index < records.count; index++) {
        const own = keys.read(records, index);
        if (own === id) return true;
        if (own !== undefined) ids++;
      }
    }
  } catch (error) {
    if (isFailure(error)) return undefined;
    throw error;
  }
  return status.incomplete === 0 && (pages === 0 || ids > 0) ? false : undefined;
}

const PORTAL_LINK = '/customers/portal-link';
/** Statuses whose `Location` is the link: the service made it, or points to it. folio returns it and does not follow it. */
const WITH_LOCATION = [201, 204, 301, 302, 303, 307, 308];

/**
 * The link to a customer's portal. The specification does not show its parameters and its body (spec 4.9), so every form of
 * a link is accepted: an object, a list of them, a text (JSON, also in a list, or plain), the `Location` of an answer without a
 * body. An object is returned as it is; a text becomes the record `{"link": "…"}`.
 */
export function fetchPortalLink(client: ApiClient, query: readonly QueryPair[]): Promise<RecordBatch> {
  return client.get({ path: PORTAL_LINK, query, parse: parsePortalLink, takes: WITH_LOCATION });
}

function parsePortalLink(body: Buffer, { status, headers }: ResponseHead): RecordBatch {
  const { location } = headers;
  const text = body.toString().trim();
  if (location !== undefined && (status !== 200 || text === '')) return linkRecord(location);
  if (/^https?:\/\/\S+$/i.test(text)) return linkRecord(text);
  if (/^["[]/.test(text)) {
    checkJson(body);
    const [link, ...others] = [JSON.parse(text) as unknown].flat();
    if (typeof link === 'string' && link !== '' && others.length === 0) return linkRecord(link);
  }
  const records = text.startsWith('[') ? scanArray(body) : scanItem(body);
  if (records.count > 0) return records;
  throw new BadBody('expected a link', 0);
}

function linkRecord(link: string): RecordBatch {
  return scanRecord(Buffer.from(JSON.stringify({ link })));
}

/**
 * One fund with every document assigned to it, as a batch of one record: the first page as it was sent, with the documents
 * of the other pages behind its own.
 */
export async function fetchFund(id: string, options: OpenListingOptions): Promise<RecordBatch> {
  let fund: Buffer | undefined;
  const onBody = (body: Buffer): void => void (fund ??= body);
  const documents: Buffer[] = [];
  let first: RecordBatch | undefined;
  const query = { id, fiscalIds: [], params: [] };
  for await (const { records } of openListing(fundDocuments, query, { ...options, onBody })) {
    first ??= records;
    for (let index = 0; index < records.count; index++) documents.push(recordBytes(records, index));
  }
  // Without documents, the first page is the whole fund.
  return scanRecord(first === undefined ? fund! : withDocuments(first, documents));
}

/** The body of the first page with all documents in place of its own. */
function withDocuments({ bytes, bounds }: RecordBatch, documents: readonly Buffer[]): Buffer {
  const separated = documents.flatMap((document, index) => (index === 0 ? [document] : [COMMA, document]));
  return Buffer.concat([bytes.subarray(0, bounds[0]), ...separated, bytes.subarray(bounds.at(-1))]);
}

const COMMA = Buffer.from(',');
