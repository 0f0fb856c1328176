/** What `npm test` tries of each random run is a tenth; `.ci/run` tries all of it, `npm run figures` and `npm run soak` a multiple. */
const SHARE = Number(process.env['FOLIO_RUNS'] ?? 0.1);

/**
 * Where the random values of fast-check begin. They are the same in each run of `npm test` and of `.ci/run`, so that what fails there
 * fails by the change at hand, everywhere and again; `npm run figures` and `npm run soak` draw new ones, and print where they began.
 */
export const RANDOM_SEED = Number(process.env['FOLIO_SEED'] ?? 1);

/** Whether all is tried that `.ci/run` tries: a table of which `npm test` takes every second row is then whole. */
export const TRIES_ALL = SHARE >= 1;

/** How many of the tries that a random run has in all are made this time: at least one. */
export function randomRuns(all: number): number {
  return Math.max(1, Math.round(all * SHARE));
}
