import { describe, expect, it } from 'vitest';
import { serve, type Serving } from './serve.ts';

describe('it behaves as services may', () => {
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

/** The path of the newest fund. */
async function firstFund(get: Serving['get']): Promise<string> {
  const funds = '/accounts-payable/prepaid-expenses';
  const { pageResults } = (await get(funds)).json as { pageResults: { id: string }[] };
  return `${funds}/${pageResults[0]!.id}`;
}
