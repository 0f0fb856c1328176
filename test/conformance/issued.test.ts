import { describe, expect, it } from 'vitest';
import type { HttpAnswer } from '../support/http-get.ts';
import { openService, texts, type Page } from './service.ts';

const service = await openService();
const list = (query: string): Promise<HttpAnswer> => service.get(`/invoices/issued?${query}`);
const pageOf = async (query: string): Promise<Page> => (await list(query)).json as Page;
const { total } = await pageOf('options_pageSize=1');

describe('4.1 GET /invoices/issued: pages', () => {
  it('4.1 options_page is zero-based', async ({ skip }) => {
    skip(total < 6, 'fewer than 6 invoices');
    const both = await pageOf('options_page=0&options_pageSize=6');
    const parts = [
      await pageOf('options_page=0&options_pageSize=3'),
      await pageOf('options_page=1&options_pageSize=3'),
    ];
    expect(texts(parts.flatMap((part) => part.pageResults))).toEqual(texts(both.pageResults));
    expect(parts.map(({ page, pageSize }) => [page, pageSize])).toEqual([
      [0, 3],
      [1, 3],
    ]);
  });

  it('4.1 options_pageSize has no practical upper cap', async ({ skip }) => {
    skip(total > 100_000, 'too many invoices for one page');
    const page = await pageOf('options_pageSize=100000');
    expect(page).toMatchObject({ total, pageSize: 100_000 });
    expect(page.pageResults.length).toBe(total);
    expect(new Set(texts(page.pageResults)).size).toBe(total);
  });

  it.runIf(service.isOwn).each(['-1', '1.5', 'x'])('7 options_page=%s is an invalid query', async (value) => {
    expect((await list(`options_page=${value}`)).status).toBe(400);
  });
});

describe('4.1 GET /invoices/issued: order', () => {
  it('4.1 the default is DATE, ASC', async () => {
    const asked = await pageOf('options_sortBy=DATE&options_sortOrder=ASC');
    expect(texts((await pageOf('')).pageResults)).toEqual(texts(asked.pageResults));
  });

  it.each([
    ['NUMBER', 'number'],
    ['DATE', 'date'],
    ['DUE_BY', 'dueBy'],
    ['AMOUNT', 'totalAmount'],
  ])('4.1 options_sortBy=%s sorts by it, both ways', async (key, field) => {
    for (const [order, sign] of [
      ['ASC', 1],
      ['DESC', -1],
    ] as const) {
      const answer = await list(`options_sortBy=${key}&options_sortOrder=${order}&options_pageSize=300`);
      expect(answer.status).toBe(200);
      if (!service.isOwn) continue;
      // Records without a value come after all others, or before them where the order is turned.
      const values = (answer.json as Page).pageResults.map((invoice) => invoice[field] ?? '9999');
      for (let at = 1; at < values.length; at++)
        expect(compare(values[at]!, values[at - 1]!) * sign).not.toBe(-1);
    }
  });

  it.each([
    'options_sortOrder=asc',
    'options_sortOrder=UP',
    'options_sortBy=number',
    'options_sortBy=COLOUR',
  ])('4.1 rule 6: %s is outside the enum, 400', async (query) => {
    expect((await list(query)).status).toBe(400);
  });
});

describe('4.1 GET /invoices/issued: searches', () => {
  it('4.1 rule 5: an empty search is 200 with empty pageResults', async () => {
    const answer = await list('options_page=100000000');
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ total, pageResults: [], errors: [] });
  });

  it('4.1 rule 6: an unsupported parameter gives 400', async () => {
    expect((await list('colour=red')).status).toBe(400);
  });

  it
    .runIf(service.isOwn)
    .each(['emissiondateSince=yesterday', 'emissiondateSince=2025-02-30', 'status=LOST'])(
    '4.1 rule 6: %s gives 400',
    async (query) => {
      expect((await list(query)).status).toBe(400);
    },
  );

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

function compare(left: unknown, right: unknown): number {
  return left === right ? 0 : (left as number) < (right as number) ? -1 : 1;
}
