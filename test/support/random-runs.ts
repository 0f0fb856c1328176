import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `npm test` tries of each random run is a twentieth; `.ci/run` tries all of it, `npm run figures` and `npm run soak` a multiple. */
const SHARE = Number(process.env['FOLIO_RUNS'] ?? 0.05);

/**
 * Where random values begin. They are the same in each run of `npm test` and of `.ci/run`, so that what fails there
 * fails by the change at hand, everywhere and again; `npm run figures` and `npm run soak` draw new ones, and print where they began.
 */
export const RANDOM_SEED = Number(process.env['FOLIO_SEED'] ?? 1);

/** Whether all is tried that `.ci/run` tries: a table of which `npm test` takes every second row is then whole. */
export const TRIES_ALL = SHARE >= 1;

/** How many of the tries that a random run has in all are made this time: at least one. */
export const randomRuns = (all: number): number => Math.max(1, Math.round(all * SHARE));

/** A small generator of pseudo-random whole numbers (mulberry32): the same row for the same seed, and for the same `RANDOM_SEED`. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed + (RANDOM_SEED - 1) * 1_000_003;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** What was run, in the plural: `chaos runs`; how many of them lost something silently, or let something out; or such counts. */
interface Figure {
  readonly what: string;
  readonly ran: number;
  readonly lost?: number;
  readonly leaked?: number;
  readonly outcome?: string;
}

/** Counts what a test ran, for `npm run figures`, which names the folder; in other runs nothing is kept. */
export function countFigure(figure: Figure): void {
  const folder = process.env['FOLIO_FIGURES'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${figure.what.replaceAll(' ', '-')}.json`), JSON.stringify(figure));
}
