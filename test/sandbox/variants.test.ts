import { describe, expect, it } from 'vitest';
import { serve } from './serve.ts';

describe('it behaves as services may', () => {
  it('refuses in the real words of the gateway, or in those of the specification', async () => {
    const saidIn = async (gatewayWords: 'spec' | 'real'): Promise<string[]> => {
      const { get } = await serve({ gatewayWords });
      const asked = ['', 'eyJ.x', 'Bearer eyJ.x'].map((one) => ['/contacts', one] as const);
      const answers = [...asked, ['/customers', 'eyJ.x'] as const].map(([path, authorization]) =>
        get(path, { authorization }),
      );
      return (await Promise.all(answers)).map(({ body }) => body.toString());
    };
    const missing = (quote: string): string =>
      ['Credential', 'Signature', 'SignedHeaders']
        .map((name) => `Authorization header requires ${quote}${name}${quote} parameter.`)
        .join(' ');
    const inSpec = JSON.stringify({ message: missing('') });
    expect(await saidIn('spec')).toEqual([
      ...[inSpec, inSpec, inSpec],
      '{"Message":"User is not authorized to access this resource with an explicit deny"}',
    ]);
    expect(await saidIn('real')).toEqual([
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
    const counts = [issued.map(({ dueBy }) => dueBy), issued.map(({ customer }) => customer)];
    for (const values of [...counts, received.map(({ dueBy }) => dueBy)])
      for (const nothing of [null, undefined]) {
        const few = values.filter((value) => value === nothing).length;
        expect([few > 0, few < 100]).toEqual([true, true]);
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
    const funds = '/accounts-payable/prepaid-expenses';
    const { json } = await get(`${funds}${query}`);
    expect(json).toMatchObject(echoed);
    const [newest] = (json as { pageResults: { id: string }[] }).pageResults;
    expect((await get(`${funds}/${newest!.id}${query}`)).json).toMatchObject({ assignedDocuments: echoed });
  });
});
