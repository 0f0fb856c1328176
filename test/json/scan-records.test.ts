import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadBody } from '../../src/errors.ts';
import { renameMembers, scanArray, scanLines, scanPage, scanRecord } from '../../src/json/scan-records.ts';
import { runToEnd } from '../../src/json/cooperative-task.ts';
import { idsOf, textsOf } from '../support/records.ts';
import { objectText } from './json-arbitrary.ts';
import { randomRuns } from '../support/random-runs.ts';

const scanned = (...args: Parameters<typeof scanPage>) => runToEnd(scanPage(...args));

function refusal(action: () => unknown): [message: string, offset: number] {
  try {
    action();
  } catch (error) {
    if (error instanceof BadBody) return [error.message, error.offset];
    throw error;
  }
  throw new Error('it was accepted');
}

describe('scanPage', () => {
  it('finds the records and the other members of the envelope', () => {
    const text = '{"total":2,"pageResults":[{"id":"a","n":1.10},{"id":7}],"errors":[],"nextToken":null}';
    const body = Buffer.from(text);
    const { records, members } = scanned(body, 'pageResults');
    expect(textsOf(records)).toEqual(['{"id":"a","n":1.10}', '{"id":7}']);
    expect(idsOf(records)).toEqual(['"a"', '7']);
    expect(records.spaced).toBe(false);
    const named = [...members].map(([name, [start, end]]) => `${name} ${text.slice(start, end)}`);
    expect(named).toEqual(['total 2', 'errors []', 'nextToken null']);
  });

  it('takes a top-level id that is a string or a number, the last of several, however the name is escaped', () => {
    const records = [
      ...['{"id":null}', '{"id":{"id":1}}', '{"x":{"id":1}}', '{"ids":1,"i":2,"":3}', '{"\\u0069d":"e"}'],
      ...['{"i\\u0064":-1}', '{"id":1,"id":2}', '{"id":1,"id":true}', '{"id":1,"id":{"x":1}}'],
      '{"\\u0069\\u0064" : 5 }',
    ];
    const all = [undefined, undefined, undefined, undefined, '"e"', '-1', '2', undefined, undefined, '5'];
    // The second time, their shapes are known.
    const { records: found } = scanned(Buffer.from(`{"data":[${[...records, ...records].join()}]}`), 'data');
    expect(idsOf(found)).toEqual([...all, ...all]);
  });

  it('takes no other name for that of an id', () => {
    const names = String.raw`xd ix i idx d Id \u0069x i\u0065 \u0069\u0064x \\d i\"`.split(' ');
    const found = names.map((name) => idsOf(scanRecord(Buffer.from(`{"${name}":1}`)))[0]);
    expect(found).toEqual(names.map(() => undefined));
  });

  it.each([
    ['""', undefined],
    ['"a"', '"a"'],
    ['0', '0'],
    ['9', '9'],
    ['-1.5e3', '-1.5e3'],
    ['true', undefined],
    ['[1]', undefined],
  ])('takes the id %s for %s', (id, taken) => {
    expect(idsOf(scanRecord(Buffer.from(`{"id":${id}}`)))).toEqual([taken]);
  });

  it('notes where the links are, also more than its table holds at first', () => {
    const body = Buffer.from(
      `{"data":[{"l":"http://a","m":["https://b"],"n":"http","o":"htt"},${Array.from({ length: 1500 }, (_, id) => `{"l":"http:${id}"}`).join()}]}`,
    );
    const links = scanned(body, 'data').records.links!;
    const found = Array.from({ length: links.length / 2 }, (_, at) =>
      body.toString('utf8', links[2 * at], links[2 * at + 1]),
    );
    const others = Array.from({ length: 1500 }, (_, id) => `"http:${id}"`);
    expect(found).toEqual(['"http://a"', '"https://b"', '"http"', ...others]);
  });

  it('notices white space within records, and only there', () => {
    const spaced = (body: string) => scanned(Buffer.from(body), 'data').records.spaced;
    expect(spaced(' { "data" : [ {"a":" b "} , {} ] } \n')).toBe(false);
    for (const inner of [
      ' "a":1',
      '"a" :1',
      '"a": 1',
      '"a":1 ',
      '"a":1, "b":2',
      '"a":[ ]',
      ' ',
      '"a":{"b":[1, 2]}',
    ])
      expect(spaced(`{"data":[{},{${inner}},{}]}`)).toBe(true);
  });

  it('reads assigned documents from an array and from a page envelope', () => {
    const documentsIn = (fund: string) => scanned(Buffer.from(fund), 'assignedDocuments');
    const plain = documentsIn('{"id":1,"assignedDocuments":[{"id":2}],"name":"f"}');
    expect(textsOf(plain.records)).toEqual(['{"id":2}']);
    expect([...plain.members.keys()]).toEqual(['id', 'name']);
    expect(plain.envelope).toBeUndefined();
    const paged = documentsIn('{"id":1,"assignedDocuments":{"total":9,"pageResults":[{"id":2}],"page":1}}');
    expect(textsOf(paged.records)).toEqual(['{"id":2}']);
    expect([...paged.envelope!.keys()]).toEqual(['total', 'page']);
  });

  it.each([
    ['3', 'expected an array of records, found "3" (byte 21)'],
    ['{"total":1}', 'expected "pageResults" or "data" in the object, found "total" (byte 21)'],
    ['{"id":1}', 'expected "pageResults" or "data" in the object, found "id" (byte 21)'],
    ['{"data":3}', 'expected an array of records, found "3" (byte 29)'],
    ['[],"assignedDocuments":[]', '"assignedDocuments" is there twice (byte 24)'],
  ])('refuses assigned documents in %s', (documents, message) => {
    const fund = Buffer.from(`{"assignedDocuments":${documents}}`);
    expect(refusal(() => scanned(fund, 'assignedDocuments'))[0]).toBe(message);
  });

  it('passes over a byte order mark', () => {
    expect(textsOf(scanned(Buffer.from('\ufeff{"data":[{"a":1}]}'), 'data').records)).toEqual(['{"a":1}']);
  });

  it.each([
    ['', 'expected an object with "data", found the end of the body (byte 0)'],
    ['<html>', 'expected an object with "data", found "<" (byte 0)'],
    ['[{}]', 'expected an object with "data", found "[" (byte 0)'],
    ['null', 'expected an object with "data", found "n" (byte 0)'],
    ['{"total":1,"items":[]}', 'expected "data" in the object, found "total", "items" (byte 0)'],
    ['{"data":{}}', 'expected an array of records, found "{" (byte 8)'],
    ['{"data":null}', 'expected an array of records, found "n" (byte 8)'],
    ['{"data":[1]}', 'expected a record, which is an object, found "1" (byte 9)'],
    ['{"data":[{}', 'expected "," or "]" behind a record, found the end of the body (byte 11)'],
    ['{"data":[{"a":"x', 'expected the string to go on, found the end of the body (byte 16)'],
    ['{"data":[{"a":1,}]}', 'expected a string, found "}" (byte 16)'],
    ['{"data":[{}],}', 'expected a string, found "}" (byte 13)'],
    ['{"data":[{}]}x', 'expected the end of the body, found "x" (byte 13)'],
    ['{"data":[],"data":[]}', '"data" is there twice (byte 11)'],
    ['{"data":[{"a":"\u0001"}]}', 'expected the string to go on, found byte 0x01 (byte 15)'],
    ['{"data":[{"a":"\\x"}]}', 'expected an escape, found "x" (byte 16)'],
    ['{"data":[{"a":"\\u12g4"}]}', 'expected a hexadecimal digit, found "g" (byte 19)'],
    ['{"data":[{"a":01}]}', 'expected "," or "}", found "1" (byte 15)'],
    ['{"data":[{"a":tru}]}', 'expected true, found "}" (byte 17)'],
  ])('refuses %s', (body, message) => {
    expect(refusal(() => scanned(Buffer.from(body), 'data'))[0]).toBe(message);
  });

  it('refuses an object of more than 10,000 members around the records', () => {
    const members = (count: number): string => Array.from({ length: count }, (_, at) => `"m${at}":0`).join();
    expect(refusal(() => scanned(Buffer.from(`{${members(10_001)},"data":[]}`), 'data'))[0]).toMatch(
      /^more than 10000 members in one object/,
    );
  });

  it('names eight members that it found, of each 40 characters', () => {
    const names = Array.from({ length: 9 }, (_, at) => `${at}${'x'.repeat(40)}`);
    const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, 0])));
    const told = names.slice(0, 8).map((name) => `"${name.slice(0, 40)}"`);
    expect(refusal(() => scanned(Buffer.from(body), 'data'))[0]).toBe(
      `expected "data" in the object, found ${told.join(', ')} (byte 0)`,
    );
    expect(refusal(() => scanned(Buffer.from('{}'), 'data'))[0]).toContain('found none');
  });

  it('names the byte where UTF-8 ends', () => {
    const body = Buffer.from(`{"data":[{"a":"é€😀 "${'x'.repeat(99)}`);
    body[body.indexOf(' "')] = 0xc3;
    expect(refusal(() => scanned(body, 'data'))).toEqual(['the body is not UTF-8 text (byte 24)', 24]);
  });
});

describe('scanPage beside JSON.parse', () => {
  const inserted = fc.constantFrom('', '\u0000', ...'"\\{}[],:0-.eu \nt1é');
  const mutation = fc.tuple(fc.nat(), inserted, fc.nat({ max: 3 }));
  // Drawn from a pool: to make a record takes longer than to test with it.
  const mutated = fc.tuple(objectText(), fc.array(mutation, { maxLength: 2 })).map(([text, mutations]) => {
    let result = `{"data":[${text}]}`;
    for (const [place, insert, removed] of mutations) {
      const at = place % (result.length + 1);
      result = result.slice(0, at) + insert + result.slice(at + removed);
    }
    return result;
  });

  it('accepts exactly what JSON.parse accepts and finds the same records', () => {
    fc.assert(
      fc.property(mutated, (text) => {
        const bytes = Buffer.from(text);
        let expected: unknown;
        try {
          expected = JSON.parse(bytes.toString());
        } catch {
          // A place in the text is all that a user can act on.
          const [, offset] = refusal(() => scanRecord(bytes));
          expect(offset >= 0 && offset <= bytes.length).toBe(true);
          return;
        }
        if (expected === null || typeof expected !== 'object' || Array.isArray(expected)) {
          expect(refusal(() => scanRecord(bytes))[0]).toMatch(/^expected a record/);
          return;
        }
        expect(textsOf(scanRecord(bytes)).map((record) => JSON.parse(record))).toEqual([expected]);
        const data = (expected as { data?: unknown }).data;
        const isPage =
          Array.isArray(data) &&
          data.every((item) => item && typeof item === 'object' && !Array.isArray(item));
        if (!isPage) refusal(() => scanned(bytes, 'data'));
        else if (text.split('"data"').length === 2) {
          expect(textsOf(scanned(bytes, 'data').records).map((record) => JSON.parse(record))).toEqual(data);
        }
      }),
      { numRuns: randomRuns(10_000) },
    );
  });
});

describe('scanPage on damaged bytes', () => {
  it('accepts only what is UTF-8 and JSON, and never throws anything but BadBody', () => {
    const page = Buffer.from(
      '{"total":1,"data":[{"id":"é€😀","a":[1.5e3,{"b":null}],"c":"\\ud83d\\n"},{}],"errors":[]}',
    );
    const change = fc.tuple(fc.nat({ max: page.length - 1 }), fc.nat({ max: 255 }));
    const damage = fc.array(change, { minLength: 1, maxLength: 3 });
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    fc.assert(
      fc.property(damage, fc.nat({ max: page.length }), fc.boolean(), (changes, length, cut) => {
        const bytes = Buffer.from(page);
        for (const [place, byte] of changes) bytes[place] = byte;
        const body = cut ? bytes.subarray(0, length) : bytes;
        let records: string[];
        try {
          records = textsOf(scanned(body, 'data').records);
        } catch (error) {
          expect(error).toBeInstanceOf(BadBody);
          return;
        }
        const { data } = JSON.parse(decoder.decode(body)) as { data: unknown[] };
        expect(records.map((record) => JSON.parse(record) as unknown)).toEqual(data);
      }),
      { numRuns: randomRuns(10_000) },
    );
  });
});

describe('other bodies', () => {
  it('scans an array of records', () => {
    expect(textsOf(scanArray(Buffer.from(' [ {"a":1} ,{}]\n')))).toEqual(['{"a":1}', '{}']);
    expect(scanArray(Buffer.from('[]')).count).toBe(0);
    expect(refusal(() => scanArray(Buffer.from('{}')))[0]).toMatch(/^expected an array of records/);
    expect(refusal(() => scanArray(Buffer.from('[{},]')))[0]).toMatch(/^expected a record/);
  });

  it('scans lines', () => {
    const lines = scanLines(Buffer.from('{"a":1}\n\n {"b":2}\r\n{}'));
    expect(textsOf(lines)).toEqual(['{"a":1}', '{"b":2}', '{}']);
    expect(scanLines(Buffer.alloc(0)).count).toBe(0);
    const message = 'expected the end of the line, found "{" (byte 3)';
    expect(refusal(() => scanLines(Buffer.from('{} {}')))).toEqual([message, 3]);
    expect(refusal(() => scanLines(Buffer.from('{}\n[')))[1]).toBe(3);
  });

  it('scans one record', () => {
    const batch = scanRecord(Buffer.from(' {"id": 1}\n'));
    expect([textsOf(batch), idsOf(batch), batch.spaced]).toEqual([['{"id": 1}'], ['1'], true]);
    expect(refusal(() => scanRecord(Buffer.from('{}{}')))[1]).toBe(2);
    // What stands before the value is shorter than the name of a link.
    expect(scanRecord(Buffer.from('{""         :"x"}')).count).toBe(1);
  });
});

describe('the memory of a page', () => {
  // The code of `npm run mutants` counts what is reached, which V8 keeps longer.
  const isInstrumented = 'stryCov_9fa48' in globalThis;
  it.skipIf(isInstrumented)(
    'is free after a collection of young objects, once nothing needs the page',
    () => {
      // A generator function made for a page would keep it until a full collection, and 60 MB of pages with it.
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
      const text = JSON.stringify({
        pageResults: Array.from({ length: 1000 }, (_, id) => ({ id, note: 'x'.repeat(900) })),
      });
      collect();
      const before = process.memoryUsage().arrayBuffers;
      for (let page = 0; page < 20; page++) {
        runToEnd(scanPage(Buffer.from(text), 'pageResults'));
        collect({ type: 'minor' });
      }
      collect({ type: 'minor' });
      const pages = (process.memoryUsage().arrayBuffers - before) / text.length;
      expect(pages).toBeLessThan(5);
    },
  );
});

it('members of records are called otherwise where they are there', () => {
  const batch = scanArray(Buffer.from('[{"a":"b","b":1.00},{"c":{"a":1}},{"b":[]}]'));
  const names = new Map(Object.entries({ a: 'b', b: 'a "new" one' }));
  expect(textsOf(renameMembers(batch, names))).toEqual([
    '{"b":"b","a \\"new\\" one":1.00}',
    '{"c":{"a":1}}',
    '{"a \\"new\\" one":[]}',
  ]);
  expect(renameMembers(batch, new Map([['d', 'e']]))).toBe(batch);
});
