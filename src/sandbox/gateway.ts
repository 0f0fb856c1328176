import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Organization } from './data/organization.ts';
import { Draw, hash32 } from './data/values.ts';
import type { Links } from './links.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { endpoints } from './listings.ts';
import type { Settings } from './options.ts';
import { BadQuery, Query } from './query.ts';
import { bodyForms, compressReply, errorReply, gatewayReply, jsonReply, type Reply } from './reply.ts';

/** Answers a request; `signal` is aborted when the client has gone. */
export type Answer = (request: IncomingMessage, signal: AbortSignal) => Promise<Reply>;

/** The gateway before the endpoints: it checks addresses and tokens, and makes calls slow or lets them fail. */
export function openGateway(
  settings: Settings,
  organizations: readonly [Organization, Organization],
  { tokens, links }: { tokens: readonly [IssuedToken, IssuedToken]; links: Links },
): Answer {
  const { gatewayWords, seed, now } = settings;
  let calls = 0;

  /** Delays a call, or lets it fail, by the settings. */
  async function delay(
    signal: AbortSignal,
    isSlow: boolean,
    serve: () => Reply | Promise<Reply>,
  ): Promise<Reply> {
    const call = calls++;
    const latency = chooseLatency(settings, call, isSlow);
    const isLate = isSlow && latency > MAX_CALL;
    if (latency > 0) await settings.sleep(isLate ? MAX_CALL : latency, signal);
    if (isLate) return gatewayReply(502, 'Internal server error');
    const fault = chooseFault({ seed, rate: settings.failRate, call, now: now() });
    const reply = await serve();
    return fault === undefined ? reply : fault(reply);
  }

  return async ({ url = '/', method, headers }, signal) => {
    const [, path = '', search = ''] = /^([^?]*)\??(.*)$/s.exec(url)!;
    const { authorization = '' } = headers;
    // Such a gateway answers a method that an address does not have as it answers an unknown address.
    if (method !== 'GET') return unknownAddress(gatewayWords, authorization);
    const opened = links.open(path, search);
    if (opened !== undefined) return delay(signal, false, () => opened);
    const route = findRoute(path);
    if (route === undefined) return unknownAddress(gatewayWords, authorization);
    if (authorization === '') return gatewayReply(401, 'Unauthorized');
    // The token exactly as issued (spec 5): one with "Bearer" before it is another one.
    const place = ([0, 1] as const).find((at) => tokens[at].text === authorization);
    if (place === undefined || tokens[place].expires <= now()) return refusedToken(gatewayWords);
    const { endpoint, id } = route;
    return delay(signal, endpoint.slow === true, () => {
      try {
        const query = new Query(search);
        query.allowOnly(endpoint.parameters);
        const organization = organizations[place];
        const link: Call['link'] = (kind, target) => links.sign(`/${kind}/${place + 1}/${target}`);
        const acceptsGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(
          String(headers['accept-encoding']),
        );
        const call: Call = { organization, query, id, acceptsGzip, link };
        return compressReply(endpoint.answer(call));
      } catch (error) {
        if (error instanceof BadQuery) return errorReply(endpoint.form, 400, error.message);
        throw error;
      }
    });
  };
}

/**
 * The gateway's answer to an address that does not exist. It expects a signature of its own kind in the Authorization header,
 * and repeats that header, with the token in it, when it finds none. A client must not show it.
 */
function unknownAddress(words: Settings['gatewayWords'], authorization: string): Reply {
  const quote = words === 'spec' ? '' : "'";
  const missing = ['Credential', 'Signature', 'SignedHeaders']
    .map((name) => `Authorization header requires ${quote}${name}${quote} parameter.`)
    .join(' ');
  if (words === 'spec') return gatewayReply(403, missing);
  if (authorization === '') return gatewayReply(403, 'Missing Authentication Token');
  if (/\s/.test(authorization)) {
    const message = 'Invalid key=value pair (missing equal-sign) in Authorization header';
    return gatewayReply(403, `${message}: '${authorization}'.`);
  }
  const date = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.";
  return gatewayReply(403, `${missing} ${date} Authorization=${authorization}`);
}

function refusedToken(words: Settings['gatewayWords']): Reply {
  const reason = words === 'spec' ? ' with an explicit deny' : '';
  return jsonReply(403, `{"Message":"User is not authorized to access this resource${reason}"}`);
}

/** The endpoint at a path, or undefined when there is none (spec 4), and the last segment, decoded, which may be an id. */
function findRoute(path: string): { endpoint: Endpoint; id: string } | undefined {
  const [, at = '', parent = '', segment = ''] = /^\/v1((.*)\/([^/]+))$/.exec(path) ?? [];
  const endpoint = endpoints.get(at) ?? endpoints.get(`${parent}/{id}`);
  try {
    return endpoint && { endpoint, id: decodeURIComponent(segment) };
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

/** A fault of a request: maps the proper answer to what the client gets instead. */
type Fault = (proper: Reply) => Reply;

/**
 * Decides whether the nth request fails, and how. The same seed and order of requests give the same faults; a repeated
 * request counts as a new one, so that retrying helps.
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

export interface IssuedToken {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Seconds that a token lasts. */
const TOKEN_LIFE = 365 * 24 * 3600;

/**
 * A token as the service operator issues it: a JSON Web Token (RFC 7519) that names the organization and ends after a
 * year. The service compares it as a whole, so nothing here reads one.
 */
export function issueToken(key: Buffer, organizationId: string, issuedAt: number): IssuedToken {
  const iat = Math.floor(issuedAt / 1000);
  const exp = iat + TOKEN_LIFE;
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ organizationId, iat, exp })}`;
  const signature = createHmac('sha256', key).update(signed).digest('base64url');
  return { text: `${signed}.${signature}`, expires: exp * 1000 };
}
