import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFaultServer } from '../../support/run-against.ts';
import { runHere } from '../../support/run-here.ts';
import { needingSmallDisk, onSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectRefused } from '../../support/expect-exit.ts';

describe('a file with more rows than memory is for', () => {
  const LATE = [5_500, 5_999];
  const recordsWith = (columnsOf: (text: string, at: number) => object): string[] =>
    Array.from({ length: 6_000 }, (_, at) => {
      const late = LATE.includes(at) ? { [`late ${at}`]: '' } : {};
      return JSON.stringify({ ...columnsOf(`"${at}"\n${'.'.repeat(900)}`, at), ...late });
    });
  const issued = recordsWith((note, id) => ({ id, note }));

  it.each<readonly [format: string, flags: readonly string[], issued: readonly string[]]>([
    ['csv', [], issued],
    ['csv', ['--excel'], recordsWith((id) => ({ id }))],
    ['csv', ['--delimiter', 'tab', '--no-header'], issued],
    // A lone column, whose empty cells are no empty lines.
    ['csv', [], [...issued.map((_, at) => `{"a":"${at}${'.'.repeat(900)}"}`), '{}', '{"a":""}']],
  ])(
    'has the same bytes as standard output in %s %j, where columns appear late',
    async (format, flags, issued) => {
      const folder = temporaryFolder();
      const [output, receipt] = [join(folder, `all.${format}`), join(folder, 'receipt.json')];
      const server = await startFaultServer({ issued: [...issued] });
      const options = { env: { FOLIO_BASE_URL: server.baseUrl } };
      const asked = ['issued', '--format', format, ...flags];
      const { stdout } = await runHere(asked, options);
      const { code, stderr } = await runHere([...asked, '-o', output, '--receipt', receipt], options);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const written = readFileSync(output);
      expect(written.length).toBeGreaterThan(5 * 2 ** 20);
      expect(written.equals(Buffer.from(stdout))).toBe(true);
      const sha256 = createHash('sha256').update(written).digest('hex');
      expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({ bytes: written.length, sha256 });
      expect(readdirSync(folder).toSorted()).toEqual([`all.${format}`, 'receipt.json']);
    },
  );

  it('is what it was where the disk fills up while it is begun anew', needingSmallDisk, () =>
    onSmallDisk(temporaryFolder(), '9m', async (folder) => {
      const output = join(folder, 'all.csv');
      writeFileSync(output, 'old');
      const server = await startFaultServer({ issued: [...issued] });
      const options = { env: { FOLIO_BASE_URL: server.baseUrl } };
      await expectRefused(
        runHere(['issued', '-o', output], options),
        /^folio: cannot write .*all\.csv: no space/,
        1,
      );
      expect([readdirSync(folder), readFileSync(output, 'utf8')]).toEqual([['all.csv'], 'old']);
    }),
  );
});
