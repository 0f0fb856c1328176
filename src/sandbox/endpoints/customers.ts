import { createHmac } from 'node:crypto';
import { personName } from '../data/names.ts';
import type { Book } from '../data/organization.ts';
import type { Parties } from '../data/parties.ts';
import { DAYS_OF_DATA, dayText, Draw, hash32, moneyText } from '../data/values.ts';
import { errorReply, jsonReply } from '../reply.ts';
import { BadQuery, pageTail, renderPage, type Call, type Endpoint } from './endpoint.ts';

// Neither options_page nor options_sortBy (spec 4.3 rules 2 and 3), nor fiscalId and overdueAmount (rule 4).
const PARAMETERS = ['options_nextToken', 'options_sortOrder', 'options_pageSize'];

/** The specification leaves the limits open; these make a small organization show several pages. */
const DEFAULT_SIZE = 25;
const MAX_SIZE = 1000;

/** GET /customers (spec 4.3). The direction is that of creation. */
export const customersEndpoint: Endpoint = {
  form: 'message',
  answer(call) {
    call.query.allowOnly(PARAMETERS);
    const { issued } = call.world.organizations[call.place];
    const customers = issued.parties;
    const size = call.query.integer('options_pageSize', DEFAULT_SIZE, 1);
    if (size > MAX_SIZE) throw new BadQuery(`Invalid value for options_pageSize: ${size}`);
    const held = Math.min(size, call.world.maxRecords);
    const cursors = new Cursors(customers.seed);
    const { position, direction } = readPlace(call, cursors);
    const total = customers.count;
    const next = Math.min(total, position + held);
    const nextToken = next < total ? `"${cursors.write({ position: next, direction })}"` : 'null';
    const at = (place: number): number => (direction === 'ASC' ? place : total - 1 - place);
    const body = renderPage({
      view: { total, at },
      offset: position,
      size: held,
      head: '{"data":[',
      tail: pageTail().replace(/\}$/, `,"nextToken":${nextToken}}`),
      render: (index) => renderCustomer(issued, index),
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

/** GET /customers/{id} (spec 4.4). */
export const customerEndpoint: Endpoint = {
  form: 'message',
  answer({ world, place, query, id }) {
    query.allowOnly([]);
    const { issued } = world.organizations[place];
    const index = issued.parties.ids.indexOf(id, issued.parties.count);
    if (index >= 0) return jsonReply(200, renderCustomer(issued, index));
    // 404 is intended; at present the service answers 500, and as for any other fault of its own.
    return world.missingCustomer === 404
      ? errorReply('message', 404, `Customer ${id} not found`)
      : errorReply('message', 500, 'Unexpected error');
  },
};

type Direction = 'ASC' | 'DESC';

/** Where a listing by cursor goes on. */
interface CursorPlace {
  readonly position: number;
  /** The direction of the first page. */
  readonly direction: Direction;
}

/**
 * Makes and reads the cursors of one organization: base64 of a fixed beginning, the place and a check. The beginning
 * makes each hold `+` and `/`, and the length `=`, which a client must encode in a query string.
 */
export class Cursors {
  readonly #key: string;

  constructor(seed: number) {
    this.#key = `folio sandbox cursor ${seed}`;
  }

  write({ position, direction }: CursorPlace): string {
    const body = Buffer.alloc(8);
    BEGINNING.copy(body);
    body.writeUInt8(direction === 'ASC' ? 0 : 1, BEGINNING.length);
    body.writeUInt32BE(position, BEGINNING.length + 1);
    return Buffer.concat([body, this.#check(body)]).toString('base64');
  }

  /** The place, or undefined for what `write` has not made. */
  read(cursor: string): CursorPlace | undefined {
    const bytes = Buffer.from(cursor, 'base64');
    const body = bytes.subarray(0, 8);
    if (bytes.length !== 14 || bytes.toString('base64') !== cursor) return undefined;
    if (!this.#check(body).equals(bytes.subarray(8))) return undefined;
    return {
      position: body.readUInt32BE(BEGINNING.length + 1),
      direction: body.readUInt8(BEGINNING.length) === 0 ? 'ASC' : 'DESC',
    };
  }

  #check(body: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(body).digest().subarray(0, 6);
  }
}

/** `+/++` in base64. */
const BEGINNING = Buffer.from('+/++', 'base64');

/**
 * GET /customers/portal-link (spec 4.5). Its parameter and body are not in the specification (4.9): here `customerId`
 * and an object with `link`, which like the link to a file ends after 24 hours.
 */
export const portalLinkEndpoint: Endpoint = {
  form: 'array',
  signs: true,
  answer({ world, place, query }) {
    query.allowOnly(['customerId']);
    const id = query.text('customerId') ?? '';
    if (id === '') throw new BadQuery('Parameter customerId is required');
    const customers = world.organizations[place].issued.parties;
    if (customers.ids.indexOf(id, customers.count) < 0) {
      return errorReply('message', 404, `Customer ${id} not found`);
    }
    const link = world.origin + world.links.sign(`/portal/${place + 1}/${id}`, world.links.expiry());
    return jsonReply(200, JSON.stringify({ link }));
  },
};

/** Days within which all customers were won, before the data begins. */
const DAYS_OF_GROWTH = 1500;

/** A customer as the JSON text that the service sends. */
export function renderCustomer({ parties, ledger, balances }: Book, index: number): string {
  const draw = new Draw(hash32(parties.seed, index, 60));
  const firstDay = ledger.today - DAYS_OF_DATA - DAYS_OF_GROWTH;
  const created = dayText(firstDay + Math.floor((index * DAYS_OF_GROWTH) / parties.count));
  const currency = parties.currencyOf(index);
  const { open, overdue } = balances.of(index);
  const limit = 100 * draw.below(40) * (currency === 'CLP' ? 500_000 : 1000);
  return (
    `{"id":"${parties.ids.of(index)}","fiscalId":"${parties.fiscalIds.of(index)}"` +
    `,"name":${parties.nameOf(index)},"email":"${parties.emailOf(index)}"` +
    `,"phone":${draw.below(4) === 0 ? 'null' : `"+56 9 ${1000 + draw.below(9000)} ${1000 + draw.below(9000)}"`}` +
    `,"address":${parties.addressOf(index)},"contacts":[${renderContacts(draw)}]` +
    `,"paymentTermDays":${parties.termOf(index)},"currency":"${currency}"` +
    `,"balance":{"total":${moneyText(open, currency)},"overdue":${moneyText(overdue, currency)}}` +
    `,"creditLimit":${ledger.awkward && draw.below(6) === 0 ? '2.5E6' : moneyText(limit, currency)}` +
    `,"createdAt":"${created}T08:30:00Z"${lateFields(parties, index)}}`
  );
}

function renderContacts(draw: Draw): string {
  const contacts = Array.from(
    { length: draw.below(3) },
    () => `{"name":${personName(draw.below(2 ** 31))},"email":"contacto${draw.below(900)}@example.com"}`,
  );
  return contacts.join(',');
}

/** Only the customers of the last tenth have somebody who looks after them. */
function lateFields(customers: Parties, index: number): string {
  return index >= customers.count * 0.9
    ? `,"assignedTo":{"name":${personName(index)},"team":"Cobranza"}`
    : '';
}
