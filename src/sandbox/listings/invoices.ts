import { normalizeFiscalId } from '../data/ids.ts';
import { documentTypes, statuses, type Ledger } from '../data/ledger.ts';
import { shuffleTies, sortKeys, traitOf, type Ordering } from '../data/ordering.ts';
import { dayText, Draw, hash32, list, moneyText, oddMoneyText, splitMoney } from '../data/values.ts';
import { envelope, PAGE, pageFields, pageReply, tieSalt, type Call, type ServedListing } from '../listing.ts';
import { BadQuery } from '../query.ts';
import { jsonReply, type Reply } from '../reply.ts';

const INVOICES = [...PAGE, 'options_sortBy', 'options_sortOrder', 'status', 'documentType'];

/** What the specification leaves open (4.9): the filters of invoices that it does not list are in use. */
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
  const { ids, parties } = ledger;
  const draw = new Draw(hash32(ledger.seed, index, 40));
  const party = ledger.partyOf(index);
  const [id, date] = [ids.of(index), dayText(ledger.dayOf(index))];
  const payments = renderPayments(ledger, index, draw);
  return (
    `{"id":"${id}","number":${ledger.numberOf(index)},"documentType":"${ledger.typeOf(index)}"` +
    `,"status":"${ledger.statusOf(index)}","date":"${date}T00:00:00Z"` +
    renderRare(ledger, 'dueBy', index, `"${dayText(ledger.dueDayOf(index))}T00:00:00Z"`) +
    renderAmounts(ledger, index) +
    `,"exchangeRate":${exchangeRate(ledger, index, draw)}` +
    `,"issuerFiscalId":"${ledger.owner}","receiverFiscalId":"${parties.fiscalIds.of(party)}"` +
    renderRare(ledger, 'customer', index, parties.summaryOf(party)) +
    `,"categories":${renderCategories(draw)},"payments":[${payments}]` +
    (withMovements ? `,"movements":[${payments}]` : '') +
    `,"referenceNumber":"inv_${id.slice(0, 14)}"${renderRelated(ledger, index)}` +
    `,"purchaseOrder":${draw.below(3) === 0 ? `"OC-${draw.below(99_999)}"` : 'null'}` +
    renderTrackingId(ledger, draw) +
    `,"notes":${draw.pick(ledger.awkward ? AWKWARD_NOTES : NOTES)}${PAYMENT_INSTRUCTIONS}` +
    `,"sentByEmail":${draw.below(2) === 0},"files":[${renderFiles(id, draw, linkTo)}]` +
    `,"createdAt":"${date}T13:${10 + draw.below(50)}:07.${100 + draw.below(900)}Z"${lateFieldsOfIssued(ledger, index)}}`
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
  const off = isSetOff ? Math.abs(ledger.totalOf(correction.note)) : 0;
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
function lateFieldsOfIssued(ledger: Ledger, index: number): string {
  if (index < ledger.count * 0.9) return '';
  const last = index === ledger.count - 1;
  const reason = ledger.awkward ? 'Monto, según \\"OC\\"' : 'No coincide con la orden de compra';
  const dispute = `,"dispute":{"openedAt":"${dayText(ledger.dayOf(index))}","reason":"${reason}"}`;
  const closing = ledger.awkward && last ? ',"closing":{"year":2026,"ratio":1.50}' : '';
  return (last || index % 7 === 0 ? dispute : '') + closing;
}

const ACCOUNTS = list(`Gastos generales, Arriendos, Honorarios, Combustible, Fletes y acarreos, Publicidad`);
const CENTERS = list(`Administración, Operaciones Norte, Operaciones Sur, Ventas, Ñuble`);

/** A received invoice as the JSON text that the service sends: about 12 KB, most of it accounting entries. */
export function renderReceived(ledger: Ledger, index: number): string {
  const { ids, parties } = ledger;
  const draw = new Draw(hash32(ledger.seed, index, 50));
  const party = ledger.partyOf(index);
  const [id, date] = [ids.of(index), dayText(ledger.dayOf(index))];
  const arrival = dayText(ledger.arrivalDayOf(index));
  return (
    `{"id":"${id}","number":${ledger.numberOf(index)},"documentType":"${ledger.typeOf(index)}"` +
    `,"status":"${ledger.statusOf(index)}","date":"${date}"` +
    renderRare(ledger, 'dueBy', index, `"${dayText(ledger.dueDayOf(index))}"`) +
    `,"receivedDate":"${arrival}T09:${10 + draw.below(50)}:00Z"${renderAmounts(ledger, index)}` +
    `,"issuerFiscalId":"${parties.fiscalIds.of(party)}","receiverFiscalId":"${ledger.owner}"` +
    `,"issuer":${parties.summaryOf(party)},"approval":${renderApproval(draw)}` +
    `,"accountingEntries":[${renderEntries(ledger, index, draw)}]` +
    `,"referenceNumber":"rec_${id.slice(0, 14)}"${renderRelated(ledger, index)}` +
    `,"folio":${draw.below(40) === 0 && ledger.awkward ? '9007199254740993' : 1e6 + draw.below(1e6)}` +
    `${lateFieldsOfReceived(ledger, index)}}`
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
  const partOf = splitMoney(Math.abs(net + exempt), {
    count: count - 2,
    seed: hash32(ledger.seed, index, 51),
    currency,
  });
  let text = '';
  for (let line = 1; line <= count; line++) {
    const [isTax, isOwed] = [line === count - 1, line === count];
    const center = draw.below(CENTERS.length);
    const amount = isOwed ? Math.abs(total) : isTax ? Math.abs(tax) : partOf(line - 1);
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
function lateFieldsOfReceived(ledger: Ledger, index: number): string {
  const late = index >= ledger.count * 0.95 && (index % 3 === 0 || index === ledger.count - 1);
  return late ? `,"claim":{"code":"RCD","date":"${dayText(ledger.dayOf(index))}","accepted":false}` : '';
}

/** The amounts, in both kinds of invoices. Without awkward data they add up: net, exempt and tax to the total, as open and paid do. */
function renderAmounts(ledger: Ledger, index: number): string {
  const currency = ledger.currencyOf(index);
  const { net, exempt, tax, total } = ledger.amountsOf(index);
  const text = (amount: number): string => moneyText(amount, currency);
  const totalText = ledger.isOddlySpelled(index) ? oddMoneyText(total, index) : text(total);
  return (
    `,"currency":"${currency}","totalAmount":${totalText},"netAmount":${text(net)},"exemptAmount":${text(exempt)}` +
    `,"taxAmount":${text(tax)},"amountToBePaid":${text(ledger.openOf(index))},"conciliatedAmount":${text(ledger.paidOf(index))}`
  );
}

/** Which invoice a credit note corrects: its id, and its number for people. */
function renderRelated(ledger: Ledger, index: number): string {
  const of = ledger.correctedBy(index);
  const [id, number] = of === undefined ? [null, null] : [`"${ledger.ids.of(of)}"`, ledger.numberOf(of)];
  return `,"relatedDocumentId":${id},"relatedDocumentNumber":${number}`;
}

/** A member of an invoice that a few records have as null and a few do not have. */
function renderRare(ledger: Ledger, member: 'dueBy' | 'customer', index: number, value: string): string {
  const presence = ledger.presenceOf(member, index);
  return presence === 'missing' ? '' : `,"${member}":${presence === 'null' ? 'null' : value}`;
}
