import type { IncomingMessage } from 'node:http';
import type { World } from './endpoints/endpoint.ts';
import { chooseFault } from './fault.ts';
import { identify } from './identify.ts';
import { chooseLatency, longestCall } from './latency.ts';
import { openLink } from './endpoints/open-link.ts';
import type { Settings } from './options.ts';
import { PageCache } from './page-cache.ts';
import { BadQuery, Query } from './endpoints/query.ts';
import { errorReply, gatewayReply, type Reply } from './endpoints/reply.ts';
import { findRoute, type Route } from './endpoints/route.ts';
import { compressReply } from './send-reply.ts';
import type { IssuedToken } from './token.ts';

const cacheBytes = 48 * 1024 * 1024;

/** What stands before the endpoints: whether the address exists, who asks, how long it takes, and what goes wrong. */
export class Gateway {
  readonly #world: World;
  readonly #settings: Settings;
  readonly #tokens: readonly [IssuedToken, IssuedToken];
  readonly #cache = new PageCache(cacheBytes);
  #calls = 0;

  constructor(settings: Settings, world: World, tokens: readonly [IssuedToken, IssuedToken]) {
    this.#settings = settings;
    this.#world = world;
    this.#tokens = tokens;
  }

  /** The answer to a request; `signal` is aborted when nobody waits for it any more. */
  async answer(request: IncomingMessage, signal: AbortSignal): Promise<Reply> {
    const [path, search] = splitUrl(request.url ?? '/');
    // A method that an address does not have is, to such a gateway, an address that does not exist.
    if (request.method !== 'GET') return unknownAddress;
    const link = openLink(this.#world, path, search);
    if (link !== undefined) return this.#delay(signal, () => link);
    const route = findRoute(path);
    if (route === undefined) return unknownAddress;
    const place = identify(this.#tokens, request.headers.authorization, this.#settings.now());
    if (typeof place !== 'number') return place;
    const acceptsGzip = accepts(request.headers['accept-encoding'] ?? '');
    return this.#delay(signal, () => this.#serve(route, { place, path, search, acceptsGzip }), route);
  }

  /** Lets a call take its time and go wrong as the settings have it. */
  async #delay(signal: AbortSignal, serve: () => Reply | Promise<Reply>, route?: Route): Promise<Reply> {
    const settings = this.#settings;
    const call = this.#calls++;
    const isSlow = route?.endpoint.slow === true;
    const latency = chooseLatency(settings, call, isSlow);
    const isLate = isSlow && latency > longestCall;
    if (latency > 0) await settings.sleep(isLate ? longestCall : latency, signal);
    if (isLate) return gatewayReply(502, 'Internal server error');
    const fault = chooseFault({ seed: settings.seed, rate: settings.failRate, call, now: settings.now() });
    const reply = await serve();
    return fault === undefined ? reply : fault(reply);
  }

  async #serve({ endpoint, id }: Route, asked: Asked): Promise<Reply> {
    // Links in a page change by the hour; nothing else does.
    const key = JSON.stringify([asked, this.#world.links.expiry()]);
    const kept = this.#cache.get(key);
    if (kept !== undefined) return kept;
    try {
      const { place, acceptsGzip } = asked;
      const query = new Query(asked.search);
      const reply = await compressReply(
        endpoint.answer({ world: this.#world, place, query, id, acceptsGzip }),
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

const unknownAddress = gatewayReply(
  403,
  'Authorization header requires Credential parameter. Authorization header requires Signature parameter. ' +
    'Authorization header requires SignedHeaders parameter.',
);

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
