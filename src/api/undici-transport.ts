import { lookup } from 'node:dns';
import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import { Agent, EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { ServiceError, UsageError } from '../errors.ts';
import { leadsToThisMachine, linkToThisMachine } from './address.ts';
import { CONNECT_TIMEOUT, networkFailure, timedOut, type RequestDestination } from './network-failure.ts';
import {
  proxyIn,
  type OpenTransport,
  type TransportOptions,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

/** How many bytes of a body may wait for its reader. */
const BUFFERED_BYTES = 256 * 1024;

/**
 * Opens a transport over undici: HTTP/1.1, no redirects, connections that are kept alive, through the proxy where the environment
 * names one. Certificates are always checked. Rejects with UsageError when the environment switches that off, or names a
 * proxy that cannot be used.
 */
export const openUndiciTransport: OpenTransport = async (options) => {
  const { origin, env } = options;
  refuseUncheckedTls(env);
  const proxy = origin?.startsWith('http:') ? undefined : proxyIn(env);
  // Undici loads it late, and after avoidSlowExit that takes 15 ms instead of 2.
  if (origin?.startsWith('https:')) await import('node:tls');
  await avoidSlowExit();
  const closing = new AbortController();
  // Every request and every connection listens: many listeners are not a leak here.
  setMaxListeners(0, closing.signal);
  const { connections, refusesThisMachine } = options;
  // Undici would let connections that are still being made go on when it is destroyed.
  const safely = { timeout: CONNECT_TIMEOUT, rejectUnauthorized: true, signal: closing.signal };
  const connect = { ...safely, ...(refusesThisMachine && { lookup: lookupElsewhere }) };
  // The timer of each request limits all of it. undici's own timers limit parts of it, and only in seconds.
  const limits = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect };
  const dispatcher =
    proxy === undefined
      ? new Agent(limits)
      : new EnvHttpProxyAgent({
          ...limits,
          ...{ httpsProxy: proxy.url, noProxy: proxy.except, requestTls: safely, proxyTls: safely },
          // Else undici reads the environment itself.
          httpProxy: '',
        });
  return {
    async open(request) {
      const { url, signal } = request;
      if (origin !== undefined && url.origin !== origin) {
        throw new ServiceError(
          `refused to send a request to ${url.host}: these requests belong to ${origin} alone`,
        );
      }
      signal.throwIfAborted();
      const to = { host: url.host, proxyHost: url.protocol === 'https:' ? proxy?.host : undefined };
      return openResponse(dispatcher, request, { to, closing: closing.signal });
    },
    async close() {
      // Requests may wait where undici no longer looks when it is destroyed: in a pool whose connections have all ended.
      closing.abort();
      await dispatcher.destroy();
    },
  };
};

/**
 * Sends a request within its time limit, its body included. An early end does not wait for the connection, which may hang:
 * undici aborts the request as soon as it begins.
 */
async function openResponse(
  dispatcher: Dispatcher,
  { url, headers, signal, timeout }: TransportRequest,
  { to, closing }: { readonly to: RequestDestination; readonly closing: AbortSignal },
): Promise<TransportResponse> {
  const stop = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error), { once: true });
  });
  let begun = false;
  const timer = setTimeout(() => stop.abort(timedOut(to.host, timeout, begun)), timeout);
  const onAbort = (): void =>
    stop.abort(signal.aborted ? signal.reason : new ServiceError('the connection to the service is closed'));
  const signals = [signal, closing];
  for (const one of signals) one.addEventListener('abort', onAbort, { once: true });
  const finish = (): void => {
    clearTimeout(timer);
    for (const one of signals) one.removeEventListener('abort', onAbort);
  };
  try {
    const response = await Promise.race([
      stopped,
      dispatcher.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        headers: { ...headers },
        signal: stop.signal,
        highWaterMark: BUFFERED_BYTES,
      }),
    ]);
    begun = true;
    const { statusCode: status, body } = response;
    // The reader of the body gets the error. When there is no reader, the error must not end the process.
    body.on('error', () => {}).on('close', finish);
    const discard = (): void => void body.destroy();
    return { status, headers: joinHeaders(response.headers), body: chunksOf(body, to), discard };
  } catch (error) {
    finish();
    throw networkFailure(error, to) ?? error;
  }
}

async function* chunksOf(body: AsyncIterable<Buffer>, to: RequestDestination): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw networkFailure(error, to) ?? error;
  }
}

/** The headers of a response, each as one text. The object has no prototype that a name could reach. */
function joinHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const result: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}

/**
 * A lookup that fails for names that lead to this machine. It checks the addresses that the connection is then made with, so
 * that a second lookup with another answer cannot get around it.
 */
const lookupElsewhere: LookupFunction = (name, options, done) =>
  lookup(name, options, (error, found, family) => {
    const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
    done(error === null && addresses.some(isThisMachine) ? linkToThisMachine(name) : error, found, family);
  });

/** Whether an address, as the system gives it, leads here. A URL brings all its spellings into one form. */
function isThisMachine(address: string): boolean {
  const [plain = ''] = address.split('%');
  return leadsToThisMachine(new URL(`http://${plain.includes(':') ? `[${plain}]` : plain}`).hostname);
}

function refuseUncheckedTls(env: TransportOptions['env']): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw new UsageError(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 switches off the check of certificates, and folio does not run without it',
    {
      hint: 'Unset it. For an authority of your own, set NODE_EXTRA_CA_CERTS to the file with its certificate.',
    },
  );
}

/**
 * On Node 20, which has no global navigator, the first response makes V8 optimize undici's parser on another thread, and
 * the end of the process waits 0.15 s for it. Later versions of Node do not do this. Must be called after undici is
 * loaded, and all of the runtime that takes long to load, because setting a flag discards the code cache of the runtime.
 */
async function avoidSlowExit(): Promise<void> {
  if ('navigator' in globalThis) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--wasm-tiering-budget=1000000000');
}
