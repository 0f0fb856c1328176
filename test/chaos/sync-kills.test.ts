import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { countFigure, randomRuns, randomFrom } from '../support/random-runs.ts';
import { modelRecords } from '../support/model-service.ts';
import { ask, describeDatabases, postgresForTests } from '../support/databases.ts';
import { duringSync, runSync } from '../support/run-against.ts';

const KILLS = randomRuns(5);
const RECORDS = 2_000;

const server = postgresForTests();

/** Two states of the books that differ in a third of the records, in ones that are gone and in new ones. */
const states = [0, 1].map((state) =>
  modelRecords(RECORDS, 20 * state).map((record, at) =>
    at % 3 === 0 ? record.replace('"net":', `"state":${state},"net":`) : record,
  ),
);

describeDatabases('folio sync into %s', (newAddress, engine) => {
  it(
    'killed at any moment leaves the old state or the new one, and the next run succeeds',
    { timeout: 600_000 },
    async () => {
      const address = await newAddress();
      const stored = async (): Promise<{ records: string[]; run: number; history: number }> => {
        const records = await ask(address, 'SELECT _raw FROM issued WHERE _gone_run IS NULL');
        const [counts] = await ask(
          address,
          'SELECT (SELECT max(run) FROM _runs), (SELECT count(*) FROM issued_history)',
        );
        const [run, history] = counts!.split('|');
        return { records: records.toSorted(), run: Number(run), history: Number(history) };
      };
      const args = [address, 'issued', '--allow-gone'];
      const draw = randomFrom(7);
      await runSync({ issued: states[0]! }, args);
      let [current, longest, killedWriting] = [0, 0, 0];
      for (let kill = 0; kill < KILLS; kill++) {
        const before = await stored();
        const next = states[1 - current]!;
        const delay = kill === 0 ? 0 : draw(Math.round(longest * 1.1));
        await duringSync({ records: { issued: next }, args }, async ({ process, exit }) => {
          await setTimeout(delay);
          process.kill('SIGKILL');
          await exit;
        });
        // It may still be committing, and has the lock.
        if (engine === 'PostgreSQL') await server().left(address);
        const after = await stored();
        const isNew = after.run === before.run + 1;
        if (isNew) killedWriting++;
        else expect(after).toEqual(before);
        expect(after.records).toEqual((isNew ? next : states[current]!).toSorted());
        const started = performance.now();
        const { code, stderr } = await runSync({ issued: next }, args);
        longest = Math.max(longest, performance.now() - started);
        expect([code, stderr]).toEqual([0, '']);
        expect((await stored()).records).toEqual(next.toSorted());
        current = 1 - current;
      }
      countFigure({ what: `kills of a sync into ${engine}`, ran: KILLS, lost: 0 });
      expect(killedWriting).toBeLessThan(KILLS);
    },
  );
});
