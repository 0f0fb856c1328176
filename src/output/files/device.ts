import { close, constants, fstat, open, writeFile } from 'node:fs';
import { Socket } from 'node:net';
import { isatty, WriteStream } from 'node:tty';
import { promisify } from 'node:util';
import { errorCode } from '../../errors.ts';
import type { FileContext } from './side-files.ts';
import { cannotWrite, failTo, NOT_WHOLE, type DeviceTarget } from './target.ts';
import type { OpenTarget } from '../writer.ts';

const [openFile, statFile] = [promisify(open), promisify(fstat)];
const [writeTo, closeFile] = [promisify(writeFile), promisify(close)];

/** Milliseconds between two tries to open a pipe that has no reader yet. */
const PIPE_POLL = 50;

/**
 * Opens a device or a named pipe for writing; waits for the reader of a pipe. The opening itself does not block, since that could
 * not be interrupted. Throws OutputError, or the signal's reason.
 */
export async function openDevice(
  { path, shown, isPipe }: DeviceTarget,
  { clock, signal }: FileContext,
): Promise<OpenTarget> {
  for (;;) {
    try {
      return await openDescriptor(await openFile(path, constants.O_WRONLY | constants.O_NONBLOCK), shown);
    } catch (error) {
      if (!isPipe || errorCode(error) !== 'ENXIO') throw cannotWrite(shown, error);
    }
    await clock.sleep(PIPE_POLL, signal);
  }
}

/** An open descriptor. Throws OutputError where it is not open. */
export async function openDescriptor(descriptor: number, shown: string): Promise<OpenTarget> {
  try {
    const found = await statFile(descriptor);
    if (isatty(descriptor)) return openStream(new WriteStream(descriptor), shown, true);
    if (found.isFIFO() || found.isSocket())
      return openStream(new Socket({ fd: descriptor, readable: false }), shown, false);
  } catch (error) {
    throw cannotWrite(shown, error);
  }
  let isOpen = true;
  const end = async (): Promise<void> => {
    const wasOpen = isOpen;
    isOpen = false;
    if (wasOpen) await closeFile(descriptor);
  };
  return {
    isTerminal: false,
    write: (bytes) => writeTo(descriptor, bytes).catch(failTo(shown, NOT_WHOLE)),
    commit: end,
    discard: () => end().catch(() => undefined),
  };
}

/** A stream whose buffer can be full: the event loop writes to it, so that a waiting write does not delay signals. */
function openStream(stream: Socket, shown: string, isTerminal: boolean): OpenTarget {
  // Each write gets its own error; without a listener the stream would also throw it.
  stream.on('error', () => undefined);
  const done = (act: (callback: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      act((error) => (error ? reject(cannotWrite(shown, error, NOT_WHOLE)) : resolve()));
    });
  return {
    isTerminal,
    write: (bytes) => done((callback) => stream.write(bytes, callback)),
    commit: () => done((callback) => stream.end(callback)).finally(() => stream.destroy()),
    discard: async () => {
      if (!stream.writableEnded) stream.destroy();
    },
  };
}
