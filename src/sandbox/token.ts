import { createHmac } from 'node:crypto';
import { gatewayReply, jsonReply, type Reply } from './reply.ts';

const secondsPerYear = 365 * 24 * 3600;

export interface IssuedToken {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/**
 * A token as the service operator issues it: a JSON Web Token (RFC 7519) that names the organization and ends after a
 * year. The service compares it as a whole, so nothing here reads one.
 */
export function issueToken(seed: number, organizationId: string, now: number): IssuedToken {
  const iat = Math.floor(now / 1000);
  const exp = iat + secondsPerYear;
  const head = encode({ alg: 'HS256', typ: 'JWT' });
  const signed = `${head}.${encode({ organizationId, iat, exp })}`;
  const signature = createHmac('sha256', `folio sandbox token ${seed}`).update(signed).digest('base64url');
  return { text: `${signed}.${signature}`, expires: exp * 1000 };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

const refusedToken = jsonReply(
  403,
  '{"Message":"User is not authorized to access this resource with an explicit deny"}',
);

/**
 * Which of the two organizations a request is of, by its Authorization header: the token exactly as issued and not
 * yet expired (spec 5). Otherwise the refusal; one with "Bearer" before it is simply another token.
 */
export function identify(
  tokens: readonly [IssuedToken, IssuedToken],
  authorization: string | undefined,
  now: number,
): 0 | 1 | Reply {
  if (authorization === undefined || authorization === '') return gatewayReply(401, 'Unauthorized');
  const place = tokens.findIndex(({ text }) => text === authorization);
  if (place < 0 || tokens[place]!.expires <= now) return refusedToken;
  return place === 0 ? 0 : 1;
}
