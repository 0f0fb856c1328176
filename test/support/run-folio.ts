import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';

const BIN = new URL('../../bin/folio.js', import.meta.url).pathname;

export interface FolioExit {
  /** Null where a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface RunFolioOptions {
  /** The whole environment but for FOLIO_TOKEN and a folder without settings; undefined leaves those out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** By default stdin is closed and the other two are kept. */
  readonly stdio?: StdioOptions;
  /** A script for `sh` that runs the program as `"$@"`, such as `"$@" | head`. */
  readonly shell?: string;
}

/** A folder of settings that is not there, and that nobody can make, not even root. */
export const NO_SETTINGS = '/proc/nonexistent';

/** Nobody's, and no real service takes it. */
export const TEST_TOKEN = 'test-token-0123456789-abcdefghij';

export interface RunningFolio {
  readonly process: ChildProcess;
  readonly exit: Promise<FolioExit>;
}

/** Starts the real program, as built, with nothing of this process's environment. */
export function startFolio(args: readonly string[], options: RunFolioOptions = {}): RunningFolio {
  const env = { FOLIO_TOKEN: TEST_TOKEN, FOLIO_CONFIG_DIR: NO_SETTINGS, ...options.env };
  const command = [globalThis.process.execPath, BIN, ...args];
  if (options.shell !== undefined) command.unshift('/bin/sh', '-c', options.shell, 'sh');
  const process = spawn(command[0]!, command.slice(1), {
    env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
    cwd: options.cwd,
    stdio: options.stdio ?? ['ignore', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  process.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  process.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  const exit = once(process, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout: Buffer.concat(stdout),
    stderr: Buffer.concat(stderr).toString('utf8'),
  }));
  return { process, exit };
}

/** Runs the real program to its end. */
export function runFolio(args: readonly string[], options: RunFolioOptions = {}): Promise<FolioExit> {
  return startFolio(args, options).exit;
}
