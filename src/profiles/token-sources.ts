import type { ExecFileException } from 'node:child_process';
import { promises } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { platform } from 'node:os';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Secret } from '../api/redact.ts';
import type { InputStream, Environment } from '../context.ts';
import { AuthError, errorCode, systemReason, UsageError } from '../errors.ts';
import { typedTextOf } from '../output/files/typed-text.ts';
import type { TokenCommand } from './profile.ts';
import { parseToken } from './token.ts';

/** Bytes that a file with one token may have, and that a token command may print. */
const MAX_BYTES = 64 * 1024;

/**
 * Reads the token from a file, or from standard input when the file is `-`. A file that other users can read is refused; pipes,
 * devices and a shell's `<(…)` have no mode of their own. Throws UsageError for the file, AuthError without a token in it.
 */
export async function readTokenFile(file: string, stdin: InputStream): Promise<Secret> {
  if (file === '-') return readTokenInput(stdin, 'Token (not shown): ');
  return parseToken(await readSmallFile(file), `--token-file ${file}`);
}

/** Reads the token from standard input: typed without being shown at a terminal, else everything that is piped in. */
export async function readTokenInput(stdin: InputStream, prompt: string): Promise<Secret> {
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
    const { checkTokenFile } = await import('./store.ts');
    handle = await promises.open(file, 'r');
    const stats = await handle.stat();
    // Windows has no such modes: every file seems open there.
    if (stats.isFile() && platform() !== 'win32') checkTokenFile(file, stats);
    const text = await typedTextOf(handle.createReadStream({ autoClose: false }), MAX_BYTES);
    if (text !== undefined) return text;
    throw new UsageError(`--token-file ${file}: holds more than ${MAX_BYTES} bytes`, {
      hint: 'Name a file with nothing but the token in it.',
    });
  } catch (error) {
    throw error instanceof UsageError ? error : unreadableTokenFile(file, error);
  } finally {
    await handle?.close();
  }
}

/** If the file does not exist, the value may be the token itself: neither the value nor the system's error is shown. */
function unreadableTokenFile(file: string, error: unknown): UsageError {
  if (!['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCode(error) ?? '')) {
    return new UsageError(`--token-file ${file}: ${systemReason(error)}`, {
      hint: 'Name a file that you may read.',
      cause: error,
    });
  }
  return new UsageError('--token-file: there is no such file', {
    hint: 'Give the path of a file with the token in it. What was given is not shown, in case it is the token.',
  });
}

/** Milliseconds that a token command may take: enough for a password manager over the network, not for a prompt. */
const TIME_LIMIT = 10_000;

export interface TokenCommandRun {
  readonly command: TokenCommand;
  /** The owner of the token, for messages. */
  readonly profile: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Milliseconds; 10 s unless said otherwise. */
  readonly timeLimit?: number;
}

/**
 * Runs a profile's token command, such as the program of a password manager. What it prints is the token. No shell runs it, its
 * input is empty, and it does not get FOLIO_TOKEN. Its arguments are never shown, since one of them may be a secret, nor its
 * messages, which may repeat them. Throws AuthError when it fails, prints no token or takes too long.
 */
export async function runTokenCommand(run: TokenCommandRun): Promise<Secret> {
  const { command, profile, signal, timeLimit = TIME_LIMIT } = run;
  const [program, ...args] = command;
  const name = `the token command of profile ${profile} (${program})`;
  const { FOLIO_TOKEN: _hidden, ...env } = run.env;
  const { execFile } = await import('node:child_process');
  const options = {
    // Not the working folder, so that no program there is run by accident.
    cwd: resolve('/'),
    env,
    signal,
    timeout: timeLimit,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_BYTES,
    windowsHide: true,
  } as const;
  let printed: string;
  try {
    const running = promisify(execFile)(program, args, options);
    running.child.stdin?.end();
    printed = (await running).stdout;
  } catch (error) {
    signal.throwIfAborted();
    // The system's own error is not kept as the cause: its message is the whole command line.
    throw new AuthError(`${name} ${reasonOf(error as ExecFileException, timeLimit)}`, { hint: HINT });
  }
  return parseToken(printed, `printed by ${name}`);
}

const HINT =
  'It runs in the topmost folder, so paths in it have to be whole. Run it there by hand to see what it says; ' +
  'a new one is set with `folio auth login --token-command`.';

function reasonOf(error: ExecFileException, limit: number): string {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `printed more than ${MAX_BYTES} bytes`;
  if (error.killed) return `took longer than ${limit / 1000} s and was stopped`;
  if (typeof error.code === 'number') return `failed with exit code ${error.code}`;
  if (error.signal) return `was ended by ${error.signal}`;
  return `could not be run: ${startFailure(error)}`;
}

/** Why the program did not start. Only the code is taken from the system's error: its message may be the command line. */
function startFailure(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOENT') return 'there is no such program';
  if (code === 'E2BIG') return 'its arguments are longer than the system allows';
  const reason = systemReason(error);
  return reason.endsWith(`(${code})`) ? reason : (code ?? 'the system does not say why');
}
