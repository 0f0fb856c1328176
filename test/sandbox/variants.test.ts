import { describe, expect, it } from 'vitest';
import { startSandbox, type SandboxOptions } from '../../src/sandbox/server.ts';
import { httpGet } from '../support/http-get.ts';

describe('it behaves as services may', () => {
  it('has a few records without a due date or a customer, and credit notes of either sign', async () => {
    await serve({ issued: 3000, received: 600 }, async ({ get }) => {
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
    await serve({}, async ({ get, firstFund }) => {
      const query = '?options_page=1.5&options_pageSize=2.5';
      const echoed = { page: 1, pageSize: 2 };
      expect((await get(`/accounts-payable/prepaid-expenses${query}`)).json).toMatchObject(echoed);
      expect((await get(`${await firstFund()}${query}`)).json).toMatchObject({ assignedDocuments: echoed });
    });
  });
});

interface Serving {
  readonly baseUrl: string;
  readonly first: string;
  readonly second: string;
  readonly get: (path: string, authorization?: string) => ReturnType<typeof httpGet>;
  /** The path of the newest fund. */
  readonly firstFund: () => Promise<string>;
}

/** Has the service, with awkward data, serve until the work is done. */
async function serve(options: SandboxOptions, work: (serving: Serving) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({ awkward: true, ...options });
  const { baseUrl } = sandbox;
  const [first, second] = sandbox.tokens;
  const get = (path: string, authorization: string = first): ReturnType<typeof httpGet> =>
    httpGet(baseUrl + path, { headers: authorization === '' ? {} : { authorization } });
  const funds = '/accounts-payable/prepaid-expenses';
  const firstFund = async (): Promise<string> => {
    const { pageResults } = (await get(funds)).json as { pageResults: { id: string }[] };
    return `${funds}/${pageResults[0]!.id}`;
  };
  try {
    await work({ baseUrl, first, second, get, firstFund });
  } finally {
    await sandbox.close();
  }
}
