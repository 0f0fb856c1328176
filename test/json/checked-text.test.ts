import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordView } from '../../src/json/bytes.ts';
import {
  compact,
  endOfNested,
  endOfNumber,
  endOfSpace,
  endOfString,
  failAt,
  readCount,
  readJson,
  unescape,
} from '../../src/json/checked-text.ts';
import { scanPage } from '../../src/json/scan-records.ts';
import { runToEnd } from '../../src/json/cooperative-task.ts';
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
const { members } = runToEnd(scanPage(body, 'data'));

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

describe('the ends of surrogates', () => {
  it.each([
    '\\ud7ff',
    '\\ud800',
    '\\ud800\\udc00',
    '\\udbff\\udfff',
    '\\udbff',
    '\\udc00',
    '\\udfff',
    '\\ue000',
    '\\udbff\\udbff',
  ])('are read as JSON.parse reads them: %s', (escapes) => {
    expect(unescaped(`"${escapes}"`)).toEqual(Buffer.from(JSON.parse(`"${escapes}"`) as string));
  });

  it.each(['\\ud83d\\nde00', '\\ud83dxde00', '\\ud83d\\\\ude00', '\\u0041\\ude00', '\\uffff\\udc00'])(
    'are none where something else stands between or before: %s',
    (escapes) => {
      expect(unescaped(`"${escapes}"`)).toEqual(Buffer.from(JSON.parse(`"${escapes}"`) as string));
    },
  );

  it('lie between characters of one, two, three and four bytes', () => {
    for (const code of [0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff]) {
      const text = String.fromCodePoint(code);
      const units = [...text.split('')].map(
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      expect(unescaped(`"${units.join('')}"`).toString()).toBe(text);
    }
  });
});

describe('the end of a part', () => {
  const view = (text: string) => new WordView(Buffer.from(text));

  it.each(['{}', '[]', '[[],{}]', '{"a":[{"b":"]}"},[1]]}', '["\\"]"]', '[{"a":[]},[[]]]'])(
    'of %s is behind its last bracket',
    (text) => {
      expect(endOfNested(view(`  ${text}]}]}`), 2)).toBe(text.length + 2);
    },
  );

  it('of a number and of white space is the first other byte', () => {
    expect(endOfNumber(Buffer.from('-12.5E+3,4'), 0)).toBe(8);
    expect(endOfSpace(Buffer.from(' \t\r\n x'), 0)).toBe(5);
    expect(endOfSpace(Buffer.from('x '), 0)).toBe(0);
  });

  it('of a string is its quote, wherever escapes stand', () => {
    const texts = ['', 'a', 'abcdefgh', '\\"', 'abc\\"d', '\\\\', 'abcd\\\\\\"efgh'];
    for (const text of texts) expect(endOfString(view(`"${text}", "x"`), 1)).toBe(text.length + 1);
  });
});

describe('what is not what was expected', () => {
  it.each([
    ['!', 'found "!"'],
    ['~', 'found "~"'],
    [' ', 'found byte 0x20'],
    ['\u007f', 'found byte 0x7f'],
    ['\u0001', 'found byte 0x01'],
    ['é', 'found byte 0xc3'],
  ])('is named as a character where it can be seen: %j', (text, found) => {
    expect(() => failAt(Buffer.from(text), 0, 'a digit')).toThrow(`expected a digit, ${found} (byte 0)`);
  });

  it('is the end, whose place is the last there is', () => {
    expect(() => failAt(Buffer.from('ab'), 7, 'a digit')).toThrow(
      'expected a digit, found the end of the body (byte 2)',
    );
  });
});

it('parses a value of 64 KB, and none larger', () => {
  const text = (bytes: number) => Buffer.from(`"${'x'.repeat(bytes - 2)}"`);
  expect(readJson(text(65_536), [0, 65_536])).toHaveLength(65_534);
  expect(() => readJson(text(65_537), [0, 65_537])).toThrow('found one of 65537 bytes');
});

it('counts nothing that a double does not hold', () => {
  const counts = ['0', '9007199254740991', '9007199254740992', '-0', 'true'].map((text) =>
    readCount(Buffer.from(text), [0, text.length]),
  );
  expect(counts).toEqual([0, 9_007_199_254_740_991, undefined, -0, undefined]);
});
