import { describe, expect, it } from 'vitest';
import { countFigure, randomRuns } from '../support/random-runs.ts';
import { faultOf, plausibleRun } from './plausible-run.ts';

const RUNS = randomRuns(200);
/** Other runs than the first ones, for who looks for more. */
const FIRST = Number(process.env['FOLIO_PLAUSIBLE_FIRST'] ?? 0);

describe('services that are free where the specification is silent', () => {
  it(`are exported whole, or with a true word about what may be missing, in ${RUNS} runs`, async () => {
    const wrong: string[] = [];
    const codes = new Map<number, number>();
    let [lost, quiet, quietWhole] = [0, 0, 0];
    for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
      const run = await plausibleRun(seed);
      codes.set(run.code, (codes.get(run.code) ?? 0) + 1);
      const fault = faultOf(run);
      if (fault !== undefined && run.code === 0) lost++;
      if (run.freedoms.repeating && run.service.requests > 60)
        wrong.push(`seed ${seed}: ${run.service.requests} requests`);
      if (run.freedoms.drift === 'none' && run.freedoms.order === 'stable' && !run.freedoms.repeating) {
        quiet++;
        if (run.code === 0) quietWhole++;
      }
      if (fault !== undefined)
        wrong.push(
          `seed ${seed}: ${fault}: ${run.argv.join(' ')} ${JSON.stringify(run.freedoms)}\n${run.stderr}`,
        );
    }
    countFigure({ what: 'plausible services', ran: RUNS, lost });
    expect(wrong).toEqual([]);
    // A program that always gave up would pass the checks above.
    expect(codes.get(0)).toBeGreaterThan(RUNS / 2);
    expect(quietWhole).toBeGreaterThan(quiet * 0.8);
  }, 3_600_000);
});
