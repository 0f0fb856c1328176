/** What a token says of itself. The specification promises none of it: all is read if it is there and never relied on. */
export interface TokenClaims {
  readonly organizationId?: string;
  /** Milliseconds since 1970. */
  readonly issuedAt?: number;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** The furthest moment that a date can hold, in milliseconds. */
const endOfTime = 8.64e15;

/**
 * Decodes a token that is a JSON Web Token (RFC 7519). The signature is not checked: only the service can.
 *
 * @returns undefined for a token that does not decode; it is opaque, and fine.
 */
export function decodeToken(token: string): TokenClaims | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || decodePart(parts[0]!) === undefined) return undefined;
  const payload = decodePart(parts[1]!);
  if (payload === undefined) return undefined;
  const organizationId = nameIn(payload.get('organizationId'));
  const issuedAt = momentIn(payload.get('iat'));
  const expiresAt = momentIn(payload.get('exp'));
  return {
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(issuedAt === undefined ? {} : { issuedAt }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function decodePart(part: string): ReadonlyMap<string, unknown> | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? new Map(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}

/** A name fit to be shown: no control or invisible characters. */
function nameIn(value: unknown): string | undefined {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && /^\P{C}{1,200}$/u.test(text) ? text : undefined;
}

function momentIn(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number') return undefined;
  const milliseconds = seconds * 1000;
  return Math.abs(milliseconds) <= endOfTime ? milliseconds : undefined;
}
