import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTsvText, openTsv } from '../../../src/output/csv/tsv.ts';
import { randomRuns } from '../../support/random-runs.ts';
import { batchOf } from '../../support/records.ts';
import { writeAll } from '../write-all.ts';

describe('openTsv', () => {
  it('has a tab a column and a line a record, and no quotes', async () => {
    const records = [
      batchOf(String.raw`{"a":"x\ty","b":"1,2","c":"q\"","d":"l\nm","n":1.50}`),
      batchOf(String.raw`{"a":"C:\\new\r\n","list":["a\\b", 1],"e":true,"f":null}`, '{}'),
    ];
    const text = await writeAll(openTsv, records);
    expect(text.toString()).toBe(
      [
        'a\tb\tc\td\tn\tlist\te\tf',
        String.raw`x\ty	1,2	q"	l\nm	1.50			`,
        String.raw`C:\\new\r\n					["a\\\\b",1]	true	`,
        '\t\t\t\t\t\t\t',
        '',
      ].join('\n'),
    );
  });

  it('streams the columns that were asked for, with or without a header', async () => {
    const batch = batchOf('{"a":"\\"","b":2}', '{"b":"\\n"}');
    const columns = ['b', 'a'];
    expect((await writeAll(openTsv, [batch], { columns })).toString()).toBe('b\ta\n2\t"\n\\n\t\n');
    expect((await writeAll(openTsv, [batch], { columns, header: false })).toString()).toBe('2\t"\n\\n\t\n');
    expect((await writeAll(openTsv, [batch], { columns: ['a'] })).toString()).toBe('a\n"\n\n');
  });

  it('is read back by splitting alone', async () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '\t', '\\', 'n'), minLength: 1, maxLength: 3 });
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', '\r', '\\', 't', 'n', 'r', 'ñ') });
    const records = fc.array(fc.dictionary(name, text, { noNullPrototype: true }), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(records, async (records) => {
        const written = (
          await writeAll(openTsv, [batchOf(...records.map((r) => JSON.stringify(r)))])
        ).toString();
        const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
        const rows = records.map((record) => names.map((name) => record[name] ?? ''));
        const lines = written.split('\n').slice(0, -1);
        const read = lines.map((line) => line.split('\t').map(readTsvText));
        // Column names have a backslash escaped before tsv escapes it: rows alone say what is in the records.
        expect(read.slice(1)).toEqual(names.length === 0 ? [] : rows);
        expect(read[0]?.length ?? 0).toBe(names.length);
      }),
      { numRuns: randomRuns(1_000) },
    );
  });
});

describe('readTsvText', () => {
  it('takes a backslash before any other letter for itself', () => {
    expect(readTsvText(String.raw`\t\\t\x\N\\\n`)).toBe('\t\\t\\x\\N\\\n');
  });
});
