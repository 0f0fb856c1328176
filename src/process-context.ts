import { EventEmitter } from 'node:events';
import { fstatSync, promises, readlinkSync, writeSync, type Stats } from 'node:fs';
import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { ReadStream, WriteStream } from 'node:tty';
import type ora from 'ora';
import { knownSecrets } from './api/redact.ts';
import { runCommandLine } from './cli/program.ts';
import type { Clock, Context, InputStream, OutputStream, Processes, StartSpinner } from './context.ts';
import { AuthError, errorCode, Interrupted, systemReason, UsageError } from './errors.ts';
import { cannotWrite, NOT_WHOLE } from './output/files/target.ts';

/** The most milliseconds that a run may clean up after a signal. */
const CLEAN_UP_MILLISECONDS = 1_500;

/** What folio uses of the process. `main` hands it over; a test may hand over another one. */
export interface OwnProcess extends Pick<NodeJS.Process, 'argv' | 'env' | 'pid' | 'hrtime' | 'emitWarning'> {
  /** The number of the user, on systems that have one. */
  readonly getuid?: (() => number) | undefined;
  // The runtime makes these streams when they are first read.
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: WriteStream;
  /** Signal 0 sends nothing and throws when there is no such process. */
  kill(pid: number, signal: 0 | StopSignal): boolean;
  /** Calls the listener when the signal comes next. The signal then does not end the process. */
  once(signal: StopSignal, listener: () => void): unknown;
  removeAllListeners(signal: StopSignal): unknown;
}

/** SIGBREAK is Ctrl-Break on Windows; no other system sends it, and Windows sends no SIGTERM. */
type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGBREAK';

/** The numbers of the files that the two streams write to. */
const DESCRIPTORS = { stdout: 1, stderr: 2 };

/**
 * Runs the command line of the process. `main` loads this file late, and with it all that every command needs. Returns the exit
 * code.
 */
export function start(own: OwnProcess, descriptors = DESCRIPTORS): Promise<number> {
  // There is a listener for each request in flight, so that many listeners are not a leak.
  EventEmitter.defaultMaxListeners = 100;
  return runCommandLine(realContext(own, descriptors));
}

/** The real process as a context. What few commands need is loaded at its first use. */
function realContext(own: OwnProcess, descriptors: typeof DESCRIPTORS): Context {
  const env = { ...own.env };
  // A token command inherits the environment, and a crash report may show it: neither must have the token.
  delete own.env['FOLIO_TOKEN'];
  const uid = own.getuid?.();
  const signal = stopSignal(own);
  const clock = realClock(own);
  const processes = processTable(own);
  return {
    argv: own.argv.slice(2),
    stdin: inputStream(own, signal),
    stdout: outputStream('standard output', descriptors.stdout, () => own.stdout),
    stderr: outputStream('standard error', descriptors.stderr, () => own.stderr),
    env,
    secrets: knownSecrets(env),
    signal,
    clock,
    config: async () => {
      const { openStore } = await import('./profiles/store.ts');
      return openStore({ env, clock, processes, signal, uid });
    },
    processes,
    loadSpinner: async () => spinnerOn(own.stderr, (await import('ora')).default),
    async quietly(load) {
      const { emitWarning } = own;
      own.emitWarning = () => undefined;
      try {
        return await load();
      } finally {
        own.emitWarning = emitWarning;
      }
    },
    openTransport: async (options) =>
      (await import('./api/undici-transport.ts')).openUndiciTransport(options),
  };
}

/**
 * The signals that stop a run. The first one aborts the signal that is returned; a second one ends the process at once, and so
 * does a clean-up that is too slow.
 */
function stopSignal(own: OwnProcess): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGBREAK'] as const) {
    // On Windows a process receives SIGBREAK, but cannot be ended by it.
    const known = name === 'SIGBREAK' ? 'SIGINT' : name;
    const end = (): void => {
      own.removeAllListeners(known);
      own.kill(own.pid, known);
    };
    own.once(name, () => {
      if (controller.signal.aborted) return end();
      own.once(name, end);
      controller.abort(new Interrupted(known));
      void setTimeout(CLEAN_UP_MILLISECONDS, undefined, { ref: false }).then(end);
    });
  }
  return controller.signal;
}

/** The most bytes of a token, of fiscal IDs or of a note on standard input. */
const MAX_INPUT_BYTES = 64 * 2 ** 20;

/** The most bytes that are written without a stream, all in all. Every empty pipe takes that many at once. */
const MAX_DIRECT_WRITE = 8 * 1024;

/**
 * Standard output or standard error. Every write is checked, and none is lost at the end of the process. Making a stream
 * takes the runtime 4 ms, so the first small texts, which are often the only ones, are written without a stream. More
 * is not, because such a write waits for a slow reader, and nothing could stop the run meanwhile. `name` is for messages.
 */
function outputStream(name: string, descriptor: number, open: () => WriteStream): OutputStream {
  const stats = statsOf(descriptor);
  const mayBeTerminal = stats?.isCharacterDevice() !== false;
  let failure: Error | undefined;
  let opened: WriteStream | undefined;
  let room = MAX_DIRECT_WRITE;
  const stream = (): WriteStream => {
    if (opened !== undefined) return opened;
    opened = open();
    // Without a listener, a failed write would end the process with a stack. The write's callback gets the error too.
    opened.on('error', (error) => (failure ??= error));
    return opened;
  };
  return {
    isPipe: stats?.isFIFO() === true || stats?.isSocket() === true,
    get isTerminal() {
      return mayBeTerminal && stream().isTTY === true;
    },
    get columns() {
      return this.isTerminal ? stream().columns || undefined : undefined;
    },
    async write(bytes) {
      try {
        if (failure) throw failure;
        room -= Buffer.byteLength(bytes);
        const mayGoNow = room >= 0 && opened === undefined && !mayBeTerminal;
        const rest = mayGoNow ? writeDirectly(descriptor, bytes) : bytes;
        if (rest.length > 0)
          await new Promise<void>((resolve, reject) =>
            stream().write(rest, (error) => (error ? reject(error) : resolve())),
          );
      } catch (error) {
        throw cannotWrite(name, error, NOT_WHOLE);
      }
    },
  };
}

/** What a descriptor is; undefined where the system does not tell. */
function statsOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined;
  }
}

/** Writes a small text and returns the rest. After a failure the rest is written to the stream, which fails again. */
function writeDirectly(descriptor: number, bytes: Uint8Array | string): Uint8Array {
  const all = Buffer.from(bytes as string);
  let done = 0;
  try {
    while (done < all.length) done += writeSync(descriptor, all, done);
  } catch {
    // The pipe is full, or the write failed.
  }
  return all.subarray(done);
}

/** Standard input. Prompts go to standard error, so that standard output has only data. */
function inputStream(own: OwnProcess, signal: AbortSignal): InputStream {
  return {
    get isTerminal() {
      return own.stdin.isTTY === true;
    },
    open: () => own.stdin,
    readAll: () => readAll(own.stdin),
    readHidden: (prompt) => promptFor(own.stdin, { screen: own.stderr, prompt, show: false, signal }),
    readLine: (prompt) => promptFor(own.stdin, { screen: own.stderr, prompt, show: true, signal }),
  };
}

async function readAll(stream: ReadStream): Promise<string> {
  const { typedTextOf } = await import('./output/files/typed-text.ts');
  const text = await typedTextOf(stream, MAX_INPUT_BYTES).catch((cause: unknown) => {
    throw new UsageError(`cannot read standard input: ${systemReason(cause)}`, {
      hint: 'Give a file instead.',
      cause,
    });
  });
  if (text !== undefined) return text;
  throw new UsageError(`standard input holds more than ${MAX_INPUT_BYTES / 2 ** 20} MiB`, {
    hint: 'Give less at once.',
  });
}

interface TypedLine {
  readonly screen: WriteStream;
  readonly prompt: string;
  /** Whether the screen shows what is typed. */
  readonly show: boolean;
  readonly signal: AbortSignal;
}

/** Reads a line that is typed. Rejects with Interrupted on Ctrl-C or a signal, with AuthError on Ctrl-D. */
async function promptFor(input: ReadStream, { screen, prompt, show, signal }: TypedLine): Promise<string> {
  const { createInterface } = await import('node:readline');
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  // From here on the terminal shows nothing by itself, so that a text that is pasted early stays hidden, too.
  const lines = createInterface({ input, output: show ? screen : hidden, terminal: true, signal });
  try {
    return await new Promise((resolve, reject) => {
      const nothing = { hint: 'Run it again, and type what it asks for.' };
      lines.once('SIGINT', () => reject(new Interrupted('SIGINT')));
      lines.once('close', () =>
        reject(signal.aborted ? (signal.reason as Error) : new AuthError('nothing was typed', nothing)),
      );
      if (!show) screen.write(prompt);
      lines.question(show ? prompt : '', (line) => {
        if (!show) screen.write('\n');
        resolve(line);
      });
    });
  } catch (error) {
    screen.write('\n');
    throw error;
  } finally {
    lines.close();
  }
}

/** The longest delay of a timer in ms: a timer with a longer delay would fire at once. No wait is that long. */
const MAX_TIMER = 2 ** 31 - 1;

/** Real time, real waiting and real chance. */
function realClock(own: OwnProcess): Clock {
  return {
    now: () => Date.now(),
    // The runtime's `performance` does the same, and takes 1 ms to load.
    elapsed: () => Number(own.hrtime.bigint()) / 1e6,
    random: () => Math.random(),
    async sleep(milliseconds, signal) {
      // The error of the timer does not have the signal's reason.
      await setTimeout(Math.min(milliseconds, MAX_TIMER), undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
    },
  };
}

/** The processes of this host, as this process sees them; `own` is Node's `process`. */
export function processTable(own: Pick<OwnProcess, 'pid' | 'kill'>): Processes {
  const takesSignals = (pid: number): boolean => {
    try {
      return own.kill(pid, 0);
    } catch (error) {
      return errorCode(error) === 'EPERM';
    }
  };
  return {
    pid: own.pid,
    host: hostname(),
    get namespace() {
      try {
        return readlinkSync('/proc/self/ns/pid');
      } catch {
        return undefined;
      }
    },
    async stateOf(pid) {
      // A zombie still takes signals; only its state shows that it is gone (killed in a container without init).
      const [stat, boot] = await Promise.all(
        [`/proc/${pid}/stat`, '/proc/sys/kernel/random/boot_id'].map((path) =>
          promises.readFile(path, 'utf8').catch(() => undefined),
        ),
      );
      if (stat === undefined) return { alive: takesSignals(pid) };
      // The name, in brackets, may hold anything: fields are counted from its end. Start is number 22, state 3.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return { alive: !/^[ZXx]$/.test(fields[0]!), start: `${boot?.trim() ?? ''}/${fields[19]}` };
    },
  };
}

/** How often the spinner is updated, in ms. */
const REFRESH_MILLISECONDS = 200;

/**
 * Draws with ora on a terminal. The cursor stays visible and the keys are not read: a process that is killed must leave
 * the terminal as it was, and Ctrl-C must reach the process as a signal.
 */
function spinnerOn(stream: NodeJS.WriteStream, draw: typeof ora): StartSpinner {
  return ({ text, color }) => {
    const style = { color: color ? 'cyan' : false, hideCursor: false, discardStdin: false } as const;
    const spinner = draw({ ...style, stream, isEnabled: true, text: text() }).start();
    const timer = setInterval(() => (spinner.text = text()), REFRESH_MILLISECONDS);
    return {
      stop: () => {
        clearInterval(timer);
        spinner.stop();
      },
    };
  };
}
