import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificate.ts';

/** Longer than any client keeps an idle connection, so that none is closed under a request that is on its way. */
const keepAlive = 120_000;

export interface Address {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}

/** A server that listens; requests are its `request` events. Rejects with the system's error when it cannot. */
export async function openListener(address: Address, certificate: Certificate | undefined): Promise<Server> {
  const server =
    certificate === undefined ? createServer() : (await import('node:https')).createServer(certificate);
  server.keepAliveTimeout = keepAlive;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return server;
}

/** `http://127.0.0.1:PORT`, or https. */
export function originOf(server: Server, host: string, isSecure: boolean): string {
  const { port } = server.address() as AddressInfo;
  return `${isSecure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Stops listening and breaks every connection, which ends every call that waits. */
export async function closeListener(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
}
