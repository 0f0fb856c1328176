import { FiscalIds } from './data/ids.ts';
import type { Ledger } from './data/ledger.ts';
import type { Organization } from './data/organization.ts';
import { personName } from './data/parties.ts';
import { DAYS_OF_DATA, dayText, Draw, hash32, moneyText, netOf, splitMoney } from './data/values.ts';
import {
  envelope,
  PAGE,
  pageReply,
  type Call,
  type Count,
  type Endpoint,
  type ServedListing,
} from './endpoint.ts';
import { servedIssued, servedReceived } from './invoices.ts';
import { BadQuery } from './query.ts';
import { errorReply, jsonReply, type Reply } from './reply.ts';

const servedCustomers = {
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

/** In the order of creation, or against it. A cursor keeps the direction; the other one beside it is refused. */
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
  // The service is to answer 404. At present it answers 500, as for a fault of its own (spec 4.4).
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

type Funds = ReturnType<typeof fundsOf>;

/** The funds of an organization, by index; 0 is the oldest. */
export function fundsOf({ today, awkward, count, idsOf, received }: Organization) {
  return {
    ids: idsOf(8),
    count: count('funds'),
    /** Assigned documents of each fund. */
    documents: count('documents'),
    /** The last day of the data, in days since 1970-01-01. */
    today,
    awkward,
    /** The issuers of the assigned documents. */
    issuers: received.ledger.parties,
  };
}

const servedFunds = {
  counts: {
    funds: { what: 'prepaid-expense funds', usual: 12, most: 100_000 },
    documents: { what: 'documents assigned to each fund', usual: 130, most: 100_000 },
  },
  endpoints: {
    '/accounts-payable/prepaid-expenses': {
      form: 'string',
      parameters: [...PAGE, 'options_sortOrder'],
      answer: answerFunds,
    },
    '/accounts-payable/prepaid-expenses/{id}': { form: 'array', parameters: PAGE, answer: answerFund },
  },
} as const satisfies ServedListing;

/** By creation date, the newest first by default (spec 4.6). */
function answerFunds(call: Call): Reply {
  const funds = fundsOf(call.organization);
  const total = funds.count;
  const window = readFundWindow(call, total, 1000);
  const ascending = call.query.oneOf('options_sortOrder', ['asc', 'desc']) === 'asc';
  return pageReply(call, {
    ...window,
    view: { total, at: (position) => (ascending ? position : total - 1 - position) },
    render: (index) => `${openFund(funds, index)}}`,
  });
}

/** The fund with a page of its documents, in an envelope of their own: the specification leaves the form open (4.7, 4.9). */
function answerFund(call: Call): Reply {
  const funds = fundsOf(call.organization);
  const total = funds.documents;
  const window = readFundWindow(call, total, 100);
  const fund = funds.ids.indexOf(call.id, funds.count);
  if (fund < 0) return errorReply('message', 404, `Prepaid expense ${call.id} not found`);
  return pageReply(call, {
    ...window,
    head: `${openFund(funds, fund)},"assignedDocuments":${window.head}`,
    tail: `${window.tail}}`,
    view: { total, at: (position) => position },
    render: (index) => renderDocument(funds, fund, index),
  });
}

const FUNDS_A_PAGE = 20;

/**
 * The place of the requested page, and its envelope. The size falls back to 20 whatever is wrong with it. The page is what
 * slicing an array gives: so page 0 is empty, and negative or decimal pages are arbitrary (spec 4.7). The specification does not
 * mention such pages of the list of funds, which does the same.
 */
function readFundWindow({ query }: Call, total: number, largest: number) {
  const text = query.text('options_page') ?? '1';
  if (!/^-?\d{1,15}(\.\d+)?$/.test(text)) throw new BadQuery(`Invalid value for options_page: ${text}`);
  const page = Number(text);
  const wanted = Number(query.text('options_pageSize') ?? FUNDS_A_PAGE);
  const pageSize = wanted >= 1 && wanted <= largest ? wanted : FUNDS_A_PAGE;
  const sliceAt = (end: number): number => {
    const whole = Math.trunc(end);
    return whole < 0 ? Math.max(0, total + whole) : Math.min(total, whole);
  };
  const offset = sliceAt((page - 1) * pageSize);
  const size = Math.max(0, sliceAt(page * pageSize) - offset);
  return { offset, size, ...envelope({ total, page: Math.trunc(page), pageSize: Math.trunc(pageSize) }) };
}

const PURPOSES = [
  'Viaje a terreno, Ñuble',
  'Caja chica',
  'Feria Expo Norte',
  'Capacitación',
  'Materiales de obra',
];
const AWKWARD_PURPOSES = [...PURPOSES, 'Feria \\"Expo Norte\\"', 'Materiales\\nObra 7'];

/** Those who spend the money and account for it. */
const OWNERS = 6;

/** The newest funds are open, the older ones closed, with what was left over given back. Amounts are in hundredths. */
function traitsOf(funds: Funds, index: number) {
  const draw = new Draw(hash32(funds.ids.seed, index, 71));
  const created = createdDay(funds, index);
  const age = funds.today - created;
  const status = age < 45 ? 'OPEN' : age < 75 ? 'ACCOUNTED' : 'CLOSED';
  const amount = 100 * 10_000 * (8 + draw.below(90));
  const percent =
    status === 'OPEN' ? 20 + draw.below(60) : status === 'ACCOUNTED' ? 85 + draw.below(15) : 100;
  /** The day on which it was closed, else today. */
  const until = status === 'CLOSED' ? created + 30 + draw.below(45) : funds.today;
  return { status, amount, spent: funds.documents === 0 ? 0 : (amount * percent) / 100, created, until };
}

/** A fund to be accounted for, as JSON text without the closing brace: its documents may follow. Index 0 is the oldest. */
export function openFund(funds: Funds, index: number): string {
  const draw = new Draw(hash32(funds.ids.seed, index, 70));
  const { status, amount, spent, created, until } = traitsOf(funds, index);
  const owner = draw.below(OWNERS);
  const fiscalId = new FiscalIds(11_000_000 + (funds.ids.seed % 900_000), OWNERS).of(owner);
  const transfer = `${1e8 + draw.below(1e8)}${1e7 + draw.below(9e7)}`;
  return (
    `{"id":"${funds.ids.of(index)}","number":${index + 1}` +
    `,"name":"${draw.pick(funds.awkward ? AWKWARD_PURPOSES : PURPOSES)}","status":"${status}"` +
    `,"owner":{"name":${personName(hash32(funds.ids.seed, owner, 72))}` +
    `,"fiscalId":${funds.awkward && draw.below(5) === 0 ? 'null' : `"${fiscalId}"`}}` +
    `,"currency":"CLP","amount":${moneyText(amount, 'CLP')},"accountedAmount":${moneyText(spent, 'CLP')}` +
    `,"balance":${moneyText(amount - spent, 'CLP')},"transferId":${funds.awkward ? `70${transfer}` : transfer.slice(0, 9)}` +
    `,"createdAt":"${dayText(created)}T10:00:00Z"${status === 'CLOSED' ? `,"closedAt":"${dayText(until)}T18:00:00Z"` : ''}`
  );
}

/** The day of the fund's creation, in days since 1970-01-01. */
function createdDay(funds: Funds, index: number): number {
  return funds.today - DAYS_OF_DATA + Math.floor(((index + 0.5) * DAYS_OF_DATA) / funds.count);
}

/** A document assigned to a fund, as JSON text. The documents of a fund add up to its accounted amount. */
export function renderDocument(funds: Funds, fund: number, index: number): string {
  const draw = new Draw(hash32(funds.ids.seed + fund, index, 80));
  const { spent, created, until } = traitsOf(funds, fund);
  const { documents: count, issuers } = funds;
  const date = dayText(created + Math.floor((index * (until - created)) / count));
  const total = splitMoney(spent, { count, seed: funds.ids.seed + fund, currency: 'CLP' })(index);
  const issuer = draw.below(Math.max(1, issuers.count));
  const late = index === count - 1 && index > 0 ? ',"rejection":{"reason":"Sin timbre"}' : '';
  return (
    `{"id":"${funds.ids.of(fund).slice(0, 12)}-${index + 1}","type":"${draw.pick(['RECEIPT', 'INVOICE', 'TICKET'])}"` +
    `,"number":${1000 + draw.below(90_000)},"date":"${date}"` +
    `,"issuer":{"fiscalId":"${issuers.fiscalIds.of(issuer)}","name":${issuers.nameOf(issuer)}}` +
    `,"currency":"CLP","totalAmount":${moneyText(total, 'CLP')},"taxAmount":${moneyText(total - netOf(total, 'CLP'), 'CLP')}` +
    `,"category":${draw.below(6) === 0 ? 'null' : '"Colación, peajes"'}${late}}`
  );
}

/** All that the service lists. */
const listings = [
  servedIssued,
  servedReceived,
  servedCustomers,
  servedFunds,
] as const satisfies readonly ServedListing[];

type NamesOf<Of> = Of extends { readonly counts: infer Counts } ? keyof Counts : never;

/** How much there is of everything. */
export type Counts = Readonly<Record<NamesOf<(typeof listings)[number]>, number>>;

export const counts = Object.assign({}, ...listings.map((one) => one.counts)) as Readonly<
  Record<keyof Counts, Count>
>;

/** By path below the base address. */
export const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  listings.flatMap((one: ServedListing) => Object.entries(one.endpoints)),
);
