import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/program.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { fakeContext } from '../../support/fake-context.ts';
import { httpGet } from '../../support/http-get.ts';
import { startFolio } from '../../support/run-folio.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

/** Runs `folio sandbox`, hands what it printed to `use` as soon as it is there, then stops it as Ctrl-C does. */
async function serve(
  args: readonly string[],
  use: (printed: ReadonlyMap<string, string>) => Promise<void> = async () => {},
) {
  const context = fakeContext({ argv: ['sandbox', ...args] });
  const standing = { isOver: false };
  const ended = runCommandLine(context).finally(() => (standing.isOver = true));
  while (!standing.isOver && context.stdout.text === '')
    await new Promise((resolve) => setImmediate(resolve));
  const lines = context.stdout.text.trimEnd().split('\n');
  if (!standing.isOver) await use(new Map(lines.map((line) => line.split(/=(.*)/) as [string, string])));
  context.stop();
  return { code: await ended, stdout: context.stdout.text, stderr: context.stderr.text };
}

describe('folio sandbox', () => {
  it('prints what a client needs, serves until it is stopped, and lists the requests', async () => {
    await expectAnswer(
      serve(['--issued', '7'], async (printed) => {
        expect([...printed.keys()]).toEqual(['FOLIO_BASE_URL', 'FOLIO_TOKEN', 'FOLIO_TOKEN_2']);
        for (const [name, total] of [
          ['FOLIO_TOKEN', 7],
          ['FOLIO_TOKEN_2', 3],
        ] as const) {
          const headers = { authorization: printed.get(name)! };
          const answer = await httpGet(`${printed.get('FOLIO_BASE_URL')}/invoices/issued`, { headers });
          expect(answer.json).toMatchObject({ total });
        }
      }),
      /^(\w+=\S+\n){3}$/,
      /^(GET \/v1\/invoices\/issued 200 \d+ ms\n){2}$/,
    );
  });

  it('as built: ends well on Ctrl-C', async () => {
    const { process: service, exit } = startFolio(['sandbox', '--issued', '7']);
    await once(service.stdout!, 'data');
    service.kill('SIGINT');
    expect(await exit).toMatchObject({ code: 0, stderr: '' });
  });

  it('has the data of the seed up to the day, and lists nothing with --quiet', async () => {
    const read = async (day: string): Promise<string[]> => {
      let dates: string[] = [];
      const { stderr } = await serve(['--seed', '1', '--today', day, '--quiet'], async (printed) => {
        const headers = { authorization: printed.get('FOLIO_TOKEN')! };
        const url = `${printed.get('FOLIO_BASE_URL')}/invoices/issued?options_pageSize=200`;
        const page = await httpGet(url, { headers });
        dates = (page.json as { pageResults: { date: string }[] }).pageResults.map(({ date }) => date);
      });
      expect(stderr).toBe('');
      return dates;
    };
    const dates = await read('2026-10-31');
    expect(dates.at(-1)).toBe('2026-10-31T00:00:00Z');
    expect(await read('2026-10-31')).toEqual(dates);
    expect((await read('2024-02-29')).at(-1)).toBe('2024-02-29T00:00:00Z');
  });

  const FOR_TESTS = ['--tls', '--missing-customer=404', '--order=by-size', '--max-records=5'];
  it.each(FOR_TESTS)('has no flag for what only tests need: %s', async (flag) => {
    expect(await serve([flag])).toMatchObject({ code: 2, stdout: '' });
  });

  it('lets requests fail with --fail-rate', async () => {
    await serve(['--fail-rate', '1'], async (printed) => {
      const headers = { authorization: printed.get('FOLIO_TOKEN')! };
      const answer = httpGet(`${printed.get('FOLIO_BASE_URL')}/customers`, { headers });
      expect(await answer.then(({ status }) => status).catch(() => 'broken')).not.toBe(200);
    });
  });

  it('says in one line that the port is in use', async () => {
    const other = await startSandbox();
    const { port } = new URL(other.baseUrl);
    const says = new RegExp(`^.*port ${port} on 127\\.0\\.0\\.1 is in use.*\n.*--port 0.*\n$`);
    await expectRefused(serve(['--port', port]), says, 1);
    await other.close();
  });

  it.each([
    ['--port', '65536', '0 to 65535'],
    ['--issued', '5000001', '0 to 5000000'],
    ['--received', 'many', '0 to 1000000'],
    ['--funds', '', '0 to 100000'],
    ['--seed', '4294967296', '0 to 4294967295'],
    ['--latency', '5-3', '0 to 3600000'],
    ['--latency', 'slow', '0 to 3600000'],
    ['--fail-rate', '1.1', '0 to 1'],
    ['--today', 'now', 'a day, such as 2026-10-31'],
  ])('refuses %s %j, saying what is allowed', async (flag, value, allowed) => {
    const served = serve([`${flag}=${value}`]);
    await expectRefused(served, `${flag} ${JSON.stringify(value)}: expected `);
    expect((await served).stderr).toContain(allowed);
  });
});
