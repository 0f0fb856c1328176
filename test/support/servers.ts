import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { whenTestEnds } from './when-test-ends.ts';

/** A server that listens on loopback. It closes itself as `whenTestEnds` says. */
export interface Listening {
  readonly port: number;
  /** `127.0.0.1:port`, as messages name it. */
  readonly host: string;
  /** Ends all connections; a second time, it does nothing. */
  close(): Promise<void>;
}

/** Has a server of any protocol listen on a port that was free. */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  // Servers of HTTP and TLS forget connections that became a tunnel or did not finish the handshake.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  whenTestEnds(close);
  return { port, host: `127.0.0.1:${port}`, close };
}

/** A request as the server saw it. */
export interface SeenRequest {
  /** From 0, in the order of arrival. */
  readonly number: number;
  readonly url: URL;
  /** Other requests that had no answer yet when it came. */
  readonly beside: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
}

interface LoggedRequest extends SeenRequest {
  readonly method: string;
  /** Path and query, as they were written. */
  readonly target: string;
}

/** Answers a request, or leaves it without an answer. */
export type AnswerRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  logged: LoggedRequest,
) => void;

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

interface HttpServiceOptions {
  /** Has the service speak HTTPS. */
  readonly tls?: Certificate;
  /** Called for CONNECT, which is not logged; without it, the connection is closed. */
  readonly openTunnel?: (request: IncomingMessage, client: Socket) => void;
}

export interface HttpService extends Listening {
  readonly origin: string;
  /** For --base-url: the origin with `/v1`. */
  readonly baseUrl: string;
  /** All requests so far. A test may remove some, to look at those that come after. */
  readonly requests: LoggedRequest[];
  /** Resolves when the log has so many requests. */
  received(count: number): Promise<void>;
}

/** Starts an HTTP service that answers as the test says. */
export async function startHttpService(
  answer: AnswerRequest,
  { tls, openTunnel }: HttpServiceOptions = {},
): Promise<HttpService> {
  const requests: LoggedRequest[] = [];
  const arrivals = new EventEmitter();
  let number = 0;
  let open = 0;
  const server = tls === undefined ? createServer() : createHttpsServer(tls);
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
    async received(count) {
      while (requests.length < count) await once(arrivals, 'request');
    },
  };
}

/** Starts a server that answers byte for byte, for what no HTTP library would send; with the heads of requests so far, from 0 on. */
export async function loopbackServer(
  answer: (socket: Socket, head: string, number: number) => void,
  tls?: Certificate,
) {
  const heads: string[] = [];
  let connections = 0;
  const serve = (socket: Socket): void => {
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let end; (end = received.indexOf('\r\n\r\n')) >= 0; received = received.slice(end + 4)) {
        heads.push(received.slice(0, end));
        answer(socket, received.slice(0, end), heads.length - 1);
      }
    });
  };
  const server = tls === undefined ? createTcpServer(serve) : createTlsServer(tls, serve);
  server.on('connection', () => connections++);
  return {
    ...(await listenOnLoopback(server)),
    heads,
    get connections() {
      return connections;
    },
  };
}

/** Starts a proxy that opens tunnels to where they are to lead; a status other than 200 refuses them. */
export async function startProxy(status = 200) {
  const asked: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
  const bytes: Buffer[] = [];
  const openTunnel = ({ method, url = '', headers }: IncomingMessage, client: Socket): void => {
    asked.push({ method, url, headers });
    client.on('error', () => {});
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
    const [host, port] = url.split(':');
    const far = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      client.pipe(far).pipe(client);
    });
    for (const end of [client, far]) end.on('data', (chunk: Buffer) => bytes.push(chunk));
    client.on('close', () => far.destroy());
    far.on('error', () => client.destroy());
  };
  const { host } = await startHttpService(
    ({ method, url, headers }, response) => {
      asked.push({ method, url, headers });
      response.writeHead(501).end();
    },
    { openTunnel },
  );
  /** All requests so far, and what went through the tunnels. */
  return { host, asked, tunnelled: () => Buffer.concat(bytes).toString('latin1') };
}

/** A whole response; `headers` are lines without their ends. */
export function httpResponse(status: number, body: Buffer | string = '', ...headers: string[]): Buffer {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status} Status`, `Content-Length: ${bytes.length}`, ...headers, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), bytes]);
}
