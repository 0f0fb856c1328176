import type { TransportRequest } from './transport.ts';

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
