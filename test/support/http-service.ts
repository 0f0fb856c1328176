import { EventEmitter, once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, onTestFinished, TestRunner } from 'vitest';

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

export interface HttpService {
  readonly port: number;
  /** `127.0.0.1:port`, as messages name it. */
  readonly host: string;
  readonly origin: string;
  /** For --base-url: the origin with `/v1`. */
  readonly baseUrl: string;
  /** All requests so far. A test may take some away, in order to look at those that come after. */
  readonly requests: LoggedRequest[];
  /** Resolves when the log has so many requests. */
  asked(count: number): Promise<void>;
  /** Ends all connections; a second time, it does nothing. */
  close(): Promise<void>;
}

/** Those that run. */
const services = new Set<HttpService>();
afterAll(async () => {
  for (const service of services) await service.close();
});

/**
 * Starts an HTTP service on loopback that answers as the test says. It closes itself: with the test that started it, or, where
 * a hook did or one of several tests that run side by side, after the last test of the file.
 */
export async function startHttpService(
  answer: AnswerRequest,
  { tls, openTunnel }: HttpServiceOptions = {},
): Promise<HttpService> {
  const requests: LoggedRequest[] = [];
  const arrivals = new EventEmitter();
  let number = 0;
  let open = 0;
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  const sockets = socketsOf(server);
  server.on('request', (request, response) => {
    response.on('close', () => open--);
    const { method = '', url: target = '/', headers } = request;
    const url = new URL(target.startsWith('/') ? service.origin + target : target);
    const logged = { number: number++, method, target, url, beside: open++, headers };
    requests.push(logged);
    arrivals.emit('request');
    answer(request, response, logged);
  });
  if (openTunnel !== undefined) server.on('connect', openTunnel);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  const origin = `${tls === undefined ? 'http' : 'https'}://${host}`;
  const service: HttpService = {
    port,
    host,
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    async asked(count) {
      while (requests.length < count) await once(arrivals, 'request');
    },
    close: () => {
      services.delete(service);
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  services.add(service);
  const test = TestRunner.getCurrentTest();
  if (test !== undefined && test.concurrent !== true) onTestFinished(() => service.close());
  return service;
}

/** The connections that are open, those of tunnels too, which the server itself no longer counts as its own. */
function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return sockets;
}
