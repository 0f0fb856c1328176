import { expect, it } from 'vitest';
import { jsonReply } from '../../src/sandbox/endpoints/reply.ts';
import { PageCache } from '../../src/sandbox/page-cache.ts';

it('keeps the latest answers within its bytes, and none that is too large or not whole', () => {
  const cache = new PageCache(80_000);
  const names = Array.from({ length: 20 }, (_, index) => `page ${index}`);
  for (const name of names) cache.set(name, jsonReply(200, Buffer.alloc(9000)));
  expect(names.filter((name) => cache.get(name) !== undefined)).toEqual(names.slice(-8));
  cache.set('large', jsonReply(200, Buffer.alloc(10_001)));
  cache.set('pieces', jsonReply(200, [Buffer.alloc(1)]));
  expect([cache.get('large'), cache.get('pieces')]).toEqual([undefined, undefined]);
});
