import type { Clock } from '../../src/context.ts';

/** A clock on which sleeping takes no time: it notes how long, and is that much later. Random is always 0.5. */
export function fakeClock(start = 0): Clock & { readonly slept: number[] } {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    random: () => 0.5,
    async sleep(milliseconds, signal) {
      signal.throwIfAborted();
      slept.push(milliseconds);
      const until = now + milliseconds;
      // Others who sleep from now on sleep beside this one, not after it.
      await new Promise((resolve) => setImmediate(resolve));
      now = Math.max(now, until);
      signal.throwIfAborted();
    },
  };
}
