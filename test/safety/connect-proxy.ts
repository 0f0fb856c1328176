import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { startHttpService, type OpenTunnel } from '../support/servers.ts';

export interface ConnectProxy {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** The head of every request, as it came. */
  readonly heads: readonly string[];
  /** All that went through its tunnels, both ways. */
  readonly tunnelled: () => string;
}

/**
 * A proxy on loopback. Whatever host a tunnel is asked for, it leads to `port` of this machine; `status` other than 200
 * refuses.
 */
export async function startConnectProxy(port: number, status = 200): Promise<ConnectProxy> {
  const heads: string[] = [];
  const bytes: Buffer[] = [];
  const note = ({ method, url, headers }: IncomingMessage): void => {
    heads.push(`${method} ${url} ${JSON.stringify(headers)}`);
  };
  const refuse = (request: IncomingMessage, response: ServerResponse): void => {
    note(request);
    response.writeHead(501).end();
  };
  const openTunnel: OpenTunnel = (request, client) => {
    note(request);
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
    client.on('close', () => service.destroy());
    service.on('error', () => client.destroy());
  };
  const { host } = await startHttpService(refuse, { openTunnel });
  return { host, heads, tunnelled: () => Buffer.concat(bytes).toString('latin1') };
}
