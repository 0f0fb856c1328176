import * as fc from 'fast-check';
import stringWidth from 'fast-string-width';
import { describe, expect, it } from 'vitest';
import {
  visible,
  displayWidth,
  hasBlocks,
  truncate,
  useColor,
  TerminalGate,
} from '../../../src/output/terminal/terminal-text.ts';
import { FakeOutput } from '../../support/fake-streams.ts';
import { randomRuns } from '../../support/random-runs.ts';
import { FORBIDDEN, hasForbidden, hostileText } from '../hostile-text.ts';

const cases: readonly (readonly [what: string, given: string, shown: string])[] = [
  ['plain text', 'Ñandú & Cía. 漢字 😀 ❤️', 'Ñandú & Cía. 漢字 😀 ❤️'],
  ['a combining mark', 'e\u0301', 'e\u0301'],
  ['a colour', '\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
  ['a title', '\u001b]0;title\u0007', '␛]0;title␇'],
  ['a link (OSC 8)', '\u001b]8;;http://x\u001b\\y', '␛]8;;http://x␛\\y'],
  ['the clipboard (OSC 52)', '\u001b]52;c;cm0=\u0007', '␛]52;c;cm0=␇'],
  ['a C1 introducer', '\u009b31m', '\\u{9b}31m'],
  ['delete', 'a\u007fb', 'a␡b'],
  ['an overwritten line', 'total 1\rtotal 2\n', 'total 1␍total 2␊'],
  ['a tab', 'a\tb', 'a␉b'],
  ['bidirectional override', 'fdp.\u202eexe', 'fdp.\\u{202e}exe'],
  ['isolates, marks', '\u2066\u2069\u200e\u200f\u061c', '\\u{2066}\\u{2069}\\u{200e}\\u{200f}\\u{61c}'],
  ['zero width', 'a\u200b\u200c\u200d\u2060\ufeffb', 'a\\u{200b}\\u{200c}\\u{200d}\\u{2060}\\u{feff}b'],
  ['separators', 'a\u2028b\u2029c', 'a\\u{2028}b\\u{2029}c'],
  ['tags', '\u{e0041}\u{e007f}', '\\u{e0041}\\u{e007f}'],
  ['a soft hyphen', 'pa\u00adid', 'pa\\u{ad}id'],
  ['a surrogate alone', '\ud83d!\ude00', '\\u{d83d}!\\u{de00}'],
];

describe('visible', () => {
  it.each(cases)('shows %s', (_what, given, shown) => {
    expect(visible(given)).toBe(shown);
  });

  it('marks every character of the forbidden classes', () => {
    for (const [first, last] of FORBIDDEN) {
      const all = Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
      expect(all.filter((character) => hasForbidden(visible(`a${character}b`)))).toEqual([]);
    }
  });

  it('lets none of them through in any text, and changes nothing that is safe already', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = visible(text);
        return !hasForbidden(shown) && visible(shown) === shown;
      }),
      { numRuns: randomRuns(10_000) },
    );
  });
});

it('measures every character as the library does, also where it is not asked', () => {
  const isSyllablePart = (code: number): boolean => code >= 0x1100 && code <= 0x11ff;
  const differ = Array.from({ length: 0x3000 - 0xa0 }, (_, n) => 0xa0 + n).filter((code) => {
    const text = `a${String.fromCodePoint(code)}b`;
    return !isSyllablePart(code) && displayWidth(text) !== stringWidth(text);
  });
  expect(differ).toEqual([]);
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
      { numRuns: randomRuns(10_000) },
    );
  });
});

it.each([
  [{}, true, undefined, true],
  [{}, false, undefined, false],
  [{}, true, false, false],
  [{ FORCE_COLOR: '1' }, true, false, false],
  [{ NO_COLOR: '1' }, true, undefined, false],
  [{ NO_COLOR: '' }, true, undefined, true],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, undefined, false],
  [{ FORCE_COLOR: '1' }, false, undefined, true],
  [{ FORCE_COLOR: '3', TERM: 'dumb' }, false, undefined, true],
  [{ FORCE_COLOR: '0' }, true, undefined, false],
  [{ FORCE_COLOR: '' }, false, undefined, false],
  [{ TERM: 'dumb' }, true, undefined, false],
  [{ CI: 'true' }, true, undefined, false],
  [{ CI: 'false' }, true, undefined, true],
])('%j on a terminal: %j, --color: %j', (env, isTerminal, flag, expected) => {
  expect(useColor(env, isTerminal, flag)).toBe(expected);
});

async function gated(chunks: readonly (Uint8Array | string)[]): Promise<string> {
  const stream = new FakeOutput({ terminal: true });
  const gate = new TerminalGate(stream);
  for (const chunk of chunks) await gate.write(chunk);
  await gate.end();
  return stream.text;
}

describe('TerminalGate', () => {
  it.each<[what: string, chunks: (string | Uint8Array)[], shown: string]>([
    ['line ends and tabs alike, others marked', ['a\tb\n', 'c\u001b[2J\r\nd\re\n'], 'a\tb\nc␛[2J\r\nd␍e\n'],
    ['a line end that is split over chunks', ['a\r', '\nb\r', 'c\r'], 'a\r\nb␍c␍'],
    ['marks of bad UTF-8', [Buffer.of(0x61, 0x9b, 0xff), Buffer.of(0xe2, 0x80)], 'a\ufffd\ufffd\ufffd'],
  ])('shows %s', async (_, chunks, shown) => {
    expect(await gated(chunks)).toBe(shown);
  });

  it('lets nothing through however the bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, fc.array(fc.nat(64), { maxLength: 5 }), async (text, cuts) => {
        const bytes = Buffer.from(text, 'utf8');
        const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const shown = await gated(at.slice(1).map((end, index) => bytes.subarray(at[index], end)));
        expect(hasForbidden(shown.replace(/\r\n|[\n\t]/g, ''))).toBe(false);
        // Bytes have no surrogates alone: they became replacement characters when the text was encoded.
        const whole = bytes.toString('utf8').split(/(\r\n|\n|\t)/);
        expect(shown).toBe(whole.map((part, index) => (index % 2 === 0 ? visible(part) : part)).join(''));
      }),
      { numRuns: randomRuns(3_000) },
    );
  });
});

it.each([
  [{ LANG: 'es_CL.UTF-8', TERM: 'xterm-256color' }, true],
  [{ LC_ALL: 'C', LANG: 'es_CL.UTF-8' }, false],
  [{ LC_ALL: '', LANG: 'C.utf8' }, true],
  [{ LANG: 'es_CL.UTF-8', TERM: 'linux' }, false],
  [{ WT_SESSION: '1' }, true],
  [{ LANG: 'es_CL.UTF-8', TERM: 'dumb' }, false],
  [{ TERM_PROGRAM: 'vscode' }, true],
  [{ LC_CTYPE: 'en_US.utf8', LANG: 'C' }, true],
  [{}, false],
])('%j has blocks: %s', (env, expected) => {
  expect(hasBlocks(env)).toBe(expected);
});
