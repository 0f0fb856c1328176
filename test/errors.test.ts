import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AuthError, FolioError, OutputError, errorCode, systemReason } from '../src/errors.ts';

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

describe('an error', () => {
  it('keeps its kind, and itself as the cause, when it is reworded', () => {
    const error = new AuthError('the service refuses the token', { hint: 'Log in.' });
    const other = error.reworded('no login', undefined);
    expect([other.constructor, other.name, other.message, other.hint, other.cause]).toEqual([
      AuthError,
      'AuthError',
      'no login',
      undefined,
      error,
    ]);
  });

  it('of no kind of its own stays a FolioError', () => {
    expect(new FolioError('x').reworded('y', 'Z.')).toMatchObject({
      name: 'FolioError',
      message: 'y',
      hint: 'Z.',
    });
  });
});

describe('systemReason', () => {
  it.each([
    [
      Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC', errno: -28 }),
      'no space left on device (ENOSPC)',
    ],
    [Object.assign(new Error('it broke'), { code: 'E_OTHER' }), 'it broke'],
    [new OutputError('cannot write'), 'cannot write'],
    ['text', 'text'],
  ])('of %o is %s', (error, reason) => {
    expect(systemReason(error)).toBe(reason);
  });

  it('has its code apart', () => {
    const coded = Object.assign(new Error('x'), { code: 'EPIPE' });
    expect(
      [coded, new Error('x'), Object.assign(new Error('x'), { code: 5 }), 'EPIPE'].map(errorCode),
    ).toEqual(['EPIPE', undefined, undefined, undefined]);
  });
});
