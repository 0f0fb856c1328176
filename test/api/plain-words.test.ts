import { describe, expect, it } from 'vitest';
import { plainWords } from '../../src/api/plain-words.ts';

describe('plainWords', () => {
  it('makes one line of several', () => {
    expect(plainWords('  a\r\n\tb\u2028c ')).toBe('a b c');
  });

  it('shows what would act on a terminal or hide text', () => {
    expect(plainWords('a\u001b]0;x\u0007b\u009bc\u007fd\u202ee\u200bf\ud800')).toBe(
      String.raw`a\u001b]0;x\u0007b\u009bc\u007fd\u202ee\u200bf\ud800`,
    );
    for (let code = 0; code < 0xa0; code++) {
      if (code < 0x20 || code > 0x7e)
        expect(plainWords(`a${String.fromCharCode(code)}b`)).toMatch(/^a[ -~]+b$/);
    }
  });

  it('cuts after 500 characters, within no word and no character', () => {
    expect(plainWords('é'.repeat(500))).toBe('é'.repeat(500));
    expect(plainWords('é'.repeat(501))).toBe(`${'é'.repeat(500)}…`);
    expect(plainWords(`${'é'.repeat(499)}🙂🙂`)).toBe(`${'é'.repeat(499)}…`);
    expect(plainWords(`${'word '.repeat(98)}eyJ.s3cret-_~+/=%2e`)).toBe(`${'word '.repeat(97)}word…`);
    expect(plainWords(`{"token":"${'x'.repeat(500)}"}`)).toBe('{"token":"…');
  });
});
