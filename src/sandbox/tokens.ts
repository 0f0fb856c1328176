import { createHmac } from 'node:crypto';

export interface IssuedToken {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** True when the service refuses it although it has not ended. */
  readonly isDeactivated?: boolean;
}

/** Seconds that a token lasts. */
export const TOKEN_LIFE = 365 * 24 * 3600;

/**
 * A token as the service operator issues it: a JSON Web Token (RFC 7519) that names the organization and ends after a
 * year. The service compares it as a whole, so nothing here reads one.
 */
export function issueToken(key: Buffer, organizationId: string, issuedAt: number): IssuedToken {
  const iat = Math.floor(issuedAt / 1000);
  const exp = iat + TOKEN_LIFE;
  const head = encode({ alg: 'HS256', typ: 'JWT' });
  const signed = `${head}.${encode({ organizationId, iat, exp })}`;
  const signature = createHmac('sha256', key).update(signed).digest('base64url');
  return { text: `${signed}.${signature}`, expires: exp * 1000 };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/**
 * Which of the two organizations a request is of, by its Authorization header: the token exactly as issued and not yet expired
 * (spec 5); undefined for any other text. One with "Bearer" before it is simply another token.
 */
export function findOrganization(
  tokens: readonly [IssuedToken, IssuedToken],
  authorization: string,
  now: number,
): 0 | 1 | undefined {
  const place = ([0, 1] as const).find((at) => tokens[at].text === authorization);
  if (place === undefined) return undefined;
  const { expires, isDeactivated = false } = tokens[place];
  return expires <= now || isDeactivated ? undefined : place;
}
