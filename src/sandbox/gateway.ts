import type { IncomingMessage } from 'node:http';
import { Draw, hash32 } from './data/values.ts';
import { customerEndpoint, customersEndpoint, portalLinkEndpoint } from './endpoints/customers.ts';
import { BadQuery, Query, type Endpoint, type World } from './endpoints/endpoint.ts';
import { openLink } from './endpoints/files.ts';
import { fundEndpoint, fundsEndpoint } from './endpoints/funds.ts';
import { issuedEndpoint } from './endpoints/issued.ts';
import { receivedEndpoint } from './endpoints/received.ts';
import type { Settings } from './options.ts';
import { bodyForms, compressReply, errorReply, gatewayReply, jsonReply, type Reply } from './reply.ts';
import { findOrganization, type IssuedToken } from './signing.ts';

const CACHE_BYTES = 48 * 1024 * 1024;

/** Stands before the endpoints: knows which addresses exist and who asks, and lets calls take long and go wrong. */
export class Gateway {
  readonly #world: World;
  readonly #settings: Settings;
  readonly #tokens: readonly [IssuedToken, IssuedToken];
  readonly #cache = new PageCache(CACHE_BYTES);
  #calls = 0;

  constructor(settings: Settings, world: World, tokens: readonly [IssuedToken, IssuedToken]) {
    this.#settings = settings;
    this.#world = world;
    this.#tokens = tokens;
  }

  /** The answer to a request; `signal` is aborted when nobody waits for it any more. */
  async answer(request: IncomingMessage, signal: AbortSignal): Promise<Reply> {
    const [path, search] = splitUrl(request.url ?? '/');
    // Such a gateway answers a method that an address does not have as it answers an unknown address.
    const { authorization = '' } = request.headers;
    if (request.method !== 'GET') return this.#refuseAddress(authorization);
    const link = openLink(this.#world, path, search);
    if (link !== undefined) return this.#delay(signal, () => link);
    const route = findRoute(path);
    if (route === undefined) return this.#refuseAddress(authorization);
    if (authorization === '') return gatewayReply(401, 'Unauthorized');
    const place = findOrganization(this.#tokens, authorization, this.#settings.now());
    if (place === undefined) return refusedToken(this.#settings.gatewayWords);
    const acceptsGzip = accepts(request.headers['accept-encoding'] ?? '');
    const asked = { place, path, search, acceptsGzip };
    return this.#delay(signal, (call) => this.#serve(route, asked, call), route);
  }

  #refuseAddress(authorization: string): Reply {
    return unknownAddress(this.#settings.gatewayWords, authorization);
  }

  /** Lets a call take as long, and go wrong as often, as the settings say. */
  async #delay(
    signal: AbortSignal,
    serve: (call: number) => Reply | Promise<Reply>,
    route?: Route,
  ): Promise<Reply> {
    const settings = this.#settings;
    const call = this.#calls++;
    const isSlow = route?.endpoint.slow === true;
    const latency = chooseLatency(settings, call, isSlow);
    const isLate = isSlow && latency > MAX_CALL;
    if (latency > 0) await settings.sleep(isLate ? MAX_CALL : latency, signal);
    if (isLate) return gatewayReply(502, 'Internal server error');
    const fault = chooseFault({ seed: settings.seed, rate: settings.failRate, call, now: settings.now() });
    const reply = await serve(call);
    return fault === undefined ? reply : fault(reply);
  }

  async #serve({ endpoint, id }: Route, asked: Asked, call: number): Promise<Reply> {
    const world = this.#world;
    const changes = [endpoint.signs === true && world.links.expiry(), world.order === 'by-request' && call];
    const key = JSON.stringify([asked, changes]);
    const kept = this.#cache.get(key);
    if (kept !== undefined) return kept;
    try {
      const { place, acceptsGzip } = asked;
      const query = new Query(asked.search, this.#settings.lists);
      const reply = await compressReply(
        endpoint.answer({ world, place, query, id, request: call, acceptsGzip }),
      );
      if (reply.status === 200) this.#cache.set(key, reply);
      return reply;
    } catch (error) {
      if (error instanceof BadQuery) return errorReply(endpoint.form, 400, error.message);
      throw error;
    }
  }
}

/** A request that may be answered, as far as the answer depends on it. */
interface Asked {
  readonly place: 0 | 1;
  readonly path: string;
  readonly search: string;
  readonly acceptsGzip: boolean;
}

/**
 * What the gateway says of an address that does not exist. It expects a signature of its own kind in the Authorization header,
 * and repeats that header, with the token in it, when it finds none. A client must not show it.
 */
function unknownAddress(words: Settings['gatewayWords'], authorization: string): Reply {
  if (words === 'spec') {
    const missing = ['Credential', 'Signature', 'SignedHeaders'];
    return gatewayReply(
      403,
      missing.map((name) => `Authorization header requires ${name} parameter.`).join(' '),
    );
  }
  if (authorization === '') return gatewayReply(403, 'Missing Authentication Token');
  if (/\s/.test(authorization)) {
    const says = 'Invalid key=value pair (missing equal-sign) in Authorization header';
    return gatewayReply(403, `${says}: '${authorization}'.`);
  }
  return gatewayReply(
    403,
    "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. " +
      "Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a " +
      `'X-Amz-Date' or a 'Date' header. Authorization=${authorization}`,
  );
}

/** What the gateway says of a token that it refuses. */
function refusedToken(words: Settings['gatewayWords']): Reply {
  const reason = words === 'spec' ? ' with an explicit deny' : '';
  return jsonReply(403, `{"Message":"User is not authorized to access this resource${reason}"}`);
}

/** Path and query of a request's target, without the question mark. */
function splitUrl(url: string): [path: string, search: string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** Whether an Accept-Encoding names gzip and does not rule it out with `q=0`. */
function accepts(header: string): boolean {
  return header.split(',').some((part) => {
    const [coding, weight] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q\s*=\s*/);
    return coding === 'gzip' && Number(weight ?? 1) > 0;
  });
}

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/v1/invoices/issued': issuedEndpoint,
  '/v1/invoices/received': receivedEndpoint,
  '/v1/customers': customersEndpoint,
  '/v1/customers/portal-link': portalLinkEndpoint,
  '/v1/accounts-payable/prepaid-expenses': fundsEndpoint,
};

const ITEM_ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/v1/customers': customerEndpoint,
  '/v1/accounts-payable/prepaid-expenses': fundEndpoint,
};

interface Route {
  readonly endpoint: Endpoint;
  readonly id: string;
}

/** The endpoint at a path, or undefined when there is none (spec 4). An id is one segment, decoded. */
function findRoute(path: string): Route | undefined {
  const endpoint = Object.hasOwn(ENDPOINTS, path) ? ENDPOINTS[path] : undefined;
  if (endpoint !== undefined) return { endpoint, id: '' };
  const slash = path.lastIndexOf('/');
  const parent = path.slice(0, slash);
  const item = Object.hasOwn(ITEM_ENDPOINTS, parent) ? ITEM_ENDPOINTS[parent] : undefined;
  const segment = path.slice(slash + 1);
  if (item === undefined || segment === '') return undefined;
  try {
    return { endpoint: item, id: decodeURIComponent(segment) };
  } catch {
    return undefined;
  }
}

/** Milliseconds after which the gateway gives a call up and answers 502 (spec 4.2 rule 4). */
const MAX_CALL = 29_000;

/** Milliseconds that the nth call takes. */
function chooseLatency(settings: Settings, call: number, isSlow: boolean): number {
  const draw = new Draw(hash32(settings.seed, call, 92));
  const [least, most] = settings.latency;
  const base = least + draw.below(most - least + 1);
  return settings.realistic && isSlow ? base + 10_000 + draw.below(15_001) : base;
}

/** Something that goes wrong with a request: given its proper answer, what the client gets instead. */
type Fault = (proper: Reply) => Reply;

/**
 * Decides whether the nth request fails, and how. The same seed and order of requests give the same faults; a request
 * that is made again is another one, so that retrying helps.
 */
export function chooseFault(options: {
  seed: number;
  rate: number;
  call: number;
  now: number;
}): Fault | undefined {
  if (hash32(options.seed, options.call, 90) >= options.rate * 2 ** 32) return undefined;
  const random = hash32(options.seed, options.call, 91);
  const faults: readonly Fault[] = [
    () => errorReply(bodyForms[(random >>> 8) % bodyForms.length]!, 500, 'Internal error'),
    () => gatewayReply(502, 'Internal server error'),
    () => gatewayReply(503, 'Service Unavailable'),
    () => gatewayReply(429, 'Too Many Requests', { 'retry-after': '1' }),
    // The other form that Retry-After may have (RFC 9110).
    () =>
      gatewayReply(429, 'Too Many Requests', { 'retry-after': new Date(options.now + 1000).toUTCString() }),
    (proper) => ({ ...proper, breaks: 'at once' }),
    (proper) => ({ ...proper, breaks: 'halfway' }),
  ];
  return faults[random % faults.length];
}

/** Answers that were sent lately, so that a page asked for again costs nothing. Bounded in bytes; the oldest go first. */
export class PageCache {
  readonly #replies = new Map<string, Reply>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Reply | undefined {
    return this.#replies.get(key);
  }

  /** Keeps an answer whose body is whole and not too large to share the room with others. */
  set(key: string, reply: Reply): void {
    const size = sizeOf(reply);
    if (size > this.#maxBytes / 8 || this.#replies.has(key)) return;
    this.#replies.set(key, reply);
    this.#bytes += size;
    for (const [oldest, kept] of this.#replies) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#replies.delete(oldest);
      this.#bytes -= sizeOf(kept);
    }
  }
}

/** The body and what the entry itself takes, in bytes. */
function sizeOf({ body }: Reply): number {
  return Buffer.isBuffer(body) ? body.length + 512 : Infinity;
}
