import { describe, expect, it } from 'vitest';
import { FUNDS, openService, texts, type Item, type Page } from './service.ts';

const service = await openService();
const pageOf = (query: string) => service.page(`${FUNDS}?${query}`);
const { total, pageResults } = await pageOf('');
const id = pageResults[0]?.id;

describe('4.6 GET /accounts-payable/prepaid-expenses', () => {
  it('4.6, 8: 1000 is the largest options_pageSize', async () => {
    const page = await pageOf('options_pageSize=1000');
    expect([page.pageSize, page.pageResults.length]).toEqual([1000, Math.min(1000, total)]);
  });

  it.each(['0', '-3', '1001'])('4.6 options_pageSize=%s falls back to 20 without error', async (size) => {
    const page = await pageOf(`options_pageSize=${size}`);
    expect(page).toMatchObject({ pageSize: 20, errors: [] });
    expect(page.pageResults.length).toBe(Math.min(20, total));
  });

  it('4.6 the default order is by creation, descending', async () => {
    expect(texts((await pageOf('options_sortOrder=desc')).pageResults)).toEqual(texts(pageResults));
    if (!service.isOwn) return;
    const created = pageResults.map(({ createdAt }) => String(createdAt));
    expect(created).toEqual(created.toSorted().toReversed());
  });

  it('4.6 options_sortOrder=asc turns it round', async ({ skip }) => {
    skip(total > 1000, 'more funds than one page holds');
    const [up, down] = [
      await pageOf('options_pageSize=1000&options_sortOrder=asc'),
      await pageOf('options_pageSize=1000&options_sortOrder=desc'),
    ];
    expect(texts(up.pageResults)).toEqual(texts(down.pageResults).toReversed());
  });
});

/** The documents of the first fund; the collection may be an array or a page envelope: the specification does not say (4.9). */
async function documentsOf(query: string): Promise<readonly Item[]> {
  const fund = await service.page<{ id: unknown; assignedDocuments: Item[] | Page }>(
    `${FUNDS}/${encodeURIComponent(String(id))}?${query}`,
  );
  expect(fund.id).toBe(id);
  const { assignedDocuments } = fund;
  return Array.isArray(assignedDocuments) ? assignedDocuments : assignedDocuments.pageResults;
}

describe.skipIf(typeof id !== 'string')('4.7 GET /accounts-payable/prepaid-expenses/{id}', () => {
  it('4.7 answers with the fund and its assignedDocuments, 20 from the first page on', async () => {
    const first = await documentsOf('options_page=1&options_pageSize=20');
    expect(texts(await documentsOf(''))).toEqual(texts(first));
  });

  it('4.7 options_page is one-based', async ({ skip }) => {
    const both = await documentsOf('options_pageSize=6');
    skip(both.length < 6, 'fewer than 6 documents');
    const parts = [
      ...(await documentsOf('options_page=1&options_pageSize=3')),
      ...(await documentsOf('options_page=2&options_pageSize=3')),
    ];
    expect(texts(parts)).toEqual(texts(both));
  });

  it('4.7, 8: 100 is the largest options_pageSize; one out of range falls back to 20', async ({ skip }) => {
    const documents = await documentsOf('options_pageSize=100');
    skip(documents.length < 100, 'fewer than 100 documents');
    for (const size of ['0', '-1', '101'])
      expect(texts(await documentsOf(`options_pageSize=${size}`))).toEqual(texts(documents.slice(0, 20)));
  });

  it.each(['0', '100000'])('4.7 page %s, which there is not, is empty', async (page) => {
    expect(await documentsOf(`options_page=${page}`)).toEqual([]);
  });

  it.each(['-1', '1.5'])('4.7 page %s gives an arbitrary slice, not an error', async (page) => {
    await documentsOf(`options_page=${page}`);
  });

  it('1, 4.7 an unknown fund is 404, as one of another organization is', async ({ skip }) => {
    expect((await service.get(`${FUNDS}/000000000000000000000000`)).status).toBe(404);
    skip(service.secondToken === undefined, 'no second organization');
    const foreign = await service.get(`${FUNDS}/${String(id)}`, { authorization: service.secondToken! });
    expect(foreign.status).toBe(404);
  });
});
