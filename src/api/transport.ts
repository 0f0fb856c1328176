import type { Proxy } from './proxy.ts';

/** One GET as it goes on the wire. */
export interface TransportRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds until the whole response must be there, its connection included. */
  readonly timeout: number;
}

/** What came back: the status and the bytes as they were on the wire (not inflated). Redirects are never followed. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; a header that came several times is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Transport {
  /** The proxy that all requests go through, if any. */
  readonly proxy?: Proxy | undefined;
  /**
   * Rejects with the network's error as it came (its `code` says which), with TransportTimeout, with the signal's
   * reason, or with a FolioError where folio itself refuses; deciding what that means is the client's.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends all connections at once, also ones in use. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** The one origin that may be asked, such as `https://api.example.com`; anything else is refused before DNS. */
  readonly origin: string;
  readonly connections: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Bytes on the wire that one response may have at most. */
  readonly maxResponseBytes: number;
}

export type OpenTransport = (options: TransportOptions) => Promise<Transport>;
