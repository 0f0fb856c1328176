import type { Endpoint } from './endpoint.ts';
import { readFilter, resolveFiscalIds, selectInvoices } from './invoice-filter.ts';
import { sortKeys } from '../data/ordering.ts';
import { BadQuery } from './query.ts';
import { renderReceived } from '../data/received-record.ts';
import { pageHead, pageTail, renderPage } from './record-page.ts';
import { gatewayReply, jsonReply } from './reply.ts';

// Without totalAmount, which is not accepted (spec 4.2 rule 5).
const parameters = [
  'options_page',
  'options_pageSize',
  'options_sortBy',
  'options_sortOrder',
  'issuerFiscalIds',
  'status',
  'documentType',
  'receivedDateSince',
];

const largestPage = 1000;

/** A larger response is 502 (spec 4.2 rule 3). */
const mostBytes = 6 * 1024 * 1024;

/** GET /invoices/received (spec 4.2). */
export const receivedEndpoint: Endpoint = {
  form: 'string',
  slow: true,
  answer({ world, place, query }) {
    query.allowOnly(parameters);
    const { received } = world.organizations[place];
    const page = query.integer('options_page', 0, 0);
    const size = Math.min(query.integer('options_pageSize', 10, 1), largestPage);
    const key = query.oneOf('options_sortBy', sortKeys);
    // A direction alone has nothing to apply to: the listing is unsorted.
    const descending = query.oneOf('options_sortOrder', ['ASC', 'DESC']) === 'DESC' && key !== undefined;
    const filter = readFilter(query, 'receivedDateSince');
    const fiscalIds = query.list('issuerFiscalIds');
    const parties = fiscalIds && resolveFiscalIds(received.parties, fiscalIds).found;
    if (parties?.length === 0) throw new BadQuery('None of the issuerFiscalIds exists');
    const view = selectInvoices(received, { ...filter, parties }, { key, descending });
    const head = pageHead(view.total, page, size);
    const render = (index: number): string => renderReceived(received, index);
    const body = renderPage({ view, offset: page * size, size, head, tail: pageTail(), render }, mostBytes);
    return body === undefined ? gatewayReply(502, 'Internal server error') : jsonReply(200, body);
  },
};
