import { describe, expect, it } from 'vitest';
import type { HttpAnswer } from '../support/http-get.ts';
import { openService, texts, type CustomerPage } from './service.ts';

const service = await openService();
const list = (query: string): Promise<HttpAnswer> => service.get(`/customers?${query}`);
const pageOf = async (query: string): Promise<CustomerPage> => {
  const answer = await list(query);
  expect(answer.status).toBe(200);
  return answer.json as CustomerPage;
};

/** The pages of a walk, at most 20. */
async function walk(query: string): Promise<CustomerPage[]> {
  const pages = [await pageOf(query)];
  while (pages.at(-1)!.nextToken !== null && pages.length < 20) {
    pages.push(await pageOf(`${query}&options_nextToken=${encodeURIComponent(pages.at(-1)!.nextToken!)}`));
  }
  return pages;
}

describe('4.3 GET /customers', () => {
  it('4.3 each cursor leads to the next page, and the last page has none', async ({ skip }) => {
    const pages = await walk('options_pageSize=7');
    skip(pages.at(-1)!.nextToken !== null, 'more than 140 customers');
    const all = pages.flatMap(({ data }) => data);
    expect(new Set(texts(all)).size).toBe(all.length);
    expect(pages.every(({ data }) => data.length <= 7)).toBe(true);
    if (service.isOwn) expect(pages.map(({ data }) => data.length)).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 4]);
  });

  it.runIf(service.isOwn)('4.3 a cursor has to be encoded, and none can be made up', async () => {
    const { nextToken } = await pageOf('options_pageSize=7');
    for (const character of '+/=') expect(nextToken).toContain(character);
    expect((await list(`options_nextToken=${nextToken}`)).status).toBe(400);
    expect((await list(`options_nextToken=${encodeURIComponent(nextToken!.replace('A', 'B'))}`)).status).toBe(
      400,
    );
    expect((await list('options_nextToken=')).status).toBe(400);
  });

  it('4.3 options_sortOrder is ASC or DESC, which gives the same customers', async ({ skip }) => {
    const ascending = await walk('options_sortOrder=ASC&options_pageSize=50');
    const descending = await walk('options_sortOrder=DESC&options_pageSize=50');
    skip(ascending.at(-1)!.nextToken !== null, 'more than 1000 customers');
    const [up, down] = [ascending, descending].map((pages) => texts(pages.flatMap(({ data }) => data)));
    expect(up!.toSorted()).toEqual(down!.toSorted());
    if (service.isOwn) expect(down).toEqual(up!.toReversed());
  });

  it('7 options_sortOrder=asc is outside the enum, 400', async () => {
    expect((await list('options_sortOrder=asc')).status).toBe(400);
  });

  it('4.3 rule 2: options_page is not used', async () => {
    const answer = await list('options_page=1&options_pageSize=7');
    // The specification leaves open whether it is overlooked or refused.
    expect([200, 400]).toContain(answer.status);
    if (answer.status === 200) {
      expect((answer.json as CustomerPage).data).toEqual((await pageOf('options_pageSize=7')).data);
    }
  });

  it.each(['options_sortBy=NAME', 'options_sortBy=DATE'])('4.3 rule 3: %s gives 400', async (query) => {
    expect((await list(query)).status).toBe(400);
  });

  it.each(['fiscalId=11111111-1', 'fiscalId=', 'overdueAmount=0'])(
    '4.3 rule 4: %s gives 400',
    async (query) => {
      expect((await list(query)).status).toBe(400);
    },
  );
});

/** The id of the first customer of a token's organization, where customers have one. */
async function anyId(token: string): Promise<string | undefined> {
  const { data } = (await service.get('/customers', { authorization: token })).json as CustomerPage;
  const id = data[0]?.id;
  return typeof id === 'string' ? id : undefined;
}

describe('4.4 GET /customers/{id}', () => {
  it('4.4 answers with one customer', async ({ skip }) => {
    const id = await anyId(service.token);
    skip(id === undefined, 'no customer has an id');
    const answer = await service.get(`/customers/${encodeURIComponent(id!)}`);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual((await pageOf('')).data[0]);
  });

  it('4.4 an unknown customer is 404, at present 500', async () => {
    const { status } = await service.get('/customers/000000000000000000000000');
    expect(service.isOwn ? [500] : [404, 500]).toContain(status);
  });

  it('1, 4.4 so is a customer of another organization', async ({ skip }) => {
    skip(service.secondToken === undefined, 'no second organization');
    const foreign = await anyId(service.secondToken!);
    skip(foreign === undefined, 'no customer has an id');
    expect([404, 500]).toContain((await service.get(`/customers/${encodeURIComponent(foreign!)}`)).status);
  });
});

describe('4.5 GET /customers/portal-link', () => {
  it.runIf(service.isOwn)('4.5 an unknown customer is 404', async () => {
    expect((await service.get('/customers/portal-link?customerId=000000000000000000000000')).status).toBe(
      404,
    );
  });

  it.runIf(service.isOwn)('4.5 a known one gives a link that opens without a token', async () => {
    const { id } = (await pageOf('')).data[0]!;
    const answer = await service.get(`/customers/portal-link?customerId=${String(id)}`);
    expect(answer.status).toBe(200);
    expect((await service.get((answer.json as { link: string }).link, {})).status).toBe(200);
  });
});
