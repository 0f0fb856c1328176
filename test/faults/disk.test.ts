import { existsSync } from 'node:fs';
import { chmod, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { always, silence, type FaultScript } from '../support/faults.ts';
import { startFaultServer, lines, quickly, runAgainst, withServer } from '../support/run-against.ts';
import { ModelService, modelRecords } from '../support/model-service.ts';
import { runFolio, startFolio, type RunFolioOptions } from '../support/run-folio.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { needing, pathOf } from '../support/programs.ts';
import { needingSmallDisk, onSmallDisk } from '../support/small-disk.ts';

const issued = modelRecords(3_000);
const EXPORT = ['issued', '--page-size', '500', '--format', 'jsonl'];

/** Modes forbid nothing to root: run by root, the program is started without that privilege. */
const NEEDED = process.getuid?.() === 0 ? (['setpriv'] as const) : [];
const heedingModes = (): RunFolioOptions =>
  NEEDED.length === 0
    ? {}
    : { shell: `exec ${pathOf('setpriv')} --bounding-set -dac_override,-dac_read_search -- "$@"` };

function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  return work(temporaryFolder());
}

describe.concurrent('an output that cannot be written', () => {
  it('in a folder that is not there: said before the first request', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'none', 'out.jsonl');
      const { code, stderr, requests } = await runAgainst({
        records: { issued },
        args: [...EXPORT, '-o', file],
      });
      expect({ code, requests: requests.length }).toEqual({ code: 1, requests: 0 });
      expect(stderr).toContain(`there is no folder ${join(folder, 'none')}`);
    }));

  it('because it is a folder: said before the first request', () =>
    inFolder(async (folder) => {
      const args = [...EXPORT, '-o', folder];
      const { code, stderr, requests } = await runAgainst({ records: { issued }, args });
      expect({ code, requests: requests.length }).toEqual({ code: 1, requests: 0 });
      expect(stderr).toContain('it is a folder');
    }));

  it.each([
    ['in a folder that is read-only', 0o500, undefined],
    ['onto a file that is read-only', 0o700, 'old\n'],
  ])('%s: said before the first request', needing(...NEEDED), (_, mode, old) =>
    inFolder(async (folder) => {
      const file = join(folder, 'out.jsonl');
      if (old !== undefined) await writeFile(file, old, { mode: 0o400 });
      await chmod(folder, mode);
      const args = [...EXPORT, '-o', file];
      const { code, stderr, requests } = await runAgainst({
        records: { issued },
        args,
        options: heedingModes(),
      });
      expect({ code, requests: requests.length }).toEqual({ code: 1, requests: 0 });
      expect(stderr).toContain(`cannot write ${file}: permission denied`);
      await chmod(folder, 0o700);
      expect(await readdir(folder)).toEqual(old === undefined ? [] : ['out.jsonl']);
    }),
  );

  it.skipIf(!existsSync('/dev/full'))(
    'since the disk is full: exit 1 with the reason, on a device',
    async () => {
      const args = [...EXPORT, '-o', '/dev/full'];
      const { code, stderr } = await runAgainst({ records: { issued }, args });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^folio: cannot write \/dev\/full: .*(no space|ENOSPC)/i);
    },
  );

  it.skipIf(!existsSync('/dev/full'))(
    'since the disk is full: exit 1 with the reason, on stdout',
    async () => {
      const full = await open('/dev/full', 'w');
      const options = { stdio: ['ignore', full.fd, 'pipe'] as ('ignore' | 'pipe' | number)[] };
      const { code, stderr } = await runAgainst({ records: { issued }, args: EXPORT, options });
      await full.close();
      expect(code).toBe(1);
      expect(stderr).toMatch(/no space|ENOSPC/i);
    },
  );

  it.skipIf(!existsSync('/dev/full')).each([['--version'], ['--help'], ['issued --help'], ['help formats']])(
    'since the disk is full: exit 1 with the reason, for folio %s',
    async (line) => {
      const full = await open('/dev/full', 'w');
      const { code, stderr } = await runFolio(line.split(' '), { stdio: ['ignore', full.fd, 'pipe'] });
      await full.close();
      expect(code).toBe(1);
      expect(stderr).toMatch(/^folio: cannot write standard output: .*ENOSPC.*\n.*\n$/);
    },
  );
});

describe('a disk that fills up', () => {
  it('leaves the old file and nothing beside it: exit 1 with the reason', needingSmallDisk, () =>
    onSmallDisk(temporaryFolder(), '64k', async (folder) => {
      const file = join(folder, 'out.jsonl');
      await writeFile(file, 'old\n');
      const { code, stderr } = await runAgainst({ records: { issued }, args: [...EXPORT, '-o', file] });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^folio: cannot write .*out\.jsonl: .*no space/i);
      expect(await readFile(file, 'utf8')).toBe('old\n');
      expect(await readdir(folder)).toEqual(['out.jsonl']);
    }),
  );

  it('is named with the file of a download that did not fit', needingSmallDisk, () =>
    onSmallDisk(temporaryFolder(), '16k', async (folder) => {
      const files = join(folder, 'files');
      const { code, stderr } = await runFolio(['--sandbox', 'issued', 'download', files]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^folio: cannot write .*\/files\/.*: no space/);
    }),
  );
});

describe('two runs on one output', () => {
  it('that has a receipt never mix: the second ends at once, naming the first, and a dead one is no hindrance', () =>
    inFolder(async (folder) => {
      const args = [...EXPORT, '-o', join(folder, 'out.jsonl'), '--receipt', join(folder, 'receipt.json')];
      const held = await startFaultServer(new ModelService({ issued }), always(silence));
      await withServer(held, async () => {
        const first = startFolio(quickly(args, held));
        await held.asked(1);
        const second = await runAgainst({ records: { issued }, args });
        expect({ code: second.code, requests: second.requests.length }).toEqual({ code: 1, requests: 0 });
        expect(second.stderr).toContain(`another run (pid ${first.process.pid}`);
        first.process.kill('SIGKILL');
        await first.exit;
      });
      const { code } = await runAgainst({ records: { issued }, args });
      const files = (await readdir(folder)).filter((name) => !name.endsWith('.folio-tmp'));
      expect({ code, files }).toEqual({ code: 0, files: ['out.jsonl', 'receipt.json'] });
      expect(await readFile(join(folder, 'out.jsonl'), 'utf8')).toBe(lines(issued));
    }));

  it('on two outputs are no concern of each other', () =>
    inFolder(async (folder) => {
      const script: FaultScript = () => undefined;
      const server = await startFaultServer(new ModelService({ issued }), script);
      const runs = ['a.jsonl', 'b.jsonl'].map((name) =>
        runHere(quickly([...EXPORT, '-o', join(folder, name)], server)),
      );
      const codes = await withServer(server, async () => (await Promise.all(runs)).map(({ code }) => code));
      expect(codes).toEqual([0, 0]);
    }));
});
