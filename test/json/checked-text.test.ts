import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordView } from '../../src/json/bytes.ts';
import {
  compact,
  endOfNested,
  endOfSpace,
  endOfString,
  endOfValue,
  failAt,
  readCount,
  readJson,
} from '../../src/json/checked-text.ts';
import { scanPage } from '../../src/json/scan-records.ts';
import { runToEnd } from '../../src/json/cooperative-task.ts';
import { objectText } from './json-arbitrary.ts';

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

describe('the end of a part', () => {
  const view = (text: string) => new WordView(Buffer.from(text));

  it.each(['{}', '[]', '[[],{}]', '{"a":[{"b":"]}"},[1]]}', '["\\"]"]', '[{"a":[]},[[]]]'])(
    'of %s is behind its last bracket',
    (text) => {
      expect(endOfNested(view(`  ${text}]}]}`), 2)).toBe(text.length + 2);
    },
  );

  it('of a number and of white space is the first other byte', () => {
    expect(endOfValue(view('-12.5E+3,4'), 0)).toBe(8);
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
