import { describe, expect, it } from 'vitest';
import { WordView } from '../../src/json/bytes.ts';
import { findList, ListReader, objectsIn, withoutMember } from '../../src/json/record-lists.ts';
import { scanArray } from '../../src/json/scan-records.ts';

/** What a record has in a column; undefined where it has none. It is the second of a page. `left` is the record without the list. */
function listOf(record: string, column = 'p') {
  const { bytes, bounds } = scanArray(Buffer.from(`[{"p":[{},{},{}]},${record}]`));
  const list = findList(new WordView(bytes), bounds[2]!, column);
  if (list === undefined) return undefined;
  const objects = [...list.objects].map(([start, end]) => bytes.toString('utf8', start, end));
  if (list.other === undefined) expect(objects).toHaveLength(list.count);
  expect(list.other === undefined || list.count === 0).toBe(true);
  const left = Buffer.concat(withoutMember(bytes, [bounds[2]!, bounds[3]!], list.member)).toString();
  expect(() => JSON.parse(left) as unknown).not.toThrow();
  return { objects, other: list.other, left };
}

describe('a list of objects in a record', () => {
  it.each([
    ['{"p":[{"a":1},{"b":[{}],"c":"]}"}]}', ['{"a":1}', '{"b":[{}],"c":"]}"}'], '{}'],
    ['{ "x" : 1 , "p" : [ {"a" : 1} , { } ] , "y" : 2 }', ['{"a" : 1}', '{ }'], '{ "x" : 1  , "y" : 2 }'],
    ['{ "p" : [ ] , "y" : 2 }', [], '{ "y" : 2 }'],
    ['{ "p" : [] }', [], '{  }'],
    ['{"pa":1,"q":2,"p":[{"a":1}],"pb":3}', ['{"a":1}'], '{"pa":1,"q":2,"pb":3}'],
    ['{"x":{"p":[{}]},"y":[{"p":[{}]}],"p":[]}', [], '{"x":{"p":[{}]},"y":[{"p":[{}]}]}'],
    ['{"\\u0070":[{}],"n":1}', ['{}'], '{"n":1}'],
    ['{"p":[{"a":1}],"p":[{"a":2}]}', ['{"a":2}'], '{"p":[{"a":1}]}'],
    [
      '{"s":"a\\"b","n":null,"t":true,"f":false,"d":-1.5e3,"o":{"x":"}"},"l":["]"],"p":[{}]}',
      ['{}'],
      '{"s":"a\\"b","n":null,"t":true,"f":false,"d":-1.5e3,"o":{"x":"}"},"l":["]"]}',
    ],
  ])('%s is found, and taken out', (record, objects, left) => {
    expect(listOf(record)).toEqual({ objects, other: undefined, left });
  });

  it.each([
    ['{"sale":{"id":1,"payments":[{"a":1}]},"n":2}', 'sale.payments', '{"sale":{"id":1},"n":2}'],
    ['{"sale.payments":[{"a":1}],"n":2}', 'sale.payments', '{"n":2}'],
    ['{"sale.payments":[{"a":1}]}', 'sale.payments', '{}'],
    ['{"a.b":{"c":[{"a":1}]}}', 'a.b.c', '{"a.b":{}}'],
    ['{"x":1,"é":[{"a":1}]}', 'é', '{"x":1}'],
    ['{"sale":{"payments":[{"a":1}]},"sale":{"id":7}}', 'sale.payments', '{"sale":{},"sale":{"id":7}}'],
  ])('of %s is found by the name of its column: %s', (record, column, left) => {
    expect(listOf(record, column)).toEqual({ objects: ['{"a":1}'], other: undefined, left });
  });

  it.each(['x]', '{"a":[{}]}', '[1]', '[{},1]'])('is not the text of a cell %s', (text) => {
    expect(objectsIn(text)).toBeUndefined();
  });

  it.each(['{}', '{"q":1}', '{"x":{"p":[]}}', '{"P":[]}'])('is not in %s', (record) => {
    expect(listOf(record)).toBeUndefined();
  });

  it('of a name with a dot is not in a member that has another value than an object', () => {
    expect(listOf('{"sale":"payments"}', 'sale.payments')).toBeUndefined();
    expect(listOf('{"sale":[{"payments":[]}]}', 'sale.payments')).toBeUndefined();
  });

  it('is none where something else is there, which is named in 40 characters', () => {
    expect(listOf('{"p":null}')).toMatchObject({ objects: [], other: undefined, left: '{}' });
    const others = ['"nullify"', '{"a":1}', 'true', '-12', '[{"a":1},2]', '["x"]', `"${'x'.repeat(50)}"`];
    expect(others.map((value) => listOf(`{"p":${value}}`))).toMatchObject(
      [
        'the text "nullify"',
        'an object',
        'the value "true"',
        'the value "-12"',
        'a list with other values',
        'a list with other values',
        `the text "${'x'.repeat(39)}…"`,
      ].map((other) => ({ other, left: '{}' })),
    );
  });

  it('has the cells of a column in its objects, and in those of lists within them', () => {
    const reader = new ListReader('b.c');
    const cells = reader.read('[{"b":{"c":1}},{"b":[{"c":"x"},{}]}]');
    expect(cells?.map((cell) => cell?.text)).toEqual(['1', 'x', undefined]);
    expect(reader.had).toBe(true);
    for (const text of ['"[{}]"', '[1]', '[{},1]']) expect(reader.read(text)).toBeUndefined();
    const had = (text: string): boolean => {
      const one = new ListReader('c');
      one.read(text);
      return one.had;
    };
    expect(['[]', '[{}]', '[{"c":null}]', '7'].map(had)).toEqual([true, false, true, false]);
  });
});
