import type { OpenTransport, TransportRequest } from '../../src/api/transport.ts';
import { answeringTransport, type PartialResponse } from '../support/fake-transport.ts';
import type { FakeClock } from '../support/fake-clock.ts';

type Random = (below: number) => number;

/** The status of a page that is refused. */
type Refusal = '400' | '413' | '500' | '502';

/** What the specification leaves open, as one service may have chosen it. */
export interface Freedoms {
  readonly listing: 'issued' | 'received' | 'funds' | 'documents' | 'customers';
  readonly records: number;
  /** How records of equal dates stand: always the same, another way for each page size, or for each request. */
  readonly order: 'stable' | 'by-size' | 'by-request';
  /** Each its own; some shared by different records; or none, and then a number that tells records apart, or nothing. */
  readonly ids: 'unique' | 'repeat' | 'none' | 'nothing';
  /** Whether files have links that are signed anew with each answer. */
  readonly links: boolean;
  /** How the documents of a fund come. */
  readonly shape: 'envelope' | 'array' | 'array-total' | 'without-total' | 'data';
  /** The last page of a cursor walk. */
  readonly end: 'null' | 'missing' | 'empty';
  /** What becomes of a page of more records than `most`. */
  readonly limit: 'none' | 'capped' | 'capped-silently' | 'fixed' | Refusal | 'slow' | 'heavy';
  readonly most: number;
  /** What happens between two requests, now and then. */
  readonly drift: 'none' | 'insert' | 'delete' | 'both' | 'update';
  /** Whether it answers every page with the first one, or every cursor with a new one. */
  readonly repeating: boolean;
}

interface ModelRecord {
  readonly number: number;
  readonly id: number;
  readonly day: number;
  readonly amount: number;
}

const PATHS: Readonly<Record<string, Freedoms['listing']>> = {
  '/invoices/issued': 'issued',
  '/invoices/received': 'received',
  '/customers': 'customers',
  '/accounts-payable/prepaid-expenses': 'funds',
  '/accounts-payable/prepaid-expenses/1': 'documents',
};

/** A walk that asks more often has no end. */
const MAX_REQUESTS = 2_000;
/** Services draw one to eight records for a day. */
const MAX_A_DAY = 8;

/** A service that keeps to the specification, and is free where that is silent. */
export class PlausibleService {
  readonly freedoms: Freedoms;
  records: ModelRecord[];
  /** Numbers of the records that were there all the time. */
  readonly lasting: Set<number>;
  /** Every record that ever was, as it is delivered without its links. */
  readonly known = new Set<string>();
  requests = 0;
  /** Whether anything changed since the first request. */
  hasChanged = false;
  readonly #random: Random;
  #next: number;
  #changes: number;

  constructor(freedoms: Freedoms, random: Random) {
    this.freedoms = freedoms;
    this.#random = random;
    this.#changes = 1 + random(3);
    let day = 0;
    let left = 0;
    this.records = Array.from({ length: freedoms.records }, (_, number) => {
      if (left-- === 0) {
        day++;
        left = random(MAX_A_DAY);
      }
      return this.#record(number, day);
    });
    this.#next = freedoms.records;
    this.lasting = new Set(this.records.map(({ number }) => number));
  }

  /** The records as they are to be delivered. */
  get truth(): string[] {
    return this.records.map((record) => this.#text(record));
  }

  transport(clock: () => FakeClock): OpenTransport {
    const send = async ({ url, signal }: TransportRequest): Promise<PartialResponse> => {
      if (++this.requests > MAX_REQUESTS) throw new Error(`more than ${MAX_REQUESTS} requests`);
      for (let turns = this.#random(3); turns > 0; turns--) await Promise.resolve();
      signal.throwIfAborted();
      const answer = this.#answer(url, clock());
      const [status, body] = typeof answer === 'string' ? [200, answer] : [answer, '{"message":"no"}'];
      if (this.requests > 1) this.#change();
      return { status, headers: { 'content-type': 'application/json' }, body };
    };
    return async () => answeringTransport(send);
  }

  #record(number: number, day: number): ModelRecord {
    const { ids } = this.freedoms;
    const id = ids === 'repeat' && this.#random(4) === 0 ? this.#random(number + 1) : number;
    const record = { number, id, day, amount: this.#random(5) };
    this.known.add(this.#text(record));
    return record;
  }

  #text({ number, id, day, amount }: ModelRecord, link = ''): string {
    const { ids, listing } = this.freedoms;
    const numbered = ids === 'nothing' ? `"text":"no ${number}"` : `"number":"F-${number}"`;
    const identity = ids === 'unique' || ids === 'repeat' ? `"id":${id},` : '';
    const type = listing === 'issued' ? ',"documentType":"INVOICE"' : '';
    return `{${identity}${numbered}${type},"date":${day},"amount":${amount}.10${link}}`;
  }

  #answer(url: URL, clock: FakeClock): string | number {
    const { freedoms } = this;
    const { limit, most, repeating } = freedoms;
    const query = url.searchParams;
    const listing = PATHS[url.pathname.replace(/^\/v1/, '')];
    if (listing !== freedoms.listing) return 404;
    const isFund = listing === 'funds' || listing === 'documents';
    const wanted = Number(query.get('options_pageSize') ?? (isFund ? 20 : 10));
    const isOver = wanted > most;
    if (isOver && limit === 'slow') {
      clock.advance(29_500);
      return 502;
    }
    if (isOver && ['400', '413', '500', '502'].includes(limit)) return Number(limit);
    const caps = limit === 'capped' || limit === 'capped-silently';
    const size = limit === 'fixed' ? most : isOver && caps ? most : wanted;
    const sorted = this.#sorted(query.get('options_sortBy'), size);
    if (listing === 'customers') return this.#cursorPage(query.get('options_nextToken'), sorted, size);
    const page = Number(query.get('options_page'));
    const start = repeating ? 0 : (page - (isFund ? 1 : 0)) * size;
    const records = sorted.slice(start, start + size);
    // A stretch of records that weigh so much that only few fit into one page.
    const heavy = records.filter(({ number }) => number >= 20 && number < 40);
    if (limit === 'heavy' && heavy.length > most / 4) return 502;
    const echo = limit === 'capped-silently' || limit === 'fixed' ? wanted : size;
    const texts = records.map((record) => this.#sent(record)).join(',');
    const total = this.records.length;
    if (listing === 'documents') return this.#documents(texts, { total, size: echo, page });
    return `{"total":${total},"page":${page},"pageSize":${echo},"errors":[],"pageResults":[${texts}]}`;
  }

  #documents(
    texts: string,
    { total, size, page }: Readonly<Record<'total' | 'size' | 'page', number>>,
  ): string {
    const told = `"total":${total},"page":${page},"pageSize":${size}`;
    switch (this.freedoms.shape) {
      case 'envelope':
        return `{"id":1,"assignedDocuments":{${told},"pageResults":[${texts}]}}`;
      case 'array-total':
        return `{"id":1,"assignedDocuments":[${texts}],${told}}`;
      case 'without-total':
        return `{"id":1,"total":77.10,"assignedDocuments":{"pageResults":[${texts}]}}`;
      case 'data':
        return `{"id":1,"total":3,"assignedDocuments":{"data":[${texts}]}}`;
      case 'array':
        return `{"id":1,"total":5,"assignedDocuments":${texts === '' ? 'null' : `[${texts}]`}}`;
    }
  }

  #cursorPage(token: string | null, sorted: readonly ModelRecord[], size: number): string {
    const { end, repeating } = this.freedoms;
    const start = token === null || repeating ? 0 : Number(token.slice(1));
    const records = sorted.slice(start, start + size);
    const texts = records.map((record) => this.#sent(record)).join(',');
    const isLast = !repeating && start + size >= sorted.length;
    const last = { null: ',"nextToken":null', missing: '', empty: ',"nextToken":""' }[end];
    const next = repeating ? `c${this.requests}` : `c${start + size}`;
    return `{"data":[${texts}],"errors":[]${isLast ? last : `,"nextToken":"${next}"`}}`;
  }

  /** By the day, those of one day as the service's order has them; by number where that is asked for. */
  #sorted(by: string | null, size: number): ModelRecord[] {
    const { order } = this.freedoms;
    if (by === 'NUMBER') return this.records.toSorted((a, b) => a.number - b.number);
    if (order === 'stable') return [...this.records];
    const salt = order === 'by-size' ? size : this.#random(1_000_000);
    const place = ({ number }: ModelRecord): number => Math.imul(number + 1, 2 * salt + 1) % 1009;
    return this.records.toSorted((a, b) => a.day - b.day || place(a) - place(b));
  }

  /** As it is sent: with a link that is signed anew each time. */
  #sent(record: ModelRecord): string {
    if (!this.freedoms.links) return this.#text(record);
    const signature = `${this.#random(1_000_000)}${'x'.repeat(this.#random(3))}`;
    return this.#text(
      record,
      `,"files":[{"fileUrl":"https://files.example/${record.number}?sig=${signature}"}]`,
    );
  }

  #change(): void {
    const { drift } = this.freedoms;
    if (drift === 'none' || this.#changes === 0 || this.#random(3) > 0) return;
    this.#changes--;
    this.hasChanged = true;
    const at = this.#random(this.records.length + 1);
    const insert = (): void => {
      const day = this.records[Math.min(at, this.records.length - 1)]?.day ?? 1;
      this.records.splice(at, 0, this.#record(this.#next++, day));
    };
    const remove = (place: number): void => {
      for (const { number } of this.records.splice(place, 1)) this.lasting.delete(number);
    };
    if (drift === 'insert' || drift === 'both') insert();
    if (drift === 'delete' || drift === 'both') remove(this.#random(this.records.length + 1));
    if (drift === 'update' && this.records[at] !== undefined) {
      const changed = { ...this.records[at], amount: 7 };
      this.known.add(this.#text(changed));
      this.records = this.records.with(at, changed);
    }
  }
}

/** Freedoms that go together, drawn by chance. */
export function drawFreedoms(random: Random): Freedoms {
  const pick = <T>(...choices: readonly T[]): T => choices[random(choices.length)]!;
  const listings = ['issued', 'issued', 'received', 'funds', 'documents', 'customers'] as const;
  const listing = pick(...listings);
  const records = pick(0, 1, 20, 100, 100) + random(200);
  const order = pick<Freedoms['order']>('stable', 'stable', 'by-size', 'by-request');
  const limits: readonly Freedoms['limit'][] =
    listing === 'customers'
      ? ['none', '400', '413', '500', '502', 'slow', 'capped']
      : ['none', 'none', 'capped', 'capped-silently', 'fixed', '400', '413', '500', '502', 'slow', 'heavy'];
  const drift = random(3) > 0 ? 'none' : pick<Freedoms['drift']>('insert', 'delete', 'both', 'update');
  const limit = pick(...limits);
  // Of records with no key at all, one that changed is another.
  const ids =
    drift === 'update'
      ? pick<Freedoms['ids']>('unique', 'repeat', 'none')
      : pick<Freedoms['ids']>('unique', 'unique', 'repeat', 'none', 'nothing');
  const links = random(2) === 0;
  const shape = pick<Freedoms['shape']>('envelope', 'array', 'array-total', 'without-total', 'data');
  // What a cursor that counts records passes over, when one before it goes, is not a client's to know. A customer that only changes
  // keeps its place; where the order does not, only a key shows that one which comes again is not another.
  const isUnseenUpdate = drift === 'update' && ids === 'none' && order !== 'stable';
  const isUnseen = listing === 'customers' && (drift !== 'update' || isUnseenUpdate);
  return {
    ...{ listing, records, order, ids, links, shape },
    end: pick('null', 'missing', 'empty'),
    limit,
    most: 10 + random(50),
    drift: isUnseen && drift !== 'insert' ? 'none' : drift,
    // Documents without a total that are the same on each page may be all there are.
    repeating: random(25) === 0 && records > 60 && listing !== 'documents',
  };
}
