import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { MIDDAY_ZONE } from './midday.ts';
import { pathOf, startProgram, type Startable } from './programs.ts';

const BIN = new URL('../../bin/folio.js', import.meta.url).pathname;

export interface FolioExit {
  /** Null where a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface RunFolioOptions {
  /** The whole environment but for FOLIO_TOKEN, a folder without settings, and a zone for the sandbox; undefined leaves those out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** By default stdin is closed and the other two are kept. */
  readonly stdio?: StdioOptions;
  /** Whether the embedded service, where one is asked, has its awkward data: yes, unless a test is about the other. */
  readonly awkward?: boolean;
  /** A script for `sh` that runs the program as `"$@"`, such as `"$@" | head`. */
  readonly shell?: string;
  /** The program that runs this command, and what it is given. */
  readonly within?: (command: readonly string[]) => readonly [Startable, args: readonly string[]];
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

/** The command line, which asks the embedded service for awkward data, since that finds the most. */
export function withData(
  args: readonly string[],
  { awkward = true }: Pick<RunFolioOptions, 'awkward'>,
): readonly string[] {
  const place = args[0] === 'sandbox' ? 0 : args.indexOf('--sandbox');
  return awkward && place >= 0 ? args.toSpliced(place + 1, 0, '--awkward') : args;
}

/** Runs the real program to its end. */
export function runFolio(args: readonly string[], options: RunFolioOptions = {}): Promise<FolioExit> {
  return startFolio(args, options).exit;
}
