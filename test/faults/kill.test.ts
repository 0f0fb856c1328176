import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startFaultServer, lines, quickly, withServer } from '../support/run-against.ts';
import { countFigure, randomRuns, randomFrom } from '../support/random-runs.ts';
import { ModelService, modelRecords } from '../support/model-service.ts';
import { runFolio, startFolio } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = randomRuns(20);
const PAGES = 12;

const issued = modelRecords(PAGES * 50);
const OLD = 'the old file\n';

describe('a kill at a random moment', () => {
  it(
    `leaves the old file or the new one, ${KILLS} times, and nothing after a run of the next day`,
    async () => {
      const folder = temporaryFolder();
      const file = join(folder, 'out.jsonl');
      const args = ['issued', '--page-size', '50', '-o', file];
      const whole = lines(issued);
      const torn: string[] = [];
      let interrupted = 0;
      for (let seed = 0; interrupted < KILLS && seed < 3 * KILLS; seed++) {
        const random = randomFrom(seed);
        await writeFile(file, OLD);
        await withServer(await startFaultServer(new ModelService({ issued })), async (server) => {
          const { process, exit } = startFolio(quickly(args, server));
          // Half of the kills fall into the end of the run, where the file is flushed and renamed.
          const requests = random(2) === 0 ? PAGES + 1 : random(PAGES + 1);
          await Promise.race([server.asked(requests), exit]);
          await wait(random(20));
          process.kill('SIGKILL');
          if ((await exit).signal === 'SIGKILL') interrupted++;
          const left = await readFile(file, 'utf8');
          if (left !== OLD && left !== whole) torn.push(`seed ${seed}: ${left.length} bytes`);
        });
      }
      // What the killed runs left beside the file is removed a day later.
      for (const name of (await readdir(folder)).filter((name) => name !== 'out.jsonl'))
        await utimes(join(folder, name), 0, 0);
      await withServer(await startFaultServer(new ModelService({ issued })), async (server) => {
        expect(await runFolio(quickly(args, server))).toMatchObject({ code: 0 });
      });
      expect(await readFile(file, 'utf8')).toBe(whole);
      expect(await readdir(folder)).toEqual(['out.jsonl']);
      countFigure({ what: 'kills at random moments', ran: interrupted, lost: torn.length });
      expect(torn).toEqual([]);
      // A run that ends before its kill is not counted.
      expect(interrupted).toBe(KILLS);
    },
    60_000 + KILLS * 2_000,
  );
});
