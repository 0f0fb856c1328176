import { existsSync } from 'node:fs';
import { chmod, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { always, silence } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { needing, pathOf } from '../support/programs.ts';
import { lines, quickly, runAgainst, startFaultServer } from '../support/run-against.ts';
import { runFolio, startFolio, type RunFolioOptions } from '../support/run-folio.ts';
import { needingSmallDisk, onSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const issued = modelRecords(3_000);
const EXPORT = ['issued', '--page-size', '500', '--format', 'jsonl'];
const run = (output: string, options: RunFolioOptions = {}) =>
  runAgainst({ records: { issued }, args: [...EXPORT, '-o', output], options });

/** Modes forbid nothing to root: run by root, the program is started without that privilege. */
const NEEDED = process.getuid?.() === 0 ? (['setpriv'] as const) : [];
const heedingModes = (): RunFolioOptions =>
  NEEDED.length === 0
    ? {}
    : { shell: `exec ${pathOf('setpriv')} --bounding-set -dac_override,-dac_read_search -- "$@"` };

describe.concurrent('an output that cannot be written is refused before the first request', () => {
  it.each([
    ['in a folder that is not there', 'FOLDER/none/out.jsonl', 'there is no folder FOLDER/none'],
    ['in a file taken for a folder', 'FOLDER/file/out.jsonl', 'not a directory (ENOTDIR)'],
    ['because it is a folder', 'FOLDER', 'it is a folder'],
    ['because its name ends like that of a folder', 'FOLDER/new/', 'it is a folder'],
    ['for its name is too long', `FOLDER/${'x'.repeat(256)}`, 'name too long (ENAMETOOLONG)'],
    ['for a NUL', 'FOLDER/a\0b', 'null bytes'],
    ['behind a link to itself', 'FOLDER/circle', 'too many links'],
    ['into a descriptor that is not open', '/dev/fd/9999', 'bad file descriptor (EBADF)'],
  ])('%s', async (_, output, says) => {
    const folder = temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    await symlink('circle', join(folder, 'circle'));
    const exit = await run(output.replace('FOLDER', folder), { env: {} });
    const stderr = expect.stringContaining(says.replace('FOLDER', folder)) as string;
    expect(exit).toMatchObject({ code: 1, requests: [], stderr });
    expect((await readdir(folder)).toSorted()).toEqual(['circle', 'file']);
  });

  it.each([
    ['in a folder that is read-only', 0o500, undefined],
    ['onto a file that is read-only', 0o700, 'old\n'],
  ])('%s', needing(...NEEDED), async (_, mode, old) => {
    const folder = temporaryFolder();
    const file = join(folder, 'out.jsonl');
    if (old !== undefined) await writeFile(file, old, { mode: 0o400 });
    await chmod(folder, mode);
    const { code, stderr, requests } = await run(file, heedingModes());
    expect({ code, requests: requests.length }).toEqual({ code: 1, requests: 0 });
    expect(stderr).toContain(`cannot write ${file}: permission denied`);
    await chmod(folder, 0o700);
    expect(await readdir(folder)).toEqual(old === undefined ? [] : ['out.jsonl']);
  });
});

describe.skipIf(!existsSync('/dev/full'))('a full disk is exit 1 with the reason', () => {
  it('on a device', async () => {
    const { code, stderr } = await run('/dev/full');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^folio: cannot write \/dev\/full: .*ENOSPC\)\n {2}What it has so far/);
  });

  const LINES = ['LISTING', '--version', '-V', '--help', 'issued --help', 'help formats'];
  it.each(LINES)('on stdout, for folio %s', async (line) => {
    const full = await open('/dev/full', 'w');
    const args = line === 'LISTING' ? quickly(EXPORT, await startFaultServer({ issued })) : line.split(' ');
    const { code, stderr } = await runFolio(args, { stdio: ['ignore', full.fd, 'pipe'] });
    await full.close();
    const says = /^folio: cannot write standard output: .*ENOSPC/;
    expect([code, stderr]).toEqual([1, expect.stringMatching(says)]);
  });
});

describe('a disk that fills up', () => {
  it('leaves the old file and nothing beside it: exit 1 with the reason', needingSmallDisk, () =>
    onSmallDisk(temporaryFolder(), '64k', async (folder) => {
      const file = join(folder, 'out.jsonl');
      await writeFile(file, 'old\n');
      const { code, stderr } = await run(file);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^folio: cannot write .*out\.jsonl: .*no space/i);
      expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['old\n', ['out.jsonl']]);
    }),
  );

  it('is named with the file of a download that did not fit', needingSmallDisk, () =>
    onSmallDisk(temporaryFolder(), '16k', async (folder) => {
      const { code, stderr } = await runFolio(['--sandbox', 'issued', 'download', join(folder, 'files')]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^folio: cannot write .*\/files\/.*: no space/);
    }),
  );
});

describe('two runs on one output', () => {
  it('that has a receipt never mix: the second ends at once, naming the first, and a dead one is not a hindrance', async () => {
    const folder = temporaryFolder();
    const args = [...EXPORT, '-o', join(folder, 'out.jsonl'), '--receipt', join(folder, 'receipt.json')];
    const silent = await startFaultServer({ issued }, always(silence));
    const first = startFolio(quickly(args, silent));
    await silent.received(1);
    const second = await runAgainst({ records: { issued }, args });
    expect(second).toMatchObject({ code: 1, requests: [] });
    expect(second.stderr).toContain(`another run (pid ${first.process.pid}`);
    first.process.kill('SIGKILL');
    await first.exit;
    const { code } = await runAgainst({ records: { issued }, args });
    const files = (await readdir(folder)).filter((name) => !name.endsWith('.folio-tmp'));
    expect({ code, files }).toEqual({ code: 0, files: ['out.jsonl', 'receipt.json'] });
    expect(await readFile(join(folder, 'out.jsonl'), 'utf8')).toBe(lines(issued));
  });
});
