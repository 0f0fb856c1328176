import { normalizeFiscalId } from './data/ids.ts';
import { documentTypes, statuses, type LedgerDocument, type Ledger } from './data/ledger.ts';
import { sortKeys } from './data/ordering.ts';
import type { Organization } from './data/organization.ts';
import { dayText, Draw, hash32, list, moneyText, oddMoneyText, splitMoney } from './data/values.ts';
import { envelope, PAGE, pageReply, type Call, type ServedListing } from './endpoint.ts';
import { BadQuery } from './query.ts';
import { jsonReply, type Reply } from './reply.ts';

const INVOICES = [...PAGE, 'options_sortBy', 'options_sortOrder', 'status', 'documentType'];

/** Filters of invoices that the specification does not show (4.9) are among the parameters. */
export const servedIssued = {
  counts: { issued: { what: 'issued invoices', usual: 120, most: 5_000_000 } },
  endpoints: {
    '/invoices/issued': {
      form: 'array',
      parameters: [...INVOICES, 'customerFiscalIds', 'emissiondateSince', 'number', 'includeMovements'],
      answer: (call) => {
        const withMovements = call.query.oneOf('includeMovements', ['true', 'false']) === 'true';
        const linkTo: LinkTo = (invoice, file) => call.link('files', `${invoice}/${file}`);
        return answerInvoices(call, call.organization.issued, {
          namesUnknown: true,
          sortedBy: 'DATE',
          maxSize: Infinity,
          maxBytes: Infinity,
          render: (index, ledger) => renderIssued(ledger, index, { linkTo, withMovements }),
        });
      },
    },
  },
} as const satisfies ServedListing;

export const servedReceived = {
  counts: { received: { what: 'received invoices', usual: 90, most: 1_000_000 } },
  endpoints: {
    '/invoices/received': {
      form: 'string',
      parameters: [...INVOICES, 'issuerFiscalIds', 'receivedDateSince'],
      slow: true,
      answer: (call) =>
        answerInvoices(call, call.organization.received, {
          namesUnknown: false,
          sortedBy: undefined,
          maxSize: 1000,
          maxBytes: 6 * 1024 * 1024,
          render: (index, ledger) => renderReceived(ledger, index),
        }),
    },
  },
} as const satisfies ServedListing;

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

function answerInvoices(
  call: Call,
  { ledger, viewOf }: Organization['issued'],
  listing: InvoiceListing,
): Reply {
  const { query } = call;
  const page = query.integer('options_page', 0, 0);
  const size = Math.min(query.integer('options_pageSize', 10, 1), listing.maxSize);
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
  const isFiltered = Object.values(wanted).some((value) => value !== undefined);
  const accepts = ({ party, status, type, arrival, number }: LedgerDocument): boolean =>
    (parties?.has(party) ?? true) &&
    (wanted.statuses?.includes(status) ?? true) &&
    (wanted.types?.includes(type) ?? true) &&
    arrival >= (wanted.since ?? -Infinity) &&
    number === (wanted.number ?? number);
  const name = JSON.stringify([wanted, key, descending]);
  const view = viewOf(name, { key, descending, accepts: isFiltered ? accepts : undefined });
  const fields = { total: view.total, page, pageSize: size };
  const framed = envelope(fields, listing.namesUnknown ? errors : []);
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

/** Makes the signed link to a file of the invoice. */
type LinkTo = (invoice: string, file: number) => string;

const CATEGORIES = list(`Servicios, Productos, Mantención, Licencias, Exportación, Año anterior`);
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
  ledger: Ledger,
  index: number,
  { linkTo, withMovements = false }: { linkTo: LinkTo; withMovements?: boolean },
): string {
  const { parties, owner, awkward } = ledger;
  const document = ledger.at(index);
  const { party } = document;
  const draw = new Draw(hash32(ledger.seed, index, 40));
  const [id, date] = [ledger.ids.of(index), dayText(document.day)];
  const payments = renderPayments(ledger, document, draw);
  return (
    `{"id":"${id}","number":${document.number},"documentType":"${document.type}"` +
    `,"status":"${document.status}","date":"${date}T00:00:00Z"` +
    renderRare(ledger, 'dueBy', index, `"${dayText(document.due)}T00:00:00Z"`) +
    renderAmounts(document) +
    `,"exchangeRate":${exchangeRate(document, awkward, draw)}` +
    `,"issuerFiscalId":"${owner}","receiverFiscalId":"${parties.fiscalIds.of(party)}"` +
    renderRare(ledger, 'customer', index, parties.summaryOf(party)) +
    `,"categories":${renderCategories(draw)},"payments":[${payments}]` +
    (withMovements ? `,"movements":[${payments}]` : '') +
    `,"referenceNumber":"inv_${id.slice(0, 14)}"${renderRelated(ledger, document)}` +
    `,"purchaseOrder":${draw.below(3) === 0 ? `"OC-${draw.below(99_999)}"` : 'null'}` +
    renderTrackingId(awkward, draw) +
    `,"notes":${draw.pick(awkward ? AWKWARD_NOTES : NOTES)}${PAYMENT_INSTRUCTIONS}` +
    `,"sentByEmail":${draw.below(2) === 0},"files":[${renderFiles(id, draw, linkTo)}]` +
    `,"createdAt":"${date}T13:${10 + draw.below(50)}:07.${100 + draw.below(900)}Z"` +
    `${lateFieldsOfIssued(ledger, index, date)}}`
  );
}

/** The tax authority's number of a few, which awkward ones have with 19 digits. */
function renderTrackingId(awkward: boolean, draw: Draw): string {
  if (draw.below(12) !== 0) return '';
  const [start, end] = [1e8 + draw.below(1e8), 1e7 + draw.below(9e7)];
  return `,"trackingId":${awkward ? `81${start}${end}` : `8${start}`}`;
}

/** The files of an invoice, 0 to 2: the second is the XML. */
function renderFiles(id: string, draw: Draw, linkTo: LinkTo): string {
  const share = draw.below(10);
  const count = share < 2 ? 0 : share < 8 ? 1 : 2;
  return Array.from({ length: count }, (_, file) => `{"fileUrl":"${linkTo(id, file)}"}`).join();
}

/** The payments, which add up to what is paid. What a credit note took off is one of them. */
function renderPayments(
  { at, today }: Ledger,
  { correction, currency, day, due, paid, status, type }: LedgerDocument,
  draw: Draw,
): string {
  if (paid === 0 || type === 'CREDIT_NOTE') return '';
  const note = correction && at(correction.note);
  const setOff = note === undefined || note.paid === 0 ? undefined : note;
  const off = Math.abs(setOff?.total ?? 0);
  const earliest = setOff?.day ?? day;
  const payday = Math.min(today, Math.max(earliest, due + draw.below(26) - 15));
  const method = status === 'MANUALLY_MARKED_AS_PAID' ? 'MANUAL' : 'TRANSFER';
  const render = (amount: number, on: number, how: string): string =>
    `{"id":${7_000_000 + draw.below(1e6)},"date":"${dayText(on)}","amount":${moneyText(amount, currency)},"method":"${how}"}`;
  const transfer = render(paid - off, payday, method);
  return setOff ? `${render(off, earliest, 'CREDIT_NOTE')},${transfer}` : transfer;
}

function exchangeRate({ currency }: LedgerDocument, awkward: boolean, draw: Draw): string {
  if (currency === 'CLP') return '1';
  return awkward && draw.below(4) === 0
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
function lateFieldsOfIssued({ awkward, count }: Ledger, index: number, date: string): string {
  if (index < count * 0.9) return '';
  const last = index === count - 1;
  const reason = awkward ? 'Monto, según \\"OC\\"' : 'No coincide con la orden de compra';
  const dispute = `,"dispute":{"openedAt":"${date}","reason":"${reason}"}`;
  const closing = awkward && last ? ',"closing":{"year":2026,"ratio":1.50}' : '';
  return (last || index % 7 === 0 ? dispute : '') + closing;
}

const ACCOUNTS = list(`Gastos generales, Arriendos, Honorarios, Combustible, Fletes y acarreos, Publicidad`);
const CENTERS = list(`Administración, Operaciones Norte, Operaciones Sur, Ventas, Ñuble`);

/** A received invoice as the JSON text that the service sends: about 12 KB, most of it accounting entries. */
export function renderReceived(ledger: Ledger, index: number): string {
  const { parties } = ledger;
  const document = ledger.at(index);
  const { party } = document;
  const draw = new Draw(hash32(ledger.seed, index, 50));
  const [id, date] = [ledger.ids.of(index), dayText(document.day)];
  const arrival = dayText(document.arrival);
  return (
    `{"id":"${id}","number":${document.number},"documentType":"${document.type}"` +
    `,"status":"${document.status}","date":"${date}"` +
    renderRare(ledger, 'dueBy', index, `"${dayText(document.due)}"`) +
    `,"receivedDate":"${arrival}T09:${10 + draw.below(50)}:00Z"${renderAmounts(document)}` +
    `,"issuerFiscalId":"${parties.fiscalIds.of(party)}","receiverFiscalId":"${ledger.owner}"` +
    `,"issuer":${parties.summaryOf(party)},"approval":${renderApproval(draw)}` +
    `,"accountingEntries":[${renderEntries(document, hash32(ledger.seed, index, 51), draw)}]` +
    `,"referenceNumber":"rec_${id.slice(0, 14)}"${renderRelated(ledger, document)}` +
    `,"folio":${draw.below(40) === 0 && ledger.awkward ? '9007199254740993' : 1e6 + draw.below(1e6)}` +
    `${lateFieldsOfReceived(ledger, index, date)}}`
  );
}

function renderApproval(draw: Draw): string {
  if (draw.below(4) === 0) return 'null';
  return `{"state":"APPROVED","by":{"name":"Begoña Núñez","role":"Contador/a"},"steps":${1 + draw.below(3)}}`;
}

/**
 * 33 to 40 entries of about 300 bytes, so that 500 records fit the 6 MB of a response and 1000 do not. Debit and credit are
 * equal: the expense in parts and the tax on one side, what is owed on the other; the other way round in a credit note.
 */
function renderEntries(
  { number, currency, net, exempt, tax, total, type }: LedgerDocument,
  seed: number,
  draw: Draw,
): string {
  const count = 33 + draw.below(8);
  const partOf = splitMoney(Math.abs(net + exempt), { count: count - 2, seed, currency });
  const entries = Array.from({ length: count }, (_, at) => {
    const line = at + 1;
    const [isTax, isOwed] = [line === count - 1, line === count];
    const center = draw.below(CENTERS.length);
    const amount = isOwed ? Math.abs(total) : isTax ? Math.abs(tax) : partOf(at);
    const isDebit = isOwed === (type === 'CREDIT_NOTE');
    const [debit, credit] = isDebit ? [amount, 0] : [0, amount];
    const account = isOwed ? 'Proveedores' : isTax ? 'IVA crédito fiscal' : draw.pick(ACCOUNTS);
    return (
      `{"line":${line},"account":{"code":"5-${100 + draw.below(900)}-${10 + draw.below(90)}"` +
      `,"name":"${account}"},"debit":${moneyText(debit, currency)},"credit":${moneyText(credit, currency)}` +
      `,"costCenter":{"code":"CC-${center}${line}","name":"${CENTERS[center]}"}` +
      `,"description":"Documento ${number}, línea ${line}: imputación automática según regla ${draw.below(500)}"` +
      `,"tax":{"code":"IVA","rate":0.190,"recoverable":${line % 9 !== 0}},"project":null}`
    );
  });
  return entries.join();
}

/** A claim appears only in the last twentieth of the listing. */
function lateFieldsOfReceived({ count }: Ledger, index: number, date: string): string {
  const late = index >= count * 0.95 && (index % 3 === 0 || index === count - 1);
  return late ? `,"claim":{"code":"RCD","date":"${date}","accepted":false}` : '';
}

/** The amounts of both kinds of invoices. Without awkward data, net, exempt and tax add up to the total, as do open and paid. */
function renderAmounts({
  index,
  currency,
  total,
  net,
  exempt,
  tax,
  open,
  paid,
  isOdd,
}: LedgerDocument): string {
  const text = (amount: number): string => moneyText(amount, currency);
  const totalText = isOdd ? oddMoneyText(total, index) : text(total);
  return (
    `,"currency":"${currency}","totalAmount":${totalText},"netAmount":${text(net)},"exemptAmount":${text(exempt)}` +
    `,"taxAmount":${text(tax)},"amountToBePaid":${text(open)},"conciliatedAmount":${text(paid)}`
  );
}

/** Which invoice a credit note corrects: its id, and its number for people. */
function renderRelated({ ids, at }: Ledger, { type, correction }: LedgerDocument): string {
  if (correction === undefined || type === 'INVOICE')
    return ',"relatedDocumentId":null,"relatedDocumentNumber":null';
  const { invoice } = correction;
  return `,"relatedDocumentId":"${ids.of(invoice)}","relatedDocumentNumber":${at(invoice).number}`;
}

/** A member of an invoice that a few records have as null and a few do not have. */
function renderRare(ledger: Ledger, member: 'dueBy' | 'customer', index: number, value: string): string {
  const presence = ledger.presenceOf(member, index);
  return presence === 'missing' ? '' : `,"${member}":${presence === 'null' ? 'null' : value}`;
}
