import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { onTestFinished } from 'vitest';
import { bundleProgram } from '../support/bundle-program.ts';
import { pathOf, startProgram } from '../support/programs.ts';

/**
 * A run reduced to its output: it opens the target, writes five pieces of 100 kB, begins the file anew with them, writes five others,
 * and commits; a line before each step.
 */
const PROGRAM = `
  import { writeSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  import { openDestination } from './src/output/files/open-destination.ts';
  import { processTable } from './src/output/files/processes.ts';

  const [target, hold] = process.argv.slice(2);
  const clock = { now: Date.now, random: Math.random, sleep: (ms, signal) => setTimeout(ms, undefined, { signal }) };
  const step = (name) => writeSync(1, name + '\\n');
  try {
    step('open');
    const destination = await openDestination(target, { clock, processes: processTable(process) }, { hasReceipt: true });
    const writeFrom = async (first) => {
      for (let piece = first; piece < first + 5; piece++) {
        step('write');
        await destination.write(String(piece).repeat(100_000));
      }
    };
    await writeFrom(0);
    step('begin anew');
    for await (const piece of await destination.startOver(Array(5).fill(100_000))) await destination.write(piece);
    await writeFrom(5);
    if (hold) await new Promise((resolve) => process.stdin.once('data', resolve));
    step('commit');
    await destination.commit();
    step('done');
    process.stdin.destroy();
  } catch (error) {
    step(error.name + ': ' + error.message);
  }
`;

/** What the program writes. */
export const WHOLE = Array.from({ length: 10 }, (_, piece) => String(piece).repeat(100_000)).join('');

/** Builds the program and returns its path. */
export function buildProgram(): Promise<string> {
  return bundleProgram(PROGRAM);
}

interface WritingProcess {
  readonly child: ChildProcess;
  /** The steps so far. */
  readonly steps: readonly string[];
  /** Resolves when there are so many steps, or the process has ended. */
  reached(count: number): Promise<void>;
  readonly ended: Promise<void>;
}

/** Starts the program on a target; with `hold` it waits for a line on its input before the commit. */
export function startWriting(
  program: string,
  target: string,
  { hold = false, limit = '' } = {},
): WritingProcess {
  const node = [pathOf('node'), program, target, ...(hold ? ['hold'] : [])];
  // `exec`, so that a kill reaches the program itself.
  const child = startProgram('sh', ['-c', `${limit} exec "$@"`, 'sh', ...node], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const steps: string[] = [];
  const progress = new EventEmitter();
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    steps.push(...text.split('\n').filter((line) => line !== ''));
    progress.emit('change');
  });
  const ended = once(child, 'close').then(() => void progress.emit('change'));
  return {
    child,
    steps,
    ended,
    async reached(count) {
      while (steps.length < count && child.exitCode === null && child.signalCode === null) {
        await once(progress, 'change');
      }
    },
  };
}
