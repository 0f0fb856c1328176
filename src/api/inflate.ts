import { ServiceError, errorCode } from '../errors.ts';

/** The most bytes that a body may inflate to: ten times the service's limit for a response. */
const MAX_INFLATED_BYTES = 64 * 2 ** 20;
/** The highest ratio that DEFLATE can reach: one byte stands for 1032. */
const MAX_RATIO = 1032;

/** A gzip body is cut short or damaged. No data was taken from it, so the request may be sent again. */
export class BrokenGzip extends ServiceError {}

/**
 * Undoes the encoding of a body: one layer of gzip, or none. `encoding` is the Content-Encoding header. Unlike `fetch`, it
 * never accepts half a gzip body: every byte must belong to a complete member with the right checksum. Several members in
 * a row are concatenated (RFC 1952). Throws BrokenGzip for a damaged body, and ServiceError for an unknown encoding or for
 * more than `maxBytes`.
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
    throw new ServiceError(`the response has an encoding that folio did not request${shown}`, {
      hint: 'Something between folio and the service may be changing the responses.',
    });
  }
  const { gunzip } = await import('node:zlib');
  const options = { info: true, maxOutputLength: maxBytes, chunkSize: expectedSize(body, maxBytes) };
  return new Promise((resolve, reject) => {
    gunzip(body, options, (error, result) => {
      if (error !== null) return reject(inflateError(error, maxBytes));
      // By its types it returns the bytes alone, also with `info`.
      const { buffer, engine } = result as unknown as Inflated;
      if (engine.bytesWritten === body.length) return resolve(buffer);
      reject(new BrokenGzip('the gzip body has bytes after its end'));
    });
  });
}

interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * The size in bytes of zlib's output buffer. One buffer for the whole body is 2 to 5 times as fast as the default of
 * 16 KiB. A gzip body ends with its inflated size, but a body that was cut short may end with any number, so it is only
 * a guess. The buffer is a little larger than that, because zlib would need a second one to learn that it has ended.
 */
function expectedSize(body: Buffer, maxBytes: number): number {
  const named = body.length < 4 ? 0 : body.readUInt32LE(body.length - 4);
  return Math.max(Math.min(named, maxBytes, body.length * MAX_RATIO) + 64, 1024);
}

function inflateError(error: unknown, maxBytes: number): unknown {
  const code = errorCode(error) ?? '';
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return new ServiceError(`the response inflates to more than ${maxBytes / 2 ** 20} MiB`, {
      hint: 'Ask for fewer records in each request with --page-size.',
      cause: error,
    });
  }
  if (!code.startsWith('Z_')) return error;
  const reason = code === 'Z_BUF_ERROR' ? 'is cut short' : `is damaged (${(error as Error).message})`;
  return new BrokenGzip(`the gzip body ${reason}`, { cause: error });
}
