import { ServiceError } from '../errors.ts';
import { BrokenGzip } from './broken-gzip.ts';
import type { ZlibOptions } from 'node:zlib';

/** Bytes that one body may inflate to: ten times the service's limit for a response. */
const MAX_INFLATED_BYTES = 64 * 2 ** 20;
/** Compressed bytes up to which another thread costs more than it saves (20 against 60 µs). */
const SMALL_BYTES = 4096;
/** What DEFLATE can reach at most: one byte stands for 1032. */
const MAX_RATIO = 1032;

/** node:zlib tells how much of its input it took, but its types do not. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * The body as the service meant it. `encoding` is the Content-Encoding header: one layer of gzip or none. gzip is
 * taken strictly, unlike by `fetch`, which takes half a body for a whole one: every byte must belong to a complete
 * member with the right checksum (several members in a row are their concatenation, RFC 1952). Throws BrokenGzip for a
 * damaged body, and ServiceError for an unknown encoding or more than 64 MiB.
 */
export async function inflate(
  body: Buffer,
  encoding: string | undefined,
  maxBytes = MAX_INFLATED_BYTES,
): Promise<Buffer> {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'x-gzip') {
    const shown = /^[a-z, -]{1,20}$/.test(name) ? ` (${name})` : '';
    throw new ServiceError(`the response is encoded in a way that was not asked for${shown}`, {
      hint: 'Something between folio and the service may be changing the responses',
    });
  }
  const options = { info: true, maxOutputLength: maxBytes, chunkSize: expectedSize(body, maxBytes) };
  let inflated: Inflated;
  try {
    inflated = await (body.length <= SMALL_BYTES ? inflateHere(body, options) : inflateAside(body, options));
  } catch (error) {
    throw described(error, maxBytes);
  }
  if (inflated.engine.bytesWritten !== body.length)
    throw new BrokenGzip('the gzip body has bytes after its end');
  return inflated.buffer;
}

async function inflateHere(body: Buffer, options: ZlibOptions): Promise<Inflated> {
  const { gunzipSync } = await import('node:zlib');
  return gunzipSync(body, options) as unknown as Inflated;
}

async function inflateAside(body: Buffer, options: ZlibOptions): Promise<Inflated> {
  const { gunzip } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    gunzip(body, options, (error, result) =>
      error === null ? resolve(result as unknown as Inflated) : reject(error),
    );
  });
}

/**
 * The size for zlib's output, such that the whole body fits at once: 2 to 5 times as fast as the default of 16 KiB.
 * gzip ends in its inflated size, which is a guess here: a cut body ends in anything. A little more than that size,
 * or zlib would ask for a second buffer in order to learn that it has ended.
 */
function expectedSize(body: Buffer, maxBytes: number): number {
  const told = body.length < 4 ? 0 : body.readUInt32LE(body.length - 4);
  return Math.max(Math.min(told, maxBytes, body.length * MAX_RATIO) + 64, 1024);
}

function described(error: unknown, maxBytes: number): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return new ServiceError(`the response inflates to more than ${maxBytes / 2 ** 20} MiB`, {
      hint: 'Ask for fewer records a request with --page-size',
      cause: error,
    });
  }
  if (!code.startsWith('Z_')) return error;
  const reason = code === 'Z_BUF_ERROR' ? 'is cut short' : `is damaged (${(error as Error).message})`;
  return new BrokenGzip(`the gzip body ${reason}`, { cause: error });
}
