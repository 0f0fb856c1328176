import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Socket } from 'node:net';
import { listenOnLoopback, type Listening } from './listen-on-loopback.ts';

interface LoopbackServer extends Listening {
  /** The head of every request, as it came. */
  readonly heads: readonly string[];
  /** Connections taken so far, also ones without a request. */
  readonly connections: number;
}

/**
 * A server that answers byte for byte what a test wants: `answer` is called with the number of the request, from 0, its
 * head and its socket. For what no HTTP library would send. It closes itself as `listenOnLoopback` does.
 */
export async function loopbackServer(
  answer: (socket: Socket, head: string, number: number) => void,
  tls?: { readonly key: string; readonly cert: string },
): Promise<LoopbackServer> {
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
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.on('connection', () => connections++);
  return {
    ...(await listenOnLoopback(server)),
    heads,
    get connections() {
      return connections;
    },
  };
}

/** A whole response; `headers` are lines without their ends. */
export function httpResponse(status: number, body: Buffer | string = '', ...headers: string[]): Buffer {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status} Status`, `Content-Length: ${bytes.length}`, ...headers, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), bytes]);
}
