import type { RecordView } from '../data/ordering.ts';
import type { Organization } from '../data/organization.ts';
import type { DocumentShape, ListReading, RecordOrder } from '../options.ts';
import type { BodyForm, Reply } from '../reply.ts';
import type { LinkSigner } from '../signing.ts';

/** What all endpoints of a sandbox share. */
export interface World {
  /** What an unknown customer's id gives (spec 4.4). */
  readonly missingCustomer: 404 | 500;
  /** In which shape a fund has its documents (spec 4.9). */
  readonly documentsAs: DocumentShape;
  readonly order: RecordOrder;
  /** The most records of a page. */
  readonly maxRecords: number;
  readonly organizations: readonly [Organization, Organization];
  readonly links: LinkSigner;
  /** `http://127.0.0.1:PORT`, known once the sandbox listens. */
  readonly origin: string;
}

/** One request that may be answered: its token belongs to the organization. */
export interface Call {
  readonly world: World;
  /** Which of the two organizations asks. */
  readonly place: 0 | 1;
  readonly query: Query;
  /** The path's `{id}`, or empty. */
  readonly id: string;
  /** Counts the requests, from 0. */
  readonly request: number;
  readonly acceptsGzip: boolean;
}

export interface Endpoint {
  /** The form of its 400 and 500 bodies. The specification leaves open which endpoint has which (spec 7). */
  readonly form: BodyForm;
  /** True where a large organization waits long, and no longer than 29 s (spec 4.2 rule 4). */
  readonly slow?: boolean;
  /** True where answers hold signed links, which change by the second. */
  readonly signs?: boolean;
  /** Throws BadQuery for what gives 400. */
  answer(call: Call): Reply;
}

/** What decides how records of an equal sort key follow each other on a page of this size; 0 for their usual order. */
export function tieSalt({ world, request }: Call, pageSize: number): number {
  if (world.order === 'stable') return 0;
  return world.order === 'by-size' ? pageSize : request + 1;
}

/** The query string breaks a rule of the endpoint; the answer is 400 with this message. */
export class BadQuery extends Error {
  override name = 'BadQuery';
}

/**
 * A query string as the service understands it. The specification leaves two things open, chosen here: how a list is written
 * (`ListReading`), and that a single value that comes twice is refused.
 */
export class Query {
  readonly #values = new Map<string, string[]>();
  readonly #lists: ListReading;

  /** `text` is what follows the question mark. Throws BadQuery when it is not properly encoded. */
  constructor(text: string, lists: ListReading = 'any') {
    this.#lists = lists;
    for (const pair of text.split('&').filter((part) => part !== '')) {
      const equals = pair.includes('=') ? pair.indexOf('=') : pair.length;
      const name = decode(pair.slice(0, equals)).replace(/\[\d*\]$/, lists === 'any' ? '' : BRACKETS);
      this.#values.set(name, [...(this.#values.get(name) ?? []), decode(pair.slice(equals + 1))]);
    }
  }

  /** Throws BadQuery for the first parameter that the endpoint does not have. */
  allowOnly(names: readonly string[]): void {
    for (const written of this.#values.keys()) {
      const name = this.#lists === 'brackets' ? written.replace(BRACKETS, '') : written;
      if (!names.includes(name)) throw new BadQuery(`Unsupported parameter: ${name}`);
    }
  }

  /** The value as sent, or undefined when the parameter is absent. */
  text(name: string): string | undefined {
    const values = this.#values.get(name);
    if (values !== undefined && values.length > 1)
      throw new BadQuery(`Parameter ${name} was given more than once`);
    return values?.[0];
  }

  /** A whole number of at least `least`, or `absent`. */
  integer(name: string, absent: number, least: number): number {
    const text = this.text(name);
    if (text === undefined) return absent;
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < least || !Number.isSafeInteger(number)) {
      throw new BadQuery(`Invalid value for ${name}: ${text}`);
    }
    return number;
  }

  /** One of `values`, in exactly that spelling, or undefined. */
  oneOf<const T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : choose(name, text, values);
  }

  /** The elements of a list, or undefined when the parameter is absent. An empty list is refused. */
  list(name: string): string[] | undefined {
    const elements = this.#elements(name);
    const given = elements?.map((element) => element.trim()).filter((element) => element !== '');
    if (given?.length === 0) throw new BadQuery(`Parameter ${name} is empty`);
    return given;
  }

  #elements(name: string): string[] | undefined {
    const values = this.#values.get(name);
    switch (this.#lists) {
      case 'any':
        return values?.flatMap((value) => value.split(','));
      case 'comma':
        return this.text(name)?.split(',');
      case 'repeat':
        return values;
      case 'first':
        return values?.slice(0, 1);
      case 'last':
        return values?.slice(-1);
      case 'brackets':
        return this.#values.get(name + BRACKETS) ?? values?.slice(-1);
    }
  }

  /** The elements of a list, each one of `values`, or undefined. */
  listOf<const T extends string>(name: string, values: readonly T[]): T[] | undefined {
    return this.list(name)?.map((element) => choose(name, element, values));
  }
}

/** What the name of each parameter of a list may end in, without a place. */
const BRACKETS = '[]';

function choose<T extends string>(name: string, text: string, values: readonly T[]): T {
  const value = values.find((candidate) => candidate === text);
  if (value === undefined)
    throw new BadQuery(`Invalid value for ${name}: ${text}. Allowed: ${values.join(', ')}`);
  return value;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new BadQuery('The query string is not properly encoded');
  }
}

/** One page of records as JSON text: `head`, the records between commas, `tail`. */
export interface RecordPage {
  readonly view: RecordView;
  /** The position of the first record; beyond the end the page is empty. */
  readonly offset: number;
  readonly size: number;
  readonly head: string;
  readonly tail: string;
  render(index: number): string;
}

/** Records in a piece. Small, because one character beyond Latin-1 makes a whole piece slow to encode. */
const RECORDS_A_PIECE = 50;

/** How many records the page really holds. */
export function countRecords({ view, offset, size }: RecordPage): number {
  return Math.max(0, Math.min(view.total - offset, size));
}

/** The page in pieces, each made when it is asked for. */
export function* renderPieces(page: RecordPage): Generator<Buffer> {
  const end = page.offset + countRecords(page);
  let text = page.head;
  for (let position = page.offset; position < end; position++) {
    text += page.render(page.view.at(position)) + (position + 1 < end ? ',' : '');
    if ((position + 1 - page.offset) % RECORDS_A_PIECE !== 0) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + page.tail);
}

/** The page in one, or undefined when it is larger than `maxBytes`. */
export function renderPage(page: RecordPage, maxBytes = Infinity): Buffer | undefined {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const piece of renderPieces(page)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > maxBytes) return undefined;
  }
  return Buffer.concat(pieces, bytes);
}

/** The head of the page envelope (spec 2.2); the records and `pageTail` follow. */
export function pageHead(total: number, page: number, pageSize: number): string {
  return `{"total":${total},"page":${page},"pageSize":${pageSize},"pageResults":[`;
}

/** The end of the page envelope, with the elements of `errors` (spec 2.4). */
export function pageTail(errors: readonly object[] = []): string {
  return `],"errors":${JSON.stringify(errors)}}`;
}
