import { promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { platform } from 'node:os';
import type { InputStream } from '../context.ts';
import { AuthError, errorCode, systemReason, UsageError } from '../errors.ts';
import { checkTokenFile } from './private-file.ts';
import { parseToken } from './token.ts';
import type { ParsedToken } from './token.ts';

/** Bytes that a file with one token may have. */
const maxBytes = 64 * 1024;

/** What a file gave: the token, and what should be said about it. */
interface TokenOfFile {
  readonly token: ParsedToken['token'];
  readonly notes: readonly string[];
}

/**
 * Reads the token from a file, or from standard input when the file is `-`.
 *
 * A file that other users can read is refused, as the store is. Pipes, devices and a shell's `<(…)` have no mode of their own.
 *
 * @throws UsageError when there is no such file or others can read it, AuthError when there is no token in it.
 */
export async function readTokenFile(file: string, stdin: InputStream): Promise<TokenOfFile> {
  if (file === '-') {
    const { token, note } = await readTokenInput(stdin, 'Token (not shown): ');
    return { token, notes: note === undefined ? [] : [note] };
  }
  const text = await readSmallFile(file);
  const { token, note } = parseToken(text, `--token-file ${file}`);
  return { token, notes: note === undefined ? [] : [note] };
}

/** Reads the token from standard input: typed without being shown at a terminal, else everything that is piped in. */
export async function readTokenInput(stdin: InputStream, prompt: string): Promise<ParsedToken> {
  const text = stdin.isTerminal ? await stdin.readHidden(prompt) : await stdin.readAll();
  if (text.trim() === '') {
    throw new AuthError('there is no token on standard input', {
      hint: 'Pipe it in, as in `folio auth login < token.txt`, or pass --token-file <file>.',
    });
  }
  return parseToken(text, stdin.isTerminal ? 'as typed' : 'standard input');
}

async function readSmallFile(file: string): Promise<string> {
  let handle: FileHandle | undefined;
  try {
    handle = await promises.open(file, 'r');
    const stats = await handle.stat();
    // Windows has no such modes: every file seems open there.
    if (stats.isFile() && platform() !== 'win32') checkTokenFile(file, stats);
    const chunks: Buffer[] = [];
    let size = 0;
    // Piece by piece, because a device or pipe has no size to look at first.
    for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new UsageError(`--token-file ${file}: holds more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw unreadableTokenFile(file, error);
  } finally {
    await handle?.close();
  }
}

/** Where there is no such file, what was given may be the token itself: neither it nor the system's error is shown. */
function unreadableTokenFile(file: string, error: unknown): UsageError {
  if (!['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCode(error) ?? '')) {
    return new UsageError(`--token-file ${file}: ${systemReason(error)}`, { cause: error });
  }
  return new UsageError('--token-file: there is no such file', {
    hint: 'Give the path of a file with the token in it. What was given is not shown, in case it is the token.',
  });
}
