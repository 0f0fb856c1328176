import type { Call, Endpoint } from './endpoint.ts';
import { readFilter, resolveFiscalIds, selectInvoices } from './invoice-filter.ts';
import { renderIssued } from '../data/issued-record.ts';
import { sortKeys } from '../data/ordering.ts';
import {
  countRecords,
  pageHead,
  pageTail,
  renderPage,
  renderPieces,
  type RecordPage,
} from './record-page.ts';
import { jsonReply, type Reply } from './reply.ts';

const parameters = [
  'options_page',
  'options_pageSize',
  'options_sortBy',
  'options_sortOrder',
  'customerFiscalIds',
  'status',
  'documentType',
  'emissiondateSince',
  'number',
  'includeMovements',
];

/** A response of more results is compressed for those who can read it (spec 4.1 rule 4). */
const compressionThreshold = 1729;

/** From this size on a page is sent while it is made: there is no cap, and a million records are a gigabyte. */
const recordsHeld = 5000;

/** GET /invoices/issued (spec 4.1). */
export const issuedEndpoint: Endpoint = {
  form: 'array',
  answer(call) {
    call.query.allowOnly(parameters);
    const fiscalIds = call.query.list('customerFiscalIds');
    const { issued } = call.world.organizations[call.place];
    const resolved = fiscalIds && resolveFiscalIds(issued.parties, fiscalIds);
    const page = readPage(call, resolved?.found, resolved?.errors);
    if (resolved?.found.length === 0) return jsonReply(400, JSON.stringify({ errors: resolved.errors }));
    return { ...sendPage(page), compress: call.acceptsGzip && countRecords(page) > compressionThreshold };
  },
};

function sendPage(page: RecordPage): Reply {
  const body = countRecords(page) > recordsHeld ? renderPieces(page) : renderPage(page)!;
  return jsonReply(200, body);
}

function readPage(
  { world, place, query }: Call,
  parties: readonly number[] | undefined,
  errors: readonly object[] | undefined,
): RecordPage {
  const { issued } = world.organizations[place];
  const page = query.integer('options_page', 0, 0);
  const size = query.integer('options_pageSize', 10, 1);
  const key = query.oneOf('options_sortBy', sortKeys) ?? 'DATE';
  const descending = query.oneOf('options_sortOrder', ['ASC', 'DESC']) === 'DESC';
  const number = query.text('number') === undefined ? undefined : query.integer('number', 0, 0);
  const filter = { ...readFilter(query, 'emissiondateSince'), parties, number };
  const withMovements = query.oneOf('includeMovements', ['true', 'false']) === 'true';
  const view = selectInvoices(issued, filter, { key, descending });
  const expires = world.links.expiry();
  const linkTo = (invoice: string, file: number): string =>
    world.origin + world.links.sign(`/files/${place + 1}/${invoice}/${file}`, expires);
  return {
    view,
    offset: page * size,
    size,
    head: pageHead(view.total, page, size),
    tail: pageTail(errors),
    render: (index) => renderIssued(issued, index, linkTo, withMovements),
  };
}
