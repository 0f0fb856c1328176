import { describe, expect, it } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { serve, type Serving } from './serve.ts';

describe('it behaves as services may', () => {
  it('documentsAs array-total: an array with its total beside it, in pages of maxRecords', async () => {
    const { get } = await serve({ documentsAs: 'array-total', maxRecords: 30, documents: 70 });
    const fund = (await get(`${await firstFund(get)}?options_page=3&options_pageSize=100`)).json;
    expect(fund).toMatchObject({ assignedDocuments: expect.any(Array), total: 70, page: 3, pageSize: 30 });
    expect((fund as { assignedDocuments: object[] }).assignedDocuments).toHaveLength(10);
  });

  it('documentsAs null: no documents', async () => {
    const { get } = await serve({ documentsAs: 'null' });
    expect((await get(await firstFund(get))).json).toMatchObject({ assignedDocuments: null });
  });

  it.each([
    ['/invoices/issued?options_pageSize=500', 'pageResults', 60],
    ['/invoices/received?options_pageSize=500', 'pageResults', 60],
    ['/customers?options_pageSize=500', 'data', 60],
    ['/accounts-payable/prepaid-expenses?options_pageSize=500', 'pageResults', 12],
  ])('maxRecords caps %s', async (path, key, count) => {
    const { get } = await serve({ maxRecords: 60, customers: 90 });
    const page = (await get(path)).json as Record<string, object[] | number>;
    expect(page[key]).toHaveLength(count);
    if (key === 'pageResults') expect(page['pageSize']).toBe(60);
  });

  it.each(['invoices/issued', 'invoices/received?options_sortBy=DATE', 'accounts-payable/prepaid-expenses'])(
    'order by-size: equal dates of %s come in another order on pages of another size',
    async (listing) => {
      const { get } = await serve({ order: 'by-size', issued: 2000, received: 2000, funds: 2000 });
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
    },
  );

  it('order by-request: they do with every request', async () => {
    const { get } = await serve({ order: 'by-request', issued: 2000 });
    const read = async (): Promise<unknown> => (await get('/invoices/issued?options_pageSize=300')).json;
    expect(await read()).not.toEqual(await read());
  });

  it('ids repeat: different records share an id, on a page and between pages', async () => {
    const { get } = await serve({ ids: 'repeat', issued: 1000 });
    const { pageResults } = (await get('/invoices/issued?options_pageSize=1000')).json as {
      pageResults: { id: string; number: number }[];
    };
    const numbers = new Map<string, number[]>();
    for (const { id, number } of pageResults) numbers.set(id, [...(numbers.get(id) ?? []), number]);
    const shared = [...numbers.values()].filter(({ length }) => length > 1);
    expect(shared.length).toBeGreaterThan(200);
    for (const each of shared) expect(new Set(each).size).toBe(each.length);
  });

  it.each([{ organization: 'deactivated' }, { token: 'expired' }] as const)(
    '%j: the first token is refused, the second is not',
    async (options) => {
      const { get, tokens } = await serve(options);
      expect(await get('/customers')).toMatchObject({
        status: 403,
        json: { Message: 'User is not authorized to access this resource' },
      });
      expect((await get('/customers', { authorization: tokens[1] })).status).toBe(200);
    },
  );

  it('token expired: the token says so itself', async () => {
    const { baseUrl, tokens } = await serve({ token: 'expired' });
    const env = { FOLIO_BASE_URL: baseUrl, FOLIO_TOKEN: tokens[0] };
    const { code, stderr } = await runHere(['issued'], { env });
    expect(code).toBe(3);
    expect(stderr).toContain('the token ended on');
  });

  it('refuses in the real words of the gateway, or in those of the specification', async () => {
    const [spec, real]: string[][] = [[], []];
    for (const [words, said] of [
      ['spec', spec],
      ['real', real],
    ] as const) {
      const { get } = await serve({ gatewayWords: words });
      for (const authorization of ['', 'eyJ.x', 'Bearer eyJ.x']) {
        said!.push((await get('/contacts', { authorization })).body.toString());
      }
      said!.push((await get('/customers', { authorization: 'eyJ.x' })).body.toString());
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
    const { get } = await serve({ issued: 3000, received: 600 });
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

  it('echoes the page and its size as whole numbers', async () => {
    const { get } = await serve({});
    const query = '?options_page=1.5&options_pageSize=2.5';
    const echoed = { page: 1, pageSize: 2 };
    expect((await get(`/accounts-payable/prepaid-expenses${query}`)).json).toMatchObject(echoed);
    expect((await get(`${await firstFund(get)}${query}`)).json).toMatchObject({ assignedDocuments: echoed });
  });
});

interface Dated {
  readonly id: string;
  readonly date?: string;
  readonly createdAt: string;
}

/** The path of the newest fund. */
async function firstFund(get: Serving['get']): Promise<string> {
  const funds = '/accounts-payable/prepaid-expenses';
  const { pageResults } = (await get(funds)).json as { pageResults: { id: string }[] };
  return `${funds}/${pageResults[0]!.id}`;
}
