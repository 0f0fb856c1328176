import { describe, expect, it } from 'vitest';
import { CUSTOMERS, openService, texts, type CustomerPage } from './service.ts';

const service = await openService();
const statusOf = async (path: string) => (await service.get(`${CUSTOMERS}${path}`)).status;
const pageOf = (query: string) => service.page<CustomerPage>(`${CUSTOMERS}?${query}`);

/** The pages of a walk, at most 20. */
async function walk(query: string): Promise<CustomerPage[]> {
  const pages = [await pageOf(query)];
  while (pages.at(-1)!.nextToken !== null && pages.length < 20)
    pages.push(await pageOf(`${query}&options_nextToken=${encodeURIComponent(pages.at(-1)!.nextToken!)}`));
  return pages;
}

describe('4.3 GET /customers', () => {
  it('4.3 each cursor leads to the next page, and the last page has none', async ({ skip }) => {
    const pages = await walk('options_pageSize=7');
    skip(pages.at(-1)!.nextToken !== null, 'more than 140 customers');
    const all = pages.flatMap(({ data }) => data);
    expect(new Set(texts(all)).size).toBe(all.length);
    const sizes = pages.map(({ data }) => data.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(7);
    if (service.isOwn) expect(sizes).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 4]);
  });

  it.runIf(service.isOwn)('4.3 a cursor has to be encoded, and none can be made up', async () => {
    const nextToken = (await pageOf('options_pageSize=7')).nextToken!;
    for (const character of '+/=') expect(nextToken).toContain(character);
    for (const cursor of [nextToken, encodeURIComponent(nextToken.replace('A', 'B')), ''])
      expect(await statusOf(`?options_nextToken=${cursor}`)).toBe(400);
  });

  it('4.3 options_sortOrder is ASC or DESC, which gives the same customers', async ({ skip }) => {
    const ascending = await walk('options_sortOrder=ASC&options_pageSize=50');
    const descending = await walk('options_sortOrder=DESC&options_pageSize=50');
    skip(ascending.at(-1)!.nextToken !== null, 'more than 1000 customers');
    const [up, down] = [ascending, descending].map((pages) => texts(pages.flatMap(({ data }) => data)));
    expect(up!.toSorted()).toEqual(down!.toSorted());
    if (service.isOwn) expect(down).toEqual(up!.toReversed());
  });

  it('4.3 rule 2: options_page is not used', async () => {
    const { status, json } = await service.get(`${CUSTOMERS}?options_page=1&options_pageSize=7`);
    // The specification leaves open whether it is overlooked or refused.
    expect([200, 400]).toContain(status);
    if (status === 200)
      expect((json as CustomerPage).data).toEqual((await pageOf('options_pageSize=7')).data);
  });
});

/** The id of the first customer of a token's organization, where customers have one. */
async function anyId(authorization: string): Promise<string | undefined> {
  const { data } = await service.page<CustomerPage>(CUSTOMERS, { authorization });
  return typeof data[0]?.id === 'string' ? data[0].id : undefined;
}

describe('4.4 GET /customers/{id}, 4.5 GET /customers/portal-link', () => {
  const nobody = '000000000000000000000000';

  it('4.4 answers with one customer', async ({ skip }) => {
    const id = await anyId(service.token);
    skip(id === undefined, 'no customer has an id');
    const customer = await service.page(`${CUSTOMERS}/${encodeURIComponent(id!)}`);
    expect(customer).toEqual((await pageOf('')).data[0]);
  });

  it('1, 4.4 an unknown customer is 404, at present 500, as one of another organization is', async ({
    skip,
  }) => {
    expect(service.isOwn ? [500] : [404, 500]).toContain(await statusOf(`/${nobody}`));
    skip(service.secondToken === undefined, 'no second organization');
    const foreign = await anyId(service.secondToken!);
    skip(foreign === undefined, 'no customer has an id');
    expect([404, 500]).toContain(await statusOf(`/${encodeURIComponent(foreign!)}`));
  });

  it.runIf(service.isOwn)(
    '4.5 an unknown customer has no link, a known one one that opens without a token',
    async () => {
      expect(await statusOf(`/portal-link?customerId=${nobody}`)).toBe(404);
      const id = await anyId(service.token);
      const { link } = await service.page<{ link: string }>(`${CUSTOMERS}/portal-link?customerId=${id}`);
      expect((await service.get(link, {})).status).toBe(200);
    },
  );
});
