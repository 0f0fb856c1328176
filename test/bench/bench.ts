import { cpus, totalmem } from 'node:os';
import { measureCalls } from './calls.ts';
import { measureGrowth } from './growth.ts';
import { measureMemory } from './memory.ts';
import { measureQuestions } from './questions.ts';
import { measureReconcile } from './reconcile.ts';
import { measureStartUp } from './start-up.ts';
import { measureSync } from './sync.ts';
import { measureThroughput } from './throughput.ts';

/*
 * `npm run bench`, or `npm run bench -- start speed` for some of it. Read the ratios: both sides of each are taken in the same
 * run, in turn. Seconds are of this machine at this moment.
 */

const sections = {
  start: measureStartUp,
  speed: measureThroughput,
  memory: measureMemory,
  calls: measureCalls,
  growth: measureGrowth,
  sync: measureSync,
  reconcile: measureReconcile,
  questions: measureQuestions,
} as const;

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in sections));
if (unknown !== undefined) {
  process.stderr.write(`there is no ${unknown}; there are ${Object.keys(sections).join(', ')}\n`);
  process.exitCode = 2;
} else {
  const processors = cpus();
  process.stdout.write(
    `Node ${process.versions.node}, ${processors.length} processors (${processors[0]?.model.trim()}), ` +
      `${Math.round(totalmem() / 2 ** 30)} GB\n`,
  );
  for (const [name, measure] of Object.entries(sections)) {
    if (asked.length === 0 || asked.includes(name)) await measure();
  }
}
