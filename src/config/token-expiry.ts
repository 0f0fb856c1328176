import { AuthError } from '../errors.ts';
import { decodeToken } from './json-web-token.ts';
import type { Secret } from './secret.ts';

const day = 24 * 60 * 60 * 1000;
/** Days before its end from which on a token's end is announced. */
const warningDays = 14;

/** How a token stands in time; `fine` without a date when it does not say when it ends. */
export type TokenExpiry =
  | { readonly state: 'expired' | 'soon'; readonly expiresAt: number }
  | { readonly state: 'fine'; readonly expiresAt?: number };

/**
 * @param token as text, decoded if it is a JSON Web Token
 * @param now milliseconds since 1970
 */
export function tokenExpiry(token: Secret, now: number): TokenExpiry {
  const expiresAt = decodeToken(token.reveal())?.expiresAt;
  if (expiresAt === undefined) return { state: 'fine' };
  if (expiresAt <= now) return { state: 'expired', expiresAt };
  return { state: expiresAt - now <= warningDays * day ? 'soon' : 'fine', expiresAt };
}

/**
 * Refuses a token whose time is over, before it is sent anywhere.
 *
 * @param loginCommand the command that stores a new one, for the hint
 * @returns a warning when it ends within 14 days, else undefined
 */
export function checkExpiry(token: Secret, now: number, loginCommand: string): string | undefined {
  const { state, expiresAt } = tokenExpiry(token, now);
  if (state === 'fine') return undefined;
  const end = describeMoment(expiresAt, now);
  if (state === 'soon') return `the token ends ${end}; ask the operator of the service for a new one`;
  throw new AuthError(`the token ended ${end}`, {
    hint: `Ask the operator of the service for a new one, then: ${loginCommand}`,
  });
}

/** A moment as date and distance: `on 2026-11-30 at 12:00 UTC (in 9 days)`. */
export function describeMoment(moment: number, now: number): string {
  const text = new Date(moment).toISOString();
  return `on ${text.slice(0, -14)} at ${text.slice(-13, -8)} UTC (${distance(moment - now)})`;
}

function distance(milliseconds: number): string {
  const days = Math.floor(Math.abs(milliseconds) / day);
  const span = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`;
  return milliseconds < 0 ? `${span} ago` : `in ${span}`;
}
