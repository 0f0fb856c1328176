import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CellReader, type Cell } from '../../../src/json/cells.ts';
import { sliceRecords, type RecordBatch } from '../../../src/json/records.ts';
import { scanLines } from '../../../src/json/scan-records.ts';
import { openCsv } from '../../../src/output/csv/csv.ts';
import { objectText } from '../../json/json-arbitrary.ts';
import { expectRefused } from '../../support/expect-exit.ts';
import { randomRuns } from '../../support/random-runs.ts';
import { batchOf } from '../../support/records.ts';
import { startFaultServer } from '../../support/run-against.ts';
import { runHere } from '../../support/run-here.ts';
import { needingSmallDisk, onSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { PLAIN_LAYOUT, writeAll } from '../write-all.ts';

const csv = async (records: readonly string[], layout = {}) =>
  (await writeAll(openCsv, [batchOf(...records)], layout)).toString();

describe('openCsv', () => {
  it('streams rows when the columns are given, in that order, absent ones empty', async () => {
    const written: string[] = [];
    const sink = {
      write: async (bytes: Uint8Array | string) => void written.push(Buffer.from(bytes).toString()),
    };
    const writer = openCsv(sink, { ...PLAIN_LAYOUT, columns: ['b.c', 'z', 'a', 'b', 'a'] });
    await writer.write(batchOf('{"a":1,"b":{"c":2}}'));
    expect(written.join('')).toBe('b.c,z,a,b,a\n2,,1,"{""c"":2}",1\n');
    await writer.write(batchOf('{"b":5,"x":{"y":6}}'));
    await writer.end();
    expect(written.join('')).toBe('b.c,z,a,b,a\n2,,1,"{""c"":2}",1\n,,,5,\n');
  });

  it('writes no header when none is wanted', async () => {
    expect(await csv(['{"a":1}'], { header: false })).toBe('1\n');
    expect(await csv(['{"a":1}'], { header: false, columns: ['a', 'b'] })).toBe('1,\n');
  });

  it('writes of an empty result the header that was asked for, or nothing', async () => {
    expect(await csv([])).toBe('');
    expect(await csv([], { columns: ['a', 'b c', 'd,e'] })).toBe('a,b c,"d,e"\n');
    expect(await csv([], { columns: ['a'], header: false })).toBe('');
    expect(await csv(['{}', '{"a":{}}'])).toBe('');
  });

  it('never writes an empty line for a row', async () => {
    expect(await csv(['{}', '{"a":""}', '{"a":1}', '{"a":null}'])).toBe('a\n""\n""\n1\n""\n');
    expect(await csv(['{}', '{"a":1}'], { columns: ['a'] })).toBe('a\n""\n1\n');
    expect(await csv(['{}', '{"a":1}'], { columns: ['a'], excel: true })).toBe('\ufeffa\r\n""\r\n1\r\n');
    expect(await csv(['{}', '{"a":1}', '{"a":2,"b":3}'])).toBe('a,b\n,\n1,\n2,3\n');
    expect(await csv(['{"":null}'])).toBe('""\n""\n');
  });

  it('compacts what was sent with white space, but for the text of cells', async () => {
    expect(await csv(['{ "a" : [ 1 , " x " ] }'])).toBe('a\n"[1,"" x ""]"\n');
    expect(await csv(['{ "a" : "x  y" , "b" : "\\u0041 \\" ," , "c" : 1 , "d" : true }'])).toBe(
      'a,b,c,d\nx  y,"A "" ,",1,true\n',
    );
    // More than fits the buffer in which the first cells are decoded.
    const [text, list] = ['é\\t'.repeat(2_000), `[ "${'y'.repeat(5_000)}" ]`];
    expect(await csv(['{ "a" : "\\t" }', `{"a":"${text}"}`, `{"a":${list}}`])).toBe(
      `a\n\t\n${'é\t'.repeat(2_000)}\n"[""${'y'.repeat(5_000)}""]"\n`,
    );
  });

  it('writes for a spreadsheet a byte order mark, CRLF, and formulas made inert, but numbers as they are', async () => {
    const records = ['{"n":-12.50,"t":"=1+1","m":"-1,234.56"}', '{"n":1,"t":"-2+3","=x":true}'];
    expect(await csv(records, { excel: true })).toBe(
      "\ufeffn,t,m,'=x\r\n-12.50,'=1+1,\"-1,234.56\",\r\n1,'-2+3,,true\r\n",
    );
    expect(await csv(['{"t":"=1;2"}'], { excel: true, delimiter: ';', header: false })).toBe(
      '\ufeff"\'=1;2"\r\n',
    );
    expect(await csv(['{"t":"a\\r\\nb"}', '{}', '{"u":1}'], { excel: true })).toBe(
      '\ufefft,u\r\n"a\r\nb",\r\n,\r\n,1\r\n',
    );
    expect(await csv([], { excel: true })).toBe('');
  });

  it('takes any one character as delimiter', async () => {
    expect(await csv(['{"a":"x;y","b":"1,2"}'], { delimiter: ';' })).toBe('a;b\n"x;y";1,2\n');
    expect(await csv(['{"a":1}', '{"b":"😀"}'], { delimiter: '😀' })).toBe('a😀b\n1😀\n😀"😀"\n');
  });

  it('reads cells of every length up to the last byte of a body', async () => {
    for (let length = 0; length < 12; length++) {
      const [text, number] = ['x'.repeat(length), `1${'0'.repeat(length)}`];
      const bodies = [`{"a":"${text}"}`, `{"a":${number}}`, `{"a":"${text},"}`, `{"a":["${text}"]}`];
      for (const end of ['', '\n', '\n\n']) {
        const batches = bodies.map((body) => scanLines(Buffer.from(body + end)));
        expect((await writeAll(openCsv, batches)).toString()).toBe(
          `a\n${text || '""'}\n${number}\n"${text},"\n"[""${text}""]"\n`,
        );
      }
    }
  });

  it('has room for every cell of rows that are nothing but ends of cells', async () => {
    const record = `{${Array.from({ length: 200 }, (_, column) => `"c${column}":""`).join()}}`;
    const rows = await csv(Array<string>(3_000).fill(record), { header: false });
    expect(rows === `${','.repeat(199)}\n`.repeat(3_000)).toBe(true);
  });

  it.each([{}, { delimiter: ';' }])('hands rows on in parts, none of them empty: %j', async (layout) => {
    const written = async (batches: readonly RecordBatch[], columns?: readonly string[]) => {
      const sizes: number[] = [];
      const sink = { write: async (bytes: Uint8Array | string) => void sizes.push(bytes.length) };
      const writer = openCsv(sink, { ...PLAIN_LAYOUT, ...layout, columns, header: false });
      for (const batch of batches) await writer.write(batch);
      await writer.end();
      return sizes;
    };
    const late = [batchOf(), batchOf('{"a":1}'), batchOf(), batchOf('{"b":2}', '{"c":3}')];
    expect(await written(late)).toEqual([4, 4, 4]);
    expect(await written(late, ['a', 'b'])).toEqual([3, 5]);
    const long = batchOf(...Array.from({ length: 1_200 }, () => `{"a":"${'x'.repeat(1_000)}"}`));
    const parts = await written([long], ['a']);
    expect(parts.reduce((sum, size) => sum + size, 0)).toBe(1_200 * 1_001);
    expect([parts.length > 1, parts.length < 9]).toEqual([true, true]);
  });
});

// Drawn from pools, since to make a record takes longer than to test with it; one pool without any white space, because
// a page with none takes another way.
const pools = [true, false].map((spaced) => fc.sample(objectText({ depth: 3, spaced }), 700));
const recordsText = fc
  .tuple(fc.constantFrom(...pools), fc.array(fc.nat({ max: 699 }), { maxLength: 5 }))
  .map(([pool, indices]) => indices.map((index) => pool[index]!));
const someColumns = fc.option(
  fc.array(fc.constantFrom('a', 'b', 'a.b', 'b.a', 'id', '', 'a\\.b', '__proto__', 'l\nm', '=1+1'), {
    minLength: 1,
    maxLength: 4,
  }),
  { nil: undefined },
);

/** The records as rows of text: what every dialect must show. */
function rowsOf(
  records: readonly string[],
  columns: readonly string[] | undefined,
): [header: readonly string[], rows: string[][]] {
  const reader = new CellReader(columns);
  const batch = batchOf(...records);
  const cells: (Cell | undefined)[][] = records.map((_, index) => reader.read(batch, index));
  return [reader.columns, cells.map((row) => reader.columns.map((_, column) => row[column]?.text ?? ''))];
}

describe('csv beside csv-stringify', () => {
  it('is byte for byte the same, in the plain dialect and in others', async () => {
    await fc.assert(
      fc.asyncProperty(
        recordsText,
        fc.nat({ max: 5 }),
        someColumns,
        fc.constantFrom(',', ',', ';', '\t'),
        async (records, cut, columns, delimiter) => {
          const batch = batchOf(...records);
          const batches = [sliceRecords(batch, 0, cut), sliceRecords(batch, cut, batch.count)];
          const [header, rows] = rowsOf(records, columns);
          const options = {
            delimiter,
            record_delimiter: '\n',
            quote_record_delimiter: true,
            quoted_empty: header.length === 1,
          };
          const expected = header.length === 0 ? '' : stringify([header, ...rows], options);
          const written = await writeAll(openCsv, batches, { columns, delimiter });
          expect(written.toString('latin1')).toBe(Buffer.from(expected).toString('latin1'));
        },
      ),
      { numRuns: randomRuns(10_000) },
    );
  });

  it('is read back by a strict reader as the same cells', async () => {
    await fc.assert(
      fc.asyncProperty(recordsText, someColumns, async (records, columns) => {
        const [header, rows] = rowsOf(records, columns);
        const text = await csv(records, { columns });
        const wellFormed = (row: readonly string[]) => row.map((cell) => Buffer.from(cell).toString());
        const expected = header.length === 0 ? [] : [header, ...rows].map(wellFormed);
        // Which refuses a bare quote, text behind a closing one, and rows of different lengths.
        const read = parse(text, { record_delimiter: '\n' });
        expect(JSON.stringify(read)).toBe(JSON.stringify(expected));
        expect(text === '' || text.endsWith('\n')).toBe(true);
      }),
      { numRuns: randomRuns(2_000) },
    );
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

  it.each<readonly [flags: string, columns: string, issued: readonly string[]]>([
    ['', 'id,note,late 5500,late 5999', issued],
    ['--excel', 'id,late 5500,late 5999', recordsWith((id) => ({ id }))],
    ['--delimiter tab --no-header', 'id,note,late 5500,late 5999', issued],
    // A lone column, whose empty cells are not empty lines.
    ['', 'a', [...issued.map((_, at) => `{"a":"${at}${'.'.repeat(900)}"}`), '{}', '{"a":""}']],
  ])(
    'has the bytes of one whose columns are named, and which need not wait for any: %s %s',
    async (flags, columns, issued) => {
      const folder = temporaryFolder();
      const [output, receipt] = [join(folder, 'all.csv'), join(folder, 'receipt.json')];
      const server = await startFaultServer({ issued: [...issued] });
      const options = { env: { FOLIO_BASE_URL: server.baseUrl } };
      const argv = ['issued', '--format', 'csv', ...flags.split(' ').filter(Boolean)];
      const { stdout } = await runHere([...argv, '--columns', columns], options);
      const { code, stderr } = await runHere([...argv, '-o', output, '--receipt', receipt], options);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const written = readFileSync(output);
      expect(written.length).toBeGreaterThan(5 * 2 ** 20);
      expect(written.equals(stdout)).toBe(true);
      const sha256 = createHash('sha256').update(written).digest('hex');
      expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({ bytes: written.length, sha256 });
      expect(readdirSync(folder).toSorted()).toEqual(['all.csv', 'receipt.json']);
    },
  );

  it('is what it was where the disk fills up while rows wait beside it', needingSmallDisk, () =>
    onSmallDisk(temporaryFolder(), '9m', async (folder) => {
      const output = join(folder, 'all.csv');
      writeFileSync(output, 'old');
      const server = await startFaultServer({ issued: [...issued] });
      const options = { env: { FOLIO_BASE_URL: server.baseUrl } };
      const full = /^folio: cannot write .*all\.csv: no space/;
      await expectRefused(runHere(['issued', '-o', output], options), full, 1);
      expect([readdirSync(folder), readFileSync(output, 'utf8')]).toEqual([['all.csv'], 'old']);
    }),
  );
});
