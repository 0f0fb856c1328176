import { describe, expect, it } from 'vitest';
import { countFigure, randomRuns, randomFrom } from '../support/random-runs.ts';
import type { FaultScript } from '../support/faults.ts';
import { ModelService, modelRecord } from '../support/model-service.ts';
import { MovingListing } from '../support/moving-listing.ts';
import { runModel } from '../support/run-model.ts';
import { passingFault } from './random-faults.ts';

const RUNS = randomRuns(500);

/** One export of a listing that moves, from a service that fails in one call of five. */
async function movingRun(seed: number) {
  const random = randomFrom(seed);
  const listing = new MovingListing(random, modelRecord);
  const script: FaultScript = () => {
    if (random(5) === 0) return passingFault(random);
    listing.change();
    return undefined;
  };
  const service = new ModelService({ issued: listing.records });
  const line = `issued --format jsonl --page-size ${1 + random(12)} --concurrency ${1 + random(4)}`;
  const turns = () => random(4);
  const { code, stdout, stderr } = await runModel(line.split(' '), { service, script, turns });
  const given = stdout === '' ? [] : stdout.trimEnd().split('\n');
  const fault = [0, 5, 6].includes(code) ? listing.faultOf(given, code === 0) : `exit ${code}: ${stderr}`;
  return { code, fault };
}

describe('a listing that moves under a service that fails', () => {
  it(`is exported with every lasting record once, or with the word that it may not be, in ${RUNS} runs`, async () => {
    const wrong: string[] = [];
    let whole = 0;
    for (let seed = 0; seed < RUNS; seed++) {
      const { code, fault } = await movingRun(seed);
      if (code === 0) whole++;
      if (fault !== undefined) wrong.push(`seed ${seed}: ${fault}`);
    }
    countFigure({ what: 'runs over a moving listing with faults', ran: RUNS, lost: wrong.length });
    expect(wrong).toEqual([]);
    expect(whole).toBeGreaterThan(RUNS / 2);
  });
});
