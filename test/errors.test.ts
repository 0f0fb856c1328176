import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** The hints that stand in the sources as one text, with the file of each. */
function* hints(): Generator<[file: string, hint: string]> {
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const found = readFileSync(join(SRC, file), 'utf8').matchAll(
      /\bhint:\s*(['`])((?:(?!\1)[^\\]|\\.)+)\1\s*[,})]/g,
    );
    for (const [, , hint] of found) yield [file, hint!];
  }
}

describe('a hint', () => {
  it('is a whole sentence: it begins with a capital letter and ends with a full stop or a question mark', () => {
    const all = [...hints()];
    // What is put in is a sentence itself.
    const isSentence = (hint: string): boolean =>
      /^(?:[A-Z]|\$\{\w*[hH]int\})/.test(hint) && /(?:[.?]|\$\{[\w.]*(?:[hH]int|_HINT)\})$/.test(hint);
    expect(all.filter(([, hint]) => !isSentence(hint))).toEqual([]);
    // Far more than a few, so that the search itself works.
    expect(all.length).toBeGreaterThan(60);
  });
});
