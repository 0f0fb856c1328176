import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { HttpAnswer } from '../support/http-get.ts';
import { openService, texts, type Page } from './service.ts';

const service = await openService();
const list = (query: string): Promise<HttpAnswer> => service.get(`/invoices/issued?${query}`);
const pageOf = async (query: string): Promise<Page> => (await list(query)).json as Page;
const { total } = await pageOf('options_pageSize=1');

describe('4.1 GET /invoices/issued: compression', () => {
  const compressed = { authorization: service.token, 'accept-encoding': 'gzip' };
  const encoding = async (size: number, headers: Record<string, string>): Promise<string | undefined> =>
    (await service.get(`/invoices/issued?options_pageSize=${size}`, headers)).headers['content-encoding'];

  it('4.1 rule 4: more than 1729 results are compressed for who accepts gzip', async ({ skip }) => {
    skip(total <= 1729, 'not more than 1729 invoices');
    const plain = await list('options_pageSize=1730');
    const answer = await service.get('/invoices/issued?options_pageSize=1730', compressed);
    expect(answer.headers['content-encoding']).toBe('gzip');
    const inflated = JSON.parse(gunzipSync(answer.body).toString()) as Page;
    expect(texts(inflated.pageResults)).toEqual(texts((plain.json as Page).pageResults));
  });

  it('4.1 rule 4: 1729 results are not', async ({ skip }) => {
    skip(total < 1729, 'fewer than 1729 invoices');
    expect(await encoding(1729, compressed)).toBeUndefined();
  });

  it('4.1 rule 4: nor are more for who does not accept it', async ({ skip }) => {
    skip(total <= 1729, 'not more than 1729 invoices');
    expect(await encoding(1730, { authorization: service.token })).toBeUndefined();
    expect(await encoding(1730, { ...compressed, 'accept-encoding': 'identity, gzip;q=0' })).toBeUndefined();
  });
});
