import type { Ledger } from '../data/ledger.ts';
import { sortKeys } from '../data/ordering.ts';
import type { Book } from '../data/organization.ts';
import { dayText, Draw, hash32, moneyText } from '../data/values.ts';
import { jsonReply, type Reply } from '../reply.ts';
import {
  countRecords,
  pageHead,
  pageTail,
  renderPage,
  renderPieces,
  tieSalt,
  type Call,
  type Endpoint,
  type RecordPage,
} from './endpoint.ts';
import {
  readFilter,
  renderAmounts,
  renderRelated,
  resolveFiscalIds,
  selectInvoices,
  unlessMissing,
} from './invoices.ts';

const PARAMETERS = [
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
const COMPRESSION_THRESHOLD = 1729;

/** From this size on a page is sent while it is made: there is no cap, and a million records are a gigabyte. */
const MAX_HELD_RECORDS = 5000;

/** GET /invoices/issued (spec 4.1). */
export const issuedEndpoint: Endpoint = {
  form: 'array',
  signs: true,
  answer(call) {
    call.query.allowOnly(PARAMETERS);
    const fiscalIds = call.query.list('customerFiscalIds');
    const { issued } = call.world.organizations[call.place];
    const resolved = fiscalIds && resolveFiscalIds(issued.parties, fiscalIds);
    const page = readPage(call, resolved?.found, resolved?.errors);
    if (resolved?.found.length === 0) return jsonReply(400, JSON.stringify({ errors: resolved.errors }));
    return { ...sendPage(page), compress: call.acceptsGzip && countRecords(page) > COMPRESSION_THRESHOLD };
  },
};

function sendPage(page: RecordPage): Reply {
  const body = countRecords(page) > MAX_HELD_RECORDS ? renderPieces(page) : renderPage(page)!;
  return jsonReply(200, body);
}

function readPage(
  call: Call,
  parties: readonly number[] | undefined,
  errors: readonly object[] | undefined,
): RecordPage {
  const { world, place, query } = call;
  const { issued } = world.organizations[place];
  const page = query.integer('options_page', 0, 0);
  const size = Math.min(query.integer('options_pageSize', 10, 1), world.maxRecords);
  const key = query.oneOf('options_sortBy', sortKeys) ?? 'DATE';
  const descending = query.oneOf('options_sortOrder', ['ASC', 'DESC']) === 'DESC';
  const number = query.text('number') === undefined ? undefined : query.integer('number', 0, 0);
  const filter = { ...readFilter(query, 'emissiondateSince'), parties, number };
  const withMovements = query.oneOf('includeMovements', ['true', 'false']) === 'true';
  const view = selectInvoices(issued, filter, { key, descending, salt: tieSalt(call, size) });
  const expires = world.links.expiry();
  const linkTo = (invoice: string, file: number): string =>
    world.origin + world.links.sign(`/files/${place + 1}/${invoice}/${file}`, expires);
  return {
    view,
    offset: page * size,
    size,
    head: pageHead(view.total, page, size),
    tail: pageTail(errors),
    render: (index) => renderIssued(issued, index, { linkTo, withMovements }),
  };
}

/** Makes the signed link to a file of the invoice. */
type LinkTo = (invoice: string, file: number) => string;

const CATEGORIES = ['Servicios', 'Productos', 'Mantención', 'Licencias', 'Exportación', 'Año anterior'];
const NOTES = ['null', 'null', 'null', '"Entregar en bodega 3"', '"Según cotización de marzo"', '""'];
const AWKWARD_NOTES = [
  'null',
  '"Entregar en bodega 3, portón \\"B\\""',
  '"Línea 1\\nLínea 2"',
  '""',
  '"=HYPERLINK(\\"http://example.com\\")"',
];

const PAYMENT_INSTRUCTIONS =
  ',"paymentInstructions":{"bank":"Banco de la Cordillera","account":"00-417-22913-05"' +
  ',"note":"Indicar el número del documento en la glosa de la transferencia"}';

/**
 * An issued invoice as the JSON text that the service sends: number literals are written by hand, as no number type
 * would keep `1190.10` or 19 digits.
 */
export function renderIssued(
  book: Book,
  index: number,
  { linkTo, withMovements = false }: { linkTo: LinkTo; withMovements?: boolean },
): string {
  const { ledger, ids, parties } = book;
  const draw = new Draw(hash32(ledger.seed, index, 40));
  const party = ledger.partyOf(index);
  const [id, date] = [ids.of(index), dayText(ledger.dayOf(index))];
  const payments = renderPayments(ledger, index, draw);
  return (
    `{"id":"${id}","number":${ledger.numberOf(index)},"documentType":"${ledger.typeOf(index)}"` +
    `,"status":"${ledger.statusOf(index)}","date":"${date}T00:00:00Z"` +
    unlessMissing('dueBy', `"${dayText(ledger.dueDayOf(index))}T00:00:00Z"`, ledger.dueByOf(index)) +
    renderAmounts(ledger, index) +
    `,"exchangeRate":${exchangeRate(ledger, index, draw)}` +
    `,"issuerFiscalId":"${book.owner}","receiverFiscalId":"${parties.fiscalIds.of(party)}"` +
    unlessMissing('customer', parties.summaryOf(party), ledger.customerOf(index)) +
    `,"categories":${renderCategories(draw)},"payments":[${payments}]` +
    (withMovements ? `,"movements":[${payments}]` : '') +
    `,"referenceNumber":"inv_${id.slice(0, 14)}"${renderRelated(book, index)}` +
    `,"purchaseOrder":${draw.below(3) === 0 ? `"OC-${draw.below(99_999)}"` : 'null'}` +
    renderTrackingId(ledger, draw) +
    `,"notes":${draw.pick(ledger.awkward ? AWKWARD_NOTES : NOTES)}${PAYMENT_INSTRUCTIONS}` +
    `,"sentByEmail":${draw.below(2) === 0},"files":[${renderFiles(id, draw, linkTo)}]` +
    `,"createdAt":"${date}T13:${10 + draw.below(50)}:07.${100 + draw.below(900)}Z"${lateFields(ledger, index)}}`
  );
}

/** The tax authority's number of a few, which awkward ones have with 19 digits. */
function renderTrackingId({ awkward }: Ledger, draw: Draw): string {
  if (draw.below(12) !== 0) return '';
  const [start, end] = [1e8 + draw.below(1e8), 1e7 + draw.below(9e7)];
  return `,"trackingId":${awkward ? `81${start}${end}` : `8${start}`}`;
}

/** How many files the invoice of this index has, 0 to 2: the second is the XML. */
function renderFiles(id: string, draw: Draw, linkTo: LinkTo): string {
  const share = draw.below(10);
  if (share < 2) return '';
  const first = `{"fileUrl":"${linkTo(id, 0)}"}`;
  return share < 8 ? first : `${first},{"fileUrl":"${linkTo(id, 1)}"}`;
}

/** Together what is paid. What a credit note took off is a payment of its own. */
function renderPayments(ledger: Ledger, index: number, draw: Draw): string {
  const paid = ledger.paidOf(index);
  if (paid === 0 || ledger.typeOf(index) === 'CREDIT_NOTE') return '';
  const correction = ledger.correctionOf(index);
  const isSetOff = correction !== undefined && ledger.paidOf(correction.note) !== 0;
  const off = isSetOff ? Math.abs(ledger.amountOf(correction.note)) : 0;
  const earliest = isSetOff ? ledger.dayOf(correction.note) : ledger.dayOf(index);
  const day = Math.min(ledger.today, Math.max(earliest, ledger.dueDayOf(index) + draw.below(26) - 15));
  const method = ledger.statusOf(index) === 'MANUALLY_MARKED_AS_PAID' ? 'MANUAL' : 'TRANSFER';
  const currency = ledger.currencyOf(index);
  const render = (amount: number, on: number, how: string): string =>
    `{"id":${7_000_000 + draw.below(1e6)},"date":"${dayText(on)}","amount":${moneyText(amount, currency)},"method":"${how}"}`;
  const transfer = render(paid - off, day, method);
  return isSetOff ? `${render(off, earliest, 'CREDIT_NOTE')},${transfer}` : transfer;
}

function exchangeRate(ledger: Ledger, index: number, draw: Draw): string {
  if (ledger.currencyOf(index) === 'CLP') return '1';
  return ledger.awkward && draw.below(4) === 0
    ? `9.${1000 + draw.below(9000)}E2`
    : `9${10 + draw.below(90)}.${10 + draw.below(90)}0`;
}

function renderCategories(draw: Draw): string {
  const names = Array.from(
    { length: draw.below(3) },
    () => `{"id":${draw.below(90)},"name":"${draw.pick(CATEGORIES)}"}`,
  );
  return `[${names.join(',')}]`;
}

/** Fields that no record has before the last tenth of the listing, and one that only the last has. */
function lateFields(ledger: Ledger, index: number): string {
  if (index < ledger.count * 0.9) return '';
  const last = index === ledger.count - 1;
  const reason = ledger.awkward ? 'Monto, según \\"OC\\"' : 'No coincide con la orden de compra';
  const dispute = `,"dispute":{"openedAt":"${dayText(ledger.dayOf(index))}","reason":"${reason}"}`;
  const closing = ledger.awkward && last ? ',"closing":{"year":2026,"ratio":1.50}' : '';
  return (last || index % 7 === 0 ? dispute : '') + closing;
}
