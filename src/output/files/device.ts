import { close, constants, fstat, open } from 'node:fs';
import { Socket } from 'node:net';
import { isatty, WriteStream } from 'node:tty';
import { promisify } from 'node:util';
import { cannotWrite, failTo } from './cannot-write.ts';
import type { DirectSink } from './destination.ts';
import { bytesOf, writeBytes } from './file-bytes.ts';
import { errorCode } from '../../errors.ts';
import type { FileContext } from './side-files.ts';
import type { DeviceTarget } from './target.ts';

const [openFile, statFile, closeFile] = [promisify(open), promisify(fstat), promisify(close)];

/** Milliseconds between two tries to open a pipe that has no reader yet. */
const PIPE_POLL = 50;

/**
 * Opens a device or a named pipe for writing; waits for the reader of a pipe. The opening itself does not block, since that could not
 * be interrupted. Throws OutputError, or the signal's reason.
 */
export async function openDevice(
  { path, shown, isPipe }: DeviceTarget,
  { clock, signal }: FileContext,
): Promise<DirectSink> {
  for (;;) {
    try {
      return await openDescriptor(await openFile(path, constants.O_WRONLY | constants.O_NONBLOCK), shown);
    } catch (error) {
      if (!isPipe || errorCode(error) !== 'ENXIO') throw cannotWrite(shown, error);
    }
    await clock.sleep(PIPE_POLL, signal);
  }
}

/** A sink over an open descriptor. Throws OutputError where it is not open. */
export async function openDescriptor(descriptor: number, shown: string): Promise<DirectSink> {
  try {
    const found = await statFile(descriptor);
    if (isatty(descriptor)) return streamSink(new WriteStream(descriptor), shown, true);
    if (found.isFIFO() || found.isSocket())
      return streamSink(new Socket({ fd: descriptor, readable: false }), shown, false);
    return plainSink(descriptor, shown);
  } catch (error) {
    throw cannotWrite(shown, error);
  }
}

/** A sink whose buffer can be full: the event loop writes to it, so that a waiting write holds up no signal. */
function streamSink(stream: Socket, shown: string, isTerminal: boolean): DirectSink {
  // Each write learns of its own error; without a listener the stream would also throw it.
  stream.on('error', () => undefined);
  const done = (act: (callback: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      act((error) => (error ? reject(cannotWrite(shown, error)) : resolve()));
    });
  return {
    isTerminal,
    write: (chunk) => done((callback) => stream.write(chunk, callback)),
    close: () => done((callback) => stream.end(callback)).finally(() => stream.destroy()),
    abandon: () => void stream.destroy(),
  };
}

function plainSink(descriptor: number, shown: string): DirectSink {
  return {
    isTerminal: false,
    write: (chunk) => writeBytes(descriptor, bytesOf(chunk)).catch(failTo(shown)),
    close: () => closeFile(descriptor),
    abandon: () => close(descriptor, () => undefined),
  };
}
