import { closeSync, createReadStream, openSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../support/programs.ts';
import { Interrupted, OutputError, errorCode } from '../../../src/errors.ts';
import { openDestination } from '../../../src/output/files/destination.ts';
import { destinationContext } from '../destination-context.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe.skipIf(process.platform === 'win32')('a device or a pipe', () => {
  it('and a file need no chunk once its write has ended, so that the writer may fill it again', async () => {
    const pipe = join(temporaryFolder(), 'pipe');
    runProgram('mkfifo', [pipe]);
    const file = join(temporaryFolder(), 'file');
    const read = text(createReadStream(pipe));
    for (const path of [pipe, file]) {
      const destination = await openDestination(path, destinationContext());
      const chunk = Buffer.alloc(1_000_000, 'a');
      await destination.write(chunk);
      await destination.write(chunk.fill('b'));
      chunk.fill('c');
      await destination.commit();
    }
    const whole = 'a'.repeat(1_000_000) + 'b'.repeat(1_000_000);
    expect((await read) === whole).toBe(true);
    expect(readFileSync(file, 'latin1') === whole).toBe(true);
  });

  it('without a reader is waited for until the run is stopped', async () => {
    const folder = temporaryFolder();
    runProgram('mkfifo', [join(folder, 'pipe')]);
    const controller = new AbortController();
    const opening = openDestination(join(folder, 'pipe'), destinationContext({ signal: controller.signal }));
    controller.abort(new Interrupted('SIGTERM'));
    await expect(opening).rejects.toThrow(Interrupted);
    expect(readdirSync(folder)).toEqual(['pipe']);
  });

  it('whose reader is gone says so', async () => {
    const pipe = join(temporaryFolder(), 'pipe');
    runProgram('mkfifo', [pipe]);
    const reader = openSync(pipe, 'r+');
    const destination = await openDestination(pipe, destinationContext());
    closeSync(reader);
    const error: unknown = await destination.write('x').catch((error: unknown) => error);
    expect(error).toBeInstanceOf(OutputError);
    expect(errorCode((error as OutputError).cause)).toBe('EPIPE');
    await destination.discard();
  });

  it('that is a socket is refused, not waited for', async () => {
    const path = join(temporaryFolder(), 'socket');
    const server = createServer().listen(path);
    await expect(openDestination(path, destinationContext())).rejects.toThrow(/ENXIO/);
    server.close();
  });

  it('that a shell opened is written through its descriptor, from where it stands', async () => {
    const path = join(temporaryFolder(), 'log');
    const descriptor = openSync(path, 'a');
    const destination = await openDestination(`/dev/fd/${descriptor}`, destinationContext());
    await destination.write('one\n');
    await destination.write('two\n');
    await destination.commit();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });
});
