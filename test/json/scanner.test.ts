import { describe, expect, it } from 'vitest';
import { checkJson } from '../../src/json/scanner.ts';

describe('checkJson', () => {
  it.each(['{}', ' [1, "x", null] ', '"text"', '-1e5', '\ufeff[]', '{""         :"x"}'])(
    'takes %j',
    (text) => {
      expect(() => checkJson(Buffer.from(text))).not.toThrow();
    },
  );

  it.each([
    ['', /found the end of the body \(byte 0\)/],
    ['{"a":1', /found the end of the body/],
    ['{} {}', /the end of the body, found "\{"/],
    ['<html>', /found "<"/],
    ['['.repeat(1001) + ']'.repeat(1001), /more than 1000 levels/],
  ])('refuses %j', (text, message) => {
    expect(() => checkJson(Buffer.from(text))).toThrow(message);
  });

  it('refuses what is not UTF-8', () => {
    expect(() => checkJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('the body is not UTF-8 text (byte 1)');
  });
});
