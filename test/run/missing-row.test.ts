import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { fakeContext } from '../support/fake-context.ts';
import { answeringTransport } from '../support/fake-transport.ts';
import { pageOf } from '../support/scripted-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Milliseconds after which the service gives up (spec 8). */
const SLOW = 29_200;

/** Runs `received` over records that are numbers, where `answer` may refuse a page. */
async function run(
  records: (call: number) => readonly number[],
  answer: (page: {
    readonly ids: readonly number[];
    readonly size: number;
    readonly call: number;
  }) => number | undefined,
) {
  let call = 0;
  const transport = answeringTransport(({ url: { searchParams } }) => {
    const all = records(call);
    const size = Number(searchParams.get('options_pageSize'));
    const ids = all.slice(Number(searchParams.get('options_page')) * size).slice(0, size);
    const milliseconds = answer({ ids, size, call: call++ });
    if (milliseconds === undefined) {
      return {
        body: pageOf(
          ids.map((id) => `{"id":${id}}`),
          { total: all.length },
        ),
      };
    }
    context.clock.advance(milliseconds);
    return { status: 502, body: '{"message":"Bad Gateway"}' };
  });
  const receipt = join(temporaryFolder(), 'receipt.json');
  const context = fakeContext({
    argv: [
      'received',
      '--format',
      'jsonl',
      '--debug',
      '--receipt',
      receipt,
      '--page-size',
      '20',
      '--retries',
      '0',
    ],
    env: { FOLIO_TOKEN: 'a-token-for-tests', FOLIO_BASE_URL: 'https://api.example.com' },
    openTransport: async () => transport,
  });
  const code = await runCommandLine(context);
  const said = context.stderr.text.split('\n').filter((line) => !line.includes('GET '));
  const counts: unknown = JSON.parse(readFileSync(receipt, 'utf8'));
  return { code, said: said.join('\n').replaceAll(/^\S+Z /gm, ''), counts };
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

it('--debug and the receipt tell of pages that shrank, and of a record given up', async () => {
  const { code, said, counts } = await run(
    () => numbers(60),
    ({ ids }) => (ids.includes(37) ? 10 : undefined),
  );
  expect(code).toBe(6);
  expect(said).toContain('shrunk: 19 records from number 21 were too much, asks for 9');
  expect(said).toContain('given up: number 38 of the listing is not served even alone');
  expect(counts).toMatchObject({ shrinks: expect.any(Number), givenUp: 1, slowPages: 0, complete: false });
  expect(counts).not.toMatchObject({ shrinks: 0 });
});

it('they tell of a page that was slow and asked for again', async () => {
  const { code, said, counts } = await run(
    () => numbers(60),
    ({ call }) => (call === 0 ? SLOW : undefined),
  );
  expect(code).toBe(0);
  expect(said).toContain('asked again: 20 records from number 1 took too long');
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
