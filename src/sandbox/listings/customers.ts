import type { Ledger } from '../data/ledger.ts';
import { personName } from '../data/parties.ts';
import { DAYS_OF_DATA, dayText, Draw, hash32, moneyText } from '../data/values.ts';
import { pageReply, type Call, type ServedListing } from '../listing.ts';
import { BadQuery } from '../query.ts';
import { errorReply, jsonReply, type Reply } from '../reply.ts';

export const servedCustomers = {
  counts: { customers: { what: 'customers', usual: 40, most: 1_000_000 } },
  endpoints: {
    '/customers': {
      form: 'message',
      parameters: ['options_nextToken', 'options_sortOrder', 'options_pageSize'],
      answer: answerCustomers,
    },
    // The specification shows neither its parameters nor its body (4.9): it takes `customerId`, and answers with `link`.
    '/customers/portal-link': { form: 'array', parameters: ['customerId'], answer: answerPortalLink },
    '/customers/{id}': { form: 'message', parameters: [], answer: answerCustomer },
  },
} as const satisfies ServedListing;

/** The specification leaves the limits open (4.9); these make a small organization show several pages. */
const CUSTOMERS_A_PAGE = 25;
const MAX_CUSTOMERS = 1000;

/** The direction is that of creation. A cursor keeps that of its listing; the other one midway is refused. */
function answerCustomers(call: Call): Reply {
  const { query, organization } = call;
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
  const next = Math.min(total, position + size);
  const nextToken = next < total ? `"${writeCursor(seed, { position: next, direction })}"` : 'null';
  return pageReply(call, {
    view: { total, at: (index) => (direction === 'ASC' ? index : total - 1 - index) },
    offset: position,
    size,
    head: '{"data":[',
    tail: `],"errors":[],"nextToken":${nextToken}}`,
    render: (index) => renderCustomer(ledger, index),
  });
}

function answerCustomer({ organization, id }: Call): Reply {
  const { ledger } = organization.issued;
  const index = ledger.parties.ids.indexOf(id, ledger.parties.count);
  if (index >= 0) return jsonReply(200, renderCustomer(ledger, index));
  // 404 is intended; at present the service answers 500, and as for any other fault of its own (spec 4.4).
  return errorReply('message', 500, 'Unexpected error');
}

function answerPortalLink({ organization, query, link }: Call): Reply {
  const id = query.text('customerId') ?? '';
  if (id === '') throw new BadQuery('Parameter customerId is required');
  const { ids, count } = organization.issued.ledger.parties;
  if (ids.indexOf(id, count) < 0) return errorReply('message', 404, `Customer ${id} not found`);
  return jsonReply(200, JSON.stringify({ link: link('portal', id) }));
}

/** Where a listing by cursor goes on, in the direction of its first page. */
interface CursorPlace {
  readonly position: number;
  readonly direction: 'ASC' | 'DESC';
}

/** A cursor for the organization with this seed. It has `+`, `/` and `=`: a client must encode them in a query string. */
function writeCursor(seed: number, { position, direction }: CursorPlace): string {
  return `+/${direction}/${position}/${hash32(seed, position, 96).toString(36)}==`;
}

/** Undefined for what `writeCursor` has not made. */
function readCursor(seed: number, cursor: string): CursorPlace | undefined {
  const [, direction, position] = cursor.split('/');
  const place: CursorPlace = { position: Number(position), direction: direction === 'ASC' ? 'ASC' : 'DESC' };
  return writeCursor(seed, place) === cursor ? place : undefined;
}

/** Days within which all customers were won, before the data begins. */
const DAYS_OF_GROWTH = 1500;

/** A customer as the JSON text that the service sends. */
export function renderCustomer(ledger: Ledger, index: number): string {
  const { parties } = ledger;
  const draw = new Draw(hash32(parties.seed, index, 60));
  const firstDay = ledger.today - DAYS_OF_DATA - DAYS_OF_GROWTH;
  const created = dayText(firstDay + Math.floor((index * DAYS_OF_GROWTH) / parties.count));
  const currency = parties.currencyOf(index);
  const { open, overdue } = ledger.balanceOf(index);
  const limit = 100 * draw.below(40) * (currency === 'CLP' ? 500_000 : 1000);
  return (
    `{"id":"${parties.ids.of(index)}","fiscalId":"${parties.fiscalIds.of(index)}"` +
    `,"name":${parties.nameOf(index)},"email":${parties.emailOf(index)}` +
    `,"phone":${draw.below(4) === 0 ? 'null' : `"+56 9 ${1000 + draw.below(9000)} ${1000 + draw.below(9000)}"`}` +
    `,"address":${parties.addressOf(index)},"contacts":[${renderContacts(draw)}]` +
    `,"paymentTermDays":${parties.termOf(index)},"currency":"${currency}"` +
    `,"balance":{"total":${moneyText(open, currency)},"overdue":${moneyText(overdue, currency)}}` +
    `,"creditLimit":${ledger.awkward && draw.below(6) === 0 ? '2.5E6' : moneyText(limit, currency)}` +
    `,"createdAt":"${created}T08:30:00Z"${lateFields(ledger, index)}}`
  );
}

function renderContacts(draw: Draw): string {
  const contacts = Array.from(
    { length: draw.below(3) },
    () => `{"name":${personName(draw.below(2 ** 31))},"email":"contacto${draw.below(900)}@example.com"}`,
  );
  return contacts.join(',');
}

/** Only the customers of the last tenth are assigned to somebody. */
function lateFields({ parties }: Ledger, index: number): string {
  return index >= parties.count * 0.9 ? `,"assignedTo":{"name":${personName(index)},"team":"Cobranza"}` : '';
}
