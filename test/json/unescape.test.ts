import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unescape } from '../../src/json/unescape.ts';
import { stringText } from './json-arbitrary.ts';

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
      { numRuns: 2000 },
    );
  });
});
