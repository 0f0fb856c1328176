import { gatewayReply, jsonReply, type Reply } from './endpoints/reply.ts';
import type { IssuedToken } from './token.ts';

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
