import { describe, expect, it } from 'vitest';
import { openService, type CustomerPage, type Page } from './service.ts';

const service = await openService();

describe('2 Resources and their fields', () => {
  it.each(['/invoices/issued', '/invoices/received', '/accounts-payable/prepaid-expenses'])(
    '2.2 GET %s answers with the page envelope',
    async (path) => {
      const answer = await service.get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
      const page = answer.json as Page;
      expect(page).toMatchObject({ page: expect.any(Number), pageSize: expect.any(Number), errors: [] });
      expect(Number.isInteger(page.total) && page.total >= 0).toBe(true);
      expect(page.pageResults.length).toBe(Math.min(page.total, page.pageSize));
    },
  );

  it('2.3 GET /customers answers with data, errors and nextToken', async () => {
    const page = (await service.get('/customers')).json as CustomerPage;
    expect(Array.isArray(page.data)).toBe(true);
    expect(page.errors).toEqual([]);
    expect(page.nextToken === null || typeof page.nextToken === 'string').toBe(true);
  });

  it('2.5 an issued invoice has files, each with a fileUrl', async () => {
    const { pageResults } = (await service.get('/invoices/issued?options_pageSize=50')).json as Page;
    for (const { files } of pageResults) {
      expect(Array.isArray(files)).toBe(true);
      for (const file of files as object[])
        expect(file).toEqual({ fileUrl: expect.stringMatching(/^https?:/) });
    }
  });
});

describe('4.8 Pagination summary', () => {
  it.each([
    ['/invoices/issued', 0, 10],
    ['/invoices/received', 0, 10],
    ['/accounts-payable/prepaid-expenses', 1, 20],
  ])('4.8 GET %s begins at page %i with %i records', async (path, page, pageSize) => {
    expect((await service.get(path)).json).toMatchObject({ page, pageSize });
  });
});
