import type { Ledger } from '../data/ledger.ts';
import { sortKeys } from '../data/ordering.ts';
import type { Book } from '../data/organization.ts';
import { dayText, Draw, hash32, moneyText, shareOf } from '../data/values.ts';
import { gatewayReply, jsonReply } from '../reply.ts';
import { BadQuery, pageHead, pageTail, renderPage, tieSalt, type Endpoint } from './endpoint.ts';
import {
  readFilter,
  renderAmounts,
  renderRelated,
  resolveFiscalIds,
  selectInvoices,
  unlessMissing,
} from './invoices.ts';

// Without totalAmount, which is not accepted (spec 4.2 rule 5).
const PARAMETERS = [
  'options_page',
  'options_pageSize',
  'options_sortBy',
  'options_sortOrder',
  'issuerFiscalIds',
  'status',
  'documentType',
  'receivedDateSince',
];

const MAX_PAGE_SIZE = 1000;

/** A larger response is 502 (spec 4.2 rule 3). */
const MAX_BYTES = 6 * 1024 * 1024;

/** GET /invoices/received (spec 4.2). */
export const receivedEndpoint: Endpoint = {
  form: 'string',
  slow: true,
  answer(call) {
    const { world, place, query } = call;
    query.allowOnly(PARAMETERS);
    const { received } = world.organizations[place];
    const page = query.integer('options_page', 0, 0);
    const size = Math.min(query.integer('options_pageSize', 10, 1), MAX_PAGE_SIZE, world.maxRecords);
    const key = query.oneOf('options_sortBy', sortKeys);
    // A direction alone has nothing to apply to: the listing is unsorted.
    const descending = query.oneOf('options_sortOrder', ['ASC', 'DESC']) === 'DESC' && key !== undefined;
    const filter = readFilter(query, 'receivedDateSince');
    const fiscalIds = query.list('issuerFiscalIds');
    const parties = fiscalIds && resolveFiscalIds(received.parties, fiscalIds).found;
    if (parties?.length === 0) throw new BadQuery('None of the issuerFiscalIds exists');
    const order = { key, descending, salt: tieSalt(call, size) };
    const view = selectInvoices(received, { ...filter, parties }, order);
    const head = pageHead(view.total, page, size);
    const render = (index: number): string => renderReceived(received, index);
    const body = renderPage({ view, offset: page * size, size, head, tail: pageTail(), render }, MAX_BYTES);
    return body === undefined ? gatewayReply(502, 'Internal server error') : jsonReply(200, body);
  },
};

const ACCOUNTS = [
  'Gastos generales',
  'Arriendos',
  'Honorarios',
  'Combustible',
  'Fletes y acarreos',
  'Publicidad',
];
const CENTERS = ['Administración', 'Operaciones Norte', 'Operaciones Sur', 'Ventas', 'Ñuble'];

/** A received invoice as the JSON text that the service sends: about 12 KB, most of it accounting entries. */
export function renderReceived(book: Book, index: number): string {
  const { ledger, ids, parties } = book;
  const draw = new Draw(hash32(ledger.seed, index, 50));
  const party = ledger.partyOf(index);
  const [id, date] = [ids.of(index), dayText(ledger.dayOf(index))];
  const arrival = dayText(ledger.arrivalDayOf(index));
  return (
    `{"id":"${id}","number":${ledger.numberOf(index)},"documentType":"${ledger.typeOf(index)}"` +
    `,"status":"${ledger.statusOf(index)}","date":"${date}"` +
    unlessMissing('dueBy', `"${dayText(ledger.dueDayOf(index))}"`, ledger.dueByOf(index)) +
    `,"receivedDate":"${arrival}T09:${10 + draw.below(50)}:00Z"${renderAmounts(ledger, index)}` +
    `,"issuerFiscalId":"${parties.fiscalIds.of(party)}","receiverFiscalId":"${book.owner}"` +
    `,"issuer":${parties.summaryOf(party)},"approval":${renderApproval(draw)}` +
    `,"accountingEntries":[${renderEntries(ledger, index, draw)}]` +
    `,"referenceNumber":"rec_${id.slice(0, 14)}"${renderRelated(book, index)}` +
    `,"folio":${draw.below(40) === 0 && ledger.awkward ? '9007199254740993' : 1e6 + draw.below(1e6)}` +
    `${lateFields(ledger, index)}}`
  );
}

function renderApproval(draw: Draw): string {
  if (draw.below(4) === 0) return 'null';
  return `{"state":"APPROVED","by":{"name":"Begoña Núñez","role":"Contador/a"},"steps":${1 + draw.below(3)}}`;
}

/**
 * 33 to 40 entries of about 300 bytes, so that 500 records fit the 6 MB of a response and 1000 do not. Debit and credit are equal:
 * the expense in parts and the tax on one side, what is owed on the other; the other way round in a credit note.
 */
function renderEntries(ledger: Ledger, index: number, draw: Draw): string {
  const count = 33 + draw.below(8);
  const number = ledger.numberOf(index);
  const currency = ledger.currencyOf(index);
  const { net, exempt, tax, total } = ledger.amountsOf(index);
  const isCredit = ledger.typeOf(index) === 'CREDIT_NOTE';
  const parts = { count: count - 2, seed: hash32(ledger.seed, index, 51), currency };
  let text = '';
  for (let line = 1; line <= count; line++) {
    const [isTax, isOwed] = [line === count - 1, line === count];
    const center = draw.below(CENTERS.length);
    const amount = Math.abs(
      isOwed ? total : isTax ? tax : shareOf(Math.abs(net + exempt), { ...parts, place: line - 1 }),
    );
    const [debit, credit] = isOwed === isCredit ? [amount, 0] : [0, amount];
    const account = isOwed ? 'Proveedores' : isTax ? 'IVA crédito fiscal' : draw.pick(ACCOUNTS);
    text +=
      `${line === 1 ? '' : ','}{"line":${line},"account":{"code":"5-${100 + draw.below(900)}-${10 + draw.below(90)}"` +
      `,"name":"${account}"},"debit":${moneyText(debit, currency)},"credit":${moneyText(credit, currency)}` +
      `,"costCenter":{"code":"CC-${center}${line}","name":"${CENTERS[center]}"}` +
      `,"description":"Documento ${number}, línea ${line}: imputación automática según regla ${draw.below(500)}"` +
      `,"tax":{"code":"IVA","rate":0.190,"recoverable":${line % 9 !== 0}},"project":null}`;
  }
  return text;
}

/** A claim appears only in the last twentieth of the listing. */
function lateFields(ledger: Ledger, index: number): string {
  const late = index >= ledger.count * 0.95 && (index % 3 === 0 || index === ledger.count - 1);
  return late ? `,"claim":{"code":"RCD","date":"${dayText(ledger.dayOf(index))}","accepted":false}` : '';
}
