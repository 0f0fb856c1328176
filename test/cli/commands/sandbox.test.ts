import { access } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { fakeContext } from '../../support/fake-context.ts';
import { httpGet } from '../../support/http-get.ts';
import { runFolio, startFolio } from '../../support/run-folio.ts';

interface Served {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `folio sandbox`, hands what it printed to `use` as soon as it is there, then stops it as Ctrl-C does. */
async function serve(
  args: readonly string[],
  use: (printed: ReadonlyMap<string, string>) => Promise<void> = async () => {},
): Promise<Served> {
  const context = fakeContext({ argv: ['sandbox', ...args] });
  const standing = { isOver: false };
  const ended = runCommandLine(context).finally(() => {
    standing.isOver = true;
  });
  while (!standing.isOver && context.stdout.text === '')
    await new Promise((resolve) => setImmediate(resolve));
  const lines = context.stdout.text.trimEnd().split('\n');
  if (!standing.isOver) await use(new Map(lines.map((line) => line.split(/=(.*)/) as [string, string])));
  context.stop();
  return { code: await ended, stdout: context.stdout.text, stderr: context.stderr.text };
}

describe('folio sandbox', () => {
  it('prints what a client needs, serves until it is stopped, and lists the requests', async () => {
    const served = await serve(['--issued', '7'], async (printed) => {
      expect([...printed.keys()]).toEqual(['FOLIO_BASE_URL', 'FOLIO_TOKEN', 'FOLIO_TOKEN_2']);
      for (const [name, total] of [
        ['FOLIO_TOKEN', 7],
        ['FOLIO_TOKEN_2', 3],
      ] as const) {
        const headers = { authorization: printed.get(name)! };
        const answer = await httpGet(`${printed.get('FOLIO_BASE_URL')}/invoices/issued`, { headers });
        expect(answer.json).toMatchObject({ total });
      }
    });
    expect(served.code).toBe(0);
    expect(served.stdout).toMatch(/^(\w+=\S+\n){3}$/);
    expect(served.stderr).toMatch(/^(GET \/v1\/invoices\/issued 200 \d+ ms\n){2}$/);
  });

  it('as built: serves HTTPS to whoever trusts the certificate that it names, and ends well on Ctrl-C', async () => {
    const { process: service, exit } = startFolio(['sandbox', '--tls', '--issued', '7']);
    const printed = await new Promise<string>((resolve) => {
      let text = '';
      service.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (/^NODE_EXTRA_CA_CERTS=.*\n/m.test(text)) resolve(text);
      });
      // A service that ends at once has printed all that it will.
      service.once('exit', () => resolve(text));
    });
    const env = Object.fromEntries(
      printed
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/=(.*)/) as [string, string]),
    );
    const client = await runFolio(['issued', '--format', 'jsonl'], { env });
    expect(client.stdout.toString().trimEnd().split('\n').length).toBe(7);
    service.kill('SIGINT');
    expect(await exit).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^(GET \/v1.* 200 \d+ ms\n)+$/),
    });
    await expect(access(env.NODE_EXTRA_CA_CERTS!)).rejects.toThrow('ENOENT');
  });

  it('behaves as the flags say, and lists nothing with --quiet', async () => {
    const flags = ['--missing-customer', '404', '--documents-as', 'array', '--latency', '0-1', '--quiet'];
    const { stderr } = await serve(flags, async (printed) => {
      const headers = { authorization: printed.get('FOLIO_TOKEN')! };
      const get = (path: string): ReturnType<typeof httpGet> =>
        httpGet(`${printed.get('FOLIO_BASE_URL')}${path}`, { headers });
      expect((await get('/customers/unknown')).status).toBe(404);
      const { pageResults } = (await get('/accounts-payable/prepaid-expenses')).json as {
        pageResults: { id: string }[];
      };
      const fund = (await get(`/accounts-payable/prepaid-expenses/${pageResults[0]!.id}`)).json;
      expect(fund).toMatchObject({ assignedDocuments: expect.any(Array) });
    });
    expect(stderr).toBe('');
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
    expect(await serve(['--port', port])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^.*port ${port} on 127\\.0\\.0\\.1 is in use.*\n.*--port 0.*\n$`),
      ),
    });
    await other.close();
  });

  it.each([
    ['--port', '65536', '0 to 65535'],
    ['--port', '-1', '0 to 65535'],
    ['--issued', '5000001', '0 to 5000000'],
    ['--received', 'many', '0 to 1000000'],
    ['--customers', '1.5', '0 to 1000000'],
    ['--funds', '', '0 to 100000'],
    ['--documents', '1e3', '0 to 100000'],
    ['--seed', '4294967296', '0 to 4294967295'],
    ['--latency', '5-3', '0 to 3600000'],
    ['--latency', 'slow', '0 to 3600000'],
    ['--latency', '3600001', '0 to 3600000'],
    ['--fail-rate', '1.1', '0 to 1'],
    ['--fail-rate', '.', '0 to 1'],
    ['--missing-customer', '403', '500, 404'],
    ['--documents-as', 'list', 'envelope, array'],
  ])('refuses %s %j, saying what is allowed', async (flag, value, allowed) => {
    const served = await serve([`${flag}=${value}`]);
    expect(served).toMatchObject({ code: 2, stdout: '' });
    expect(served.stderr).toContain(`${flag} ${JSON.stringify(value)}: expected `);
    expect(served.stderr).toContain(allowed);
  });
});
