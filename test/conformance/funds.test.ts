import { describe, expect, it } from 'vitest';
import type { HttpAnswer } from '../support/http-get.ts';
import { openService, texts, type Item, type Page } from './service.ts';

const service = await openService();
const path = '/accounts-payable/prepaid-expenses';
const list = (query: string): Promise<HttpAnswer> => service.get(`${path}?${query}`);
const pageOf = async (query: string): Promise<Page> => (await list(query)).json as Page;
const { total, pageResults } = await pageOf('');
const firstId = pageResults[0]?.id;

describe('4.6 GET /accounts-payable/prepaid-expenses', () => {
  it('4.6 options_page is one-based', async ({ skip }) => {
    skip(total < 4, 'fewer than 4 funds');
    const both = await pageOf('options_page=1&options_pageSize=4');
    const parts = [
      await pageOf('options_page=1&options_pageSize=2'),
      await pageOf('options_page=2&options_pageSize=2'),
    ];
    expect(texts(parts.flatMap((part) => part.pageResults))).toEqual(texts(both.pageResults));
    expect(parts.map(({ page }) => page)).toEqual([1, 2]);
  });

  it('4.6, 8: 1000 is the largest options_pageSize', async () => {
    const page = await pageOf('options_pageSize=1000');
    expect(page.pageSize).toBe(1000);
    expect(page.pageResults.length).toBe(Math.min(1000, total));
  });

  it.each(['0', '-3', '1001'])('4.6 options_pageSize=%s falls back to 20 without error', async (size) => {
    const answer = await list(`options_pageSize=${size}`);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ pageSize: 20, errors: [] });
    expect((answer.json as Page).pageResults.length).toBe(Math.min(20, total));
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

  it.each(['options_sortOrder=ASC', 'options_sortOrder=DESC', 'colour=red'])(
    '4.6, 7: %s gives 400',
    async (query) => {
      expect((await list(query)).status).toBe(400);
    },
  );
});

describe.skipIf(typeof firstId !== 'string')('4.7 GET /accounts-payable/prepaid-expenses/{id}', () => {
  it('4.7 answers with the fund and its assignedDocuments, 20 from the first page on', async () => {
    const fund = await get('');
    expect(fund.status).toBe(200);
    expect(fund.id).toBe(firstId);
    expect(texts(fund.documents)).toEqual(texts((await get('options_page=1&options_pageSize=20')).documents));
  });

  it('4.7 options_page is one-based', async ({ skip }) => {
    const both = (await get('options_pageSize=6')).documents;
    skip(both.length < 6, 'fewer than 6 documents');
    const parts = [
      await get('options_page=1&options_pageSize=3'),
      await get('options_page=2&options_pageSize=3'),
    ];
    expect(texts(parts.flatMap(({ documents }) => documents))).toEqual(texts(both));
  });

  it('4.7, 8: 100 is the largest options_pageSize; one out of range falls back to 20', async ({ skip }) => {
    const { documents } = await get('options_pageSize=100');
    skip(documents.length < 100, 'fewer than 100 documents');
    for (const size of ['0', '-1', '101']) {
      expect(texts((await get(`options_pageSize=${size}`)).documents)).toEqual(texts(documents.slice(0, 20)));
    }
  });

  it('4.7 page 0 is empty', async () => {
    expect(await get('options_page=0')).toMatchObject({ status: 200, documents: [] });
  });

  it('4.7 a page behind the last is empty', async () => {
    expect(await get('options_page=100000')).toMatchObject({ status: 200, documents: [] });
  });

  it.each(['-1', '1.5'])('4.7 page %s gives an arbitrary slice, not an error', async (page) => {
    expect((await get(`options_page=${page}`)).status).toBe(200);
  });

  it('4.7 an unknown fund is 404', async () => {
    expect((await service.get(`${path}/000000000000000000000000`)).status).toBe(404);
  });

  it('1, 4.7 so is a fund of another organization', async ({ skip }) => {
    skip(service.secondToken === undefined, 'no second organization');
    const own = await service.get(`${path}/${String(firstId)}`, { authorization: service.secondToken! });
    expect(own.status).toBe(404);
  });
});

async function get(query: string): Promise<Documents> {
  return readDocuments(await service.get(`${path}/${encodeURIComponent(String(firstId))}?${query}`));
}

interface Documents {
  readonly status: number;
  readonly id: unknown;
  readonly documents: readonly Item[];
}

/** The collection may be an array or a page envelope: the specification does not say (4.9). */
function readDocuments(answer: HttpAnswer): Documents {
  const { id, assignedDocuments } = answer.json as { id: unknown; assignedDocuments: Item[] | Page };
  const documents = Array.isArray(assignedDocuments) ? assignedDocuments : assignedDocuments.pageResults;
  return { status: answer.status, id, documents };
}
