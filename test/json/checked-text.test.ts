import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compact, readCount, readJson, unescape } from '../../src/json/checked-text.ts';
import { scanPage } from '../../src/json/scan-records.ts';
import { atOnce } from '../../src/json/turns.ts';
import { objectText, stringText } from './json-arbitrary.ts';
import { randomRuns } from '../support/random-runs.ts';

const compacted = (text: string) => {
  const bytes = Buffer.from(`xx${text}yy`);
  return compact(bytes, 2, bytes.length - 2).toString();
};

describe('compact', () => {
  it('removes white space between tokens and touches nothing else', () => {
    expect(compacted('{ "a b" :\t[ 1.00 ,\r\n " \\\\" , "\\" x " ] }')).toBe(
      '{"a b":[1.00," \\\\","\\" x "]}',
    );
  });

  it('leaves what has none as it is', () => {
    fc.assert(
      fc.property(objectText({ spaced: false }), (text) => {
        expect(compacted(text)).toBe(text);
      }),
    );
  });

  it('keeps the value, and is as short as can be', () => {
    fc.assert(
      fc.property(objectText(), (text) => {
        const result = compacted(text);
        expect(JSON.parse(result)).toEqual(JSON.parse(text));
        expect(compacted(result)).toBe(result);
        expect(result.replace(/"(?:[^"\\]|\\.)*"/g, '""')).not.toMatch(/\s/);
      }),
    );
  });
});

const body = Buffer.from(
  '{"data":[],"é":{"a":[1]},"total":12,"e":1e3,"minus":-1,"part":1.5,"text":"7","nil":null}',
);
const { members } = atOnce(scanPage(body, 'data'));

describe('readJson', () => {
  it('parses the value at a span', () => {
    expect(readJson(body, members.get('é')!)).toEqual({ a: [1] });
  });

  it('parses nothing large', () => {
    const large = Buffer.from(`[${'0,'.repeat(40_000)}0]`);
    expect(() => readJson(large, [0, large.length])).toThrow(
      'expected a small value, found one of 80003 bytes',
    );
  });
});

describe('readCount', () => {
  it('reads whole numbers from 0 on, and takes nothing else for one', () => {
    const counts = ['total', 'e', 'minus', 'part', 'text', 'nil', 'missing'].map((name) =>
      readCount(body, members.get(name)),
    );
    expect(counts).toEqual([12, 1000, undefined, undefined, undefined, undefined, undefined]);
  });
});

/** The text of a literal as bytes; the literal stands amid others, and nothing beyond its own length may be written. */
function unescaped(literal: string): Buffer {
  const bytes = Buffer.from(`[${literal}]`);
  const room = Buffer.alloc(bytes.length - 4);
  return room.subarray(0, unescape(bytes, [2, bytes.length - 2], room));
}

describe('unescape', () => {
  it('decodes every escape, and pairs of surrogates', () => {
    expect(unescaped('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00E9\\u20aC\\ud83D\\ude00é😀"').toString()).toBe(
      '"\\/\b\f\n\r\tAé€😀é😀',
    );
  });

  it('replaces half a pair as Node does', () => {
    for (const literal of [
      '"\\ud83d"',
      '"\\ude00\\ud83d"',
      '"\\ud83d\\ud83d\\ude00"',
      '"\\ud83dx"',
      '"\\ud83d\\n"',
      '"\\ud83d\\u0041"',
      '"\\ud83d\\uffff"',
    ]) {
      expect(unescaped(literal)).toEqual(Buffer.from(JSON.parse(literal) as string));
    }
  });

  it('decodes what JSON.parse decodes', () => {
    fc.assert(
      fc.property(stringText, (literal) => {
        expect(unescaped(literal).toString('latin1')).toBe(
          Buffer.from(JSON.parse(literal) as string).toString('latin1'),
        );
      }),
      { numRuns: randomRuns(2_000) },
    );
  });
});
