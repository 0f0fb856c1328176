import { describe, expect, it } from 'vitest';
import { openService, type Page } from './service.ts';

const service = await openService();

async function anyLink(): Promise<string | undefined> {
  const page = (await service.get('/invoices/issued?options_pageSize=100')).json as Page;
  return page.pageResults.flatMap(({ files }) => files as { fileUrl: string }[])[0]?.fileUrl;
}

describe('2.5 Signed file links', () => {
  it('2.5 a link redirects to the file, without a token', async ({ skip }) => {
    const link = await anyLink();
    skip(link === undefined, 'no invoice has a file');
    const redirect = await service.get(link!, {});
    expect([301, 302, 303, 307, 308]).toContain(redirect.status);
    const file = await service.get(new URL(redirect.headers.location!, link).href, {});
    expect(file.status).toBe(200);
    expect(file.body.length).toBeGreaterThan(0);
  });

  it('2.5 a forged link is refused', async ({ skip }) => {
    const link = await anyLink();
    skip(link === undefined, 'no invoice has a file');
    const forged = link!.slice(0, -9) + (link!.at(-9) === 'a' ? 'b' : 'a') + link!.slice(-8);
    expect((await service.get(forged, {})).status).toBe(403);
    expect((await service.get(link!.replace(/\?.*/, ''), {})).status).toBe(403);
  });

  it.runIf(service.isOwn)('2.5 nor can its end be put off, or its signature serve another file', async () => {
    const link = (await anyLink())!;
    expect((await service.get(link.replace(/expires=\d/, 'expires=9'), {})).status).toBe(403);
    expect((await service.get(link.replace('/0?', '/1?'), {})).status).toBe(403);
  });
});
