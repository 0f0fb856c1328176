import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { openService, RECEIVED, texts, type Item } from './service.ts';

const service = await openService();
const list = (query: string) => service.get(`${RECEIVED}?${query}`);
const pageOf = (query: string) => service.page(`${RECEIVED}?${query}`);
const { total } = await pageOf('options_pageSize=1');

describe('4.2 GET /invoices/received', () => {
  it('4.2, 8: a larger options_pageSize than 1000 is silently capped', async () => {
    // Far behind the last record, so that the size of the response does not matter.
    const page = await pageOf('options_pageSize=5000&options_page=100000');
    expect(page).toMatchObject({ pageSize: 1000, pageResults: [] });
  });

  it('4.2 options_sortBy and options_sortOrder put the same invoices in order', async ({ skip }) => {
    skip(total < 2 || total > 2000, 'not between 2 and 2000 invoices');
    const all = async (order: string): Promise<Item[]> => {
      const items: Item[] = [];
      for (let page = 0; page * 200 < total; page++) {
        const query = `options_page=${page}&options_pageSize=200&options_sortBy=AMOUNT&options_sortOrder=${order}`;
        items.push(...(await pageOf(query)).pageResults);
      }
      return items;
    };
    const [up, down] = [await all('ASC'), await all('DESC')];
    expect(texts(down).toSorted()).toEqual(texts(up).toSorted());
    expect(texts(down)).not.toEqual(texts(up));
    if (!service.isOwn) return;
    const amounts = up.map(({ totalAmount }) => Number(totalAmount));
    expect(amounts).toEqual(amounts.toSorted((left, right) => left - right));
  });

  it.runIf(service.isOwn)('4.2 without options_sortBy it is unsorted, and the same each time', async () => {
    const dates = (await pageOf('options_pageSize=50')).pageResults.map(({ date }) => String(date));
    expect(dates).not.toEqual([...dates].sort());
    expect((await pageOf('options_pageSize=50')).pageResults.map(({ date }) => date)).toEqual(dates);
  });

  it('4.2 rule 1: errors is empty, also when some issuers are unknown', async ({ skip }) => {
    const { pageResults } = await pageOf('options_pageSize=5');
    const fiscalId = pageResults.map(({ issuer }) => (issuer as Item | undefined)?.fiscalId).find(Boolean);
    skip(typeof fiscalId !== 'string', 'no invoice names its issuer');
    const page = await pageOf(`issuerFiscalIds=${String(fiscalId)},11111111-1&options_pageSize=5`);
    expect([page.errors, page.total > 0]).toEqual([[], true]);
    expect(page.pageResults.every(({ issuer }) => (issuer as Item).fiscalId === fiscalId)).toBe(true);
  });

  it('4.2 rule 3, 8: 500 records fit 6 MB, or the page is 502; in the embedded service 560 do not', async () => {
    const { status, body } = await list('options_pageSize=500');
    expect(service.isOwn ? [200] : [200, 502]).toContain(status);
    if (!service.isOwn) return;
    expect(body.length).toBeLessThanOrEqual(6 * 1024 * 1024);
    expect((await list('options_pageSize=1000')).status).toBe(502);
  });

  it.runIf(service.isOwn).each([
    [29_000, 200],
    [29_001, 502],
  ])('4.2 rule 4: a call of %i ms gives %i', async (latency, status) => {
    const waits: number[] = [];
    const sleep = (milliseconds: number): Promise<unknown> => Promise.resolve(waits.push(milliseconds));
    const slow = await startSandbox({ latency: [latency, latency], sleep });
    const headers = { authorization: slow.tokens[0] };
    expect((await service.get(`${slow.baseUrl}/invoices/received`, headers)).status).toBe(status);
    expect((await service.get(`${slow.baseUrl}/invoices/issued`, headers)).status).toBe(200);
    expect(waits).toEqual([29_000, latency]);
    await slow.close();
  });
});
