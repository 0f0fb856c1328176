import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ISSUED, openService, texts, type Item, type Page } from './service.ts';

const service = await openService();
const list = (query: string, headers?: Record<string, string>) => service.get(`${ISSUED}?${query}`, headers);
const pageOf = (query: string) => service.page(`${ISSUED}?${query}`);
const { total } = await pageOf('options_pageSize=1');

describe('4.1 GET /invoices/issued: pages and order', () => {
  it('4.1 options_pageSize has no practical upper cap', async ({ skip }) => {
    skip(total > 100_000, 'too many invoices for one page');
    const page = await pageOf('options_pageSize=100000');
    expect(page).toMatchObject({ total, pageSize: 100_000 });
    expect([page.pageResults.length, new Set(texts(page.pageResults)).size]).toEqual([total, total]);
  });

  it('4.1 the default order is DATE, ASC', async () => {
    const named = await pageOf('options_sortBy=DATE&options_sortOrder=ASC');
    expect(texts((await pageOf('')).pageResults)).toEqual(texts(named.pageResults));
  });

  it.each([
    ['NUMBER', 'number'],
    ['DATE', 'date'],
    ['DUE_BY', 'dueBy'],
    ['AMOUNT', 'totalAmount'],
  ])('4.1 options_sortBy=%s sorts by it, both ways', async (key, field) => {
    for (const order of ['ASC', 'DESC']) {
      const query = `options_sortBy=${key}&options_sortOrder=${order}&options_pageSize=300`;
      const { pageResults } = await pageOf(query);
      if (!service.isOwn) continue;
      // Records without a value come after all others, or before them where the order is turned.
      const values = pageResults.map((invoice) => (invoice[field] ?? '9999') as number);
      if (order === 'DESC') values.reverse();
      for (let at = 1; at < values.length; at++) expect(values[at]! < values[at - 1]!).toBe(false);
    }
  });

  it.runIf(service.isOwn)('4.9 filters seen in use restrict the search', async () => {
    const paid = await pageOf('status=PAID,PENDING&documentType=CREDIT_NOTE&options_pageSize=2000');
    expect(paid.total).toBeGreaterThan(0);
    expect(paid.pageResults.every(({ documentType }) => documentType === 'CREDIT_NOTE')).toBe(true);
    expect(new Set(paid.pageResults.map(({ status }) => status))).toEqual(new Set(['PAID', 'PENDING']));
    const recent = await pageOf('emissiondateSince=2026-06-01T00:00:00Z&options_pageSize=2000');
    expect(recent.pageResults.every(({ date }) => String(date) >= '2026-06-01')).toBe(true);
    expect(recent.total).toBeGreaterThan(0);
    expect((await pageOf('number=10001')).pageResults).toMatchObject([{ number: 10_001 }]);
  });
});

/** Nobody's, as far as made-up data goes. */
const unknown = '11.111.111-1';
const missing = (fiscalId: string): Item => {
  return { _type: 'EmptyResponseError', requestName: 'byFiscalId', requestParams: { fiscalId } };
};
const fiscalIdOf = ({ customer }: Item): string | undefined => {
  const { fiscalId } = (customer ?? {}) as Item;
  return typeof fiscalId === 'string' ? fiscalId : undefined;
};
const fiscalIds = (await pageOf('options_pageSize=20')).pageResults.map(fiscalIdOf);
/** Of some customer who has invoices, where records name it. */
const known = fiscalIds.find((id) => id !== undefined);

describe('4.1 GET /invoices/issued: customerFiscalIds', () => {
  it.skipIf(known === undefined)(
    '4.1 rule 1: a fiscal ID gives the invoices of its customer only, however it is spelled',
    async () => {
      const plain = await pageOf(`customerFiscalIds=${known}&options_pageSize=300`);
      expect(plain.total).toBeGreaterThan(0);
      expect(plain.pageResults.every((invoice) => fiscalIdOf(invoice) === known)).toBe(true);
      const dotted = `${known!.slice(0, 2)}.${known!.slice(2)}`;
      for (const spelling of [known!.replace('-', ''), known!.toUpperCase(), dotted])
        expect((await pageOf(`customerFiscalIds=${spelling}`)).total).toBe(plain.total);
    },
  );

  it.skipIf(known === undefined)(
    '4.1 rule 2, 2.4: some unknown gives 200, the others, and an error for each',
    async () => {
      const { total: own } = await pageOf(`customerFiscalIds=${known}`);
      const page = await pageOf(`customerFiscalIds=${known},${unknown},22222222-k`);
      expect(page).toMatchObject({ total: own, errors: [missing('111111111'), missing('22222222K')] });
    },
  );

  it('4.1 rule 3: all unknown gives 400 with the same errors', async () => {
    const { status, json } = await list(`customerFiscalIds=${unknown}`);
    expect([status, (json as Item).errors]).toEqual([400, [missing('111111111')]]);
  });

  it.runIf(service.isOwn)('4.9 a list may be written with commas, repeated or with brackets', async () => {
    const ids = [...new Set(fiscalIds)].slice(0, 2);
    const { total: both } = await pageOf(`customerFiscalIds=${ids.join(',')}`);
    for (const index of ['', '%5B%5D', '%5B0%5D']) {
      const pairs = ids.map((id, at) => `customerFiscalIds${index.replace('0', `${at}`)}=${id}`);
      expect((await pageOf(pairs.join('&'))).total).toBe(both);
    }
    expect((await pageOf(`customerFiscalIds=${ids[0]}`)).total).toBeLessThan(both);
  });
});

describe('4.1 GET /invoices/issued: compression', () => {
  const compressed = { authorization: service.token, 'accept-encoding': 'gzip' };
  const encoding = async (size: number, headers: Record<string, string>): Promise<string | undefined> =>
    (await list(`options_pageSize=${size}`, headers)).headers['content-encoding'];

  it('4.1 rule 4: more than 1729 results are compressed for who accepts gzip', async ({ skip }) => {
    skip(total <= 1729, 'not more than 1729 invoices');
    const plain = await pageOf('options_pageSize=1730');
    const answer = await list('options_pageSize=1730', compressed);
    expect(answer.headers['content-encoding']).toBe('gzip');
    const inflated = JSON.parse(gunzipSync(answer.body).toString()) as Page;
    expect(texts(inflated.pageResults)).toEqual(texts(plain.pageResults));
  });

  it('4.1 rule 4: 1729 results are not, nor are more for who does not accept it', async ({ skip }) => {
    skip(total <= 1729, 'not more than 1729 invoices');
    expect(await encoding(1729, compressed)).toBeUndefined();
    expect(await encoding(1730, { authorization: service.token })).toBeUndefined();
    expect(await encoding(1730, { ...compressed, 'accept-encoding': 'identity, gzip;q=0' })).toBeUndefined();
  });
});
