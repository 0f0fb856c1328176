import { Secret } from '../api/redact.ts';
import { AuthError } from '../errors.ts';
import { MILLISECONDS_A_DAY } from '../json/calendar-day.ts';
import { parseJsonObject } from '../json/json-object.ts';

/** Header lines of services and proxies end at 8 KB. */
const MAX_LENGTH = 8000;

/**
 * Reads a token as it was typed, pasted or piped in: white space around it does not count. It goes alone into its header
 * (spec 5 rules 1 and 2), so a pasted `Bearer ` is taken off. What cannot be a header's value is refused here, because the
 * runtime's error would show the whole token. `from` is where it comes from, for messages: `FOLIO_TOKEN`.
 */
export function parseToken(text: string, from: string): Secret {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  const token = trimmed.replace(/^bearer(?:\s+|$)/i, '');
  if (token === '') throw malformed(from, 'is empty');
  const { length } = token;
  if (length > MAX_LENGTH) throw malformed(from, `is ${length} characters long, more than ${MAX_LENGTH}`);
  const wrong = /[^\x21-\x7e]/.exec(token);
  if (wrong) throw malformed(from, `has ${nameOf(wrong[0])} at character ${wrong.index + 1} of ${length}`);
  return new Secret(token, token !== trimmed);
}

function malformed(from: string, reason: string): AuthError {
  return new AuthError(`the token (${from}) ${reason}`, {
    hint: 'A token is one word of letters, digits and signs, exactly as the operator of the service issued it.',
  });
}

function nameOf(character: string): string {
  if (/[\r\n]/.test(character)) return 'a line break';
  return /\s/.test(character) ? 'a space' : 'a character that a header cannot hold';
}

/**
 * The claims of a token that is a JSON Web Token (RFC 7519), moments in milliseconds since 1970. The specification promises none
 * of them, so a token may lack them. The signature is not checked: only the service can. Returns undefined for a token that does
 * not decode, which is opaque and valid, and without a token.
 */
export function decodeToken(token: Secret | undefined) {
  const parts = token?.reveal().split('.') ?? [];
  const [header, payload] = parts.slice(0, 2).map(decodePart);
  if (parts.length !== 3 || header === undefined || payload === undefined) return undefined;
  return {
    organizationId: nameIn(payload.get('organizationId')),
    expiresAt: momentIn(payload.get('exp')),
  };
}

function decodePart(part: string): ReadonlyMap<string, unknown> | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return undefined;
  const claims = parseJsonObject(Buffer.from(part, 'base64url').toString('utf8'));
  return claims && new Map(Object.entries(claims));
}

/** A name fit to be shown: no control or invisible characters. */
function nameIn(value: unknown): string | undefined {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && /^\P{C}{1,200}$/u.test(text) ? text : undefined;
}

function momentIn(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number') return undefined;
  const milliseconds = seconds * 1000;
  return Number.isNaN(new Date(milliseconds).getTime()) ? undefined : milliseconds;
}

/** How long before a token expires a warning appears, in milliseconds. */
const WARNING_TIME = 14 * MILLISECONDS_A_DAY;

/** When a token expires, if it has expired or will within 14 days; else undefined. Times are in milliseconds since 1970. */
export function nearEnd(token: Secret | undefined, now: number): number | undefined {
  const end = decodeToken(token)?.expiresAt;
  return end !== undefined && end - now <= WARNING_TIME ? end : undefined;
}

/** Refuses a token whose time is over; returns a warning for the last 14 days. `tokenHint` says how to give a new one. */
export function checkExpiry(token: Secret, now: number, tokenHint: string): string | undefined {
  const end = nearEnd(token, now);
  if (end === undefined) return undefined;
  const text = describeMoment(end, now);
  if (end > now) return `the token ends ${text}; ask the operator of the service for a new one`;
  throw new AuthError(`the token ended ${text}`, {
    hint: `Ask the operator of the service for another. ${tokenHint}`,
  });
}

/** A moment as date and distance: `on 2026-11-30 at 12:00 UTC (in 9 days)`. */
export function describeMoment(moment: number, now: number): string {
  const text = new Date(moment).toISOString();
  return `on ${text.slice(0, -14)} at ${text.slice(-13, -8)} UTC (${distance(moment - now)})`;
}

function distance(milliseconds: number): string {
  const days = Math.floor(Math.abs(milliseconds) / MILLISECONDS_A_DAY);
  const span = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`;
  return milliseconds < 0 ? `${span} ago` : `in ${span}`;
}
