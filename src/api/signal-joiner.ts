/**
 * Joins the signals that requests bring with `base`: the result is aborted, with the same reason, as soon as either is.
 * Each is joined once, however many requests bring it.
 */
export function signalJoiner(base: AbortSignal): (own: AbortSignal | undefined) => AbortSignal {
  const joined = new WeakMap<AbortSignal, AbortSignal>();
  return (own) => {
    if (own === undefined || own === base) return base;
    const known = joined.get(own);
    if (known !== undefined) return known;
    const either = AbortSignal.any([base, own]);
    joined.set(own, either);
    return either;
  };
}
