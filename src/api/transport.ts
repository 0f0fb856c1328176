import type { Proxy } from './proxy.ts';

/** One GET as it goes on the wire. */
export interface TransportRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds for the whole request: connecting, sending and receiving. */
  readonly timeout: number;
}

/** The answer to a GET. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; a header that came several times is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they were on the wire, not inflated. */
  readonly body: Buffer;
}

/** Sends the requests to the service. */
export interface Transport {
  /** The proxy that all requests go through, if any. */
  readonly proxy?: Proxy | undefined;
  /**
   * Sends one GET, once, and follows no redirect. Rejects with the error of the network (its `code` says which), with
   * TransportTimeout, with the signal's reason, or with a FolioError when folio itself refuses. The client decides what
   * that means.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends all connections at once, also those in use. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /** The only origin that gets requests, such as `https://api.example.com`. Others are refused before any DNS. */
  readonly origin: string;
  /** How many connections there may be. */
  readonly connections: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The most bytes on the wire that a response may have. */
  readonly maxResponseBytes: number;
}

export type OpenTransport = (options: TransportOptions) => Promise<Transport>;

/** The head of a file's response, and its body as it arrives. */
export interface FileResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes on the wire. They can be read once. Throws the error of the network, TransportTimeout or the signal's reason. */
  readonly body: AsyncIterable<Buffer>;
  /** Ends the response; the rest of its body is dropped. */
  discard(): void;
}

/**
 * Sends GETs to the origin that a link names. It is separate from the transport of the service on purpose: it never
 * gets a token, so that no mistake with a link can send one.
 */
export interface FileTransport {
  /** Sends one GET and follows no redirect. Rejects as `Transport.send` does. */
  open(request: TransportRequest): Promise<FileResponse>;
  /** Host and port of the proxy on the way to an origin, if there is one. */
  proxyHost(origin: string): string | undefined;
  close(): Promise<void>;
}

export interface FileTransportOptions {
  /** How many connections there may be to one origin. */
  readonly connections: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type OpenFileTransport = (options: FileTransportOptions) => Promise<FileTransport>;

/** A request took longer than its time limit. */
export class TransportTimeout extends Error {
  readonly code = 'FOLIO_TIMEOUT';
  /** Whether the response had begun, which means that its body was slow. */
  readonly begun: boolean;

  constructor(milliseconds: number, begun: boolean) {
    super(`${begun ? 'the response was not complete' : 'no response'} within ${milliseconds} ms`);
    this.name = 'TransportTimeout';
    this.begun = begun;
  }
}
