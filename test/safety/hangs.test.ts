import { describe, expect, it } from 'vitest';
import { startHttpService } from '../support/servers.ts';
import { TRIES_ALL } from '../support/random-runs.ts';
import { startFolio } from '../support/run-folio.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { whenTestEnds } from '../support/when-test-ends.ts';
import { columns, HEAVY_BODIES, numbered, page, records } from './heavy-bodies.ts';

// A run that hangs meets the time limit of every test: careless work would take minutes.
describe('a body that is made to take time', () => {
  it.each(HEAVY_BODIES)('($name) takes none: the run ends by itself', async (heavy) => {
    const body = Buffer.from(heavy.body(heavy.size));
    const { baseUrl } = await startHttpService((_, response) => {
      response.writeHead(heavy.status ?? 200, { 'content-length': body.length });
      response.end(body);
    });
    const env = { FOLIO_BASE_URL: baseUrl };
    const { code, stderr } = await runHere([...heavy.args, '--retries', '0'], { env });
    expect(code).toBe(heavy.code ?? 0);
    expect(stderr).not.toContain("fault of folio's own");
  });
});

const OUT = `--output ${temporaryFolder()}/out`;
const wide = (count: number, rows: number) => () => page(`{${columns(count)}}`, rows);
const NOTE = 'x'.repeat(80);

/** Records and columns of which none is hostile: there are only many. */
const LARGE: readonly (readonly [what: string, flags: string, body: () => string])[] = [
  [
    'a page of 10 MB is read',
    '--format jsonl',
    () => records(numbered(100_000, (at) => `{"id":${at},"note":"${NOTE}"}`)),
  ],
  ['a page of 10 MB without ids is read', '--format csv', () => page(`{"note":"${NOTE}"}`, 100_000)],
  [
    '150,000 records are sorted',
    '--format jsonl --sort -a',
    () => records(numbered(150_000, (at) => `{"id":${at},"a":${(at * 7919) % 1_000_003}}`)),
  ],
  ['a table of 8,000 columns and 50 rows is drawn', '--format table --all', wide(8_000, 50)],
  ['a workbook of 8,000 columns and 50 rows is written', `${OUT}.xlsx`, wide(8_000, 50)],
  ['a Parquet file of 2,000 columns and 200 rows is written', `${OUT}.parquet`, wide(2_000, 200)],
];

/** Milliseconds from the end of the answer to the signal. In `npm test` each of these runs has one of them, in `.ci/run` each has all. */
const DELAYS = [0, 400, 1_200];

describe('a signal ends the run', () => {
  it.each(LARGE.map((run, at) => [...run, at] as const))('while %s', async (_, flags, body, at) => {
    const bytes = Buffer.from(body());
    for (const delay of TRIES_ALL ? DELAYS : [DELAYS[at % DELAYS.length]!]) {
      const service = await startHttpService((_, response) => {
        response.writeHead(200, { 'content-length': bytes.length });
        response.end(bytes, () => setTimeout(() => folio.process.kill('SIGINT'), delay));
      });
      const folio = startFolio(['customers', ...flags.split(' '), '--retries', '0'], {
        env: { FOLIO_BASE_URL: service.baseUrl },
      });
      whenTestEnds(() => void folio.process.kill('SIGKILL'));
      const { code, signal, stderr } = await folio.exit;
      await service.close();
      // Or it was done before the signal came; or it did not end in time by itself, and left that to the signal.
      expect([0, 130, 'SIGINT']).toContain(code ?? signal);
      expect(stderr).not.toContain("fault of folio's own");
    }
  });
});
