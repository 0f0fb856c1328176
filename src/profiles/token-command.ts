import type { ExecFileException } from 'node:child_process';
import { isAbsolute, resolve } from 'node:path';
import type { Environment } from '../context.ts';
import { AuthError, errorCode, systemReason, UsageError } from '../errors.ts';
import { parseToken } from './token.ts';
import type { ParsedToken } from './token.ts';

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
 * Runs a profile's token command, such as the program of a password manager. What it prints is the token. No shell runs it,
 * its input is empty, and it does not see FOLIO_TOKEN. Its arguments are never shown, since one of them may be a secret.
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
    try {
      const child = execFile(program, args, options, (error, output, complaint) => {
        run.signal.removeEventListener('abort', stop);
        if (run.signal.aborted) reject(run.signal.reason as Error);
        else if (error)
          reject(failure({ name, error, limit, complaint: withoutSecrets(complaint, [output, ...args]) }));
        else settle(output);
      });
      const stop = (): void => void child.kill('SIGKILL');
      run.signal.addEventListener('abort', stop, { once: true });
      child.stdin?.end();
    } catch (error) {
      // Some failures to start are thrown, such as that of a command line longer than the system allows.
      reject(new AuthError(`${name} could not be run: ${startFailure(error)}`, { hint: HINT }));
    }
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
    throw new UsageError(`${from}: the program must be a name on the PATH or a whole path`, {
      hint: 'Write the path from the root, or the name alone.',
    });
  }
  return command;
}

interface Failure {
  readonly name: string;
  readonly error: ExecFileException;
  readonly limit: number;
  readonly complaint: string;
}

const HINT =
  'Run the command by hand to see what it says; a new one is set with `folio auth login --token-command`.';

/** The system's own error is not kept as the cause: its message is the whole command line. */
function failure({ name, error, limit, complaint }: Failure): AuthError {
  const says = complaint === '' ? '' : `: ${complaint}`;
  return new AuthError(`${name} ${reasonOf(error, limit)}${says}`, { hint: HINT });
}

function reasonOf(error: Failure['error'], limit: number): string {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `printed more than ${maxOutput} bytes`;
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

/**
 * The last line of what a failed command said, without what looks like a token, and without the secrets: what it printed, and
 * its arguments, which a program may repeat as they are or in part.
 */
function withoutSecrets(complaint: string, secrets: readonly string[]): string {
  const line = complaint.trim().split(/\r?\n/).at(-1)!.trim();
  const parts = secrets.flatMap((secret) => secret.split(/\W+/).filter(({ length }) => length >= 6));
  const whole = secrets.map((secret) => secret.trim()).filter(({ length }) => length >= 3);
  const hidden = [...whole, ...parts].toSorted((a, b) => b.length - a.length);
  const withoutTokens = line.replaceAll(/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, '[hidden]');
  return hidden.reduce((text, secret) => text.replaceAll(secret, '[hidden]'), withoutTokens).slice(0, 200);
}
