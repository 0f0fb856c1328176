import { expect, it } from 'vitest';
import { Limiter } from '../../src/api/limiter.ts';

it('a limiter lets go of one who waits when the signal is aborted, and of no room', async () => {
  const inFlight = new Limiter(1);
  const { signal } = new AbortController();
  const controller = new AbortController();
  const leave = await inFlight.acquire(signal);
  const waiting = inFlight.acquire(controller.signal);
  let isLetIn = false;
  const next = inFlight.acquire(signal).then(() => (isLetIn = true));
  controller.abort('stopped');
  await expect(waiting).rejects.toBe('stopped');
  await expect(inFlight.acquire(controller.signal)).rejects.toBe('stopped');
  expect(isLetIn).toBe(false);
  leave();
  await next;
});
