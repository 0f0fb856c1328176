import { describe, expect, it } from 'vitest';
import { chooseFault } from '../../src/sandbox/gateway.ts';
import { jsonReply } from '../../src/sandbox/reply.ts';
import type { SandboxOptions } from '../../src/sandbox/server.ts';
import { makeCertificate } from '../support/certificate.ts';
import { httpGet, type HttpAnswer } from '../support/http-get.ts';
import { serve } from './serve.ts';

/** The waits, in ms, of 20 calls of a path; nothing really waits. */
async function waits(path: string, options: SandboxOptions): Promise<number[]> {
  const waited: number[] = [];
  const sleep = (milliseconds: number) => Promise.resolve(waited.push(milliseconds));
  const { get } = await serve({ ...options, sleep });
  for (let call = 0; call < 20; call++) await get(path);
  return waited;
}

it('waits between the two times', async () => {
  const times = await waits('/customers', { latency: [100, 120] });
  expect(times.length).toBe(20);
  expect(new Set(times).size).toBeGreaterThan(5);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(100);
  expect(Math.max(...times)).toBeLessThanOrEqual(120);
});

it('lets the received listing alone take 10 to 25 s', async () => {
  expect(await waits('/invoices/issued', { realistic: true })).toEqual([]);
  const times = await waits('/invoices/received', { realistic: true });
  expect(times.length).toBe(20);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(10_000);
  expect(Math.max(...times)).toBeLessThanOrEqual(25_000);
});

/** The statuses of so many calls, one after the other, and the codes of the errors that they ended with. */
async function outcomesOf(calls: number, call: () => Promise<HttpAnswer>): Promise<Set<unknown>> {
  const outcomes = new Set<unknown>();
  const codeOf = (error: NodeJS.ErrnoException): unknown => error.code;
  for (let number = 0; number < calls; number++)
    outcomes.add(await call().then(({ status }): unknown => status, codeOf));
  return outcomes;
}

const proper = jsonReply(200, '{}');
const faults = (seed: number, rate: number): string[] =>
  Array.from({ length: 2000 }, (_, call) => {
    const reply = chooseFault({ seed, rate, call, now: 0 })?.(proper);
    const said = reply && [reply.status, reply.breaks ?? reply.body, reply.headers['retry-after']];
    return said?.map((one) => String(one ?? '')).join(' ') ?? '';
  });

describe('faults', () => {
  it('hit the share that is asked for, by the seed', () => {
    expect(faults(1, 0).filter(Boolean).length).toBe(0);
    expect(faults(1, 1).filter(Boolean).length).toBe(2000);
    const some = faults(1, 0.2);
    expect(some.filter(Boolean).length / 2000).toBeCloseTo(0.2, 1);
    expect(faults(1, 0.2)).toEqual(some);
    expect(faults(2, 0.2)).not.toEqual(some);
  });

  it('are of all the kinds that a service shows', () => {
    expect([...new Set(faults(1, 1))].toSorted()).toEqual([
      '200 at once ',
      '200 halfway ',
      '429 {"message":"Too Many Requests"} 1',
      '429 {"message":"Too Many Requests"} Thu, 01 Jan 1970 00:00:01 GMT',
      '500 {"error":"Internal Server Error","message":"Internal error"} ',
      '500 {"errors":"Internal error"} ',
      '500 {"errors":[{"_type":"ServiceError","message":"Internal error"}]} ',
      '502 {"message":"Internal server error"} ',
      '503 {"message":"Service Unavailable"} ',
    ]);
  });

  it('reach the client, and the same request succeeds later', async () => {
    const log: string[] = [];
    const { get } = await serve({ failRate: 0.5, log: (line) => log.push(line) });
    const outcomes = await outcomesOf(60, () => get('/customers'));
    expect(outcomes).toEqual(new Set([200, 429, 500, 502, 503, 'ECONNRESET']));
    expect(log.some((line) => line.includes('200 cut short'))).toBe(true);
    expect(log.some((line) => line.includes('connection reset'))).toBe(true);
  });

  it('reach the signed links too, whose redirect has no body to cut', async () => {
    const page = await (await serve({ seed: 1 })).get('/invoices/issued');
    const { pageResults } = page.json as { pageResults: { files: { fileUrl: string }[] }[] };
    const { pathname, search } = new URL(pageResults.flatMap(({ files }) => files)[0]!.fileUrl);
    // The same seed signs the same links.
    const { baseUrl } = await serve({ failRate: 0.9, seed: 1 });
    const link = new URL(baseUrl).origin + pathname + search;
    const outcomes = await outcomesOf(60, () => httpGet(link));
    expect(outcomes).toEqual(new Set([302, 429, 500, 502, 503, 'ECONNRESET']));
  });
});

it('break connections with TLS too', async () => {
  const certificate = await makeCertificate();
  const { baseUrl, tokens } = await serve({ certificate, failRate: 1 });
  const options = { ca: certificate.cert, headers: { authorization: tokens[0] } };
  const outcomes = await outcomesOf(20, () => httpGet(`${baseUrl}/customers`, options));
  expect(outcomes).toContain('ECONNRESET');
  expect(outcomes).not.toContain(200);
});
