import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { listenOnLoopback, type Listening } from './listen-on-loopback.ts';

/** A request as it came. */
interface LoggedRequest {
  /** From 0, in the order of arrival. */
  readonly number: number;
  readonly method: string;
  /** Path and query, as they were written. */
  readonly target: string;
  readonly url: URL;
  /** Other requests that had no answer yet when it came. */
  readonly beside: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
}

/** The script of a service: is to answer the request, or to leave it without an answer. */
export type AnswerRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  logged: LoggedRequest,
) => void;

/** What a proxy does with the connection that is to become a tunnel. */
export type OpenTunnel = (request: IncomingMessage, client: Socket) => void;

interface HttpServiceOptions {
  /** Has the service speak HTTPS with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Is called where a tunnel is asked for, which is not logged; without it, the connection is closed. */
  readonly openTunnel?: OpenTunnel;
}

export interface HttpService extends Listening {
  readonly origin: string;
  /** For --base-url: the origin with `/v1`. */
  readonly baseUrl: string;
  /** All requests so far. A test may take some away, in order to look at those that come after. */
  readonly requests: LoggedRequest[];
  /** Resolves when the log has so many requests. */
  asked(count: number): Promise<void>;
}

/** Starts an HTTP service on loopback that answers as the test says, and closes itself as `listenOnLoopback` does. */
export async function startHttpService(
  answer: AnswerRequest,
  { tls, openTunnel }: HttpServiceOptions = {},
): Promise<HttpService> {
  const requests: LoggedRequest[] = [];
  const arrivals = new EventEmitter();
  let number = 0;
  let open = 0;
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on('request', (request, response) => {
    response.on('close', () => open--);
    const { method = '', url: target = '/', headers } = request;
    const url = new URL(target.startsWith('/') ? origin + target : target);
    const logged = { number: number++, method, target, url, beside: open++, headers };
    requests.push(logged);
    arrivals.emit('request');
    answer(request, response, logged);
  });
  if (openTunnel !== undefined) server.on('connect', openTunnel);
  const listening = await listenOnLoopback(server);
  const origin = `${tls === undefined ? 'http' : 'https'}://${listening.host}`;
  return {
    ...listening,
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    async asked(count) {
      while (requests.length < count) await once(arrivals, 'request');
    },
  };
}
