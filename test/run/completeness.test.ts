import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectRefused } from '../support/expect-exit.ts';
import { pageOf, runScripted, runAnswered } from '../support/scripted-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LINE = ['received', '--issuer-fiscal-id', '80.765.432-K', '--retries', '0'];
const REFUSED = [400, '{"error":"Bad Request","message":"issuers not found"}'] as const;

describe('a refusal of a listing with fiscal IDs (spec 4.2 rule 2)', () => {
  it('means that none exist where the listing without them is served, and brackets help nothing', async () => {
    const { code, stderr, asked } = await runScripted(
      [...LINE, '--param', 'receivedDateSince=2026-01-01', '--sort-by', 'date'],
      [REFUSED, pageOf([]), REFUSED],
    );
    expect(code).toBe(4);
    expect(stderr).toMatch(/^folio: no issuer has any of these fiscal IDs: 80\.765\.432-K\n/);
    expect(asked[1]).toBe(
      '/invoices/received?options_page=0&options_pageSize=1&options_sortBy=DATE&receivedDateSince=2026-01-01',
    );
  });

  it.each([
    ['means that the query is wrong where that is refused as well', 400, '{"errors":"bad date"}'],
    ['is what it was where the second answer says nothing', 500, '{}'],
  ])('%s', async (_, status, body) => {
    await expectRefused(runScripted(LINE, [REFUSED, [status, body]]), 'issuers not found');
  });

  it('is not looked into without fiscal IDs', async () => {
    const { code, asked } = await runScripted(['received'], [REFUSED, REFUSED]);
    // The second is for a small page: the refusal may have been for the size.
    expect([code, asked.length]).toEqual([2, 2]);
  });
});

/** Milliseconds after which the service gives up (spec 8). */
const SLOW = 29_200;

/** Runs `received` over records that are numbers, where `answer` may refuse a page. */
async function run(
  records: (call: number) => readonly number[],
  answer: (page: Readonly<{ ids: number[]; size: number; call: number }>) => number | undefined,
) {
  let call = 0;
  const receipt = join(temporaryFolder(), 'receipt.json');
  const line = `received --format jsonl --debug --receipt ${receipt} --page-size 20 --retries 0`;
  const { code, stderr } = await runAnswered(line.split(' '), ({ searchParams }, clock) => {
    const all = records(call);
    const size = Number(searchParams.get('options_pageSize'));
    const ids = all.slice(Number(searchParams.get('options_page')) * size).slice(0, size);
    const milliseconds = answer({ ids, size, call: call++ });
    const texts = ids.map((id) => `{"id":${id}}`);
    if (milliseconds === undefined) return pageOf(texts, { total: all.length });
    clock.advance(milliseconds);
    return [502, '{"message":"Bad Gateway"}'];
  });
  const said = stderr.split('\n').filter((line) => !line.includes('GET '));
  const counts: unknown = JSON.parse(readFileSync(receipt, 'utf8'));
  return { code, said: said.join('\n').replaceAll(/^\S+Z /gm, ''), counts };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

it('more records in doubt than the service names are not said to be of those', async () => {
  let next = 0;
  const { code, stderr } = await runAnswered(['received', '--page-size', '20'], ({ searchParams }) => {
    const page = Number(searchParams.get('options_page'));
    return pageOf(page > 2 ? [] : Array.from({ length: 20 }, () => `{"n":${next++}}`), { total: 60 });
  });
  expect(code).toBe(6);
  expect(stderr).toMatch(/delivered \d+ records, but not all: \d+ records or more are in doubt: /);
});

it('--debug and the receipt tell of pages that shrank, and of a record given up', async () => {
  const { code, said, counts } = await run(
    () => numbers(60),
    ({ ids }) => (ids.includes(37) ? 10 : undefined),
  );
  expect(code).toBe(6);
  expect(said).toContain('shrunk: 19 records from record 21 were too much, asks for 9');
  expect(said).toContain('given up: record 38 of the listing is not served even alone');
  expect(counts).toMatchObject({ shrinks: expect.any(Number), givenUp: 1, slowPages: 0, complete: false });
  expect(counts).not.toMatchObject({ shrinks: 0 });
});

it('they tell of a page that was slow and asked for again', async () => {
  const { code, said, counts } = await run(
    () => numbers(60),
    ({ call }) => (call === 0 ? SLOW : undefined),
  );
  expect(code).toBe(0);
  expect(said).toContain('slow: 20 records from record 1 took too long');
  expect(counts).toMatchObject({ shrinks: 0, slowPages: 1, givenUp: 0, complete: true });
});

it('they tell of records that came again, and why the listing was read again', async () => {
  const { code, said, counts } = await run(
    // After the first page, a record comes in at the front.
    (call) => (call === 0 ? numbers(60) : [99, ...numbers(60)]),
    () => undefined,
  );
  expect(code).toBe(0);
  expect(said).toMatch(/repeats: \d+ records? came again, left out/);
  expect(said).toContain('read again, round 1: the listing kept changing while it was read');
  expect(counts).toMatchObject({ rereads: 1, repeats: expect.any(Number), complete: true });
  expect(counts).not.toMatchObject({ repeats: 0 });
});
