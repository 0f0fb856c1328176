import { describe, expect, it } from 'vitest';
import { CUSTOMERS, FUNDS, ISSUED, openService, RECEIVED, texts } from './service.ts';
import type { CustomerPage, Item } from './service.ts';

const service = await openService();
const listings = [ISSUED, RECEIVED, CUSTOMERS, FUNDS];
const numbered = [ISSUED, RECEIVED, FUNDS];

describe('5 Authentication', () => {
  it.each(listings)('5 item 4: a valid token authorizes GET %s; without any it is 401', async (path) => {
    expect((await service.get(path)).status).toBe(200);
    const { status, json } = await service.get(path, {});
    expect({ status, json }).toEqual({ status: 401, json: { message: 'Unauthorized' } });
  });

  it.each([`Bearer ${service.token}`, 'nonsense', `${service.token}x`, service.token.slice(1)])(
    '5 items 1 and 2: another token, or Bearer before a valid one, is 403 (%#)',
    async (authorization) => {
      const { status, json } = await service.get(CUSTOMERS, { authorization });
      expect(status).toBe(403);
      expect((json as Item).Message).toMatch(/^User is not authorized to access this resource/);
    },
  );

  it.each(['/prepaid-expenses', '/contacts', '/collections', '/invoices', '/invoices/issued/1'])(
    '5, 9: %s does not exist, which is 403 of another kind, also without a token',
    async (path) => {
      for (const answer of [await service.get(path), await service.get(path, {})]) {
        expect(answer.status).toBe(403);
        const { message } = answer.json as { message: string };
        expect(message).toMatch(/^Authorization header requires '?Credential'? parameter.*Signature/s);
      }
    },
  );

  it('1 a token gives the data of its organization only', async ({ skip }) => {
    skip(service.secondToken === undefined, 'no second organization');
    for (const path of numbered) {
      const first = await service.page(path);
      const second = await service.page(path, { authorization: service.secondToken! });
      const mine = new Set(texts(first.pageResults));
      expect(texts(second.pageResults).filter((text) => mine.has(text))).toEqual([]);
      expect(second.pageResults.length).toBeGreaterThan(0);
    }
  });
});

describe('2 Resources, 4.8 Pagination', () => {
  it.each([
    [ISSUED, 0, 10],
    [RECEIVED, 0, 10],
    [FUNDS, 1, 20],
  ])(
    '2.2, 4.8 GET %s answers with the page envelope, from page %i with %i records',
    async (path, page, size) => {
      const answer = await service.get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
      const { total, pageResults, ...rest } = await service.page(path);
      expect(rest).toMatchObject({ page, pageSize: size, errors: [] });
      expect(Number.isInteger(total) && total >= 0).toBe(true);
      expect(pageResults.length).toBe(Math.min(total, size));
    },
  );

  it.for([
    [ISSUED, 0, 3],
    [RECEIVED, 0, 2],
    [FUNDS, 1, 2],
  ] as const)('4.1, 4.2, 4.6 options_page of %s begins with %i', async ([path, first, size], { skip }) => {
    const pageOf = (page: number, pageSize: number) =>
      service.page(`${path}?options_page=${page}&options_pageSize=${pageSize}`);
    const both = await pageOf(first, 2 * size);
    skip(both.total < 2 * size, 'too few records');
    const parts = [await pageOf(first, size), await pageOf(first + 1, size)];
    expect(texts(parts.flatMap((part) => part.pageResults))).toEqual(texts(both.pageResults));
    expect(parts.map(({ page, pageSize }) => [page, pageSize])).toEqual([
      [first, size],
      [first + 1, size],
    ]);
  });

  it.each(numbered)('7 an empty search of %s is 200, never 204', async (path) => {
    expect(await service.page(`${path}?options_page=100000`)).toMatchObject({ pageResults: [], errors: [] });
  });

  it('2.3 GET /customers answers with data, errors and nextToken', async () => {
    const page = await service.page<CustomerPage>(CUSTOMERS);
    expect(Array.isArray(page.data)).toBe(true);
    expect(page.errors).toEqual([]);
    expect(page.nextToken === null || typeof page.nextToken === 'string').toBe(true);
  });
});

const REFUSED = [
  ...['sortOrder=asc', 'sortOrder=UP', 'sortBy=number', 'sortBy=COLOUR'].map(
    (one) => `${ISSUED}?options_${one}`,
  ),
  ...['sortOrder=desc', 'sortOrder=1'].map((one) => `${RECEIVED}?options_${one}`),
  ...['totalAmount=1', 'totalAmount=', 'totalAmount=abc', 'issuerFiscalIds=11111111-1'].map(
    (one) => `${RECEIVED}?${one}`,
  ),
  ...['sortOrder=asc', 'sortBy=NAME', 'sortBy=DATE'].map((one) => `${CUSTOMERS}?options_${one}`),
  ...['fiscalId=11111111-1', 'fiscalId=', 'overdueAmount=0'].map((one) => `${CUSTOMERS}?${one}`),
  ...['sortOrder=ASC', 'sortOrder=DESC'].map((one) => `${FUNDS}?options_${one}`),
  ...numbered.map((path) => `${path}?colour=red`),
];

/** What the specification leaves open. */
const REFUSED_BY_OWN = [
  ...['options_page=-1', 'options_page=1.5', 'options_page=x', 'emissiondateSince=yesterday'],
  ...['emissiondateSince=2025-02-30', 'status=LOST'],
].map((query) => `${ISSUED}?${query}`);

describe('7 Errors', () => {
  it.each(REFUSED)('4.1 to 4.6, 7: GET %s is an invalid query, 400', async (path) => {
    expect((await service.get(path)).status).toBe(400);
  });

  it.runIf(service.isOwn).each(REFUSED_BY_OWN)('4.1, 7: so is GET %s', async (path) => {
    expect((await service.get(path)).status).toBe(400);
  });

  it.each([
    [`${ISSUED}?colour=red`, 'array'],
    [`${RECEIVED}?totalAmount=1`, 'string'],
    [`${CUSTOMERS}?fiscalId=1`, 'message'],
    [`${FUNDS}?colour=red`, 'string'],
  ])('7 the body of 400 for %s has one of the three forms', async (path, form) => {
    const body = (await service.get(path)).json as Item;
    const found = Array.isArray(body.errors)
      ? 'array'
      : typeof body.errors === 'string'
        ? 'string'
        : typeof body.error === 'string' && typeof body.message === 'string'
          ? 'message'
          : 'none of them';
    expect(['array', 'string', 'message']).toContain(found);
    // Which endpoint has which form is open; the embedded service shows all three.
    if (service.isOwn) expect(found).toBe(form);
  });
});

describe('2.5 Signed file links', () => {
  const filesOf = async (): Promise<{ fileUrl: string }[]> => {
    const { pageResults } = await service.page(`${ISSUED}?options_pageSize=100`);
    return pageResults.flatMap(({ files }) => files as { fileUrl: string }[]);
  };
  const isRefused = async (link: string): Promise<void> =>
    expect((await service.get(link, {})).status).toBe(403);

  it('2.5 an issued invoice has files, each with a fileUrl', async () => {
    for (const file of await filesOf()) expect(file).toEqual({ fileUrl: expect.stringMatching(/^https?:/) });
  });

  it('2.5 a link redirects to the file, without a token; a forged one is refused', async ({ skip }) => {
    const link = (await filesOf())[0]?.fileUrl;
    skip(link === undefined, 'no invoice has a file');
    const redirect = await service.get(link!, {});
    expect([301, 302, 303, 307, 308]).toContain(redirect.status);
    const file = await service.get(new URL(redirect.headers.location!, link).href, {});
    expect([file.status, file.body.length > 0]).toEqual([200, true]);
    await isRefused(link!.slice(0, -9) + (link!.at(-9) === 'a' ? 'b' : 'a') + link!.slice(-8));
    await isRefused(link!.replace(/\?.*/, ''));
  });

  it.runIf(service.isOwn)('2.5 nor can its end be put off, or its signature serve another file', async () => {
    const link = (await filesOf())[0]!.fileUrl;
    await isRefused(link.replace(/expires=\d/, 'expires=9'));
    await isRefused(link.replace('/0?', '/1?'));
  });
});
