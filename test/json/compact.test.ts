import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compact } from '../../src/json/compact.ts';
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
