import type { ApiClient } from '../api/client.ts';
import { pathSegment, type QueryPair } from '../api/address.ts';
import { StatusError } from '../api/status-failure.ts';
import type { ResponseHead } from '../api/attempt.ts';
import { FolioError, Interrupted, NotFoundError, BadBody } from '../errors.ts';
import { recordBytes, type RecordBatch } from '../json/records.ts';
import { scanArray, scanPage, scanRecord } from '../json/scan-records.ts';
import { checkJson } from '../json/scanner.ts';
import { atOnce } from '../json/turns.ts';
import { walkNumbered } from '../paging/numbered-walk.ts';
import type { WalkStatus } from '../paging/walk-status.ts';
import { customers } from './customers.ts';
import { fundDocuments } from './funds.ts';
import { numberedPages } from './listing-pages.ts';

/** The request for one customer. */
interface CustomerRequest<T> {
  /** `/customers/` and the ID, percent-encoded. */
  readonly path: string;
  readonly query: readonly QueryPair[];
  readonly parse: (body: Buffer) => T;
  readonly signal: AbortSignal;
}

/** One customer, as a batch of one record. Rejects as `getCustomer` does. */
export function fetchCustomer(client: ApiClient, id: string, signal: AbortSignal): Promise<RecordBatch> {
  return getCustomer(client, { path: `/customers/${pathSegment(id)}`, query: [], parse: scanRecord, signal });
}

/** Whether a path below the base address names one customer. */
export function isCustomerPath(path: string): boolean {
  return /^\/customers\/[^/]+$/.test(path) && path !== PORTAL_LINK;
}

/**
 * Asks for one customer. For an unknown customer the service answers 500 at present, and will answer 404 one day (spec 4.4).
 * A 500 after all retries therefore means an unknown customer, provided that the service lists customers.
 *
 * @throws NotFoundError for an unknown customer; else as `ApiClient.get` does
 */
export async function getCustomer<T>(client: ApiClient, request: CustomerRequest<T>): Promise<T> {
  try {
    return await client.get(request);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status !== 500) throw error;
    if (!(await listsCustomers(client, request.signal))) throw error;
    const id = request.path.slice('/customers/'.length);
    throw new NotFoundError(`the service lists customers, but answers 500 for customer ${id}`, {
      hint: 'At present it answers so for customers that do not exist. Check the ID with `folio customers`.',
      cause: error,
    });
  }
}

/** Statuses of a service in trouble. Each of them answers the question at once, so none is retried. */
const IN_TROUBLE = [429, 500, 502, 503, 504];

/** Whether the service works: it answers with its listing of customers. */
async function listsCustomers(client: ApiClient, signal: AbortSignal): Promise<boolean> {
  const { path, paging } = customers;
  const parse = (body: Buffer): boolean => atOnce(scanPage(body, paging.recordsIn)).records.count >= 0;
  try {
    return await client.get({ path, query: [], parse, passes: IN_TROUBLE, signal });
  } catch (error) {
    if (error instanceof FolioError && !(error instanceof Interrupted)) return false;
    throw error;
  }
}

const PORTAL_LINK = '/customers/portal-link';
/** Statuses whose `Location` is the link: the service made it, or points to it. folio returns it and does not follow it. */
const WITH_LOCATION = [201, 204, 301, 302, 303, 307, 308];

/**
 * The link to a customer's portal. The specification does not show its parameters and its body (spec 4.9), so every form of
 * a link is accepted: an object, an array of one, a text (JSON or plain), the `Location` of an answer without a body. An
 * object is returned as it is; a text becomes the record `{"link": "…"}`.
 */
export function fetchPortalLink(client: ApiClient, query: readonly QueryPair[]): Promise<RecordBatch> {
  return client.get({ path: PORTAL_LINK, query, parse: parsePortalLink, takes: WITH_LOCATION });
}

function parsePortalLink(body: Buffer, { status, headers }: ResponseHead): RecordBatch {
  const { location } = headers;
  const text = body.toString().trim();
  if (location !== undefined && (status !== 200 || text === '')) return linkRecord(location);
  if (/^https?:\/\/\S+$/i.test(text)) return linkRecord(text);
  if (!/^["[]/.test(text)) return scanRecord(body);
  checkJson(body);
  let value: unknown = JSON.parse(text);
  if (Array.isArray(value) && value.length === 1) value = value[0];
  if (typeof value === 'string' && value !== '') return linkRecord(value);
  if (text.startsWith('[') && isRecords(value)) return scanArray(body);
  throw new BadBody('expected a link', 0);
}

/** Whether an array's only element, or each of its elements, is an object. */
function isRecords(value: unknown): boolean {
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
  return (
    elements.every((element) => typeof element === 'object' && element !== null && !Array.isArray(element)) &&
    elements.length > 0
  );
}

function linkRecord(link: string): RecordBatch {
  return scanRecord(Buffer.from(JSON.stringify({ link })));
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
 * One fund with every document assigned to it, as a batch of one record: the first page as it was sent, with the documents
 * of the other pages behind its own.
 */
export async function fetchFund({
  client,
  id,
  onErrors,
  ...options
}: FetchFundOptions): Promise<RecordBatch> {
  const { paging } = fundDocuments;
  const path = fundDocuments.path.replace('{id}', () => pathSegment(id));
  let fund: Buffer | undefined;
  const onBody = (body: Buffer): void => void (fund ??= body);
  const fetchPage = numberedPages({ path, filters: [], client, onErrors, onBody }, paging, {
    isAdjustable: true,
  });
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
  if (fund === undefined)
    throw new NotFoundError(`the service sent nothing for fund ${id}`, {
      hint: 'List those that there are with `folio funds --columns id`.',
    });
  return scanRecord(first === undefined ? fund : withDocuments(first, documents));
}

/** The body of the first page with all documents in place of its own. */
function withDocuments({ bytes, bounds }: RecordBatch, documents: readonly Buffer[]): Buffer {
  const separated = documents.flatMap((document, index) => (index === 0 ? [document] : [COMMA, document]));
  return Buffer.concat([bytes.subarray(0, bounds[0]), ...separated, bytes.subarray(bounds.at(-1))]);
}

const COMMA = Buffer.from(',');
