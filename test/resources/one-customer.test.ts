import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { fakeContext } from '../support/fake-context.ts';
import { answeringTransport } from '../support/fake-transport.ts';
import { customersOf } from '../support/scripted-run.ts';

type Answer = readonly [status: number, body: string];

/** Runs a command line where one customer gets the answers in turn, then the last one again, and the listing its own. */
async function run(argv: readonly string[], item: readonly Answer[], listing: (url: URL) => Answer) {
  let asked = 0;
  const transport = answeringTransport(({ url }) => {
    const [status, body] = url.pathname.startsWith('/v1/customers/')
      ? item[Math.min(asked++, item.length - 1)]!
      : listing(url);
    return { status, body };
  });
  const env = { FOLIO_TOKEN: 'a-token-for-tests', FOLIO_BASE_URL: 'https://api.example.com' };
  const context = fakeContext({ openTransport: async () => transport, env, argv });
  const code = await runCommandLine(context);
  const { stdout, stderr } = context;
  return {
    ...{ code, stdout: stdout.text, stderr: stderr.text },
    asked: transport.asked.map(({ url }) => url.pathname.split('/').at(-1)),
  };
}

const FAILS: Answer = [500, '{"error":"Internal","message":"failed"}'];
const CUSTOMER: Answer = [200, '{"id":"r3","name":"Roble"}'];
const GET = ['customers', 'get', 'r3', '--format', 'jsonl', '--retries', '0'];

/** Two pages, with r3 on the second. */
const listed = ({ searchParams }: URL): Answer => [
  200,
  searchParams.has('options_nextToken')
    ? customersOf(['{"id":"r3","name":"Roble"}'])
    : customersOf(['{"id":"r1"}', '{"id":2}'], 'more'),
];

describe.each([[GET], [['get', '/customers/r3', '--retries', '0']]])('%j', (argv) => {
  it('gives a customer whose first answer was 500 and that the listing has', async () => {
    const { code, stdout, asked } = await run(argv, [FAILS, CUSTOMER], listed);
    expect({ code, stdout: stdout.trim(), asked }).toEqual({
      code: 0,
      stdout: CUSTOMER[1],
      asked: ['r3', 'customers', 'customers', 'r3'],
    });
  });

  it('does not call it unknown where it answers 500 again', async () => {
    const { code, stderr } = await run(argv, [FAILS], listed);
    expect(code).toBe(5);
    expect(stderr).toContain('customer r3 exists, since the listing has it');
  });

  it('calls unknown what the whole listing does not have', async () => {
    const { code, stderr, asked } = await run(argv, [FAILS], ({ searchParams }) => [
      200,
      customersOf(['{"id":"r33"}'], searchParams.has('options_nextToken') ? null : 'more'),
    ]);
    expect({ code, asked }).toEqual({ code: 4, asked: ['r3', 'customers', 'customers'] });
    expect(stderr).toContain('has no such id among its customers');
  });

  it('is the service at fault where the listing has no ids, never ends or fails on its way', async () => {
    const endings: readonly ((url: URL, page: number) => Answer)[] = [
      () => [200, customersOf(['{"name":"Roble"}'])],
      (_, page) => [200, customersOf([`{"id":"c${page}"}`], `c${page}`)],
      (_, page) => (page === 0 ? [200, customersOf(['{"id":"c"}'], 'c')] : FAILS),
    ];
    for (const answer of endings) {
      let page = 0;
      expect((await run(argv, [FAILS], (url) => answer(url, page++))).code).toBe(5);
    }
  });
});

describe('a fiscal ID where an id belongs', () => {
  it.each(['12.345.678-5', '12345678-5', '6-k', '76.086.428-5'])(
    '%s is told apart in one call',
    async (id) => {
      for (const status of [500, 404]) {
        const { code, stderr, asked } = await run(['customers', 'get', id], [[status, '{}']], listed);
        const isOne = id !== '6-k';
        expect(code).toBe(4);
        expect(stderr.includes(`no customer has the id ${id}, which looks like a fiscal ID`)).toBe(isOne);
        if (isOne)
          expect({ asked, hint: stderr.includes(`--where fiscalId=${id}`) }).toEqual({
            asked: [id],
            hint: true,
          });
      }
    },
  );

  it('is an id where a customer has it', async () => {
    const { code } = await run(['customers', 'get', '12345678-5'], [CUSTOMER], listed);
    expect(code).toBe(0);
  });

  it('is none with another check digit', async () => {
    const { asked } = await run(['customers', 'get', '12345678-6', '--retries', '0'], [FAILS], listed);
    expect(asked).toEqual(['12345678-6', 'customers', 'customers']);
  });
});
