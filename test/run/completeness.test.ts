import { describe, expect, it } from 'vitest';
import { pageOf, runScripted } from '../support/scripted-run.ts';
import { expectRefused } from '../support/expect-exit.ts';

const LINE = ['received', '--issuer-fiscal-id', '80.765.432-K', '--retries', '0'];
const REFUSED = [400, '{"error":"Bad Request","message":"issuers not found"}'] as const;

describe('a refusal of a listing with fiscal IDs (spec 4.2 rule 2)', () => {
  it('means that none exist where the listing without them is served, and brackets help nothing', async () => {
    const { code, stderr, asked } = await runScripted(
      [...LINE, '--param', 'receivedDateSince=2026-01-01', '--sort-by', 'date'],
      [REFUSED, REFUSED, pageOf([]), REFUSED, REFUSED],
    );
    expect(code).toBe(4);
    expect(stderr).toMatch(/^folio: no issuer has any of these fiscal IDs: 80\.765\.432-K\n/);
    expect(asked[2]).toBe(
      '/invoices/received?options_page=0&options_pageSize=1&options_sortBy=DATE&receivedDateSince=2026-01-01',
    );
  });

  it('means that the query is wrong where that is refused as well', async () => {
    await expectRefused(
      runScripted(LINE, [REFUSED, REFUSED, [400, '{"errors":"bad date"}']]),
      'issuers not found',
    );
  });

  it('is what it was where the second answer says nothing', async () => {
    await expectRefused(runScripted(LINE, [REFUSED, REFUSED, [500, '{}']]), 'issuers not found');
  });

  it('is not looked into without fiscal IDs', async () => {
    const { code, asked } = await runScripted(['received'], [REFUSED, REFUSED]);
    // The second is for a small page: the refusal may have been for the size.
    expect([code, asked.length]).toEqual([2, 2]);
  });
});
