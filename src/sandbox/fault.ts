import { hash32 } from './data/hash.ts';
import { bodyForms, errorReply, gatewayReply, type Reply } from './endpoints/reply.ts';

/** Something that goes wrong with a request: given its proper answer, what the client gets instead. */
export type Fault = (proper: Reply) => Reply;

/**
 * Decides whether the nth request fails, and how. The same seed and order of requests give the same faults; a request
 * that is made again is another one, so that retrying helps.
 */
export function chooseFault(options: {
  seed: number;
  rate: number;
  call: number;
  now: number;
}): Fault | undefined {
  if (hash32(options.seed, options.call, 90) >= options.rate * 2 ** 32) return undefined;
  const random = hash32(options.seed, options.call, 91);
  const faults: readonly Fault[] = [
    () => errorReply(bodyForms[(random >>> 8) % bodyForms.length]!, 500, 'Internal error'),
    () => gatewayReply(502, 'Internal server error'),
    () => gatewayReply(503, 'Service Unavailable'),
    () => gatewayReply(429, 'Too Many Requests', { 'retry-after': '1' }),
    // The other form that Retry-After may have (RFC 9110).
    () =>
      gatewayReply(429, 'Too Many Requests', { 'retry-after': new Date(options.now + 1000).toUTCString() }),
    (proper) => ({ ...proper, breaks: 'at once' }),
    (proper) => ({ ...proper, breaks: 'halfway' }),
  ];
  return faults[random % faults.length];
}
