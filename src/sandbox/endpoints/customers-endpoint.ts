import { Cursors, type CursorPlace } from './cursor.ts';
import { renderCustomer } from '../data/customer-record.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { BadQuery } from './query.ts';
import { pageTail, renderPage } from './record-page.ts';
import { jsonReply } from './reply.ts';

// Neither options_page nor options_sortBy (spec 4.3 rules 2 and 3), nor fiscalId and overdueAmount (rule 4).
const parameters = ['options_nextToken', 'options_sortOrder', 'options_pageSize'];

/** The specification leaves the limits open; these make a small organization show several pages. */
const defaultSize = 25;
const largestSize = 1000;

/** GET /customers (spec 4.3). The direction is that of creation. */
export const customersEndpoint: Endpoint = {
  form: 'message',
  answer(call) {
    call.query.allowOnly(parameters);
    const customers = call.world.organizations[call.place].issued.parties;
    const size = call.query.integer('options_pageSize', defaultSize, 1);
    if (size > largestSize) throw new BadQuery(`Invalid value for options_pageSize: ${size}`);
    const cursors = new Cursors(customers.seed);
    const { position, direction } = readPlace(call, cursors);
    const total = customers.count;
    const next = Math.min(total, position + size);
    const nextToken = next < total ? `"${cursors.write({ position: next, direction })}"` : 'null';
    const at = (place: number): number => (direction === 'ASC' ? place : total - 1 - place);
    const body = renderPage({
      view: { total, at },
      offset: position,
      size,
      head: '{"data":[',
      tail: pageTail().replace(/\}$/, `,"nextToken":${nextToken}}`),
      render: (index) => renderCustomer(customers, index),
    });
    return jsonReply(200, body!);
  },
};

/** Where the page begins. A cursor keeps the direction of its listing; asking for the other one midway is refused. */
function readPlace({ query }: Call, cursors: Cursors): CursorPlace {
  const asked = query.oneOf('options_sortOrder', ['ASC', 'DESC']);
  const cursor = query.text('options_nextToken');
  if (cursor === undefined) return { position: 0, direction: asked ?? 'ASC' };
  const place = cursors.read(cursor);
  if (place === undefined) throw new BadQuery('Invalid value for options_nextToken');
  if (asked !== undefined && asked !== place.direction) {
    throw new BadQuery('options_sortOrder is not that of the page which gave options_nextToken');
  }
  return place;
}
