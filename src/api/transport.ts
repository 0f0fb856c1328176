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

/** The head of a response, and its body as it comes. */
export interface FileResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes on the wire, to be read once. Throws the network's error, TransportTimeout, or the signal's reason. */
  readonly body: AsyncIterable<Buffer>;
  /** Breaks off what of the body was not read. */
  discard(): void;
}

/**
 * GETs to whatever origin a link names. Apart from the transport of the service on purpose: this one is never given a
 * token, so no mistake in following links can send one.
 */
export interface FileTransport {
  /** Rejects as `Transport.send` does. Redirects are not followed. */
  open(request: TransportRequest): Promise<FileResponse>;
  /** The host and port of the proxy on the way to an origin, if any. */
  proxyHost(origin: string): string | undefined;
  close(): Promise<void>;
}

export interface FileTransportOptions {
  /** To one origin at once. */
  readonly connections: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type OpenFileTransport = (options: FileTransportOptions) => Promise<FileTransport>;

/** The whole of a request took longer than its limit. */
export class TransportTimeout extends Error {
  readonly code = 'FOLIO_TIMEOUT';
  /** Whether the response had begun, so that it is its body that was slow. */
  readonly begun: boolean;

  constructor(milliseconds: number, begun: boolean) {
    super(`${begun ? 'the response was not complete' : 'no response'} within ${milliseconds} ms`);
    this.name = 'TransportTimeout';
    this.begun = begun;
  }
}
