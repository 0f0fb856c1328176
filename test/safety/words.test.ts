import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { status } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, quickly, startFaultServer } from '../support/run-against.ts';
import { runFolio, startFolio } from '../support/run-folio.ts';
import { runHere } from '../support/run-here.ts';
import { loopbackServer } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('what no service should send', () => {
  const STATUSES = ['1.1 000 No', '1.1 099 Low', '1.1 999 High', '1.1 1000 Long', '9.9 200 OK'];
  it.each(STATUSES)('HTTP/%s is a sentence and exit 5', async (line) => {
    const head = `HTTP/${line}\r\nContent-Length: 2\r\n\r\n{}`;
    const { host } = await loopbackServer((socket) => socket.end(head));
    const env = { FOLIO_BASE_URL: `http://${host}/v1` };
    const exit = await runHere(['issued', '--format', 'csv', '--retries', '0', '--timeout', '5'], { env });
    expect(exit).toMatchObject({ code: 5, stderr: expect.stringMatching(/^folio: .*127\.0\.0\.1/) });
    expect(exit.stderr).not.toContain("fault of folio's own");
  });
});

/** Sets the clock of the process back once a second request is on its way. */
const setBack = (milliseconds: number): string =>
  `--import=data:text/javascript,${encodeURIComponent(
    `const now=Date.now,sent=performance.now();Date.now=()=>now()-(performance.now()-sent>300?${milliseconds}:0)`,
  )}`;

const issued = modelRecords(30);
const ARGS = ['issued', '--page-size', '10'];

describe.concurrent('a clock that is set back during a pause', () => {
  it.each([3_600_000, 366 * 86_400_000])('by %i ms does not make the pause longer', async (milliseconds) => {
    const busy = status(429, { 'retry-after': '1' });
    const server = await startFaultServer({ issued }, ({ number }) => (number === 1 ? busy : undefined));
    const args = quickly([...ARGS, '--format', 'jsonl', '--concurrency', '1'], server);
    const { code, stdout } = await runFolio(args, { env: { NODE_OPTIONS: setBack(milliseconds) } });
    expect([code, stdout.toString('utf8')]).toEqual([0, lines(issued)]);
  });
});

describe('a temporary file that somebody exchanges', () => {
  it('does not get the name: exit 1, the old file stays', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'out.csv');
    writeFileSync(file, 'old\n');
    let isOpen = false;
    const server = await startFaultServer({ issued }, ({ number }) =>
      number >= 2 && !isOpen ? status(503) : undefined,
    );
    const { exit } = startFolio(quickly([...ARGS, '-o', file, '--retries', '100'], server));
    await server.received(3);
    const [name] = readdirSync(folder).filter((entry) => /^\.out\.csv.*\.folio-tmp$/.test(entry));
    expect(name).toBeDefined();
    writeFileSync(join(folder, 'other'), '=evil\n');
    renameSync(join(folder, 'other'), join(folder, name!));
    isOpen = true;
    const { code, stderr } = await exit;
    expect({ code, text: readFileSync(file, 'utf8') }).toEqual({ code: 1, text: 'old\n' });
    expect(stderr).toContain('another file was put in its place');
  });
});
