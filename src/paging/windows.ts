import type { Window } from './page.ts';

/**
 * The page of at most `most` records that goes furthest beyond `from` and begins before it, at `floor` at the earliest:
 * so that it holds the last record of the page before as well. A page begins at a multiple of its size, thus the
 * size gives way by a few records; one that begins at `from` itself is taken only where no other goes on from there.
 */
export function overlappingWindow(from: number, most: number, floor = 0): Window {
  let best: Window | undefined;
  let gain = 0;
  for (let size = most; size > gain; size--) {
    const overlap = from % size;
    if (overlap === 0 || overlap > from - floor || size - overlap <= gain) continue;
    gain = size - overlap;
    best = { offset: from - overlap, size };
  }
  return best ?? adjoiningWindow(from, most);
}

/** The largest page of at most `most` records that begins at `from`. */
export function adjoiningWindow(from: number, most: number): Window {
  let size = most;
  while (from % size !== 0) size--;
  return { offset: from, size };
}
