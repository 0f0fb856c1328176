import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import type { HttpAnswer } from '../support/http-get.ts';
import { openService, texts, type Item, type Page } from './service.ts';

const service = await openService();
const list = (query: string): Promise<HttpAnswer> => service.get(`/invoices/received?${query}`);
const pageOf = async (query: string): Promise<Page> => (await list(query)).json as Page;
const { total } = await pageOf('options_pageSize=1');

describe('4.2 GET /invoices/received', () => {
  it('4.2 options_page is zero-based', async ({ skip }) => {
    skip(total < 4, 'fewer than 4 invoices');
    const both = await pageOf('options_page=0&options_pageSize=4');
    const parts = [
      await pageOf('options_page=0&options_pageSize=2'),
      await pageOf('options_page=1&options_pageSize=2'),
    ];
    expect(texts(parts.flatMap((part) => part.pageResults))).toEqual(texts(both.pageResults));
  });

  it('4.2, 8: a larger options_pageSize than 1000 is silently capped', async () => {
    // Far behind the last record, so that the size of the response does not matter.
    const answer = await list('options_pageSize=5000&options_page=100000');
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ pageSize: 1000, pageResults: [] });
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

  it.each(['options_sortOrder=desc', 'options_sortOrder=1'])(
    '4.2, 7: %s is outside the enum, 400',
    async (query) => {
      expect((await list(query)).status).toBe(400);
    },
  );

  it('4.2 rule 1: errors is empty, also when some issuers are unknown', async ({ skip }) => {
    const { pageResults } = await pageOf('options_pageSize=5');
    const fiscalId = pageResults.map(({ issuer }) => (issuer as Item | undefined)?.fiscalId).find(Boolean);
    skip(typeof fiscalId !== 'string', 'no invoice names its issuer');
    const answer = await list(`issuerFiscalIds=${String(fiscalId)},11111111-1&options_pageSize=5`);
    expect(answer.status).toBe(200);
    const page = answer.json as Page;
    expect(page.errors).toEqual([]);
    expect(page.total).toBeGreaterThan(0);
    expect(page.pageResults.every(({ issuer }) => (issuer as Item).fiscalId === fiscalId)).toBe(true);
  });

  it('4.2 rule 2: none of the issuers existing gives 400', async () => {
    expect((await list('issuerFiscalIds=11111111-1')).status).toBe(400);
  });

  it('4.2 rule 3, 8: 500 records fit, or the page is 502', async () => {
    expect([200, 502]).toContain((await list('options_pageSize=500')).status);
  });

  it.runIf(service.isOwn)('4.2 rule 3, 8: 500 records fit 6 MB, 560 do not and give 502', async () => {
    const fitting = await list('options_pageSize=500');
    expect(fitting.status).toBe(200);
    expect(fitting.body.length).toBeLessThanOrEqual(6 * 1024 * 1024);
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

  it.each(['totalAmount=1', 'totalAmount=', 'totalAmount=abc'])('4.2 rule 5: %s gives 400', async (query) => {
    expect((await list(query)).status).toBe(400);
  });

  it('7 an unsupported parameter gives 400', async () => {
    expect((await list('colour=red')).status).toBe(400);
  });
});
