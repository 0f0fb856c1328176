import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { modelRecords } from '../support/model-service.ts';
import { lines, quickly, startFaultServer } from '../support/run-against.ts';
import { runFolio, startFolio } from '../support/run-folio.ts';
import { TEST_TOKEN } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const issued = modelRecords(20_000);

/** A service, and a command line that lists all it has in pages of that size. */
async function listing(size = 500) {
  const server = await startFaultServer({ issued });
  const args = quickly(['issued', '--page-size', String(size), '--format', 'jsonl'], server);
  return { args, requests: server.requests };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe.concurrent('a reader of standard output', () => {
  it('that leaves early ends the run quietly, and no more is asked for', async () => {
    const { args, requests } = await listing();
    const { process, exit } = startFolio(args);
    process.stdout!.once('data', () => process.stdout!.destroy());
    expect(await exit).toMatchObject({ code: 0, stderr: '' });
    expect(requests.length).toBeLessThan(30);
  });

  it('that is `head` gets its lines', async () => {
    const shell = '{ "$@"; echo "code $?" >&2; } | head -n 3';
    const { stdout, stderr } = await runFolio((await listing()).args, { shell });
    expect([stdout.toString(), stderr]).toEqual([lines(issued.slice(0, 3)), 'code 0\n']);
  });

  it('that is slow gets every byte', async () => {
    const { process, exit } = startFolio((await listing()).args);
    const hash = createHash('sha256');
    const code = exit.then((ended) => ended.code);
    for await (const chunk of process.stdout!.removeAllListeners('data') as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await wait(2);
    }
    expect([await code, hash.digest('hex')]).toEqual([0, sha256(lines(issued))]);
  });

  it('that reads nothing keeps no run from being stopped', async () => {
    const { args, requests } = await listing(100);
    const { process, exit } = startFolio(args);
    try {
      process.stdout!.removeAllListeners('data').pause();
      for (let seen = -1; seen !== requests.length || seen === 0; await wait(300)) seen = requests.length;
      process.kill('SIGTERM');
      // Behind what is left in the pipe, which would hide that it has ended.
      await once(process, 'exit');
      process.stdout!.resume();
      const { code, signal } = await exit;
      expect(code === 143 || signal === 'SIGTERM').toBe(true);
    } finally {
      process.kill('SIGKILL');
    }
  });
});

// As under cron, where there is no more than that.
it('a run needs neither standard input nor a folder of its own, and no more than a token file and an address', async () => {
  const folder = temporaryFolder();
  const [token, output] = [join(folder, 'token'), join(folder, 'out.jsonl')];
  writeFileSync(token, `${TEST_TOKEN}\n`, { mode: 0o600 });
  const { baseUrl } = await startFaultServer({ issued });
  const env = { FOLIO_CONFIG_DIR: undefined, FOLIO_TOKEN: undefined, FOLIO_BASE_URL: baseUrl };
  const args = ['issued', '--token-file', token, '-o', output];
  const exit = await runFolio(args, { env, cwd: '/', shell: '"$@" <&-' });
  expect(exit).toMatchObject({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
  expect(readFileSync(output, 'utf8')).toBe(lines(issued));
  expect(readdirSync(folder).toSorted()).toEqual(['out.jsonl', 'token']);
});
