import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordBatch } from '../../../src/json/records.ts';
import { openCsv } from '../../../src/output/csv/csv.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { ModelService } from '../../support/model-service.ts';
import { withServer } from '../../support/run-against.ts';
import { runHere } from '../../support/run-here.ts';
import { batchOf } from '../../support/records.ts';
import { needingSmallDisk, onSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { PLAIN_LAYOUT } from '../write-all.ts';

describe('a file with columns that appear late', () => {
  const MEMORY = 4 * 1024 * 1024;
  const long = batchOf(
    ...Array.from({ length: MEMORY / 1024 + 1 }, () => `{"a":"${'x'.repeat(1024)}","b":1}`),
  );
  const shortened = (text: string): string => text.replaceAll(/x{900,}/g, 'X').replaceAll(/(X.*\n)+/g, '$1');

  /** What csv does to its sink with these records. */
  async function stepsOf(batches: readonly RecordBatch[], isFile = true) {
    const steps: string[] = [];
    let held: Buffer[] = [];
    const sink = {
      write: async (bytes: Uint8Array | string) => {
        held.push(Buffer.from(bytes));
        steps.push('write');
      },
      startOver: async (lengths: readonly number[]) => {
        const all = Buffer.concat(held);
        expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(all.length);
        held = [];
        steps.push('anew');
        let at = 0;
        return (async function* () {
          for (const length of lengths) yield all.subarray(at, (at += length));
        })();
      },
    };
    const writer = openCsv(isFile ? sink : { write: sink.write }, PLAIN_LAYOUT);
    for (const batch of batches) {
      await writer.write(batch);
      steps.push('taken');
    }
    await writer.end();
    return { steps, text: shortened(Buffer.concat(held).toString()) };
  }

  it('takes the rows as soon as they are more than memory is for, and is begun anew at the end, once', async () => {
    const batches = [long, batchOf('{"a":1}', '{"c":2}'), batchOf('{"d":3}')];
    const { steps, text } = await stepsOf(batches);
    expect(steps.indexOf('write')).toBeLessThan(steps.indexOf('taken'));
    expect(steps.filter((step) => step === 'anew')).toHaveLength(1);
    expect(steps.indexOf('anew')).toBeGreaterThan(steps.lastIndexOf('taken'));
    expect(text).toBe('a,b,c,d\nX,1,,\n1,,,\n,,2,\n,,,3\n');
    const piped = await stepsOf(batches, false);
    expect(piped.text).toBe(text);
    expect(piped.steps.indexOf('write')).toBeGreaterThan(piped.steps.lastIndexOf('taken'));
  });

  it('has few rows, and those of a lone column, wait', async () => {
    const lone = batchOf(
      ...Array.from({ length: MEMORY / 1024 + 1 }, () => `{"a":"${'x'.repeat(1024)}"}`),
      '{}',
    );
    for (const batches of [[batchOf('{"a":1,"b":2}')], [lone]])
      expect((await stepsOf(batches)).steps.indexOf('taken')).toBe(0);
    expect((await stepsOf([lone])).text).toBe('a\nX\n""\n');
  });
});

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
  ])(
    'has the same bytes as standard output in %s %j, where columns appear late',
    async (format, flags, issued) => {
      const folder = temporaryFolder();
      const [output, receipt] = [join(folder, `all.${format}`), join(folder, 'receipt.json')];
      const server = await startFaultServer(new ModelService({ issued: [...issued] }));
      await withServer(server, async () => {
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
      });
    },
  );

  it('is what it was where the disk fills up while it is begun anew', needingSmallDisk, () =>
    onSmallDisk(temporaryFolder(), '9m', async (folder) => {
      const output = join(folder, 'all.csv');
      writeFileSync(output, 'old');
      const server = await startFaultServer(new ModelService({ issued: [...issued] }));
      await withServer(server, async () => {
        const options = { env: { FOLIO_BASE_URL: server.baseUrl } };
        const { code, stderr } = await runHere(['issued', '-o', output], options);
        expect(code).toBe(1);
        expect(stderr).toMatch(/^folio: cannot write .*all\.csv: no space/);
        expect([readdirSync(folder), readFileSync(output, 'utf8')]).toEqual([['all.csv'], 'old']);
      });
    }),
  );
});
