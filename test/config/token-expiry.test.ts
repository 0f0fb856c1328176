import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { checkExpiry, describeMoment, tokenExpiry } from '../../src/config/token-expiry.ts';
import { errorLike } from '../support/error-like.ts';
import { jsonWebToken } from '../support/json-web-token.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 10, 20, 12);
const endingAt = (moment: number): Secret => new Secret(jsonWebToken({ exp: moment / 1000 }));

describe('tokenExpiry', () => {
  it.each([
    [-1000, 'expired'],
    [0, 'expired'],
    [1000, 'soon'],
    [14 * day, 'soon'],
    [14 * day + 1000, 'fine'],
  ])('%i ms from now is %s', (distance, state) => {
    expect(tokenExpiry(endingAt(now + distance), now)).toEqual({ state, expiresAt: now + distance });
  });

  it('has nothing against a token that says nothing', () => {
    expect(tokenExpiry(new Secret('opaque'), now)).toEqual({ state: 'fine' });
    expect(checkExpiry(new Secret('opaque'), now, '')).toBeUndefined();
  });
});

describe('checkExpiry', () => {
  it('refuses an ended token with its end and the way out', () => {
    const check = (): unknown => checkExpiry(endingAt(now - 3 * day), now, 'folio auth login --profile acme');
    expect(check).toThrow(
      errorLike('AuthError', 'the token ended on 2026-11-17 at 12:00 UTC (3 days ago)', {
        hint: 'Ask the operator of the service for a new one, then: folio auth login --profile acme',
      }),
    );
  });

  it('warns in the last 14 days', () => {
    expect(checkExpiry(endingAt(now + 10.5 * day), now, '')).toBe(
      'the token ends on 2026-12-01 at 00:00 UTC (in 10 days); ask the operator of the service for a new one',
    );
    expect(checkExpiry(endingAt(now + 15 * day), now, '')).toBeUndefined();
  });
});

describe('describeMoment', () => {
  it.each([
    [now + day, 'on 2026-11-21 at 12:00 UTC (in 1 day)'],
    [now + 60_000, 'on 2026-11-20 at 12:01 UTC (in less than a day)'],
    [now - 60_000, 'on 2026-11-20 at 11:59 UTC (less than a day ago)'],
    [8.64e15, 'on +275760-09-13 at 00:00 UTC (in 99979222 days)'],
  ])('says %i as %s', (moment, text) => {
    expect(describeMoment(moment, now)).toBe(text);
  });
});
