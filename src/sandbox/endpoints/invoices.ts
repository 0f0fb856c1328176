import {
  documentTypes,
  shuffleTies,
  statuses,
  traitOf,
  type DocumentType,
  type InvoiceSortKey,
  type Ledger,
  type Presence,
  type RecordView,
  type Status,
} from '../data/ledger.ts';
import { normalizeFiscalId, type Book, type Parties } from '../data/organization.ts';
import { moneyText, netOf, oddMoneyText, parseServiceDay } from '../data/values.ts';
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

/** The amounts, in both kinds of invoices; what is paid follows from the status. */
export function renderAmounts(ledger: Ledger, index: number): string {
  const [total, currency] = [ledger.amountOf(index), ledger.currencyOf(index)];
  const [net, paid] = [netOf(total, currency), paidOf(ledger, index)];
  const open = ledger.statusOf(index) === 'NULLIFIED' ? 0 : total - paid;
  const text = (amount: number): string => moneyText(amount, currency);
  const totalText = ledger.isOddlySpelled(index) ? oddMoneyText(total, index) : text(total);
  return (
    `,"currency":"${currency}","totalAmount":${totalText},"netAmount":${text(net)},"taxAmount":${text(total - net)}` +
    `,"amountToBePaid":${text(open)},"conciliatedAmount":${text(paid)}`
  );
}

/** What is paid of an invoice, in hundredths. */
export function paidOf(ledger: Ledger, index: number): number {
  const status = ledger.statusOf(index);
  if (status === 'PAID' || status === 'MANUALLY_MARKED_AS_PAID') return ledger.amountOf(index);
  return status === 'PARTIALLY_PAID' ? Math.round(ledger.amountOf(index) / 500) * 100 : 0;
}

/** A member of an invoice that a few records have as null and a few do not have. */
export function unlessMissing(name: string, value: string, presence: Presence): string {
  return presence === 'missing' ? '' : `,"${name}":${presence === 'null' ? 'null' : value}`;
}
