import { EventEmitter } from 'node:events';
import { fstatSync, writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { knownSecrets } from './api/redact.ts';
import { runCommandLine } from './cli/command-line.ts';
import type { Clock, Context, InputStream, OutputStream } from './context.ts';
import { AuthError, Interrupted, UsageError } from './errors.ts';
import { cannotWrite } from './output/files/cannot-write.ts';
import { processTable } from './output/files/processes.ts';

/** Milliseconds that a run which was told to stop may take to clean up. */
const CLEAN_UP_MILLISECONDS = 1_500;

/**
 * Runs a command line on the process that `main` hands over: all that every command needs, in one file to load.
 *
 * @returns the exit code
 */
export function start(self: NodeJS.Process): Promise<number> {
  // One listener a request in flight is no leak.
  EventEmitter.defaultMaxListeners = 100;
  return runCommandLine(realContext(self));
}

function realContext(self: NodeJS.Process): Context {
  const env = { ...self.env };
  // What folio starts (a token command) and what shows its environment (a crash report) must not carry the token.
  delete self.env['FOLIO_TOKEN'];
  const signal = stopSignal(self);
  return {
    argv: self.argv.slice(2),
    stdin: inputStream(
      () => self.stdin,
      () => self.stderr,
    ),
    stdout: outputStream('standard output', 1, () => self.stdout),
    stderr: outputStream('standard error', 2, () => self.stderr),
    env,
    secrets: knownSecrets(env),
    signal,
    clock: realClock,
    config: async () => {
      const { openStore } = await import('./profiles/store.ts');
      return openStore({ env, clock: realClock, signal, uid: self.getuid?.() });
    },
    processes: processTable(self),
    loadSpinner: async () => (await import('./ora-spinner.ts')).startOraSpinner(self.stderr),
    openTransport: async (options) =>
      (await import('./api/undici-transport.ts')).openUndiciTransport(options),
    openFileTransport: async (options) =>
      (await import('./api/undici-file-transport.ts')).openUndiciFileTransport(options),
    networkProbe: async () => (await import('./api/network-probe.ts')).nodeNetworkProbe,
  };
}

/** Aborted by the first SIGINT or SIGTERM. A second one, or clean-up that takes too long, ends the process at once. */
function stopSignal(self: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    self.once(signal, () => {
      const die = (): void => {
        self.removeAllListeners(signal);
        self.kill(self.pid, signal);
      };
      if (controller.signal.aborted) die();
      controller.abort(new Interrupted(signal));
      self.once(signal, die);
      setTimeout(die, CLEAN_UP_MILLISECONDS).unref();
    });
  }
  return controller.signal;
}

/** Bytes of standard input that folio reads at most: a token, or a list of fiscal IDs. */
const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/** Bytes that may be written first of all without a stream: no pipe that is empty takes less at once. */
const MAX_DIRECT_WRITE = 8 * 1024;

/**
 * Standard output or error as folio writes to it: every write is checked, none is lost at the end of the process. The
 * runtime takes 4 ms to make a stream, so that a first small text, often the only one, goes without. No more than that: a
 * write without a stream waits for a slow reader, and nothing could stop the run meanwhile. `name` is for messages.
 */
function outputStream(name: string, descriptor: 1 | 2, open: () => WriteStream): OutputStream {
  let failure: Error | undefined;
  let opened: WriteStream | undefined;
  let begun = false;
  const stream = (): WriteStream => {
    if (opened !== undefined) return opened;
    opened = open();
    // Without a listener a failed write would end the process with a stack; with it, the write's own callback tells.
    opened.on('error', (error) => (failure ??= error));
    return opened;
  };
  const isTerminal = (): boolean => mayBeTerminal(descriptor) && stream().isTTY === true;
  return {
    get isTerminal() {
      return isTerminal();
    },
    get columns() {
      return isTerminal() ? stream().columns : undefined;
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        const settle = (error: Error | null | undefined): void =>
          error ? reject(cannotWrite(name, error, 'What it was given so far is not whole.')) : resolve();
        if (failure) return settle(failure);
        const mayGoNow = !begun && opened === undefined && !mayBeTerminal(descriptor);
        begun = true;
        const rest = mayGoNow ? writeDirectly(descriptor, bytes) : bytes;
        if (rest.length === 0) resolve();
        else stream().write(rest, settle);
      }),
  };
}

/** False for a file or a pipe. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return true;
  }
}

/** Writes what is small; returns what is left: all of it, or what is behind a failure, which the stream is to tell. */
function writeDirectly(descriptor: number, bytes: Uint8Array | string): Uint8Array {
  const all = Buffer.from(bytes as string);
  if (all.length > MAX_DIRECT_WRITE) return all;
  let done = 0;
  try {
    while (done < all.length) done += writeSync(descriptor, all, done);
  } catch {
    // A pipe that is full for the moment, or a fault.
  }
  return all.subarray(done);
}

/** Standard input; prompts go to `prompts`, so that standard output stays data. */
function inputStream(open: () => ReadStream, prompts: () => WriteStream): InputStream {
  return {
    get isTerminal() {
      return open().isTTY === true;
    },
    readAll: () => readAll(open()),
    readHidden: (prompt) => readHidden(open(), prompts(), prompt),
  };
}

async function readAll(stream: ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_INPUT_BYTES) throw new UsageError('standard input holds more than 64 MB');
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read standard input: ${(error as Error).message}`, { cause: error });
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads a line without echo. Backspace, Ctrl-U, Ctrl-C and Ctrl-D do what they do at a password prompt. */
function readHidden(stream: ReadStream, prompts: WriteStream, prompt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed = '';
    const finish = (settle: () => void): void => {
      stream.off('data', onData);
      stream.setRawMode(false);
      stream.pause();
      prompts.write('\n');
      settle();
    };
    const onData = (chunk: Buffer | string): void => {
      for (const key of chunk.toString()) {
        if (key === '\r' || key === '\n') return finish(() => resolve(typed));
        if (key === '\u0003') return finish(() => reject(new Interrupted('SIGINT')));
        if (key === '\u0004') return finish(() => reject(new AuthError('no token was typed')));
        if (key === '\u007f' || key === '\b') typed = typed.slice(0, -1);
        else if (key === '\u0015') typed = '';
        else if (key >= ' ') typed += key;
      }
    };
    // Before the prompt: a terminal would show what is pasted as soon as it is there.
    stream.setRawMode(true);
    stream.on('data', onData);
    stream.resume();
    prompts.write(prompt);
  });
}

/** The time, the waiting and the chance of the real world. */
const realClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, milliseconds);
      signal.addEventListener('abort', stop, { once: true });
    }),
};
