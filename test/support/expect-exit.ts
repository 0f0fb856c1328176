import { expect } from 'vitest';

/** How a command line ended, and what it printed. */
interface Exit {
  readonly code: number | null;
  readonly stdout: string | Buffer;
  readonly stderr: string;
}

/** Expects exit 0, this on standard output, and nothing else on standard error than is said here. */
export async function expectAnswer(
  run: Promise<Exit>,
  stdout: string | RegExp,
  stderr: string | RegExp = '',
) {
  expect(textsOf(await run)).toEqual({ code: 0, stdout: textLike(stdout), stderr: textLike(stderr) });
}

/** Expects exit 6: what could be had on standard output, and on standard error a text with these words. */
export async function expectPart(run: Promise<Exit>, stdout: string | RegExp, says: string | RegExp) {
  expect(textsOf(await run)).toEqual({ code: 6, stdout: textLike(stdout), stderr: textWith(says) });
}

/** Expects that nothing was printed but an error with these words, or this one where they are whole: `folio: …`, to the line's end. */
export async function expectRefused(run: Promise<Exit>, says: string | RegExp, code = 2) {
  const isWhole = typeof says === 'string' && says.startsWith('folio: ') && says.endsWith('\n');
  expect(textsOf(await run)).toEqual({ code, stdout: '', stderr: isWhole ? says : textWith(says) });
}

const textsOf = ({ code, stdout, stderr }: Exit): object => ({ code, stdout: String(stdout), stderr });

function textLike(text: string | RegExp): unknown {
  return typeof text === 'string' ? text : expect.stringMatching(text);
}

function textWith(words: string | RegExp): unknown {
  return typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words);
}
