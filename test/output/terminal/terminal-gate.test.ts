import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TerminalGate, visible } from '../../../src/output/terminal/terminal-text.ts';
import { FakeOutput } from '../../support/fake-streams.ts';
import { randomRuns } from '../../support/random-runs.ts';
import { hasForbidden, hostileText } from '../hostile-text.ts';

async function gated(chunks: readonly (Uint8Array | string)[]): Promise<string> {
  const stream = new FakeOutput({ terminal: true });
  const gate = new TerminalGate(stream);
  for (const chunk of chunks) await gate.write(chunk);
  await gate.end();
  return stream.text;
}

describe('TerminalGate', () => {
  it.each<[what: string, chunks: (string | Uint8Array)[], shown: string]>([
    [
      'line ends and tabs as they are, and the rest marked',
      ['a\tb\n', 'c\u001b[2J\r\nd\re\n'],
      'a\tb\nc␛[2J\r\nd␍e\n',
    ],
    ['a line end that is split over chunks', ['a\r', '\nb\r', 'c\r'], 'a\r\nb␍c␍'],
    [
      'replacements for what is no UTF-8',
      [Buffer.of(0x61, 0x9b, 0xff), Buffer.of(0xe2, 0x80)],
      'a\ufffd\ufffd\ufffd',
    ],
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
