import { describe, expect, it } from 'vitest';
import { httpGet } from '../support/http-get.ts';
import { serve } from './serve.ts';

const start = Date.UTC(2026, 10, 21, 10, 20);
const hour = 3_600_000;

describe('what ends with time', () => {
  it('a signed link, after 24 hours', async () => {
    let time = start;
    const { get } = await serve({ now: () => time });
    const links = async (): Promise<string[]> => {
      const answer = await get('/invoices/issued?options_pageSize=120');
      const { pageResults } = answer.json as { pageResults: { files: { fileUrl: string }[] }[] };
      return pageResults.flatMap(({ files }) => files.map(({ fileUrl }) => fileUrl));
    };
    const [link] = await links();
    const open = async (): Promise<number> => (await httpGet(link!)).status;
    expect(await open()).toBe(302);
    const { location } = (await httpGet(link!)).headers;
    time = start + 24 * hour - 1;
    expect(await open()).toBe(302);
    time = start + 24 * hour;
    expect(await open()).toBe(403);
    expect(String((await httpGet(link!)).body)).toContain('Request has expired');
    expect((await httpGet(location!)).status).toBe(403);
    // Asked for anew, the same invoice has a link that opens.
    expect((await httpGet((await links())[0]!)).status).toBe(302);
  });

  it('a token, after a year', async () => {
    let time = start;
    const { get, tokens } = await serve({ now: () => time });
    const [, payload] = tokens[0].split('.');
    expect(tokens[0]).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(JSON.parse(Buffer.from(payload!, 'base64url').toString())).toEqual({
      organizationId: expect.stringMatching(/^[0-9a-f]{24}$/),
      iat: start / 1000,
      exp: start / 1000 + 365 * 24 * 3600,
    });
    const ask = async (): Promise<number> => (await get('/customers')).status;
    expect(await ask()).toBe(200);
    time = start + 365 * 24 * hour;
    expect(await ask()).toBe(403);
  });
});
