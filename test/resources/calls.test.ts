import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { customersOf, pageOf, runAnswered } from '../support/scripted-run.ts';

/** The arguments, how many records there are, and how many of them the largest page has that the service serves. */
type Listing = readonly [line: string, records: number, most: number, oddity?: Oddity];

/** Another order for each page size, a record more in front after the first page; how lists in the query are read. */
type Oddity = 'by size' | 'moves' | 'repeat' | 'last';

/** How many calls the whole listing takes, and how many pages of the largest size hold it. */
async function callsOf([line, records, most, oddity]: Listing) {
  let calls = 0;
  const { code, stdout } = await runAnswered([...line.split(' '), '--format', 'jsonl'], (url) => {
    const { pathname, searchParams: query } = url;
    const lists = query.getAll('customerFiscalIds');
    calls++;
    if (lists.some((list) => list.includes(','))) return [400, '{"errors":"no such customer"}'];
    const wanted = new Set(oddity === 'last' ? lists.slice(-1) : lists);
    const size = Number(query.get('options_pageSize') ?? 10);
    const moved = oddity === 'moves' && calls > 1 ? ['{"id":"new"}'] : [];
    const own = Array.from({ length: records }, (_, at) => at)
      .toSorted(oddity === 'by size' ? (a, b) => ((a * size) % 1009) - ((b * size) % 1009) || a - b : () => 0)
      .map((at) => ({ id: at, customer: { fiscalId: `${at % 3}-K` } }))
      .filter(({ customer }) => lists.length === 0 || wanted.has(customer.fiscalId))
      .map((record) => JSON.stringify(record));
    const all = [...moved, ...own];
    if (pathname.endsWith('/customers')) {
      const start = Number(query.get('options_nextToken') ?? 0);
      const next = start + size < all.length ? String(start + size) : null;
      return customersOf(all.slice(start, start + size), next);
    }
    if (size > most) return [502, '{}'];
    const first = pathname.includes('prepaid') ? 1 : 0;
    const page = all.slice((Number(query.get('options_page')) - first) * size).slice(0, size);
    if (!/prepaid-expenses\/\d/.test(pathname)) return pageOf(page, { total: all.length });
    return `{"id":1,"assignedDocuments":${pageOf(page, { total: all.length })}}`;
  });
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toHaveLength(records + (oddity === 'moves' ? 1 : 0));
  return [Math.ceil(records / most), calls] as const;
}

const IDS = 'issued --customer-fiscal-id 0-K,1-K,2-K';

it.each<[what: string, ...Listing]>([
  ['issued, 12,000 records', 'issued', 12_000, 2_000],
  ['received, 5,000 records', 'received', 5_000, 500],
  ['received, 3,000 records, where pages over 50 are refused', 'received', 3_000, 50],
  ['customers (cursor), 2,500 records', 'customers', 2_500, 1_000],
  ['funds, 2,500 records', 'funds', 2_500, 1_000],
  ['documents of a fund, 130 records', 'funds documents 1', 130, 100],
  ['issued, 12,000 records, one more after the first page', 'issued', 12_000, 2_000, 'moves'],
  ['received, 900 records, in another order for each page size', 'received', 900, 500, 'by size'],
  ['issued, 3 fiscal IDs, read as repeated parameters', IDS, 900, 2_000, 'repeat'],
  ['issued, 3 fiscal IDs, of which the service reads the last', IDS, 900, 2_000, 'last'],
])('CONTRIBUTING says how many calls prove whole: %s', async (what, ...listing) => {
  const text = readFileSync(new URL('../../.github/CONTRIBUTING.md', import.meta.url), 'utf8');
  const name = what.replaceAll(/[()]/g, '\\$&');
  const row = new RegExp(`^\\| ${name} *\\| (\\d+) *\\| (\\d+)(?: to (\\d+))? *\\|$`, 'm');
  const [, fewest, from, to] = row.exec(text)!.map(Number);
  const [held, calls] = await callsOf(listing);
  expect(held).toBe(fewest);
  // Which of several pages comes first is not the same in each run, where some are refused.
  expect(calls).toBeGreaterThanOrEqual(from!);
  expect(calls).toBeLessThanOrEqual(to || from!);
});
