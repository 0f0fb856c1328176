import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import type { Context } from '../context.ts';
import type { FolioError } from '../errors.ts';
import { version } from '../version.ts';
import { FailedTry } from './retry.ts';
import { proxyIn, type ResponseHead, type TransportResponse } from './transport.ts';

export type Certificate = Partial<PeerCertificate> & { readonly protocol: string | null };

/** How far a request came on its way to a service. */
export interface Reached {
  /** The host of the proxy that the environment names, whether or not it is for this address. */
  readonly proxy: string | undefined;
  /** The first host on the way: the proxy, or the service itself. */
  readonly nearest: URL;
  /** Its addresses with commas between them; undefined if they were not looked up, or not found. */
  readonly addresses: string | undefined;
  readonly isConnected: boolean;
  readonly certificate: Certificate | undefined;
  readonly answer: ResponseHead | undefined;
  readonly milliseconds: number;
  /** The error of a listing, where the service does not answer. */
  readonly failure: FolioError | undefined;
}

/** The time limit of the request, in ms. */
const TIMEOUT = 30_000;

/** Undici publishes where it begins to connect to, and each connection that it has made, one to a proxy first. */
const CONNECTIONS = ['undici:client:beforeConnect', 'undici:client:connected'];

type Lookup = { readonly detail: { readonly addresses: readonly { readonly address: string }[] } };

/**
 * Sends one request without a token, accepts any answer, and watches how far it comes: Node reports each look-up and each
 * connection that succeeds. Throws UsageError for an environment with which nothing is sent.
 */
export async function reach({ clock, env, signal, openTransport }: Context, url: URL): Promise<Reached> {
  const proxy = proxyIn(env);
  let nearest = url;
  let certificate: Certificate | undefined;
  const note = (message: unknown): void => {
    const { connectParams, socket } = message as { connectParams: { host: string }; socket?: Socket };
    // Without a proxy, another host is that of another run in this process, as of tests.
    if (connectParams.host !== url.host) nearest = proxy === undefined ? nearest : new URL(proxy.url);
    else if (socket instanceof TLSSocket)
      certificate = { ...socket.getPeerCertificate(), protocol: socket.getProtocol() };
  };
  const done: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => void done.push(...list.getEntries()));
  const transport = await openTransport({ connections: 1, env });
  observer.observe({ entryTypes: ['dns', 'net'] });
  for (const name of CONNECTIONS) subscribe(name, note);
  const start = clock.elapsed();
  let answer: TransportResponse | undefined;
  let failure: FolioError | undefined;
  try {
    const headers = { accept: 'application/json', 'user-agent': `folio/${version}` };
    answer = await transport.open({ url, headers, signal, timeout: TIMEOUT });
    answer.discard();
  } catch (error) {
    if (!(error instanceof FailedTry)) throw error;
    ({ failure } = error);
  } finally {
    done.push(...observer.takeRecords());
    observer.disconnect();
    for (const name of CONNECTIONS) unsubscribe(name, note);
    await transport.close();
  }
  const lookup = done.find(({ entryType }) => entryType === 'dns') as Lookup | undefined;
  return {
    ...{ proxy: proxy?.host, nearest, certificate, answer, failure },
    addresses: lookup?.detail.addresses.map(({ address }) => address).join(', '),
    isConnected: answer !== undefined || done.some(({ entryType }) => entryType === 'net'),
    milliseconds: Math.round(clock.elapsed() - start),
  };
}
