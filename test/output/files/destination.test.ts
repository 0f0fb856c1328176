import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OutputError } from '../../../src/errors.ts';
import { openDestination } from '../../../src/output/files/destination.ts';
import { destinationContext, fakeProcesses, OUR_PID } from '../destination-context.ts';
import { FakeOutput } from '../../support/fake-streams.ts';
import { modeOf, temporaryFolder } from '../../support/temporary-folder.ts';

function withUmask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}

describe('a file', () => {
  it('is on the disk before it has its name, and its name is after', async () => {
    // What was done to the files, in order, as far as a power failure could tell.
    const steps: string[] = [];
    const own = { ...files };
    onTestFinished(() => {
      Object.assign(files, own);
      syncBuiltinESMExports();
    });
    const replaced: Partial<typeof files> = {
      open: async (...given) => {
        const handle = await own.open(...given);
        const sync = handle.sync.bind(handle);
        handle.sync = () => {
          steps.push(`flush ${String(given[0]).endsWith('.folio-tmp') ? 'file' : 'folder'}`);
          return sync();
        };
        return handle;
      },
      rename: (...given) => {
        steps.push('rename');
        return own.rename(...given);
      },
    };
    Object.assign(files, replaced);
    syncBuiltinESMExports();
    const output = join(temporaryFolder(), 'out.csv');
    const destination = await openDestination(output, destinationContext());
    await destination.write('rows');
    expect(steps).toEqual([]);
    await destination.commit();
    expect(steps).toEqual(['flush file', 'rename', 'flush folder']);
  });

  it('does not replace what another run wrote that took the lock over', async () => {
    const folder = temporaryFolder();
    const output = join(folder, 'out.csv');
    const destination = await openDestination(output, destinationContext(), { hasReceipt: true });
    await destination.write('rows');
    writeFileSync(output, 'theirs');
    writeFileSync(join(folder, '.out.csv.folio-lock'), 'theirs');
    await expect(destination.commit()).rejects.toThrow(
      `cannot write ${output}: another run took it over while this one was asleep`,
    );
    expect(readFileSync(output, 'utf8')).toBe('theirs');
    expect(readdirSync(folder).toSorted()).toEqual(['.out.csv.folio-lock', 'out.csv']);
  });

  it('appears with the commit, and nothing is left beside it', async () => {
    const folder = temporaryFolder();
    const target = join(folder, 'out.csv');
    writeFileSync(target, 'old');
    const destination = await openDestination(target, destinationContext(), { hasReceipt: true });
    await destination.write('número\n');
    await destination.write(Buffer.from([0, 255]));
    expect(readFileSync(target, 'utf8')).toBe('old');
    await destination.commit();
    const expected = Buffer.concat([Buffer.from('número\n'), Buffer.from([0, 255])]);
    expect(readFileSync(target)).toEqual(expected);
    expect(readdirSync(folder)).toEqual(['out.csv']);
    expect(destination.bytes).toBe(expected.length);
    expect(destination.sha256()).toBe(createHash('sha256').update(expected).digest('hex'));
  });

  it('is written beside the target, for its owner alone until it is whole', async () => {
    withUmask(0);
    const folder = temporaryFolder();
    const destination = await openDestination(join(folder, 'out.csv'), destinationContext());
    const [temporary, ...others] = readdirSync(folder);
    expect(temporary).toMatch(new RegExp(`^\\.out\\.csv\\.${OUR_PID}-[0-9a-z]{8}\\.folio-tmp$`));
    expect([modeOf(join(folder, temporary!)), others]).toEqual(['600', []]);
    await destination.discard();
  });

  it('that two runs write is whole, as the last one has it', async () => {
    const target = join(temporaryFolder(), 'out.csv');
    const runs = [1, 2].map((at) =>
      openDestination(target, destinationContext({ processes: fakeProcesses(OUR_PID + at) })),
    );
    for (const run of runs) await (await run).write('abc');
    for (const run of runs) await (await run).write('def');
    await (await runs[1]!).commit();
    await (await runs[0]!).write('ghi');
    expect(readFileSync(target, 'utf8')).toBe('abcdef');
    await (await runs[0]!).commit();
    expect(readFileSync(target, 'utf8')).toBe('abcdefghi');
  });

  it('has nothing beside it that a killed run left more than a day ago', async () => {
    const folder = temporaryFolder();
    const hash = '0123abcd';
    const stale = ['7-aaaaaaaa.folio-tmp', `folio-lock.${hash}`, `folio-lock.${hash}.${hash}`].map(
      (end) => `.out.csv.${end}`,
    );
    const kept = [
      ...['out.csv.7-aaaaaaaa.folio-tmp', '.out.csv', '.out.csv.bak', '.out.csv.folio-lock'],
      ...['.out.csv.folio-lock.backup', '.out.csv.7-aaaaaaaa.folio-tmp.bak', '.out.csv.x-aaaaaaaa.folio-tmp'],
      ...['.out.csv.7-aaaa.folio-tmp', '.out.csv.7-aaaaaaaa.8-bbbbbbbb.folio-tmp'],
      '.other.csv.7-aaaaaaaa.folio-tmp',
    ];
    const young = '.out.csv.8-aaaaaaaa.folio-tmp';
    const context = destinationContext();
    for (const name of [...stale, ...kept, young]) {
      writeFileSync(join(folder, name), '');
      const hours = name === young ? 23 : 25;
      const then = context.clock.now() / 1000 - hours * 3600;
      utimesSync(join(folder, name), then, then);
    }
    await (await openDestination(join(folder, 'out.csv'), context)).commit();
    expect(readdirSync(folder).toSorted()).toEqual([...kept, young, 'out.csv'].toSorted());
  });

  it('is what it was after a discard, which may come again and again, and after which nothing is taken', async () => {
    const folder = temporaryFolder();
    const target = join(folder, 'out.csv');
    writeFileSync(target, 'old');
    const destination = await openDestination(target, destinationContext());
    await destination.write('new');
    await Promise.all([destination.discard(), destination.discard()]);
    await destination.discard();
    await expect(destination.write('more')).rejects.toThrow(OutputError);
    await expect(destination.commit()).rejects.toThrow(OutputError);
    expect([readFileSync(target, 'utf8'), readdirSync(folder)]).toEqual(['old', ['out.csv']]);
  });

  it('survives a discard in the middle of a write and one during the commit', async () => {
    const folder = temporaryFolder();
    const target = join(folder, 'out.csv');
    const broken = await openDestination(target, destinationContext());
    const writing = broken.write(Buffer.alloc(8_000_000)).catch((error: unknown) => error);
    await broken.discard();
    await writing;
    expect(readdirSync(folder)).toEqual([]);
    const whole = await openDestination(target, destinationContext());
    await whole.write('new');
    await Promise.all([whole.commit(), whole.discard()]);
    expect([readFileSync(target, 'utf8'), readdirSync(folder)]).toEqual(['new', ['out.csv']]);
  });

  it.each([
    [0o000, '666'],
    [0o022, '644'],
    [0o077, '600'],
  ])('has the mode of any new file under umask %o, and keeps the mode it had', async (mask, mode) => {
    withUmask(mask);
    const target = join(temporaryFolder(), 'out.csv');
    await (await openDestination(target, destinationContext())).commit();
    expect(modeOf(target)).toBe(mode);
    chmodSync(target, 0o640);
    await (await openDestination(target, destinationContext())).commit();
    expect(modeOf(target)).toBe('640');
  });

  it('behind links is replaced, there already or not, and the links stay', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'a.csv'), 'old');
    symlinkSync('data', join(folder, 'way'));
    for (const name of ['a.csv', 'b.csv']) {
      symlinkSync(`way/../data/${name}`, join(folder, `first-${name}`));
      symlinkSync(`first-${name}`, join(folder, name));
      const destination = await openDestination(join(folder, name), destinationContext());
      await destination.write('new');
      await destination.commit();
      expect(readFileSync(join(folder, 'data', name), 'utf8')).toBe('new');
      expect(lstatSync(join(folder, name)).isSymbolicLink()).toBe(true);
    }
    expect(readdirSync(join(folder, 'data'))).toEqual(['a.csv', 'b.csv']);
  });

  const LONG = ['x'.repeat(255), 'ñ'.repeat(127), `${'漢'.repeat(83)}.csv`];
  it.each(LONG)('may have a name of %s', async (name) => {
    const folder = temporaryFolder();
    const open = () => openDestination(join(folder, name), destinationContext(), { hasReceipt: true });
    const destination = await open();
    await destination.write('new');
    await expect(open()).rejects.toThrow(OutputError);
    await destination.commit();
    expect(readdirSync(folder)).toEqual([name]);
  });
});

describe('standard output', () => {
  const STREAMS = [undefined, '-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];
  it.each(STREAMS)('is meant by %s', async (output) => {
    const context = destinationContext();
    const destination = await openDestination(output, context, { hasReceipt: true });
    await destination.write('ñ\u001b\n');
    await destination.commit();
    expect([context.stdout.text, destination.bytes]).toEqual(['ñ\u001b\n', 4]);
    expect(destination.sha256()).toBe(createHash('sha256').update('ñ\u001b\n').digest('hex'));
  });

  it('is gated when it is a terminal, but for what is made for one', async () => {
    const plain = destinationContext({ stdout: new FakeOutput({ terminal: true }) });
    const csv = await openDestination('-', plain);
    await csv.write('a\u001b[2J\n\u009b');
    await csv.commit();
    expect(plain.stdout.text).toBe('a␛[2J\n\\u{9b}');
    const styled = destinationContext({ stdout: new FakeOutput({ terminal: true }) });
    await (await openDestination('-', styled, { styled: true })).write('\u001b[1mx');
    expect(styled.stdout.text).toBe('\u001b[1mx');
  });
});
