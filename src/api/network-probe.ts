import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSafely, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Proxy } from './transport.ts';

/** Where to connect to. */
export interface HostAndPort {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What a server shows of itself in a TLS handshake. */
interface Handshake {
  /** Such as `TLSv1.3`. */
  readonly protocol: string;
  readonly issuer: string;
  /** When its certificate ends, in ms since 1970. */
  readonly validTo: number;
}

/** The time limit of each step, in ms. */
const STEP_TIMEOUT = 10_000;

/**
 * The steps of a connection, one by one, to find out which of them fails. Each rejects with the error of the network
 * (its `code` names it), or with the signal's reason.
 */
export const nodeNetworkProbe = {
  /** The addresses behind a name. */
  async lookup(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const found = await Promise.race([lookup(host, { all: true }), rejectOnAbort(signal)]);
    return [...new Set(found.map(({ address }) => address))];
  },

  /** Connects, then disconnects. */
  async connect(target: HostAndPort, signal: AbortSignal): Promise<void> {
    const socket = connectPlain({ ...target, signal });
    try {
      await waitForEvent(socket, 'connect');
    } finally {
      socket.destroy();
    }
  },

  /** Makes a TLS connection, through the proxy if there is one, checks the certificate, then disconnects. */
  async handshake(target: HostAndPort, proxy: Proxy | undefined, signal: AbortSignal): Promise<Handshake> {
    const carrier = proxy === undefined ? undefined : await openTunnel(target, proxy, signal);
    const name = isIP(target.host) === 0 ? { servername: target.host } : {};
    const socket = connectSafely({ ...target, ...name, ...(carrier && { socket: carrier }) });
    const stop = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', stop);
    try {
      await waitForEvent(socket, 'secureConnect');
      return handshakeOf(socket);
    } finally {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      carrier?.destroy();
    }
  },
};

export type NetworkProbe = typeof nodeNetworkProbe;

function waitForEvent(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.setTimeout(STEP_TIMEOUT, () => reject(timeoutError()));
    socket.once(event, () => resolve());
    socket.once('error', reject);
    // A server may close the connection halfway without any error.
    socket.once('close', () => reject(Object.assign(new Error('hung up'), { code: 'ECONNRESET' })));
  });
}

/** A connection that the proxy passes on to `target`. */
function openTunnel(target: HostAndPort, proxy: Proxy, signal: AbortSignal): Promise<Socket> {
  const url = new URL(proxy.url);
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  const path = `${host}:${target.port}`;
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const credentials = { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path,
    headers: { host: path, ...(url.username !== '' && credentials) },
    signal,
    agent: false,
  });
  return new Promise((resolve, reject) => {
    request.setTimeout(STEP_TIMEOUT, () => request.destroy(timeoutError()));
    request.once('error', reject);
    request.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      // The words of the HTTP library, so that `networkFailure` understands both.
      reject(new Error(`Proxy response (${statusCode}) !== 200 when HTTP Tunneling`));
    });
    request.end();
  });
}

function handshakeOf(socket: TLSSocket): Handshake {
  const certificate: Partial<PeerCertificate> = socket.getPeerCertificate();
  const { O: organization, CN: name } = certificate.issuer ?? {};
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    issuer: [organization ?? name ?? 'unknown'].flat().join(', '),
    validTo: Date.parse(certificate.valid_to ?? ''),
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function timeoutError(): Error {
  return Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });
}
