import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendToRows, RowCounter, RowWriter, type EncodedRows } from '../../../src/output/csv/row-writer.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { ModelService } from '../../support/model-service.ts';
import { withServer } from '../../support/run-against.ts';
import { runHere } from '../../support/run-here.ts';
import { batchOf } from '../../support/records.ts';
import { needingSmallDisk, onSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const appended = (rows: string, tail: string) => appendToRows(Buffer.from(rows), tail).toString();

describe('appendToRows', () => {
  it('completes each row before its end', () => {
    expect(appended('a,b\n,\nc,d\n', ',,')).toBe('a,b,,\n,,,\nc,d,,\n');
    expect(appended('\n\n', ',')).toBe(',\n,\n');
    expect(appended('', ',')).toBe('');
  });

  it('takes line breaks and quotes within quotes for text', () => {
    expect(appended('"a\nb",c\n"""\n""",""\n', ',')).toBe('"a\nb",c,\n"""\n""","",\n');
  });

  it('knows rows that end with CR LF, and delimiters of several bytes', () => {
    expect(appended('a;"\r\n"\r\n\r\n', ';')).toBe('a;"\r\n";\r\n;\r\n');
    expect(appended('a§b\n', '§§')).toBe('a§b§§\n');
  });

  it('fills in only blank rows where there is one column', () => {
    expect(appended('a\n\n"\n"\n', '""')).toBe('a\n""\n"\n"\n');
    expect(appended('\r\na\r\n', '""')).toBe('""\r\na\r\n');
  });
});

describe('the rows of a file', () => {
  /** How many there are, and whether the last one is whole, in a file that comes in one piece or byte by byte. */
  const counted = (text: string): [rows: number, isWhole: boolean] => {
    const [atOnce, inBytes] = [new RowCounter(), new RowCounter()];
    atOnce.add(Buffer.from(text));
    for (const byte of Buffer.from(text)) inBytes.add(Buffer.of(byte));
    expect([inBytes.rows, inBytes.isWhole]).toEqual([atOnce.rows, atOnce.isWhole]);
    return [atOnce.rows, atOnce.isWhole];
  };

  it('end with a line feed that is outside of quotes', () => {
    expect(counted('')).toEqual([0, true]);
    expect(counted('a,b\n')).toEqual([1, true]);
    expect(counted('a\r\n\n"b\n""c"\nd\n')).toEqual([4, true]);
    expect(counted('a\nb')).toEqual([1, false]);
    expect(counted('a\n"b\n')).toEqual([1, false]);
  });
});

describe('RowWriter', () => {
  const MEMORY = 4 * 1024 * 1024;
  /** Rows that are more than there is memory for. */
  const long = (columns: number): EncodedRows => {
    const row = `${'x'.repeat(1023 - columns)}${','.repeat(columns - 1)}\n`;
    return rowsOf(row.repeat(Math.ceil(MEMORY / 1023)), columns);
  };
  const rowsOf = (text: string, columns: number): EncodedRows => ({ bytes: Buffer.from(text), columns });
  const shortened = (text: string): string => text.replaceAll(/x{900,}/g, 'X').replaceAll(/(X.*\n)+/g, '$1');

  /** What a writer does to its sink with rows that come in batches. The last rows have all the columns that there are. */
  async function stepsOf(batches: readonly (readonly EncodedRows[])[], isFile = true, preamble = '') {
    const steps: string[] = [];
    let held: Buffer[] = [];
    const sink = {
      write: async (bytes: Uint8Array | string) => {
        held.push(Buffer.from(bytes));
        steps.push(shortened(Buffer.from(bytes).toString()));
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
    let columns: string[] = [];
    let coming = 0;
    const writer = new RowWriter({
      sink: isFile ? sink : { write: sink.write },
      ...{ layout: { header: true }, delimiter: ',', quotes: true, preamble },
      openEncoder: async () => ({
        get columns() {
          return columns;
        },
        header: () => Buffer.from(`${columns.join(',')}\n`),
        *encode() {
          for (const rows of batches[coming++]!) {
            columns = Array.from({ length: rows.columns }, (_, at) => `c${at + 1}`);
            yield rows;
          }
        },
      }),
    });
    for (const _ of batches) {
      await writer.write(batchOf());
      steps.push('written');
    }
    await writer.end();
    return { steps, text: shortened(Buffer.concat(held).toString()) };
  }

  it('has a file take the rows as soon as they are more than memory is for, and the others at the end', async () => {
    const batches = [[rowsOf('1,2\n', 2)], [long(2)], [rowsOf('3,4\n', 2)]];
    expect((await stepsOf(batches)).steps).toEqual([
      ...['written', 'c1,c2\n', '1,2\n', 'X,\n', 'written', '3,4\n', 'written'],
    ]);
    expect((await stepsOf(batches, false)).steps).toEqual([
      ...['written', 'written', 'written', 'c1,c2\n', '1,2\n', 'X,\n', '3,4\n'],
    ]);
    expect((await stepsOf([[rowsOf('1,2\n', 2)]])).steps).toEqual(['written', 'c1,c2\n', '1,2\n']);
  });

  it('begins a file anew where a column appears later, once, and completes the rows', async () => {
    const batches = [[long(2)], [rowsOf('1,2\n', 2), rowsOf('1,2,3\n', 3)], [rowsOf('1,2,3,4\n', 4)]];
    const { steps, text } = await stepsOf(batches, true, '\uFEFF');
    expect(steps.filter((step) => step === 'anew')).toHaveLength(1);
    expect(steps.indexOf('anew')).toBeGreaterThan(steps.lastIndexOf('written'));
    expect(text).toBe('\uFEFFc1,c2,c3,c4\nX,,,\n1,2,,\n1,2,3,\n1,2,3,4\n');
    expect((await stepsOf(batches, false, '\uFEFF')).text).toBe(text);
  });

  it('has the rows of a lone column wait, whose empty cells take quotes, and those of none', async () => {
    const { steps } = await stepsOf([[rowsOf('\n', 0), long(1)], [rowsOf('1,2\n', 2)]]);
    expect(steps).toEqual(['written', 'c1,c2\n', ',\n', 'X,\n', '1,2\n', 'written']);
    const lone = await stepsOf([[rowsOf('\n', 0), long(1)], [rowsOf('\n', 1)]]);
    expect(lone.steps).toEqual(['written', 'written', 'c1\n', '""\n', 'X\n', '""\n']);
    expect((await stepsOf([[rowsOf('\n\n', 0)]])).text).toBe('');
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
