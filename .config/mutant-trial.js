/*
 * One trial of `mutants.js`, which has vitest run it as a file of tests: it loads some files of tests anew, with one mutant in
 * force, or with none, to see which mutants they reach. It ends with its first failure. What came of it is appended to a file,
 * since a mutant may end the process.
 */
import { appendFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { configureGlobal, readConfigureGlobal } from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, it, vi } from 'vitest';

/** Milliseconds of the processor that a file of tests may take besides three times of what it takes without a mutant. */
const OVERHEAD = 3_000;

export async function tryTests({ name, mutant, files, mostHits, log }) {
  const tell = (line) => appendFileSync(log, `${JSON.stringify({ name, ...line })}\n`);
  const reached = {};
  const began = millisUsed();
  let hits = 0;
  let hasFailed = false;

  // The two functions that instrumented code calls. One notes which mutants are reached, the other puts one of them in force.
  globalThis.stryCov_9fa48 = (...ids) => {
    if (mutant === undefined) for (const id of ids) reached[id] = (reached[id] ?? 0) + 1;
  };
  globalThis.stryMutAct_9fa48 = (id) => {
    if (id !== mutant) return false;
    // A loop that would never end, ended from within.
    if (++hits > mostHits) throw new Error('the mutant is reached far more often than the code in its place');
    return true;
  };
  beforeEach(({ skip }) => skip(hasFailed));
  afterEach(({ task }) => void (hasFailed ||= task.result?.state === 'fail'));
  afterAll(() => tell({ hasEnded: true, millis: millisUsed() - began, reached }));

  // Where all tests are skipped, for want of a program, no hook would run.
  it('begins', () => {});

  tell({});
  vi.resetModules();
  endAfter(OVERHEAD);
  // Anew like the tests, which hand it what is to be released.
  await import('../test/support/around-each-file.ts');
  // One example that fails is enough.
  configureGlobal({ ...readConfigureGlobal(), endOnFailure: true });
  for (const { file, millis } of files) {
    describe(file, async () => {
      const limit = OVERHEAD + 3 * millis;
      endAfter(limit);
      try {
        await import(/* @vite-ignore */ file);
      } catch (error) {
        it(file, () => Promise.reject(error));
      }
      beforeAll(() => endAfter(limit));
    });
  }
}

/** The processor's time that this process took: others use the machine, too. */
function millisUsed() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Ends the process when it uses so much more of the processor, or none of it for 40 s (a browser may take its time): for loops and waits without end. */
function endAfter(millis) {
  globalThis.mutantLimit ??= watch(new Float64Array(new SharedArrayBuffer(8)));
  globalThis.mutantLimit[0] = millisUsed() + millis;
}

function watch(limit) {
  const thread = new Worker(
    `const { workerData: limit } = require('node:worker_threads');
    let [last, idle] = [0, 0];
    setInterval(() => {
      const { user, system } = process.cpuUsage();
      const used = (user + system) / 1000;
      idle = used - last < 2 ? idle + 1 : 0;
      last = used;
      if (used > limit[0] || idle === 80) process.kill(process.pid, 'SIGKILL');
    }, 500);`,
    { eval: true, workerData: limit },
  );
  thread.unref();
  return limit;
}
