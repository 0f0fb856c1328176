import { gzipSync } from 'node:zlib';

/** The records that the service has, as JSON texts in the order of each listing. */
export interface ModelRecords {
  readonly issued: string[];
  readonly received: string[];
  readonly customers: string[];
  readonly funds: string[];
  /** Assigned to the one fund that there is, `/accounts-payable/prepaid-expenses/1`. */
  readonly documents: string[];
}

export interface ModelResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A page as the service means it: JSON texts by the name of the member, and the records aside. */
export interface ModelPage {
  readonly members: Readonly<Record<string, string>>;
  readonly recordsIn: 'pageResults' | 'data';
  readonly records: readonly string[];
  /** Put around the page, which takes the place of the word PAGE: for a fund, whose documents are a page within. */
  readonly within?: string | undefined;
}

interface Dialect {
  readonly name: keyof ModelRecords;
  readonly firstPage: number;
  readonly serviceSize: number;
  readonly maxSize: number;
  /** Whether a size over the most is brought down to it, or to the service's own size (spec 4.2, 4.6). */
  readonly caps: boolean;
  readonly within?: string;
}

const FUNDS = { firstPage: 1, serviceSize: 20, caps: false };
const DIALECTS: Readonly<Record<string, Dialect>> = {
  '/invoices/issued': { name: 'issued', firstPage: 0, serviceSize: 10, maxSize: Infinity, caps: true },
  '/invoices/received': { name: 'received', firstPage: 0, serviceSize: 10, maxSize: 1000, caps: true },
  '/accounts-payable/prepaid-expenses': { name: 'funds', ...FUNDS, maxSize: 1000 },
  '/accounts-payable/prepaid-expenses/1': {
    ...{ name: 'documents', ...FUNDS, maxSize: 100 },
    within: '{"id":1,"name":"Travel","assignedDocuments":PAGE,"amount":1190.10}',
  },
};

/** The listings of the service over records that a test holds and may change between two requests. Faultless. */
export class ModelService {
  readonly records: ModelRecords;

  constructor(records: Partial<ModelRecords> = {}) {
    this.records = { issued: [], received: [], customers: [], funds: [], documents: [], ...records };
  }

  /** The page that a URL asks for; undefined where the service has no such listing. */
  page(url: URL): ModelPage | undefined {
    const path = url.pathname.replace(/^\/v1/, '');
    if (path === '/customers') return this.#cursorPage(url.searchParams);
    const dialect = DIALECTS[path];
    return dialect && this.#numberedPage(url.searchParams, dialect);
  }

  #numberedPage(query: URLSearchParams, dialect: Dialect): ModelPage {
    const { name, firstPage, serviceSize, maxSize, caps, within } = dialect;
    const wanted = Number(query.get('options_pageSize') ?? serviceSize);
    const pageSize = wanted <= maxSize ? wanted : caps ? maxSize : serviceSize;
    const page = Number(query.get('options_page') ?? firstPage);
    const start = (page - firstPage) * pageSize;
    const all = this.records[name];
    return {
      members: { total: `${all.length}`, page: `${page}`, pageSize: `${pageSize}`, errors: '[]' },
      recordsIn: 'pageResults',
      records: all.slice(start, start + pageSize),
      within,
    };
  }

  /** The cursor is the place in the listing, with a letter so that nobody takes it for a number. */
  #cursorPage(query: URLSearchParams): ModelPage {
    const start = Number((query.get('options_nextToken') ?? 'c0').slice(1));
    const end = start + Number(query.get('options_pageSize') ?? 50);
    const all = this.records.customers;
    return {
      members: { errors: '[]', nextToken: end < all.length ? `"c${end}"` : 'null' },
      recordsIn: 'data',
      records: all.slice(start, end),
    };
  }
}

/** What a fault is made from where the service has no listing. */
export const NO_PAGE: ModelPage = { members: {}, recordsIn: 'data', records: [] };
export const NOT_THERE: ModelResponse = { status: 404, headers: {}, body: Buffer.from('{}') };

/** The page as a body: over 1729 records in gzip, as the service does (spec 4.1). */
export function respond(page: ModelPage): ModelResponse {
  const body = pageBody(page);
  const headers = { 'content-type': 'application/json' };
  if (page.records.length <= 1729) return { status: 200, headers, body };
  const packed = gzipSync(body, { level: 1 });
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: packed };
}

export function pageBody({ members, recordsIn, records, within = 'PAGE' }: ModelPage): Buffer {
  const texts = Object.entries(members).map(([name, text]) => `"${name}":${text}`);
  const page = `{${[`"${recordsIn}":[${records.join(',')}]`, ...texts].join(',')}}`;
  return Buffer.from(within.replace('PAGE', () => page));
}

/** `{"id":0,"number":"F-0","net":0.10,"party":{"name":"…"}}` and so on: what a test of faults needs of a record. */
export function modelRecords(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, at) => modelRecord(from + at));
}

export function modelRecord(id: number): string {
  return `{"id":${id},"number":"F-${id}","net":${id}.10,"party":{"name":"Sociedad Ñandú ${id % 7}"}}`;
}
