import fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { CellReader } from '../../src/json/cells.ts';
import { objectText } from './json-arbitrary.ts';
import { randomRuns } from '../support/random-runs.ts';
import { batchOf } from '../support/records.ts';

/** Column, kind and text of each cell that is there, a line each record. */
function readAll(records: readonly string[], columns?: readonly string[]): string[] {
  const reader = new CellReader(columns);
  const batch = batchOf(...records);
  return records.map((_, index) =>
    reader
      .read(batch, index)
      .flatMap((cell, column) => (cell ? [`${reader.columns[column]} ${cell.kind} ${cell.text}`] : []))
      .join(' | '),
  );
}

const row = (record: string, columns?: readonly string[]) => readAll([record], columns)[0];

describe('CellReader', () => {
  it('reads every kind, numbers as sent, strings decoded, arrays compact', () => {
    const strings = '"s":"a\\u00e9\\"","t":true,"f":false,"nil":null,"o":{}';
    expect(row(`{"n":12345678901234567890.00,"l":[ 1.0 , {"x": "\\u0041 b"} ],${strings}}`)).toBe(
      'n number 12345678901234567890.00 | l array [1.0,{"x":"\\u0041 b"}] | s string aé" | t boolean true | f boolean false',
    );
  });

  it('names columns by first appearance over all records; null makes a column, an empty object none', () => {
    const reader = new CellReader();
    const batch = batchOf('{"a":{"b":1},"n":null}', '{"z":{},"a":{"c":2,"b":{"d":3}}}', '{"x":1}');
    expect([0, 1, 2].map((index) => reader.read(batch, index).length)).toEqual([2, 4, 5]);
    expect(reader.columns).toEqual(['a.b', 'n', 'a.c', 'a.b.d', 'x']);
  });

  it('reads the columns that were given and no others, an object among them as JSON', () => {
    const record = '{"a":{"b": 1,"c":{"d":"x"}},"e":[],"f":{"g":{}}}';
    expect(row(record, ['a.c.d', 'e', 'a', 'nope', 'f.g', 'a.b', 'a.c.d'])).toBe(
      'a.c.d string x | e array [] | a array {"b":1,"c":{"d":"x"}} | f.g array {} | a.b number 1 | a.c.d string x',
    );
  });

  it('tells a literal dot from a path: the later one has a backslash', () => {
    expect(readAll(['{"a.b":1}', '{"a":{"b":2}}', '{"a.b":3,"a":{"b":4}}'])).toEqual([
      ...['a.b number 1', 'a\\.b number 2', 'a.b number 3 | a\\.b number 4'],
    ]);
    expect(row('{"a":{"b":1},"a.b":2,"a\\\\.b":3}')).toBe('a.b number 1 | a\\.b number 2 | a\\\\.b number 3');
    expect(row('{"a":{"b":1},"a.b":2}', ['a\\.b', 'a.b'])).toBe('a\\.b number 2 | a.b number 1');
    expect(row('{"x":{"a":{"b":1},"a.b":2}}')).toBe('x.a.b number 1 | x.a\\.b number 2');
    expect(row('{"a.b":2}', ['a\\.b'])).toBe('a\\.b number 2');
    expect(row('{"a.b":{"c":2}}', ['a.b.c'])).toBe('a.b.c number 2');
  });

  it.each([
    ['{"a":1,"b":2,"a":3}', 'a number 3 | b number 2'],
    ['{"a":1,"a":null}', ''],
    ['{"a":{"b":1,"c":{"d":2}},"a":{"c":{"e":3}}}', 'a.c.e number 3'],
    ['{"a":{"b":1},"\\u0061":[]}', 'a array []'],
  ])(
    'lets the last of several members with one name count, with all that is under it: %s',
    (record, cells) => {
      expect(row(record)).toBe(cells);
    },
  );

  it('recognizes names whose order, spelling and white space change from record to record', () => {
    const records = ['{"a":1,"b":2,"c":3}', '{"c":4,"a":5}', '{"\\u0061":6 ,"b" : 7}'];
    expect(readAll([...records, '{"b":8,"ab":9,"":10,"c":11}', '{"a":12,"c":13}'])).toEqual([
      'a number 1 | b number 2 | c number 3',
      'a number 5 | c number 4',
      'a number 6 | b number 7',
      'b number 8 | c number 11 | ab number 9 |  number 10',
      'a number 12 | c number 13',
    ]);
  });

  it('refuses more than 10,000 columns, members and 64 levels, but passes over what no given column is in', () => {
    const wide = `{${Array.from({ length: 10_001 }, (_, index) => `"c${index}":1`).join(',')}}`;
    expect(() => row(wide)).toThrow(ServiceError);
    expect(row(wide, ['c10000'])).toBe('c10000 number 1');
    const empty = `{${Array.from({ length: 100_001 }, (_, index) => `"c${index}":{}`).join(',')}}`;
    expect(() => row(empty)).toThrow('more than 100000 different members');
    const deep = (levels: number) => `{"x":0,${'"a":{'.repeat(levels - 1)}"b":1${'}'.repeat(levels)}`;
    expect(row(deep(64))).toMatch(/^x number 0 \| [a.]+b number 1$/);
    expect(() => row(deep(65))).toThrow(/64 levels/);
    expect(row(deep(900), ['x'])).toBe('x number 0');
  });

  it('refuses names of more than 4 MB together, and says what to do', () => {
    const long = (at: number): string => `"${at}${'x'.repeat(2 ** 20 - 1)}":1`;
    const refused = new CellReader();
    expect(refused.read(batchOf(`{${[1, 2, 3, 4].map(long).join()}}`), 0)).toHaveLength(4);
    expect(() => refused.read(batchOf('{"a":1}'), 0)).toThrow(
      expect.objectContaining({
        message: "the names of the records' fields have more than 4194304 characters",
        hint: 'Name the columns you want with --columns, or use --format jsonl.',
      }),
    );
  });
});

class Literal {
  readonly literal: string;
  constructor(literal: string) {
    this.literal = literal;
  }
}

const parseExactly = (text: string) =>
  parse(text, undefined, {
    parseNumber: (literal) => new Literal(literal),
    onDuplicateKey: ({ newValue }) => newValue,
  });

const line = (column: string, kind: string, value: unknown) =>
  JSON.stringify([column.replaceAll('\\', ''), kind, value]);

/** The cells of a parsed record, a line each, by an implementation that shares nothing with the one under test. */
function flatten(value: object, path: readonly string[] = []): string[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]): string[] => {
    const column = [...path, name].join('.');
    if (inner === null) return [];
    if (typeof inner === 'string') return [line(column, 'string', inner)];
    if (typeof inner === 'boolean') return [line(column, 'boolean', String(inner))];
    if (Array.isArray(inner)) return [line(column, 'array', inner)];
    if (inner instanceof Literal) return [line(column, 'number', inner.literal)];
    return flatten(inner as object, [...path, name]);
  });
}

describe('CellReader beside lossless-json', () => {
  it('finds the same values, with every digit', () => {
    const pools = [true, false].map((spaced) => fc.sample(objectText({ spaced }), 700));
    const records = fc
      .tuple(fc.constantFrom(...pools), fc.array(fc.nat({ max: 699 }), { minLength: 1, maxLength: 3 }))
      .map(([pool, indices]) => indices.map((index) => pool[index]!));
    fc.assert(
      fc.property(records, (texts) => {
        const reader = new CellReader();
        const batch = batchOf(...texts);
        for (const [index, text] of texts.entries()) {
          const cells = reader.read(batch, index).flatMap((cell, column) => {
            if (cell === undefined) return [];
            const value = cell.kind === 'array' ? parseExactly(cell.text) : cell.text;
            return [line(reader.columns[column]!, cell.kind, value)];
          });
          expect(cells.sort().join('\n')).toBe(
            flatten(parseExactly(text) as object)
              .sort()
              .join('\n'),
          );
        }
        expect(new Set(reader.columns).size).toBe(reader.columns.length);
      }),
      { numRuns: randomRuns(10_000) },
    );
  });
});
