import { describe, expect, it } from 'vitest';
import type { HttpAnswer } from '../support/http-get.ts';
import { openService, texts, type Item, type Page } from './service.ts';

const service = await openService();
const listings = [
  '/invoices/issued',
  '/invoices/received',
  '/customers',
  '/accounts-payable/prepaid-expenses',
] as const;
const asked = (authorization: string): Promise<HttpAnswer> => service.get('/customers', { authorization });

describe('5 Authentication', () => {
  it.each(listings)('5 item 4: a valid token authorizes GET %s', async (path) => {
    expect((await service.get(path)).status).toBe(200);
  });

  it.each(listings)('5 GET %s without Authorization is 401, Unauthorized', async (path) => {
    const answer = await service.get(path, {});
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({ message: 'Unauthorized' });
  });

  it('5 item 2: with Bearer before it a valid token is refused with 403', async () => {
    const answer = await asked(`Bearer ${service.token}`);
    expect(answer.status).toBe(403);
    expect((answer.json as Item).Message).toMatch(/^User is not authorized to access this resource/);
  });

  it.each(['nonsense', `${service.token}x`, service.token.slice(1)])(
    '5 item 1: another token is 403 (%#)',
    async (token) => {
      const answer = await asked(token);
      expect(answer.status).toBe(403);
      expect((answer.json as Item).Message).toMatch(/^User is not authorized to access this resource/);
    },
  );

  it.each(['/prepaid-expenses', '/contacts', '/collections', '/invoices', '/invoices/issued/1'])(
    '5, 9: %s does not exist, which is 403 of another kind',
    async (path) => {
      const answer = await service.get(path);
      expect(answer.status).toBe(403);
      const { message } = answer.json as { message: string };
      expect(message).toMatch(/^Authorization header requires '?Credential'? parameter/);
      expect(message).toContain('Signature');
    },
  );

  it('5 an address that does not exist says so also without a token', async () => {
    expect(((await service.get('/contacts', {})).json as Item).message).toMatch(/Credential/);
  });

  it('1 a token gives the data of its organization only', async ({ skip }) => {
    skip(service.secondToken === undefined, 'no second organization');
    for (const path of listings.filter((listing) => listing !== '/customers')) {
      const [first, second] = [
        (await service.get(path)).json as Page,
        (await service.get(path, { authorization: service.secondToken! })).json as Page,
      ];
      const mine = new Set(texts(first.pageResults));
      expect(texts(second.pageResults).filter((text) => mine.has(text))).toEqual([]);
      expect(second.pageResults.length).toBeGreaterThan(0);
    }
  });
});
