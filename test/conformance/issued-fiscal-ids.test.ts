import { describe, expect, it } from 'vitest';
import type { HttpAnswer } from '../support/http-get.ts';
import { openService, type Item, type Page } from './service.ts';

const service = await openService();
const list = (query: string): Promise<HttpAnswer> => service.get(`/invoices/issued?${query}`);
const pageOf = async (query: string): Promise<Page> => (await list(query)).json as Page;
/** Nobody's, as far as made-up data goes. */
const unknown = '11.111.111-1';

describe('4.1 GET /invoices/issued: customerFiscalIds', () => {
  it('4.1 rule 1: a fiscal ID gives the invoices of its customer only, however it is spelled', async ({
    skip,
  }) => {
    const fiscalId = await findFiscalId();
    skip(fiscalId === undefined, 'no invoice names its customer');
    const plain = await pageOf(`customerFiscalIds=${fiscalId}&options_pageSize=300`);
    expect(plain.total).toBeGreaterThan(0);
    expect(plain.pageResults.every((invoice) => fiscalIdOf(invoice) === fiscalId)).toBe(true);
    for (const spelling of [
      fiscalId!.replace('-', ''),
      fiscalId!.toUpperCase(),
      `${fiscalId!.slice(0, 2)}.${fiscalId!.slice(2)}`,
    ]) {
      expect((await pageOf(`customerFiscalIds=${spelling}`)).total).toBe(plain.total);
    }
  });

  it('4.1 rule 2, 2.4: some unknown gives 200, the others, and an error for each', async ({ skip }) => {
    const fiscalId = await findFiscalId();
    skip(fiscalId === undefined, 'no invoice names its customer');
    const { total: known } = await pageOf(`customerFiscalIds=${fiscalId}`);
    const answer = await list(`customerFiscalIds=${fiscalId},${unknown},22222222-k`);
    expect(answer.status).toBe(200);
    const page = answer.json as Page;
    expect(page.total).toBe(known);
    expect(page.errors).toEqual([missing('111111111'), missing('22222222K')]);
  });

  it('4.1 rule 3: all unknown gives 400 with the same errors', async () => {
    const answer = await list(`customerFiscalIds=${unknown}`);
    expect(answer.status).toBe(400);
    expect((answer.json as Item).errors).toEqual([missing('111111111')]);
  });

  it.runIf(service.isOwn)('4.9 a list may be written with commas, repeated or with brackets', async () => {
    const ids = [...new Set((await pageOf('options_pageSize=20')).pageResults.map(fiscalIdOf))].slice(0, 2);
    const { total: both } = await pageOf(`customerFiscalIds=${ids.join(',')}`);
    expect((await pageOf(ids.map((id) => `customerFiscalIds=${id}`).join('&'))).total).toBe(both);
    expect((await pageOf(ids.map((id) => `customerFiscalIds%5B%5D=${id}`).join('&'))).total).toBe(both);
    expect((await pageOf(`customerFiscalIds=${ids[0]}`)).total).toBeLessThan(both);
  });
});

/** The fiscal ID of some customer who has invoices, where records name it. */
async function findFiscalId(): Promise<string | undefined> {
  const { pageResults } = await pageOf('options_pageSize=20');
  return pageResults.map(fiscalIdOf).find((id) => id !== undefined);
}

function missing(fiscalId: string): Item {
  return { _type: 'EmptyResponseError', requestName: 'byFiscalId', requestParams: { fiscalId } };
}

function fiscalIdOf({ customer }: Item): string | undefined {
  const { fiscalId } = (customer ?? {}) as Item;
  return typeof fiscalId === 'string' ? fiscalId : undefined;
}
