import { setMaxListeners } from 'node:events';

/**
 * Joins the signals that requests bring with `base`: the result is aborted, with the same reason, as soon as either is.
 * Each is joined once, however many requests bring it.
 */
export function signalJoiner(base: AbortSignal): (own: AbortSignal | undefined) => AbortSignal {
  const joined = new WeakMap<AbortSignal, AbortSignal>();
  // Every request in flight or waiting listens to it, which is no leak for the runtime to warn of.
  setMaxListeners(0, base);
  return (own) => {
    if (own === undefined || own === base) return base;
    const known = joined.get(own);
    if (known !== undefined) return known;
    const either = AbortSignal.any([base, own]);
    setMaxListeners(0, either);
    joined.set(own, either);
    return either;
  };
}
