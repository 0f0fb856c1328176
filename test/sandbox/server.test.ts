import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { httpGet } from '../support/http-get.ts';
import { serve } from './serve.ts';

describe('startSandbox', () => {
  it('listens on loopback, on a port of the system, and frees it', async () => {
    const sandbox = await startSandbox();
    expect(sandbox.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    await sandbox.close();
    await expect(httpGet(sandbox.baseUrl)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('breaks off a call that waits, when it closes', async () => {
    let wait = (): void => {};
    const waits = new Promise<void>((resolve) => (wait = resolve));
    const sandbox = await startSandbox({
      latency: [600_000, 600_000],
      sleep(milliseconds, signal) {
        wait();
        return sleep(milliseconds, undefined, { signal });
      },
    });
    const call = httpGet(`${sandbox.baseUrl}/customers`, { headers: { authorization: sandbox.tokens[0] } });
    const broken = expect(call).rejects.toMatchObject({ code: 'ECONNRESET' });
    await waits;
    await sandbox.close();
    await broken;
  });

  it('answers for a method, or a path that does not decode, as for an address that it does not have', async () => {
    const { baseUrl, tokens, get } = await serve({});
    const headers = { authorization: tokens[0] };
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])
      expect((await httpGet(`${baseUrl}/customers`, { method, headers })).status).toBe(403);
    expect((await get('/customers/%E0%A4%A')).status).toBe(403);
  });

  it('serves an organization that has nothing', async () => {
    const { get } = await serve({ issued: 0, received: 0, customers: 0, funds: 0, documents: 0 });
    const listings = ['invoices/issued?options_sortBy=AMOUNT', 'invoices/received'];
    for (const path of [...listings, 'accounts-payable/prepaid-expenses'])
      expect((await get(`/${path}`)).json).toMatchObject({ total: 0, pageResults: [], errors: [] });
    expect((await get('/customers')).json).toEqual({ data: [], errors: [], nextToken: null });
  });

  const others = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.net', '127.0.0.1@evil.example'];
  it.each([
    [200, ['127.0.0.1', 'localhost:1', '[::1]:80', '127.9.9.9']],
    [421, ['0.0.0.0', ...others]],
  ])('serves only those who name this machine: %i for %s', async (status, hosts) => {
    const { get } = await serve({});
    for (const host of hosts) expect((await get('/customers', { host })).status).toBe(status);
  });
});

describe('the log', () => {
  it('has a line for each request: method, path with query, status, time; never a token or a signature', async () => {
    const log: string[] = [];
    const { get, tokens } = await serve({ log: (line) => log.push(line) });
    const page = (await get('/invoices/issued?options_pageSize=9')).json as {
      pageResults: { files: { fileUrl: string }[] }[];
    };
    await httpGet(page.pageResults.flatMap(({ files }) => files)[0]!.fileUrl);
    await get(`/customers?fiscalId=${tokens[1]}`);
    expect(log.join('\n')).not.toContain(tokens[1]);
    expect(log.map((line) => line.replace(/\d+ ms$/, 'n ms'))).toEqual([
      'GET /v1/invoices/issued?options_pageSize=9 200 n ms',
      expect.stringMatching(/^GET \/files\/1\/[0-9a-f]{24}\/0\?… 302 n ms$/),
      'GET /v1/customers?fiscalId=[token] 400 n ms',
    ]);
  });
});
