import { expect, it } from 'vitest';
import { AuthError, FolioError, IncompleteError, ServiceError } from '../../../src/errors.ts';
import { outcomeOf } from '../../../src/run/outcome.ts';

const down = new ServiceError('down', { hint: 'Try again later.' });
const refused = new AuthError('refused', { hint: 'Log in.' });
const partly = new IncompleteError('not all');
const nearly = new IncompleteError('almost all');

const AGAIN = 'Run these again.';
const BOTH = '2 of 2 profiles missing';
const words = { what: 'profiles', lack: 'missing', hint: AGAIN };

/** (the failure of each part, how the run ends: kind, message, hint). */
const ends: readonly [string, (FolioError | undefined)[], [typeof FolioError, string, string | undefined]][] =
  [
    ['one of several', [down, undefined], [IncompleteError, '1 of 2 profiles missing: a: down', down.hint]],
    ['one alone', [refused], [AuthError, 'refused', 'Log in.']],
    ['all for one reason', [down, new ServiceError('down')], [ServiceError, 'down', down.hint]],
    ['nothing of any', [down, refused], [ServiceError, 'none of 2 profiles: a: down; b: refused', AGAIN]],
    [
      'several for one of the reasons',
      [down, refused, new ServiceError('down'), undefined],
      [IncompleteError, '3 of 4 profiles missing: a, c: down; b: refused', AGAIN],
    ],
    ['something of one', [refused, partly], [IncompleteError, `${BOTH}: a: refused; b: not all`, AGAIN]],
    ['none whole', [partly, nearly], [IncompleteError, `${BOTH}: a: not all; b: almost all`, AGAIN]],
  ];

it.each(ends)('ends a run of several parts: %s', (_, failures, [kind, message, hint]) => {
  const error = endOf(failures);
  expect(error?.constructor).toBe(kind);
  expect([error?.message, error?.hint]).toEqual([message, hint]);
  // In lines it says the same, one for each part.
  const failed = failures.filter((failure) => failure !== undefined);
  const lines = failed.map((failure) => `${'abcd'[failures.indexOf(failure)]}: ${failure.message}`);
  expect(error?.lines.slice(1)).toEqual(error === failed[0] ? [] : lines);
});

it('ends a run of whole parts without an error', () => {
  expect(endOf([undefined, undefined])).toBeUndefined();
});

function endOf(failures: readonly (FolioError | undefined)[]): FolioError | undefined {
  return outcomeOf(
    failures.map((failure, at) => ({ name: 'abcd'[at]!, ...(failure && { failure }) })),
    words,
  );
}
