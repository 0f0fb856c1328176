import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSafely, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Proxy } from './proxy.ts';

/** A host and a port of it. */
export interface HostAndPort {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What a server showed of itself when a safe connection was made. */
interface Handshake {
  /** Such as `TLSv1.3`. */
  readonly protocol: string;
  readonly issuer: string;
  /** The end of its certificate, in milliseconds since 1970. */
  readonly validTo: number;
}

/**
 * The steps of a connection one by one, for telling which of them fails. Each rejects with the network's error as it came
 * (its `code` says which), or with the signal's reason.
 */
export interface NetworkProbe {
  /** The addresses behind a name. */
  lookup(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Connects, and hangs up. */
  connect(place: HostAndPort, signal: AbortSignal): Promise<void>;
  /** Makes a safe connection, through the proxy if one is given, with the certificate checked, and hangs up. */
  handshake(place: HostAndPort, proxy: Proxy | undefined, signal: AbortSignal): Promise<Handshake>;
}

/** Milliseconds that each step may take. */
const STEP_TIMEOUT = 10_000;

/** The steps over the system's own network. */
export const nodeNetworkProbe: NetworkProbe = {
  async lookup(host, signal) {
    const found = await Promise.race([lookup(host, { all: true }), rejectOnAbort(signal)]);
    return [...new Set(found.map(({ address }) => address))];
  },

  async connect(place, signal) {
    const socket = connectPlain({ ...place, signal });
    try {
      await waitForEvent(socket, 'connect');
    } finally {
      socket.destroy();
    }
  },

  async handshake(place, proxy, signal) {
    const carrier = proxy === undefined ? undefined : await openTunnel(place, proxy, signal);
    const name = isIP(place.host) === 0 ? { servername: place.host } : {};
    const socket = connectSafely(
      carrier === undefined ? { ...place, ...name } : { ...name, host: place.host, socket: carrier },
    );
    const stop = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
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

function waitForEvent(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.setTimeout(STEP_TIMEOUT, () => reject(timeoutError()));
    socket.once(event, () => resolve());
    socket.once('error', reject);
    // A server may hang up in the middle without an error of its own.
    socket.once('close', () => reject(Object.assign(new Error('hung up'), { code: 'ECONNRESET' })));
  });
}

/** A connection to the place that the proxy passes on. */
function openTunnel(place: HostAndPort, proxy: Proxy, signal: AbortSignal): Promise<Socket> {
  const url = new URL(proxy.url);
  const host = place.host.includes(':') ? `[${place.host}]` : place.host;
  const path = `${host}:${place.port}`;
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  const headers = {
    host: path,
    ...(url.username === ''
      ? {}
      : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
  };
  const ask = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = ask({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path,
    headers,
    signal,
    agent: false,
  });
  return new Promise((resolve, reject) => {
    request.setTimeout(STEP_TIMEOUT, () => request.destroy(timeoutError()));
    request.once('error', reject);
    request.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      // In the words of the HTTP library, so that both are understood alike.
      reject(new Error(`Proxy response (${statusCode}) !== 200 when HTTP Tunneling`));
    });
    request.once('response', ({ statusCode }) => {
      request.destroy();
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
