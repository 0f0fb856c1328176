import { FiscalIds } from '../data/ids.ts';
import { personName } from '../data/names.ts';
import { shuffleTies, type RecordView } from '../data/ordering.ts';
import type { Funds } from '../data/organization.ts';
import { DAYS_OF_DATA, dayText, Draw, hash32, moneyText, netOf, shareOf } from '../data/values.ts';
import { errorReply, jsonReply } from '../reply.ts';
import { BadQuery, pageHead, pageTail, renderPage, tieSalt, type Call, type Endpoint } from './endpoint.ts';

const MAX_FUND_PAGE = 1000;

/** GET /accounts-payable/prepaid-expenses (spec 4.6): by creation date, the newest first unless asked otherwise. */
export const fundsEndpoint: Endpoint = {
  form: 'string',
  answer(call) {
    call.query.allowOnly(['options_page', 'options_pageSize', 'options_sortOrder']);
    const { page, pageSize } = readFundWindow(call, MAX_FUND_PAGE);
    const ascending = call.query.oneOf('options_sortOrder', ['asc', 'desc']) === 'asc';
    const { funds } = call.world.organizations[call.place];
    const total = funds.count;
    const view = { total, at: (position: number) => (ascending ? position : total - 1 - position) };
    const body = renderPage({
      view: shuffleTies(view, (index) => createdDay(funds, index), tieSalt(call, pageSize)),
      ...slicePage(total, page, pageSize),
      head: pageHead(total, Math.trunc(page), Math.trunc(pageSize)),
      tail: pageTail(),
      render: (index) => `${openFund(funds, index)}}`,
    });
    return jsonReply(200, body!);
  },
};

const MAX_DOCUMENT_PAGE = 100;

/** GET /accounts-payable/prepaid-expenses/{id} (spec 4.7). */
export const fundEndpoint: Endpoint = {
  form: 'array',
  answer(call) {
    call.query.allowOnly(['options_page', 'options_pageSize']);
    const { page, pageSize } = readFundWindow(call, MAX_DOCUMENT_PAGE);
    const { funds } = call.world.organizations[call.place];
    const fund = funds.ids.indexOf(call.id, funds.count);
    if (fund < 0) return errorReply('message', 404, `Prepaid expense ${call.id} not found`);
    const { documentsAs } = call.world;
    const record = `${openFund(funds, fund)},"assignedDocuments":`;
    if (documentsAs === 'null') return jsonReply(200, `${record}null}`);
    const view: RecordView = { total: funds.documents, at: (position) => position };
    const [start, end] = documentFrame(
      documentsAs,
      pageHead(view.total, Math.trunc(page), Math.trunc(pageSize)),
    );
    const body = renderPage({
      view,
      ...slicePage(view.total, page, pageSize),
      head: record + start,
      tail: `${end}}`,
      render: (index) => renderDocument(funds, fund, index),
    });
    return jsonReply(200, body!);
  },
};

/** What stands around a page of documents in each shape; the head is that of a page envelope. */
function documentFrame(
  shape: 'array' | 'array-total' | 'envelope',
  head: string,
): [start: string, end: string] {
  if (shape === 'envelope') return [head, pageTail()];
  const counts = head.replace(/^\{(.*),"pageResults":\[$/, '$1');
  return ['[', shape === 'array' ? ']' : `],${counts}`];
}

const DEFAULT_SIZE = 20;

/** The page as asked for, and a size that falls back to 20 whatever is wrong with it. */
function readFundWindow({ query, world }: Call, largest: number): { page: number; pageSize: number } {
  const text = query.text('options_page') ?? '1';
  if (!/^-?\d{1,15}(\.\d+)?$/.test(text)) throw new BadQuery(`Invalid value for options_page: ${text}`);
  const size = Number(query.text('options_pageSize') ?? DEFAULT_SIZE);
  const pageSize = size >= 1 && size <= largest ? size : DEFAULT_SIZE;
  return { page: Number(text), pageSize: Math.min(pageSize, world.maxRecords) };
}

/**
 * What slicing an array gives, which is what makes page 0 empty and negative or decimal pages arbitrary (spec 4.7).
 * The list does the same, where the specification says nothing of such pages.
 */
function slicePage(total: number, page: number, pageSize: number): { offset: number; size: number } {
  const place = (end: number): number => {
    const whole = Math.trunc(end);
    return whole < 0 ? Math.max(0, total + whole) : Math.min(total, whole);
  };
  const offset = place((page - 1) * pageSize);
  return { offset, size: Math.max(0, place(page * pageSize) - offset) };
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

/** What is given out, what is spent of it, and until when. */
interface FundTraits {
  readonly status: 'OPEN' | 'ACCOUNTED' | 'CLOSED';
  /** In hundredths. */
  readonly amount: number;
  /** The sum of the documents, in hundredths. */
  readonly spent: number;
  /** Days since 1970-01-01. */
  readonly created: number;
  /** The day on which it was closed, else today. */
  readonly until: number;
}

/** The newest funds are open, the older ones closed, with what was left over given back. */
function traitsOf(funds: Funds, index: number): FundTraits {
  const draw = new Draw(hash32(funds.seed, index, 71));
  const created = createdDay(funds, index);
  const age = funds.today - created;
  const status = age < 45 ? 'OPEN' : age < 75 ? 'ACCOUNTED' : 'CLOSED';
  const amount = 100 * 10_000 * (8 + draw.below(90));
  const percent =
    status === 'OPEN' ? 20 + draw.below(60) : status === 'ACCOUNTED' ? 85 + draw.below(15) : 100;
  const until = status === 'CLOSED' ? created + 30 + draw.below(45) : funds.today;
  return { status, amount, spent: funds.documents === 0 ? 0 : (amount * percent) / 100, created, until };
}

/** A fund to be accounted for, as JSON text without the closing brace: its documents may follow. Index 0 is the oldest. */
export function openFund(funds: Funds, index: number): string {
  const draw = new Draw(hash32(funds.seed, index, 70));
  const { status, amount, spent, created, until } = traitsOf(funds, index);
  const owner = draw.below(OWNERS);
  const fiscalId = new FiscalIds(11_000_000 + (funds.seed % 900_000), OWNERS).of(owner);
  const transfer = `${1e8 + draw.below(1e8)}${1e7 + draw.below(9e7)}`;
  return (
    `{"id":"${funds.ids.of(index)}","number":${index + 1}` +
    `,"name":"${draw.pick(funds.awkward ? AWKWARD_PURPOSES : PURPOSES)}","status":"${status}"` +
    `,"owner":{"name":${personName(hash32(funds.seed, owner, 72))}` +
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

/** A document assigned to a fund, as JSON text. All of a fund are what is accounted for of it. */
export function renderDocument(funds: Funds, fund: number, index: number): string {
  const draw = new Draw(hash32(funds.seed + fund, index, 80));
  const { spent, created, until } = traitsOf(funds, fund);
  const { documents: count, issuers } = funds;
  const date = dayText(created + Math.floor((index * (until - created)) / count));
  const total = shareOf(spent, { place: index, count, seed: funds.seed + fund, currency: 'CLP' });
  const issuer = draw.below(Math.max(1, issuers.count));
  const late = index === count - 1 && index > 0 ? ',"rejection":{"reason":"Sin timbre"}' : '';
  return (
    `{"id":"${funds.ids.of(fund).slice(0, 12)}-${funds.ids.sharedIndex(index) + 1}","type":"${draw.pick(['RECEIPT', 'INVOICE', 'TICKET'])}"` +
    `,"number":${1000 + draw.below(90_000)},"date":"${date}"` +
    `,"issuer":{"fiscalId":"${issuers.fiscalIds.of(issuer)}","name":${issuers.nameOf(issuer)}}` +
    `,"currency":"CLP","totalAmount":${moneyText(total, 'CLP')},"taxAmount":${moneyText(total - netOf(total, 'CLP'), 'CLP')}` +
    `,"category":${draw.below(6) === 0 ? 'null' : '"Colación, peajes"'}${late}}`
  );
}
