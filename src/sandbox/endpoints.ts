import { normalizeFiscalId } from './data/ids.ts';
import { documentTypes, statuses, type Ledger } from './data/ledger.ts';
import { shuffleTies, sortKeys, traitOf, type Ordering, type RecordView } from './data/ordering.ts';
import type { Organization } from './data/organization.ts';
import type { Settings } from './options.ts';
import { renderCustomer } from './records/customers.ts';
import { createdDay, openFund, renderDocument } from './records/funds.ts';
import { renderIssued, renderReceived } from './records/invoices.ts';
import { errorReply, gatewayReply, jsonReply, type BodyForm, type Reply } from './reply.ts';
import { readCursor, writeCursor, type CursorPlace } from './cursors.ts';
import { BadQuery, type Query } from './query.ts';

/** One request that may be answered: its token belongs to the organization. */
export interface Call {
  readonly settings: Settings;
  readonly organization: Organization;
  readonly query: Query;
  /** The path's `{id}`, or empty. */
  readonly id: string;
  /** Counts the requests, from 0. */
  readonly request: number;
  readonly acceptsGzip: boolean;
  /** A link that opens something of the organization without a token, for a day. */
  readonly link: (kind: 'files' | 'portal', path: string) => string;
}

export interface Endpoint {
  /** The form of its 400 and 500 bodies. The specification leaves open which endpoint has which (spec 7). */
  readonly form: BodyForm;
  /** Any other gives 400. */
  readonly parameters: readonly string[];
  /** True where a large organization waits long, and no longer than 29 s (spec 4.2 rule 4). */
  readonly slow?: boolean;
  /** Throws BadQuery for what gives 400. */
  answer(call: Call): Reply;
}

const PAGE = ['options_page', 'options_pageSize'];
const ORDER = ['options_sortBy', 'options_sortOrder'];
const INVOICES = [...PAGE, ...ORDER, 'status', 'documentType'];

/**
 * By path below the base address. What the specification leaves open (4.9): the filters of invoices that it does not list are in
 * use; a portal link takes `customerId`, and its body is an object with `link`.
 */
export const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  Object.entries<Endpoint>({
    '/invoices/issued': {
      form: 'array',
      parameters: [...INVOICES, 'customerFiscalIds', 'emissiondateSince', 'number', 'includeMovements'],
      answer: answerIssued,
    },
    '/invoices/received': {
      form: 'string',
      parameters: [...INVOICES, 'issuerFiscalIds', 'receivedDateSince'],
      slow: true,
      answer: answerReceived,
    },
    '/customers': {
      form: 'message',
      parameters: ['options_nextToken', 'options_sortOrder', 'options_pageSize'],
      answer: answerCustomers,
    },
    '/customers/portal-link': {
      form: 'array',
      parameters: ['customerId'],
      answer: answerPortalLink,
    },
    '/customers/{id}': { form: 'message', parameters: [], answer: answerCustomer },
    '/accounts-payable/prepaid-expenses': {
      form: 'string',
      parameters: [...PAGE, 'options_sortOrder'],
      answer: answerFunds,
    },
    '/accounts-payable/prepaid-expenses/{id}': { form: 'array', parameters: PAGE, answer: answerFund },
  }),
);

/** How the listings of invoices differ. */
interface InvoiceListing {
  /** Whether the answer names the fiscal IDs that nobody has (spec 2.4). */
  readonly namesUnknown: boolean;
  /** The order without options_sortBy. A direction alone has nothing to apply to in an unsorted listing. */
  readonly sortedBy: 'DATE' | undefined;
  /** Larger sizes are this size. */
  readonly maxSize: number;
  /** A larger response is 502 (spec 4.2 rule 3). */
  readonly maxBytes: number;
  readonly render: (index: number, ledger: Ledger) => string;
}

function answerIssued(call: Call): Reply {
  const withMovements = call.query.oneOf('includeMovements', ['true', 'false']) === 'true';
  const linkTo = (invoice: string, file: number): string => call.link('files', `${invoice}/${file}`);
  return answerInvoices(call, call.organization.issued, {
    namesUnknown: true,
    sortedBy: 'DATE',
    maxSize: Infinity,
    maxBytes: Infinity,
    render: (index, ledger) => renderIssued(ledger, index, { linkTo, withMovements }),
  });
}

function answerReceived(call: Call): Reply {
  return answerInvoices(call, call.organization.received, {
    namesUnknown: false,
    sortedBy: undefined,
    maxSize: 1000,
    maxBytes: 6 * 1024 * 1024,
    render: (index, ledger) => renderReceived(ledger, index),
  });
}

function answerInvoices(call: Call, ordering: Ordering, listing: InvoiceListing): Reply {
  const { query, settings } = call;
  const { ledger } = ordering;
  const page = query.integer('options_page', 0, 0);
  const size = Math.min(query.integer('options_pageSize', 10, 1), listing.maxSize, settings.maxRecords);
  const key = query.oneOf('options_sortBy', sortKeys) ?? listing.sortedBy;
  const descending = query.oneOf('options_sortOrder', ['ASC', 'DESC']) === 'DESC' && key !== undefined;
  // Each listing has one of the two names for the other party, and for the earliest day on which an invoice came in.
  const fiscalIds = query.list('customerFiscalIds') ?? query.list('issuerFiscalIds');
  const { parties, errors } = resolveFiscalIds(ledger, fiscalIds);
  const wanted = {
    parties: parties && [...parties],
    statuses: query.listOf('status', statuses),
    types: query.listOf('documentType', documentTypes),
    since: query.day('emissiondateSince') ?? query.day('receivedDateSince'),
    number: query.integer('number', undefined, 0),
  };
  if (parties?.size === 0 && listing.namesUnknown) return jsonReply(400, JSON.stringify({ errors }));
  if (parties?.size === 0) throw new BadQuery('None of the issuerFiscalIds exists');
  const all = ordering.view(key, descending);
  const isFiltered = Object.values(wanted).some((value) => value !== undefined);
  const accepts = (index: number): boolean =>
    (parties?.has(ledger.partyOf(index)) ?? true) &&
    (wanted.statuses?.includes(ledger.statusOf(index)) ?? true) &&
    (wanted.types?.includes(ledger.typeOf(index)) ?? true) &&
    ledger.arrivalDayOf(index) >= (wanted.since ?? -Infinity) &&
    (wanted.number === undefined || ledger.numberOf(index) === wanted.number);
  const name = JSON.stringify([wanted, key, descending]);
  const sorted = isFiltered ? ordering.filtered(name, all, accepts) : all;
  const view = shuffleTies(sorted, traitOf(ledger, key), tieSalt(call, size));
  const framed = envelope(pageFields(view.total, page, size), listing.namesUnknown ? errors : []);
  const render = (index: number): string => listing.render(index, ledger);
  return pageReply(call, { ...framed, view, offset: page * size, size, render }, listing.maxBytes);
}

/** Finds the parties of fiscal IDs in any spelling; one that comes twice counts once. */
function resolveFiscalIds(
  { parties }: Ledger,
  fiscalIds: readonly string[] | undefined,
): { parties: ReadonlySet<number> | undefined; errors: readonly object[] } {
  if (fiscalIds === undefined) return { parties: undefined, errors: [] };
  const found = new Set<number>();
  const errors: object[] = [];
  for (const fiscalId of new Set(fiscalIds.map(normalizeFiscalId))) {
    const party = parties.fiscalIds.indexOf(fiscalId);
    if (party >= 0) found.add(party);
    else errors.push({ _type: 'EmptyResponseError', requestName: 'byFiscalId', requestParams: { fiscalId } });
  }
  return { parties: found, errors };
}

/** What decides how records of an equal sort key follow each other on a page of this size; 0 for their usual order. */
function tieSalt({ settings, request }: Call, pageSize: number): number {
  if (settings.order === 'stable') return 0;
  return settings.order === 'by-size' ? pageSize : request + 1;
}

/** The specification leaves the limits open (4.9); these make a small organization show several pages. */
const CUSTOMERS_A_PAGE = 25;
const MAX_CUSTOMERS = 1000;

/** The direction is that of creation. A cursor keeps that of its listing; asking for the other one midway is refused. */
function answerCustomers(call: Call): Reply {
  const { query, organization, settings } = call;
  const { ledger } = organization.issued;
  const { seed, count: total } = ledger.parties;
  const size = query.integer('options_pageSize', CUSTOMERS_A_PAGE, 1);
  if (size > MAX_CUSTOMERS) throw new BadQuery(`Invalid value for options_pageSize: ${size}`);
  const order = query.oneOf('options_sortOrder', ['ASC', 'DESC']);
  const cursor = query.text('options_nextToken');
  const first: CursorPlace = { position: 0, direction: order ?? 'ASC' };
  const place = cursor === undefined ? first : readCursor(seed, cursor);
  if (place === undefined) throw new BadQuery('Invalid value for options_nextToken');
  const { position, direction } = place;
  if (order !== undefined && order !== direction) {
    throw new BadQuery('options_sortOrder is not that of the page which gave options_nextToken');
  }
  const held = Math.min(size, settings.maxRecords);
  const next = Math.min(total, position + held);
  const nextToken = next < total ? `"${writeCursor(seed, { position: next, direction })}"` : 'null';
  return pageReply(call, {
    view: { total, at: (index) => (direction === 'ASC' ? index : total - 1 - index) },
    offset: position,
    size: held,
    head: '{"data":[',
    tail: `],"errors":[],"nextToken":${nextToken}}`,
    render: (index) => renderCustomer(ledger, index),
  });
}

function answerCustomer({ organization, id, settings }: Call): Reply {
  const { ledger } = organization.issued;
  const index = ledger.parties.ids.indexOf(id, ledger.parties.count);
  if (index >= 0) return jsonReply(200, renderCustomer(ledger, index));
  // 404 is intended; at present the service answers 500, and as for any other fault of its own (spec 4.4).
  return settings.missingCustomer === 404
    ? errorReply('message', 404, `Customer ${id} not found`)
    : errorReply('message', 500, 'Unexpected error');
}

function answerPortalLink({ organization, query, link }: Call): Reply {
  const id = query.text('customerId') ?? '';
  if (id === '') throw new BadQuery('Parameter customerId is required');
  const { ids, count } = organization.issued.ledger.parties;
  if (ids.indexOf(id, count) < 0) return errorReply('message', 404, `Customer ${id} not found`);
  return jsonReply(200, JSON.stringify({ link: link('portal', id) }));
}

/** By creation date, the newest first unless asked otherwise (spec 4.6). */
function answerFunds(call: Call): Reply {
  const { funds } = call.organization;
  const total = funds.count;
  const window = readFundWindow(call, total, 1000);
  const ascending = call.query.oneOf('options_sortOrder', ['asc', 'desc']) === 'asc';
  const view = { total, at: (position: number) => (ascending ? position : total - 1 - position) };
  return pageReply(call, {
    ...window,
    ...envelope(window.fields),
    view: shuffleTies(view, (index) => createdDay(funds, index), tieSalt(call, window.pageSize)),
    render: (index) => `${openFund(funds, index)}}`,
  });
}

/** The fund with a page of its documents, in one of the shapes that the specification leaves open (4.7, 4.9). */
function answerFund(call: Call): Reply {
  const { funds } = call.organization;
  const total = funds.documents;
  const window = readFundWindow(call, total, 100);
  const fund = funds.ids.indexOf(call.id, funds.count);
  if (fund < 0) return errorReply('message', 404, `Prepaid expense ${call.id} not found`);
  const record = `${openFund(funds, fund)},"assignedDocuments":`;
  if (call.settings.documentsAs === 'null') return jsonReply(200, `${record}null}`);
  const { head, tail } = {
    envelope: envelope(window.fields),
    array: { head: '[', tail: ']' },
    'array-total': { head: '[', tail: `],${window.fields}` },
  }[call.settings.documentsAs];
  const view = { total, at: (position: number) => position };
  const render = (index: number): string => renderDocument(funds, fund, index);
  return pageReply(call, { ...window, view, head: record + head, tail: `${tail}}`, render });
}

const FUNDS_A_PAGE = 20;

/**
 * The page as asked for, and a size that falls back to 20 whatever is wrong with it. What comes is what slicing an array gives,
 * which is what makes page 0 empty and negative or decimal pages arbitrary (spec 4.7). The list does the same, where the
 * specification says nothing of such pages.
 */
function readFundWindow(
  { query, settings }: Call,
  total: number,
  largest: number,
): { offset: number; size: number; pageSize: number; fields: string } {
  const text = query.text('options_page') ?? '1';
  if (!/^-?\d{1,15}(\.\d+)?$/.test(text)) throw new BadQuery(`Invalid value for options_page: ${text}`);
  const page = Number(text);
  const asked = Number(query.text('options_pageSize') ?? FUNDS_A_PAGE);
  const pageSize = Math.min(asked >= 1 && asked <= largest ? asked : FUNDS_A_PAGE, settings.maxRecords);
  const sliceAt = (end: number): number => {
    const whole = Math.trunc(end);
    return whole < 0 ? Math.max(0, total + whole) : Math.min(total, whole);
  };
  const offset = sliceAt((page - 1) * pageSize);
  const size = Math.max(0, sliceAt(page * pageSize) - offset);
  return { offset, size, pageSize, fields: pageFields(total, Math.trunc(page), Math.trunc(pageSize)) };
}

/** One page of records as JSON text: `head`, the records between commas, `tail`. */
interface RecordPage {
  readonly view: RecordView;
  /** The position of the first record; beyond the end the page is empty. */
  readonly offset: number;
  readonly size: number;
  readonly head: string;
  readonly tail: string;
  readonly render: (index: number) => string;
}

/** The fields of the page envelope before the records (spec 2.2). */
function pageFields(total: number, page: number, pageSize: number): string {
  return `"total":${total},"page":${page},"pageSize":${pageSize}`;
}

/** What stands before and after the records in the page envelope. */
function envelope(fields: string, errors: readonly object[] = []): { head: string; tail: string } {
  return { head: `{${fields},"pageResults":[`, tail: `],"errors":${JSON.stringify(errors)}}` };
}

/** A response of more results is compressed for those who can read it (spec 4.1 rule 4). */
const COMPRESSION_THRESHOLD = 1729;

/** From this size on a page is sent while it is made: a million records are a gigabyte. */
const MAX_HELD_RECORDS = 5000;

/** The answer with a page; 502 where it is larger than `maxBytes`. */
function pageReply({ acceptsGzip }: Call, page: RecordPage, maxBytes = Infinity): Reply {
  const count = Math.max(0, Math.min(page.view.total - page.offset, page.size));
  const pieces = renderPieces(page, page.offset + count);
  if (count > MAX_HELD_RECORDS) return { ...jsonReply(200, pieces), compress: acceptsGzip };
  const body = Buffer.concat([...pieces]);
  if (body.length > maxBytes) return gatewayReply(502, 'Internal server error');
  return { ...jsonReply(200, body), compress: acceptsGzip && count > COMPRESSION_THRESHOLD };
}

/** Records in a piece. Small, because one character beyond Latin-1 makes a whole piece slow to encode. */
const RECORDS_A_PIECE = 50;

/** The page in pieces, each made when it is asked for: the records up to the position `end`. */
function* renderPieces({ view, offset, head, tail, render }: RecordPage, end: number): Generator<Buffer> {
  let text = head;
  for (let position = offset; position < end; position++) {
    text += render(view.at(position)) + (position + 1 < end ? ',' : '');
    if ((position + 1 - offset) % RECORDS_A_PIECE !== 0) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + tail);
}
