import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { httpGet } from '../support/http-get.ts';
import { serve } from './serve.ts';

/** Links change by the second. */
const now = (): number => 1_800_000_000_000;

describe('startSandbox', () => {
  it('listens on loopback, on a port of the system, and frees it', async () => {
    const sandbox = await startSandbox();
    expect(sandbox.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    await sandbox.close();
    await expect(httpGet(sandbox.baseUrl)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('rejects when the port is in use', async () => {
    const { baseUrl } = await serve({});
    const port = Number(new URL(baseUrl).port);
    await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
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

  it('answers for a method that it does not have as for an address that it does not have', async () => {
    const { baseUrl, tokens } = await serve({});
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
      const answer = await httpGet(`${baseUrl}/customers`, {
        method,
        headers: { authorization: tokens[0] },
      });
      expect(answer.status).toBe(403);
    }
  });

  it('takes a path that does not decode for an address that it does not have', async () => {
    const { get } = await serve({});
    expect((await get('/customers/%E0%A4%A')).status).toBe(403);
  });

  it('serves an organization that has nothing', async () => {
    const { get } = await serve({ issued: 0, received: 0, customers: 0, funds: 0, documents: 0 });
    for (const path of [
      '/invoices/issued?options_sortBy=AMOUNT',
      '/invoices/received',
      '/accounts-payable/prepaid-expenses',
    ]) {
      expect((await get(path)).json).toMatchObject({ total: 0, pageResults: [], errors: [] });
    }
    expect((await get('/customers')).json).toEqual({ data: [], errors: [], nextToken: null });
  });

  it('sends a page that is too large to hold in pieces, compressed or not', async () => {
    const { get } = await serve({ issued: 5001, now });
    const plain = await get('/invoices/issued?options_pageSize=5001');
    expect(plain.headers['transfer-encoding']).toBe('chunked');
    const compressed = await get('/invoices/issued?options_pageSize=5001', {
      'accept-encoding': 'br, gzip;q=0.5',
    });
    expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
    const { pageResults } = plain.json as { pageResults: object[] };
    const last = (await get('/invoices/issued?options_page=5000&options_pageSize=1')).json as {
      pageResults: object[];
    };
    expect(pageResults.slice(-1)).toEqual(last.pageResults);
  });

  it('sends the same bytes again for the same query', async () => {
    const { get } = await serve({ now });
    const path = '/invoices/issued?options_pageSize=100';
    const [once, again] = [await get(path), await get(path)];
    expect(once.body.equals(again.body)).toBe(true);
  });

  it.each([
    ['127.0.0.1', 200],
    ['localhost:1', 200],
    ['[::1]:80', 200],
    ['127.9.9.9', 200],
    ['evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['localhost.evil.example', 421],
    ['127.0.0.1@evil.example', 421],
    ['0.0.0.0', 421],
  ])('serves only those who name this machine: Host %s is %i', async (host, status) => {
    const { get } = await serve({});
    expect((await get('/customers', { host })).status).toBe(status);
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
