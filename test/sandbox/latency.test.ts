import { expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { httpGet } from '../support/http-get.ts';

/** The waits, in ms, of 20 calls of a path; nothing really waits. */
async function waits(path: string, options: SandboxOptions): Promise<number[]> {
  const waited: number[] = [];
  const sandbox: Sandbox = await startSandbox({
    ...options,
    sleep: (milliseconds) => Promise.resolve(waited.push(milliseconds)),
  });
  for (let call = 0; call < 20; call++) {
    await httpGet(sandbox.baseUrl + path, { headers: { authorization: sandbox.tokens[0] } });
  }
  await sandbox.close();
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
