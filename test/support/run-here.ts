import { closeSync, createWriteStream, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import type { OwnProcess, start } from '../../src/process-context.ts';
import { temporaryFolder } from './temporary-folder.ts';

const DIST = resolve(import.meta.dirname, '../../dist');

let running = 0;

/** A folder of settings that is not there, and that nobody can make, not even root. */
export const NO_SETTINGS = '/proc/nonexistent';

/** Nobody's, and no real service takes it. */
export const TEST_TOKEN = 'test-token-0123456789-abcdefghij';

export interface FolioExit {
  /** Null where a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface RunOptions {
  /** The whole environment but for FOLIO_TOKEN, a folder without settings, and a zone for the sandbox; undefined leaves those out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Whether the embedded service has its awkward data, which finds the most: yes, unless a test is about the other. */
  readonly awkward?: boolean;
}

interface RunHereOptions extends RunOptions {
  /** What standard input holds; by default nothing. */
  readonly input?: string;
}

/**
 * Runs the program as built in this process, which takes a tenth of the time of a process of its own. The environment is that of
 * `runFolio`, but for the time zone and what else the runtime reads when it starts. What is about the process (signals, memory,
 * pipes) needs `runFolio`. A process has one folder: a run in another one goes alone.
 */
export function runHere(args: readonly string[], options: RunHereOptions = {}): Promise<FolioExit> {
  return startHere(args, options).exit;
}

/** Starts it as `runHere` does; `printed` waits until that is printed, or until it has ended. `stop` is what Ctrl-C does. */
function startHere(args: readonly string[], options: RunHereOptions = {}) {
  const folder = temporaryFolder();
  const [stdout, stderr] = [join(folder, 'stdout'), join(folder, 'stderr')];
  const descriptors = { stdout: openSync(stdout, 'w'), stderr: openSync(stderr, 'w') };
  // The program asks a stream that is not a terminal for no more than a file's stream has.
  const writeTo = (fd: number): WriteStream =>
    createWriteStream('', { fd, autoClose: false }) as unknown as WriteStream;
  let stop = (): void => {};
  const ended = runWith(args, options, {
    stdin: () => Readable.from([Buffer.from(options.input ?? '')]) as unknown as ReadStream,
    stdout: () => writeTo(descriptors.stdout),
    stderr: () => writeTo(descriptors.stderr),
    descriptors,
    once: (signal, listener) => {
      if (signal === 'SIGINT') stop = listener;
    },
  }).finally(() => {
    closeSync(descriptors.stdout);
    closeSync(descriptors.stderr);
  });
  const standing = { isOver: false };
  const isOver = (): boolean => (standing.isOver = true);
  ended.then(isOver, isOver);
  return {
    printed: async (isWaitedFor: RegExp) => {
      for (;;) {
        const text = readFileSync(stdout, 'utf8');
        if (standing.isOver || isWaitedFor.test(text)) return text;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    stop: () => stop(),
    exit: ended.then((code): FolioExit => ({
      ...{ code, signal: null },
      ...{ stdout: readFileSync(stdout), stderr: readFileSync(stderr, 'utf8') },
    })),
  };
}

export interface Streams extends Pick<OwnProcess, 'once'> {
  readonly stdin: () => ReadStream;
  readonly stdout: () => WriteStream;
  readonly stderr: () => WriteStream;
  readonly descriptors: { readonly stdout: number; readonly stderr: number };
}

/**
 * Runs the program as built in this process, on these streams.
 *
 * @returns its exit code
 */
export async function runWith(
  args: readonly string[],
  options: RunHereOptions,
  streams: Streams,
): Promise<number> {
  const env = { FOLIO_TOKEN: TEST_TOKEN, FOLIO_CONFIG_DIR: NO_SETTINGS, ...options.env };
  const standing = { isOver: false };
  const { pid, hrtime } = process;
  const own: OwnProcess = {
    ...{ pid, hrtime, getuid: process.getuid?.bind(process), once: streams.once },
    argv: ['node', 'folio', ...withData(args, options)],
    env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)),
    get stdin() {
      return streams.stdin();
    },
    get stdout() {
      return streams.stdout();
    },
    get stderr() {
      return streams.stderr();
    },
    kill: (other, signal) => {
      if (signal === 0) return process.kill(other, signal);
      // A process that has ended is ended by nothing more.
      if (!standing.isOver) throw new Error(`the program would end by ${signal}`);
      return true;
    },
    removeAllListeners: () => {},
    emitWarning: () => {},
  };
  const before = process.cwd();
  if (running > 0 && (options.cwd ?? before) !== before) throw new Error('another run is in this folder');
  running++;
  try {
    if (options.cwd !== undefined) process.chdir(options.cwd);
    return await (
      await builtStart()
    )(own, streams.descriptors);
  } finally {
    standing.isOver = true;
    process.chdir(before);
    running--;
  }
}

/** The command line, with --awkward where it is about the embedded service. */
export function withData(args: readonly string[], { awkward = true }: RunOptions): readonly string[] {
  const place = args[0] === 'sandbox' ? 0 : args.indexOf('--sandbox');
  return awkward && place >= 0 ? args.toSpliced(place + 1, 0, '--awkward') : args;
}

/** What `main` hands the process to, in the file that the build made of it; the source of it, where that is what is tried. */
async function builtStart(): Promise<typeof start> {
  if (process.env['FOLIO_RUN_SOURCE'] !== undefined)
    return (await import('../../src/process-context.ts')).start;
  const built = createRequire(import.meta.url)(join(DIST, 'start.js')) as {
    readonly process_context_exports: { readonly start: typeof start };
  };
  return built.process_context_exports.start;
}

/** What the embedded service prints, by name: its address, and a token for each of two organizations. */
export type SandboxEnvironment = Readonly<Record<'FOLIO_BASE_URL' | 'FOLIO_TOKEN' | 'FOLIO_TOKEN_2', string>>;

/** Has `folio sandbox` of the built program serve in this process until the work is done. */
export async function withSandbox<T>(
  flags: readonly string[],
  work: (printed: SandboxEnvironment) => Promise<T>,
): Promise<T> {
  const service = startHere(['sandbox', '--quiet', ...flags]);
  try {
    const printed = await service.printed(/^FOLIO_TOKEN_2=.*\n/m);
    const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(printed)?.[1] ?? '';
    return await work({
      FOLIO_BASE_URL: value('FOLIO_BASE_URL'),
      FOLIO_TOKEN: value('FOLIO_TOKEN'),
      FOLIO_TOKEN_2: value('FOLIO_TOKEN_2'),
    });
  } finally {
    service.stop();
    await service.exit;
  }
}
