import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, truncate } from '../../../src/output/terminal/display-width.ts';

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['Ñandú', 5],
    ['e\u0301', 1],
    ['漢字', 4],
    ['ｱｲｳ', 3],
    ['ＡＢ', 4],
    ['한글', 4],
    ['\u1112\u1161\u11ab', 2],
    ['ไทยดี', 4],
    ['क्षि', 2],
    ['שָׁלוֹם', 4],
    ['😀', 2],
    ['👍🏽', 2],
    ['🇨🇱', 2],
    ['1️⃣', 2],
    ['❤', 1],
    ['❤️', 2],
    ['👩‍👩‍👧', 2],
    ['␛…', 2],
    ['\u{20bb7}', 2],
  ])('%j takes %i cells', (text, cells) => {
    expect(displayWidth(text)).toBe(cells);
  });
});

describe('truncate', () => {
  it.each([
    ['Ñandú', 5, 'Ñandú'],
    ['Ñandú', 4, 'Ñan…'],
    ['漢字', 3, '漢…'],
    ['漢字', 2, '…'],
    ['a漢字', 3, 'a…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['🇨🇱🇦🇷', 3, '🇨🇱…'],
    ['\u{20bb7}\u{20bb7}', 3, '\u{20bb7}…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['', 0, ''],
  ])('%j to %i cells is %j', (text, width, cut) => {
    expect(truncate(text, width)).toBe(cut);
  });

  it('shows no more of a text than cells can hold, however many marks it has', () => {
    expect(truncate(`a${'\u0301'.repeat(300_000)}`, 3)).toBe('…');
    expect(truncate(`ab${'\u0301'.repeat(40)}`, 3)).toBe(`ab${'\u0301'.repeat(40)}`);
  });

  it('never takes more cells than given, and changes only what is too wide', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(text, fc.nat(30), (text, width) => {
        const cut = truncate(text, width);
        expect(displayWidth(cut)).toBeLessThanOrEqual(width);
        if (displayWidth(text) <= width) expect(cut).toBe(text);
        else if (width > 0)
          expect([cut.endsWith('…'), text.startsWith(cut.slice(0, -1))]).toEqual([true, true]);
      }),
      { numRuns: 10_000 },
    );
  });
});
