import { normalizeFiscalId } from '../data/ids.ts';
import {
  documentTypes,
  statuses,
  type DocumentType,
  type Ledger,
  type Presence,
  type Status,
} from '../data/ledger.ts';
import { shuffleTies, traitOf, type InvoiceSortKey, type RecordView } from '../data/ordering.ts';
import type { Book } from '../data/organization.ts';
import type { Parties } from '../data/parties.ts';
import { moneyText, oddMoneyText, parseServiceDay } from '../data/values.ts';
import { BadQuery, type Query } from './endpoint.ts';

/** Which invoices are asked for; what is undefined does not restrict. */
interface InvoiceFilter {
  readonly parties?: readonly number[] | undefined;
  readonly statuses?: readonly Status[] | undefined;
  readonly types?: readonly DocumentType[] | undefined;
  /** The earliest day on which an invoice came in: the date of issued ones. In days since 1970-01-01. */
  readonly since?: number | undefined;
  readonly number?: number | undefined;
}

/** The filters of both listings besides the fiscal IDs. The specification does not list them (spec 4.9), but they are in use. */
export function readFilter(query: Query, sinceParameter: string): InvoiceFilter {
  return {
    statuses: query.listOf('status', statuses),
    types: query.listOf('documentType', documentTypes),
    since: readDay(query, sinceParameter),
  };
}

/** The invoices that pass the filter, in order. */
export function selectInvoices(book: Book, filter: InvoiceFilter, order: InvoiceOrder): RecordView {
  const { key, descending, salt } = order;
  return shuffleTies(selectSorted(book, filter, { key, descending }), traitOf(book.ledger, key), salt);
}

interface InvoiceOrder {
  readonly key: InvoiceSortKey | undefined;
  readonly descending: boolean;
  /** See `tieSalt`. */
  readonly salt: number;
}

function selectSorted(book: Book, filter: InvoiceFilter, order: Omit<InvoiceOrder, 'salt'>): RecordView {
  const view = book.ordering.view(order.key, order.descending);
  if (Object.values(filter).every((restriction) => restriction === undefined)) return view;
  return book.ordering.filtered(JSON.stringify([filter, order]), view, makeTest(book, filter));
}

function makeTest({ ledger }: Book, filter: InvoiceFilter): (index: number) => boolean {
  const parties = filter.parties && new Set(filter.parties);
  return (index) =>
    (parties?.has(ledger.partyOf(index)) ?? true) &&
    (filter.statuses?.includes(ledger.statusOf(index)) ?? true) &&
    (filter.types?.includes(ledger.typeOf(index)) ?? true) &&
    ledger.arrivalDayOf(index) >= (filter.since ?? -Infinity) &&
    ledger.numberOf(index) === (filter.number ?? ledger.numberOf(index));
}

interface ResolvedParties {
  readonly found: readonly number[];
  /** One element of `errors` for each fiscal ID that nobody has (spec 2.4). */
  readonly errors: readonly object[];
}

/** Finds the parties of fiscal IDs in any spelling; one that is given twice counts once. */
export function resolveFiscalIds(parties: Parties, fiscalIds: readonly string[]): ResolvedParties {
  const found: number[] = [];
  const errors: object[] = [];
  for (const fiscalId of new Set(fiscalIds.map(normalizeFiscalId))) {
    const party = parties.fiscalIds.indexOf(fiscalId);
    if (party >= 0) found.push(party);
    else errors.push({ _type: 'EmptyResponseError', requestName: 'byFiscalId', requestParams: { fiscalId } });
  }
  return { found, errors };
}

function readDay(query: Query, name: string): number | undefined {
  const text = query.text(name);
  const day = text === undefined ? undefined : parseServiceDay(text);
  if (text !== undefined && day === undefined) throw new BadQuery(`Invalid date for ${name}: ${text}`);
  return day;
}

/** The amounts, in both kinds of invoices. Without awkward data they add up: net, exempt and tax to the total, as open and paid do. */
export function renderAmounts(ledger: Ledger, index: number): string {
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
export function renderRelated({ ledger, ids }: Book, index: number): string {
  const correction = ledger.correctionOf(index);
  const of = correction?.note === index ? correction.invoice : undefined;
  return of === undefined
    ? ',"relatedDocumentId":null,"relatedDocumentNumber":null'
    : `,"relatedDocumentId":"${ids.of(of)}","relatedDocumentNumber":${ledger.numberOf(of)}`;
}

/** A member of an invoice that a few records have as null and a few do not have. */
export function unlessMissing(name: string, value: string, presence: Presence): string {
  return presence === 'missing' ? '' : `,"${name}":${presence === 'null' ? 'null' : value}`;
}
