import { access } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { startSandbox } from '../../../src/sandbox/server.ts';
import { fakeContext } from '../../support/fake-context.ts';
import { httpGet } from '../../support/http-get.ts';
import { runFolio, startFolio } from '../../support/run-folio.ts';
import { runHere } from '../../support/run-here.ts';
import { withSandbox } from '../../support/sandbox-here.ts';

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
    ['--documents-as', 'list', 'envelope, array, array-total, null'],
    ['--today', 'now', 'a day, such as 2026-10-31'],
    ['--lists', 'all', 'any, comma, repeat, first, last, brackets'],
    ['--order', 'none', 'stable, by-size, by-request'],
    ['--ids', 'none', 'unique, repeat'],
    ['--max-records', '0', '1 to 1000000'],
    ['--organization', 'gone', 'active, deactivated'],
    ['--gateway-words', 'own', 'real, spec'],
  ])('refuses %s %j, saying what is allowed', async (flag, value, allowed) => {
    const served = await serve([`${flag}=${value}`]);
    expect(served).toMatchObject({ code: 2, stdout: '' });
    expect(served.stderr).toContain(`${flag} ${JSON.stringify(value)}: expected `);
    expect(served.stderr).toContain(allowed);
  });

  it('refuses a --token that is no word of its own without showing it', async () => {
    expect(await serve(['--token', 'eyJhbGciOiJIUzI1NiJ9.e30.c2VjcmV0'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'folio: --token of the sandbox: expected valid or expired\n  The sandbox makes its own tokens and prints them.\n',
    });
  });
});

describe('folio sandbox, as built, behaves as services may', () => {
  it('--documents-as array-total: an array with its total beside it, in pages of --max-records', async () => {
    const flags = ['--documents-as', 'array-total', '--max-records', '30', '--documents', '70'];
    await serveBuilt(flags, async ({ get, firstFund }) => {
      const fund = (await get(`${await firstFund()}?options_page=3&options_pageSize=100`)).json;
      expect(fund).toMatchObject({ assignedDocuments: expect.any(Array), total: 70, page: 3, pageSize: 30 });
      expect((fund as { assignedDocuments: object[] }).assignedDocuments).toHaveLength(10);
    });
  });

  it('--documents-as null: no documents', async () => {
    await serveBuilt(['--documents-as', 'null'], async ({ get, firstFund }) => {
      expect((await get(await firstFund())).json).toMatchObject({ assignedDocuments: null });
    });
  });

  it.each([
    ['/invoices/issued?options_pageSize=500', 'pageResults', 60],
    ['/invoices/received?options_pageSize=500', 'pageResults', 60],
    ['/customers?options_pageSize=500', 'data', 60],
    ['/accounts-payable/prepaid-expenses?options_pageSize=500', 'pageResults', 12],
  ])('--max-records caps %s', async (path, key, count) => {
    await serveBuilt(['--max-records', '60', '--customers', '90'], async ({ get }) => {
      const page = (await get(path)).json as Record<string, object[] | number>;
      expect(page[key]).toHaveLength(count);
      if (key === 'pageResults') expect(page['pageSize']).toBe(60);
    });
  });

  it('--today: the data goes up to that day; with --seed it is the same each time', async () => {
    const read = async (day: string): Promise<{ date: string }[]> => {
      let records: { date: string }[] = [];
      await serveBuilt(['--seed', '1', '--today', day], async ({ get }) => {
        const page = await get('/invoices/issued?options_pageSize=200');
        records = (page.json as { pageResults: { date: string }[] }).pageResults;
      });
      return records;
    };
    const records = await read('2026-10-31');
    expect(records.at(-1)!.date).toBe('2026-10-31T00:00:00Z');
    expect((await read('2024-02-29')).at(-1)!.date).toBe('2024-02-29T00:00:00Z');
  });

  it('--lists last: of repeated parameters the last is read', async () => {
    await serveBuilt(['--lists', 'last'], async ({ get }) => {
      const filtered = async (query: string): Promise<unknown> =>
        (await get(`/invoices/issued?${query}`)).json;
      const [one, other] = ['status=PAID', 'status=OVERDUE'];
      expect(await filtered(`${one}&${other}`)).toEqual(await filtered(other));
    });
  });

  it.each(['invoices/issued', 'invoices/received?options_sortBy=DATE', 'accounts-payable/prepaid-expenses'])(
    '--order by-size: equal dates of %s come in another order on pages of another size',
    async (listing) => {
      const flags = ['--order', 'by-size', '--issued', '2000', '--received', '2000', '--funds', '2000'];
      await serveBuilt(flags, async ({ get }) => {
        const at = `/${listing}${listing.includes('?') ? '&' : '?'}`;
        const read = async (size: number): Promise<[id: string, date: string][]> => {
          const { pageResults } = (await get(`${at}options_pageSize=${size}`)).json as {
            pageResults: Dated[];
          };
          return pageResults.map(({ id, date, createdAt }) => [id, (date ?? createdAt).slice(0, 10)]);
        };
        const [whole, again, other] = [await read(300), await read(300), await read(299)];
        expect(again).toEqual(whole);
        expect(other).not.toEqual(whole.slice(0, 299));
        expect(other.map(([, date]) => date)).toEqual(whole.slice(0, 299).map(([, date]) => date));
        expect(new Set(whole.map(([id]) => id)).size).toBe(300);
      });
    },
  );

  it('--order by-request: they do with every request', async () => {
    await serveBuilt(['--order', 'by-request', '--issued', '2000'], async ({ get }) => {
      const read = async (): Promise<unknown> => (await get('/invoices/issued?options_pageSize=300')).json;
      expect(await read()).not.toEqual(await read());
    });
  });

  it('--ids repeat: different records share an id, on a page and between pages', async () => {
    await serveBuilt(['--ids', 'repeat', '--issued', '1000'], async ({ get }) => {
      const { pageResults } = (await get('/invoices/issued?options_pageSize=1000')).json as {
        pageResults: { id: string; number: number }[];
      };
      const numbers = new Map<string, number[]>();
      for (const { id, number } of pageResults) numbers.set(id, [...(numbers.get(id) ?? []), number]);
      const shared = [...numbers.values()].filter(({ length }) => length > 1);
      expect(shared.length).toBeGreaterThan(200);
      for (const each of shared) expect(new Set(each).size).toBe(each.length);
    });
  });

  it.each([
    ['--organization', 'deactivated'],
    ['--token', 'expired'],
  ])('%s %s: the first token is refused, the second is not', async (...flags) => {
    await serveBuilt(flags, async ({ get, second }) => {
      expect(await get('/customers')).toMatchObject({
        status: 403,
        json: { Message: 'User is not authorized to access this resource' },
      });
      expect((await get('/customers', second)).status).toBe(200);
    });
  });

  it('--token expired: the token says so itself', async () => {
    await serveBuilt(['--token', 'expired'], async ({ env }) => {
      const { code, stderr } = await runHere(['issued'], { env });
      expect(code).toBe(3);
      expect(stderr).toContain('the token ended on');
    });
  });

  it('refuses in the real words of the gateway, or in those of the specification', async () => {
    const [spec, real]: string[][] = [[], []];
    for (const [words, said] of [
      ['spec', spec],
      ['real', real],
    ] as const) {
      await serveBuilt(['--gateway-words', words], async ({ get }) => {
        for (const authorization of ['', 'eyJ.x', 'Bearer eyJ.x']) {
          said!.push((await get('/contacts', authorization)).body.toString());
        }
        said!.push((await get('/customers', 'eyJ.x')).body.toString());
      });
    }
    const missing = (quote: string): string =>
      ['Credential', 'Signature', 'SignedHeaders']
        .map((name) => `Authorization header requires ${quote}${name}${quote} parameter.`)
        .join(' ');
    const inSpec = JSON.stringify({ message: missing('') });
    expect(spec).toEqual([
      inSpec,
      inSpec,
      inSpec,
      '{"Message":"User is not authorized to access this resource with an explicit deny"}',
    ]);
    expect(real).toEqual([
      '{"message":"Missing Authentication Token"}',
      JSON.stringify({
        message:
          `${missing("'")} Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ` +
          'Authorization=eyJ.x',
      }),
      `{"message":"Invalid key=value pair (missing equal-sign) in Authorization header: 'Bearer eyJ.x'."}`,
      '{"Message":"User is not authorized to access this resource"}',
    ]);
  });

  it('has a few records without a due date or a customer, and credit notes of either sign', async () => {
    await serveBuilt(['--issued', '3000', '--received', '600'], async ({ get }) => {
      const read = async (path: string): Promise<Record<string, unknown>[]> =>
        ((await get(path)).json as { pageResults: Record<string, unknown>[] }).pageResults;
      const issued = await read('/invoices/issued?options_pageSize=3000');
      const received = await read('/invoices/received?options_pageSize=400');
      const count = (records: Record<string, unknown>[], name: string): [nulls: number, missing: number] => [
        records.filter((record) => record[name] === null).length,
        records.filter((record) => !(name in record)).length,
      ];
      for (const [nulls, missing] of [
        count(issued, 'dueBy'),
        count(issued, 'customer'),
        count(received, 'dueBy'),
      ]) {
        for (const few of [nulls, missing]) {
          expect(few).toBeGreaterThan(0);
          expect(few).toBeLessThan(100);
        }
      }
      const signs = issued
        .filter(({ documentType }) => documentType === 'CREDIT_NOTE')
        .map(({ totalAmount }) => Math.sign(totalAmount as number));
      expect(new Set(signs)).toEqual(new Set([1, -1]));
    });
  });

  it('echoes the page and its size as whole numbers', async () => {
    await serveBuilt([], async ({ get, firstFund }) => {
      const query = '?options_page=1.5&options_pageSize=2.5';
      const echoed = { page: 1, pageSize: 2 };
      expect((await get(`/accounts-payable/prepaid-expenses${query}`)).json).toMatchObject(echoed);
      expect((await get(`${await firstFund()}${query}`)).json).toMatchObject({ assignedDocuments: echoed });
    });
  });
});

interface Dated {
  readonly id: string;
  readonly date?: string;
  readonly createdAt: string;
}

interface Built {
  readonly env: Readonly<Record<string, string>>;
  readonly second: string;
  readonly get: (path: string, authorization?: string) => ReturnType<typeof httpGet>;
  /** The path of the newest fund. */
  readonly firstFund: () => Promise<string>;
}

/** Starts the built program's sandbox, hands it to `use`, and stops it. */
async function serveBuilt(flags: readonly string[], use: (built: Built) => Promise<void>): Promise<void> {
  await withSandbox(flags, async (env) => {
    const get = (path: string, authorization = env.FOLIO_TOKEN): ReturnType<typeof httpGet> =>
      httpGet(env.FOLIO_BASE_URL + path, { headers: authorization === '' ? {} : { authorization } });
    const funds = '/accounts-payable/prepaid-expenses';
    const firstFund = async (): Promise<string> => {
      const { pageResults } = (await get(funds)).json as { pageResults: { id: string }[] };
      return `${funds}/${pageResults[0]!.id}`;
    };
    await use({ env, second: env.FOLIO_TOKEN_2, get, firstFund });
  });
}
