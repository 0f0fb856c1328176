import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface ConnectProxy {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** The head of every request, as it came. */
  readonly heads: readonly string[];
  /** All that went through its tunnels, both ways. */
  readonly tunnelled: () => string;
  close(): Promise<void>;
}

/**
 * A proxy on loopback. Whatever host a tunnel is asked for, it leads to `port` of this machine; `status` other than 200
 * refuses.
 */
export async function startConnectProxy(port: number, status = 200): Promise<ConnectProxy> {
  const heads: string[] = [];
  const bytes: Buffer[] = [];
  const sockets = new Set<Socket>();
  const note = ({ method, url, headers }: IncomingMessage): void => {
    heads.push(`${method} ${url} ${JSON.stringify(headers)}`);
  };
  const server = createServer((request, response) => {
    note(request);
    response.writeHead(501).end();
  });
  server.on('connect', (request, client: Socket) => {
    note(request);
    sockets.add(client);
    client.on('error', () => {});
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
      return;
    }
    const service = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      for (const [from, to] of [
        [client, service],
        [service, client],
      ] as const) {
        from.on('data', (chunk: Buffer) => bytes.push(chunk));
        from.pipe(to);
      }
    });
    sockets.add(service);
    service.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    heads,
    tunnelled: () => Buffer.concat(bytes).toString('latin1'),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
