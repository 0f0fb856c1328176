import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compact, failAt, readCount, readJson } from '../../src/json/bytes.ts';
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

it('counts whole numbers from 0 on that a double holds, and nothing else', () => {
  const texts = '0 12 1e3 9007199254740991 9007199254740992 -0 -1 1.5 true "7" null'.split(' ');
  const counts = texts.map((text) => readCount(Buffer.from(text), [0, text.length]));
  const none = Array<undefined>(5).fill(undefined);
  expect(counts).toEqual([0, 12, 1000, 9_007_199_254_740_991, undefined, -0, ...none]);
  expect(readCount(Buffer.alloc(0), undefined)).toBeUndefined();
});
