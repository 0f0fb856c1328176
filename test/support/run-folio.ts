import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { MIDDAY_ZONE } from './midday.ts';
import { pathOf, startProgram, type Startable } from './programs.ts';
import { NO_SETTINGS, TEST_TOKEN, withData, type FolioExit, type RunOptions } from './run-here.ts';

const BIN = resolve(import.meta.dirname, '../../bin/folio.js');

export interface RunFolioOptions extends RunOptions {
  /** By default stdin is closed and the other two are kept. */
  readonly stdio?: StdioOptions;
  /** A script for `sh` that runs the program as `"$@"`, such as `"$@" | head`. */
  readonly shell?: string;
  /** The program that runs this command, and what it is given. */
  readonly within?: (command: readonly string[]) => readonly [Startable, args: readonly string[]];
}

export interface RunningFolio {
  readonly process: ChildProcess;
  readonly exit: Promise<FolioExit>;
}

/** Starts the real program, as built, with nothing of this process's environment. */
export function startFolio(args: readonly string[], options: RunFolioOptions = {}): RunningFolio {
  const { shell = '', awkward = true } = options;
  const asksSandbox = [...args, ...shell.split(' ')].some((word) => /^(--)?sandbox$/.test(word));
  const env = {
    FOLIO_TOKEN: TEST_TOKEN,
    FOLIO_CONFIG_DIR: NO_SETTINGS,
    // The embedded service has data up to today: no day ends between two runs that are compared.
    ...(asksSandbox && { TZ: MIDDAY_ZONE }),
    ...options.env,
  };
  const words = withData(args, options);
  const script = awkward ? shell.replaceAll(' --sandbox ', ' --sandbox --awkward ') : shell;
  const started = {
    env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
    cwd: options.cwd,
    stdio: options.stdio ?? ['ignore', 'pipe', 'pipe'],
  };
  const command = [pathOf('node'), BIN, ...words];
  const [program, given] =
    options.within?.(command) ??
    (shell === '' ? ['node', [BIN, ...words]] : ['sh', ['-c', script, 'sh', ...command]]);
  const process = startProgram(program, given, started);
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
