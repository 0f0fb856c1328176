import { readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startInvoiceService } from '../support/invoice-service.ts';
import { modelRecords } from '../support/model-service.ts';
import { countFigure, randomFrom, randomRuns } from '../support/random-runs.ts';
import { lines, quickly, startFaultServer } from '../support/run-against.ts';
import { runFolio, startFolio } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = randomRuns(20);
const PAGES = 12;

const issued = modelRecords(PAGES * 50);
const OLD = 'the old file\n';

describe('a kill at a random moment', () => {
  const title = `leaves the old file or the new one, ${KILLS} times, and nothing after a run of the next day`;
  it(title, { timeout: 60_000 + KILLS * 2_000 }, async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'out.jsonl');
    const args = ['issued', '--page-size', '50', '-o', file];
    const whole = lines(issued);
    const torn: string[] = [];
    let interrupted = 0;
    // As if they were a day old, so that the next run removes them.
    const ageLeftovers = (): void => {
      for (const name of readdirSync(folder)) if (name !== 'out.jsonl') utimesSync(join(folder, name), 0, 0);
    };
    for (let seed = 0; interrupted < KILLS && seed < 3 * KILLS; seed++) {
      if (seed % 100 === 99) ageLeftovers();
      const random = randomFrom(seed);
      writeFileSync(file, OLD);
      const server = await startFaultServer({ issued });
      const { process, exit } = startFolio(quickly(args, server));
      // Half of the kills fall into the end of the run, where the file is flushed and renamed.
      const requests = random(2) === 0 ? PAGES + 1 : random(PAGES + 1);
      await Promise.race([server.received(requests), exit]);
      await wait(random(20));
      process.kill('SIGKILL');
      if ((await exit).signal === 'SIGKILL') interrupted++;
      const left = readFileSync(file, 'utf8');
      if (left !== OLD && left !== whole) torn.push(`seed ${seed}: ${left.length} bytes`);
      await server.close();
    }
    ageLeftovers();
    const exit = await runFolio(quickly(args, await startFaultServer({ issued })));
    expect([exit.code, readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual([0, whole, ['out.jsonl']]);
    countFigure({ what: 'kills at random moments', ran: interrupted, lost: torn.length });
    expect(torn).toEqual([]);
    // A run that ends before its kill is not counted.
    expect(interrupted).toBe(KILLS);
  });
});

describe('a download that is killed', () => {
  const CONTENT = `%PDF-${'whole '.repeat(20_000)}`;
  it('leaves whole files only, and the next one goes on', async () => {
    const invoices = Array.from({ length: 40 }, (_, at) => ({ id: at, number: at, files: [`/f/${at}.pdf`] }));
    let requests = 0;
    let kill = (): void => {};
    const service = await startInvoiceService(invoices, (_request, response) => {
      // Now and then a body stops halfway, so that there are halves when the kill comes.
      if (++requests % 5 !== 0) return void response.end(CONTENT);
      response.writeHead(200, { 'content-length': CONTENT.length });
      response.write(CONTENT.slice(0, 60_000), () => kill());
    });
    const folder = temporaryFolder();
    const args = ['issued', 'download', folder, '--base-url', service.origin, '--retry-delay', '1'];
    const ends: (string | null)[] = [];
    for (let round = 0; round < 3; round++) {
      const { process, exit } = startFolio(args);
      let halves = 0;
      kill = () => void (++halves === 2 && process.kill('SIGKILL'));
      ends.push((await exit).signal);
      for (const name of readdirSync(folder).filter((name) => !name.startsWith('.')))
        expect(readFileSync(join(folder, name), 'utf8') === CONTENT, name).toBe(true);
    }
    expect(ends).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL']);
    requests = Number.NEGATIVE_INFINITY;
    const { code, stdout } = await runFolio(args);
    expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/,there$/m)]);
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toHaveLength(40);
    expect(readdirSync(folder)).toHaveLength(40);
  });
});
