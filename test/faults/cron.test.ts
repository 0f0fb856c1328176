import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelRecords } from '../support/model-service.ts';
import { lines, runAgainst, startFaultServer } from '../support/run-against.ts';
import { runFolio } from '../support/run-folio.ts';
import { TEST_TOKEN } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const issued = modelRecords(30);
const NOTHING = { FOLIO_CONFIG_DIR: undefined, FOLIO_TOKEN: undefined };

describe.concurrent('a run under cron', () => {
  it('needs FOLIO_TOKEN and FOLIO_BASE_URL and nothing else, and is quiet', async () => {
    const { baseUrl } = await startFaultServer({ issued });
    const env = { ...NOTHING, FOLIO_TOKEN: TEST_TOKEN, FOLIO_BASE_URL: baseUrl };
    const exit = await runFolio(['issued', '--format', 'jsonl'], { env });
    expect(exit).toMatchObject({ code: 0, stdout: Buffer.from(lines(issued)), stderr: '' });
  });

  it('takes a token file, and runs with stdin closed, from anywhere', async () => {
    const folder = temporaryFolder();
    const [token, output] = [join(folder, 'token'), join(folder, 'out.jsonl')];
    writeFileSync(token, `${TEST_TOKEN}\n`, { mode: 0o600 });
    const { baseUrl } = await startFaultServer({ issued });
    const env = { ...NOTHING, FOLIO_BASE_URL: baseUrl };
    const args = ['issued', '--token-file', token, '-o', output];
    const exit = await runFolio(args, { env, cwd: '/', shell: '"$@" <&-' });
    expect(exit).toMatchObject({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    expect(readFileSync(output, 'utf8')).toBe(lines(issued));
    expect(readdirSync(folder).toSorted()).toEqual(['out.jsonl', 'token']);
  });

  it('without a token says so and asks nobody: exit 3', async () => {
    const options = { env: NOTHING };
    const exit = await runAgainst({ records: { issued }, args: ['issued'], options });
    expect(exit).toMatchObject({ code: 3, text: '', requests: [] });
    expect(exit.stderr).toMatch(/^folio: there is no token\n/);
  });
});
