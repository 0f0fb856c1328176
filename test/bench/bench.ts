import { cpus, totalmem } from 'node:os';
import { measureMemory, measureStartUp, measureThroughput } from './exports.ts';
import { measureGrowth } from './growth.ts';
import { measureQuestions } from './questions.ts';
import { measureReconcile } from './reconcile.ts';
import { measureSync } from './sync.ts';

/*
 * `npm run bench`, or `npm run bench -- start speed` for some of it. Read the ratios: both sides of each are taken in the same
 * run, in turn. Seconds are of this machine at this moment.
 */

const sections = {
  start: measureStartUp,
  speed: measureThroughput,
  memory: measureMemory,
  growth: measureGrowth,
  sync: measureSync,
  reconcile: measureReconcile,
  questions: measureQuestions,
} as const;

const chosen = process.argv.slice(2);
const unknown = chosen.find((name) => !(name in sections));
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
    if (chosen.length === 0 || chosen.includes(name)) await measure();
  }
}
