import { fstatSync, writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import type { InputStream, OutputStream } from './context.ts';
import { AuthError, Interrupted, UsageError } from './errors.ts';
import { cannotWrite } from './output/files/cannot-write.ts';

/** Bytes of standard input that folio reads at most: a token, or a list of fiscal IDs. */
const MOST_INPUT = 64 * 1024 * 1024;

/** Bytes that may be written first of all without a stream: no pipe that is empty takes less at once. */
const SMALL = 8 * 1024;

/**
 * Standard output or error as folio writes to it: every write is checked, none is lost at the end of the process. The
 * runtime takes 4 ms to make a stream, so that a first small text, often the only one, goes without. No more than that: a
 * write without a stream waits for a slow reader, and nothing could stop the run meanwhile. `name` is for messages.
 */
export function outputStream(name: string, descriptor: 1 | 2, open: () => WriteStream): OutputStream {
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
          error ? reject(cannotWrite(name, error, 'what it was given so far is not whole')) : resolve();
        if (failure) return settle(failure);
        const mayGoNow = !begun && opened === undefined && !mayBeTerminal(descriptor);
        begun = true;
        const rest = mayGoNow ? writeNow(descriptor, bytes) : bytes;
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
function writeNow(descriptor: number, bytes: Uint8Array | string): Uint8Array {
  const all = Buffer.from(bytes as string);
  if (all.length > SMALL) return all;
  let done = 0;
  try {
    while (done < all.length) done += writeSync(descriptor, all, done);
  } catch {
    // A pipe that is full for the moment, or a fault.
  }
  return all.subarray(done);
}

/** Standard input; prompts go to `prompts`, so that standard output stays data. */
export function inputStream(open: () => ReadStream, prompts: () => WriteStream): InputStream {
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
      if (size > MOST_INPUT) throw new UsageError('standard input holds more than 64 MB');
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
