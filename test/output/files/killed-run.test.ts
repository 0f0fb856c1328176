import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDestination } from '../../../src/output/files/open-destination.ts';
import { processTable } from '../../../src/output/files/processes.ts';
import { destinationContext } from '../destination-context.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { buildProgram, startWriting, WHOLE } from '../writing-process.ts';

/** 1 open, 10 writes and, between them, 1 beginning anew, 1 commit, 1 done. */
const STEPS = 14;

async function writeAgain(target: string): Promise<void> {
  const destination = await openDestination(
    target,
    destinationContext({ processes: processTable(process) }),
    { hasReceipt: true },
  );
  await destination.write('again');
  await destination.commit();
}

/** Lets a day pass for what the killed run left, after which the next one removes it. */
function age(folder: string): void {
  const then = Date.UTC(2026, 9, 1) / 1000;
  for (const name of readdirSync(folder).filter((name) => name.startsWith('.')))
    utimesSync(join(folder, name), then, then);
}

describe.skipIf(process.platform === 'win32')('a run of the real program', () => {
  let program: string;
  beforeAll(async () => void (program = await buildProgram()));

  it('killed at any step leaves the old file or the new one, and no trace after a day', async () => {
    const folder = temporaryFolder();
    const target = join(folder, 'out.csv');
    for (let step = 1; step <= STEPS; step++) {
      writeFileSync(target, 'old');
      const run = startWriting(program, target);
      await run.reached(step);
      run.child.kill('SIGKILL');
      await run.ended;
      expect(['old', WHOLE]).toContain(readFileSync(target, 'utf8'));
      if (run.steps.includes('done')) expect(readFileSync(target, 'utf8')).toBe(WHOLE);
      age(folder);
      await writeAgain(target);
      expect([readdirSync(folder), readFileSync(target, 'utf8')]).toEqual([['out.csv'], 'again']);
    }
  });

  it('leaves its lock and its temporary file when it is killed while it writes', async () => {
    const folder = temporaryFolder();
    const run = startWriting(program, join(folder, 'out.csv'), { hold: true });
    await run.reached(12);
    run.child.kill('SIGKILL');
    await run.ended;
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/\.folio-tmp$/), '.out.csv.folio-lock']);
  });

  it('holds off a second one, which says whose turn it is', async () => {
    const folder = temporaryFolder();
    const target = join(folder, 'out.csv');
    const first = startWriting(program, target, { hold: true });
    await first.reached(12);
    const second = startWriting(program, target);
    await second.ended;
    expect(second.steps).toEqual([
      'open',
      expect.stringMatching(
        new RegExp(
          `^OutputError: another run \\(pid ${first.child.pid}, since 20.*Z\\) is writing ${target}$`,
        ),
      ),
    ]);
    first.child.stdin?.write('go\n');
    await first.ended;
    expect(first.steps.at(-1)).toBe('done');
    expect([readdirSync(folder), readFileSync(target, 'utf8')]).toEqual([['out.csv'], WHOLE]);
  });

  it('that may write no more (disk full, quota, file too large) keeps the old file', async () => {
    const folder = temporaryFolder();
    const target = join(folder, 'out.csv');
    writeFileSync(target, 'old');
    // The limit of a shell on the size of files stands for a full disk: a write goes so far and then fails.
    const run = startWriting(program, target, { limit: 'ulimit -f 512;' });
    await run.ended;
    expect(run.steps.at(-1)).toBe(`OutputError: cannot write ${target}: file too large (EFBIG)`);
    expect([readdirSync(folder), readFileSync(target, 'utf8')]).toEqual([['out.csv'], 'old']);
  });
});
