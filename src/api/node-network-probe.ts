import { lookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSafely, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Handshake, NetworkProbe, Place } from './network-probe.ts';
import type { Proxy } from './proxy.ts';

/** Milliseconds that each step may take. */
const PATIENCE = 10_000;

/** The steps over the system's own network. */
export const nodeNetworkProbe: NetworkProbe = {
  async lookup(host, signal) {
    const found = await Promise.race([lookup(host, { all: true }), aborted(signal)]);
    return [...new Set(found.map(({ address }) => address))];
  },

  async connect(place, signal) {
    const socket = connectPlain({ ...place, signal });
    try {
      await ready(socket, 'connect');
    } finally {
      socket.destroy();
    }
  },

  async handshake(place, proxy, signal) {
    const carrier = proxy === undefined ? undefined : await tunnel(place, proxy, signal);
    const name = isIP(place.host) === 0 ? { servername: place.host } : {};
    const socket = connectSafely(
      carrier === undefined ? { ...place, ...name } : { ...name, host: place.host, socket: carrier },
    );
    const stop = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    try {
      await ready(socket, 'secureConnect');
      return seen(socket);
    } finally {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      carrier?.destroy();
    }
  },
};

function ready(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.setTimeout(PATIENCE, () => reject(timedOut()));
    socket.once(event, () => resolve());
    socket.once('error', reject);
    // A server may hang up in the middle without an error of its own.
    socket.once('close', () => reject(Object.assign(new Error('hung up'), { code: 'ECONNRESET' })));
  });
}

/** A connection to the place that the proxy passes on. */
function tunnel(place: Place, proxy: Proxy, signal: AbortSignal): Promise<Socket> {
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
    request.setTimeout(PATIENCE, () => request.destroy(timedOut()));
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

function seen(socket: TLSSocket): Handshake {
  const certificate: Partial<PeerCertificate> = socket.getPeerCertificate();
  const { O: organization, CN: name } = certificate.issuer ?? {};
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    issuer: [organization ?? name ?? 'unknown'].flat().join(', '),
    validTo: Date.parse(certificate.valid_to ?? ''),
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function timedOut(): Error {
  return Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });
}
