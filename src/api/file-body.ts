import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream';
import { ServiceError } from '../errors.ts';
import { FileFailure, networkOfFile } from './file-failure.ts';
import type { FileResponse } from './file-transport.ts';
import type { networkFailure } from './network-failure.ts';

/** Bytes that one file may have: far more than any invoice, far less than a disk. */
const MOST_OF_A_FILE = 256 * 2 ** 20;

/**
 * The bytes of the file that a response carries, whole or an error: FileFailure for what another try may mend and for what
 * it may not. A response that says nothing of its length is refused, since a cut one would look like it.
 */
export async function* fileBody(
  response: FileResponse,
  to: Parameters<typeof networkFailure>[1],
  most = MOST_OF_A_FILE,
): AsyncGenerator<Buffer> {
  const { headers } = response;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    throw final(`${to.host} does not say how long the file is, so that a cut one could not be told`);
  }
  let length = 0;
  try {
    for await (const chunk of decoded(response, to.host)) {
      length += chunk.length;
      if (length > most)
        throw final(`the file is larger than ${most / 2 ** 20} MiB, the most that is fetched`);
      yield chunk;
    }
  } catch (error) {
    throw damaged(error) ? again(`the file from ${to.host} came damaged`) : networkOfFile(error, to);
  }
  if (length === 0) throw again(`${to.host} sent an empty file`);
}

/** Stores keep some files compressed and say so, asked for or not. */
function decoded({ headers, body }: FileResponse, host: string): AsyncIterable<Buffer> {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return body;
  if (coding !== 'gzip' && coding !== 'x-gzip') {
    throw final(`${host} sent the file in a coding that was not asked for`);
  }
  // What goes wrong is thrown to whoever reads the end of the pipe.
  return pipeline(body, createGunzip(), () => {});
}

function damaged(error: unknown): boolean {
  return error instanceof Error && ((error as NodeJS.ErrnoException).code ?? '').startsWith('Z_');
}

function final(message: string): FileFailure {
  return new FileFailure(new ServiceError(message), { retryable: false });
}

function again(message: string): FileFailure {
  return new FileFailure(new ServiceError(message), { retryable: true });
}
