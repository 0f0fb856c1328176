import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { httpGet } from '../support/http-get.ts';

const count = 1_000_000;

/** Bytes that are held, once what nobody holds any more is gone. */
function held(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

it('serves a million sorted records without holding them', async () => {
  const sandbox = await startSandbox({ issued: count, awkward: true });
  const before = held();
  const amounts: number[] = [];
  for (const place of [0, 250_000, 999_999]) {
    const query = `options_sortBy=AMOUNT&options_page=${place}&options_pageSize=1`;
    const answer = await httpGet(`${sandbox.baseUrl}/invoices/issued?${query}`, {
      headers: { authorization: sandbox.tokens[0] },
    });
    const { total, pageResults } = answer.json as { total: number; pageResults: { totalAmount: number }[] };
    expect(total).toBe(count);
    amounts.push(pageResults[0]!.totalAmount);
  }
  expect(amounts).toEqual(amounts.toSorted((left, right) => left - right));
  expect(amounts[0]).toBeLessThan(0);
  expect(amounts[2]).toBeGreaterThanOrEqual(9_000_000);
  // The text is 1.2 GB. An order is 4 MB.
  expect(held() - before).toBeLessThan(30e6);
  await sandbox.close();
});
