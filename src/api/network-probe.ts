import type { Proxy } from './proxy.ts';

/** A host and a port of it. */
export interface Place {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What a server showed of itself when a safe connection was made. */
export interface Handshake {
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
  connect(place: Place, signal: AbortSignal): Promise<void>;
  /** Makes a safe connection, through the proxy if one is given, with the certificate checked, and hangs up. */
  handshake(place: Place, proxy: Proxy | undefined, signal: AbortSignal): Promise<Handshake>;
}
