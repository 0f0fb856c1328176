import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFaultServer, lines, runAgainst, withServer } from '../support/run-against.ts';
import { ModelService, modelRecords } from '../support/model-service.ts';
import { runFolio, TEST_TOKEN } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const issued = modelRecords(30);
const NOTHING = { FOLIO_CONFIG_DIR: undefined, FOLIO_TOKEN: undefined };

describe.concurrent('a run under cron', () => {
  it('needs FOLIO_TOKEN and FOLIO_BASE_URL and nothing else, and is quiet', async () => {
    const server = await startFaultServer(new ModelService({ issued }));
    await withServer(server, async () => {
      const env = { ...NOTHING, FOLIO_TOKEN: TEST_TOKEN, FOLIO_BASE_URL: server.baseUrl };
      const { code, stdout, stderr } = await runFolio(['issued', '--format', 'jsonl'], { env });
      expect({ code, stdout: stdout.toString(), stderr }).toEqual({
        code: 0,
        stdout: lines(issued),
        stderr: '',
      });
    });
  });

  it('takes a token file, and runs with stdin closed, from anywhere', async () => {
    const folder = temporaryFolder();
    const token = join(folder, 'token');
    await writeFile(token, `${TEST_TOKEN}\n`, { mode: 0o600 });
    const server = await startFaultServer(new ModelService({ issued }));
    await withServer(server, async () => {
      const args = ['issued', '--token-file', token, '-o', join(folder, 'out.jsonl')];
      const env = { ...NOTHING, FOLIO_BASE_URL: server.baseUrl };
      const { code, stdout, stderr } = await runFolio(args, {
        env,
        cwd: '/',
        shell: '"$@" <&-',
      });
      expect({ code, stdout: stdout.toString(), stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
    });
    expect(await readFile(join(folder, 'out.jsonl'), 'utf8')).toBe(lines(issued));
    expect((await readdir(folder)).sort()).toEqual(['out.jsonl', 'token']);
  });

  it('without a token says so and asks nobody: exit 3', async () => {
    const options = { env: NOTHING };
    const { code, text, stderr, requests } = await runAgainst({
      records: { issued },
      args: ['issued'],
      options,
    });
    expect({ code, text, requests: requests.length }).toEqual({ code: 3, text: '', requests: 0 });
    expect(stderr).toMatch(/^folio: there is no token\n/);
  });

  it('names a broken configuration, and does not touch it', async () => {
    const folder = temporaryFolder();
    await runFolio(['config', 'set', 'format', 'csv'], { env: { FOLIO_CONFIG_DIR: folder } });
    const [name] = await readdir(folder);
    const broken = '{"profiles": {"main": {"token": "';
    await writeFile(join(folder, name!), broken, { mode: 0o600 });
    const options = { env: { FOLIO_CONFIG_DIR: folder } };
    const { code, stderr, requests } = await runAgainst({ records: { issued }, args: ['issued'], options });
    expect({ code, requests: requests.length }).toEqual({ code: 2, requests: 0 });
    expect(stderr).toContain(join(folder, name!));
    expect(await readFile(join(folder, name!), 'utf8')).toBe(broken);
  });
});
