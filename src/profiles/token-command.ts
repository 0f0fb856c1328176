import { isAbsolute, resolve } from 'node:path';
import type { Environment } from '../context.ts';
import { AuthError, UsageError } from '../errors.ts';
import { parseToken } from './token.ts';
import type { ParsedToken } from './token.ts';
import { systemCode, fileFailureReason } from './system-reason.ts';

/** Milliseconds that a token command may take: enough for a password manager over the network, not for a prompt. */
const timeLimit = 10_000;
/** Bytes that a token command may print. */
const maxOutput = 64 * 1024;

export interface TokenCommandRun {
  readonly command: readonly string[];
  /** Whose token it is, for messages. */
  readonly profile: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Milliseconds; 10 s unless said otherwise. */
  readonly timeLimit?: number;
}

/**
 * Runs a profile's token command, as of a password manager's CLI; what it prints is the token. No shell is between, its
 * input is empty, and it sees no token of folio's. Its arguments are never shown: one of them may be a secret.
 *
 * @throws AuthError when it fails, prints no token or takes too long, with the last line of its complaint.
 */
export async function runTokenCommand(run: TokenCommandRun): Promise<ParsedToken> {
  run.signal.throwIfAborted();
  const [program, ...args] = run.command as [string, ...string[]];
  const name = `the token command of profile ${run.profile} (${program})`;
  const limit = run.timeLimit ?? timeLimit;
  const { FOLIO_TOKEN: _hidden, ...env } = run.env;
  const { execFile } = await import('node:child_process');
  const stdout = await new Promise<string>((settle, reject) => {
    const options = {
      // Not the working folder: nothing that lies there may run by lying there.
      cwd: resolve('/'),
      env,
      timeout: limit,
      killSignal: 'SIGKILL',
      maxBuffer: maxOutput,
      windowsHide: true,
    } as const;
    const child = execFile(program, args, options, (error, output, complaint) => {
      run.signal.removeEventListener('abort', stop);
      if (run.signal.aborted) reject(run.signal.reason as Error);
      else if (error) reject(failure({ name, error, limit, complaint: withoutSecrets(complaint, output) }));
      else settle(output);
    });
    const stop = (): void => void child.kill('SIGKILL');
    run.signal.addEventListener('abort', stop, { once: true });
    child.stdin?.end();
  });
  return parseToken(stdout, `printed by ${name}`);
}

/**
 * Reads a token command as it is stored: a list of strings, program first. A program with a folder in its name must say the
 * whole path, so that it does not depend on where folio is started.
 *
 * @param from what holds it, for messages
 */
export function parseTokenCommand(value: unknown, from: string): readonly string[] {
  const isList =
    Array.isArray(value) && value.every((part) => typeof part === 'string' && !part.includes('\0'));
  if (!isList || !value[0]) {
    throw new UsageError(`${from}: expected a list of strings, the program first`, {
      hint: 'Write it like ["op", "read", "op://vault/folio/token"].',
    });
  }
  const command = value as readonly string[];
  if (/[\\/]/.test(command[0]!) && !isAbsolute(command[0]!)) {
    throw new UsageError(`${from}: the program must be a name on the PATH or a whole path`);
  }
  return command;
}

interface Failure {
  readonly name: string;
  readonly error: Error & { code?: unknown; killed?: boolean };
  readonly limit: number;
  readonly complaint: string;
}

/** The system's own error is not kept as the cause: its message is the whole command line. */
function failure({ name, error, limit, complaint }: Failure): AuthError {
  const says = complaint === '' ? '' : `: ${complaint}`;
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return new AuthError(`${name} printed more than ${maxOutput} bytes`);
  }
  if (error.killed) return new AuthError(`${name} took longer than ${limit / 1000} s and was stopped${says}`);
  if (typeof error.code === 'number')
    return new AuthError(`${name} failed with exit code ${error.code}${says}`);
  const reason = systemCode(error) === 'ENOENT' ? 'there is no such program' : fileFailureReason(error);
  return new AuthError(`${name} could not be run: ${reason}${says}`);
}

/** The last line of what a failed command said, without what it printed as a token and what looks like one. */
function withoutSecrets(complaint: string, output: string): string {
  const printed = output.trim();
  const line = complaint.trim().split(/\r?\n/).at(-1)!.trim();
  const redacted = printed === '' ? line : line.replaceAll(printed, '[hidden]');
  return redacted.replaceAll(/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, '[hidden]').slice(0, 200);
}
