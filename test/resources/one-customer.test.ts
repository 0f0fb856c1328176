import { describe, expect, it } from 'vitest';
import { isCustomerPath } from '../../src/resources/items.ts';
import { customersOf, runAnswered } from '../support/scripted-run.ts';

type Answer = readonly [status: number, body: string];

/** Runs a command line where one customer gets the answers in turn, then the last one again, and the listing its own. */
async function run(argv: readonly string[], item: readonly Answer[], listing: (url: URL) => Answer) {
  let requests = 0;
  const exit = await runAnswered(argv, (url) =>
    url.pathname.startsWith('/v1/customers/') ? item[Math.min(requests++, item.length - 1)]! : listing(url),
  );
  return { ...exit, asked: exit.asked.map((path) => path.split('?')[0]!.split('/').at(-1)) };
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
  it('is asked for as often as --retries allows, before the listing is', async () => {
    const retrying = [...argv.slice(0, -1), '3'];
    const { code, asked } = await run(retrying, [FAILS, FAILS, FAILS, CUSTOMER], listed);
    expect({ code, asked }).toEqual({ code: 0, asked: ['r3', 'r3', 'r3', 'r3'] });
    const unknown = await run(retrying, [FAILS], () => [200, customersOf(['{"id":"r33"}'])]);
    expect(unknown).toMatchObject({ code: 4, asked: ['r3', 'r3', 'r3', 'r3', 'customers'] });
  });

  it('does not call unknown what the listing has', async () => {
    const { code, stderr, asked } = await run(argv, [FAILS], listed);
    expect({ code, asked }).toEqual({ code: 5, asked: ['r3', 'customers', 'customers'] });
    expect(stderr).toContain('customer r3 exists, since the listing has it');
  });

  it('calls unknown what the whole listing does not have', async () => {
    const { code, stderr, asked } = await run(argv, [FAILS], ({ searchParams }) => [
      200,
      searchParams.has('options_nextToken')
        ? customersOf(['{"id":"r34"}'])
        : customersOf(['{"id":"r33"}'], 'more'),
    ]);
    expect({ code, asked }).toEqual({ code: 4, asked: ['r3', 'customers', 'customers'] });
    expect(stderr).toContain('has no such id among its customers');
    expect(stderr).toContain('Check the ID with `folio customers`.');
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

it('leaves another failure, and that of another path, to the service', async () => {
  const requestsOf = async (argv: readonly string[], status: number): Promise<string> => {
    const exit = await run([...argv, '--retries', '0'], [[status, '{}']], listed);
    return `${exit.code} ${exit.asked.join(' ')}`;
  };
  expect(await requestsOf(['customers', 'get', 'r3'], 503)).toBe('5 r3');
  expect(await requestsOf(['get', '/customers/portal-link'], 500)).toBe('5 portal-link');
  expect(await run(GET, [[200, '{"message":"failed"}']], listed)).toMatchObject({ code: 5, stdout: '' });
  expect(
    ['/customers/r3', '/x/customers/r3', '/customers/r3/x', '/customers/', '/customers/portal-link'].map(
      isCustomerPath,
    ),
  ).toEqual([true, false, false, false, false]);
});

describe('the link to a portal', () => {
  /** What is printed for an answer, in lines; or what is wrong with it. */
  async function linkOf(body: string, status = 200, location?: string): Promise<string> {
    const headers: Record<string, string> = location === undefined ? {} : { location };
    const argv = ['customers', 'portal-link', '4711', '--format', 'jsonl', '--retries', '0'];
    const { code, stdout, stderr, asked } = await runAnswered(argv, () => ({ status, headers, body }));
    expect(asked).toHaveLength(1);
    return code === 0 ? stdout.trim() : `${code} ${stderr}`;
  }

  it.each([
    ['{"url":"https://e.example/p"}', '{"url":"https://e.example/p"}'],
    ['[{"url":"https://e.example/p"}]', '{"url":"https://e.example/p"}'],
    ['[{"a":1},{"b":2}]', '{"a":1}\n{"b":2}'],
    ['"https://e.example/p"', '{"link":"https://e.example/p"}'],
    ['["https://e.example/p"]', '{"link":"https://e.example/p"}'],
    [' https://e.example/p\n', '{"link":"https://e.example/p"}'],
    ['"abc"', '{"link":"abc"}'],
  ])('may come as %s', async (body, link) => {
    expect(await linkOf(body)).toBe(link);
    expect(await linkOf(body, 200, 'https://other.example')).toBe(link);
  });

  it.each([201, 204, 301, 302, 303, 307, 308])('may be where a %i points to', async (status) => {
    for (const body of ['', '{"url":"x"}'])
      expect(await linkOf(body, status, 'https://e.example/p')).toBe('{"link":"https://e.example/p"}');
    expect(await linkOf('', 200, 'https://e.example/p')).toBe('{"link":"https://e.example/p"}');
  });

  it.each(['""', '[]', '["a","b"]', '[1]', '[null]', '[{"a":1},2]', '[""]'])('is not in %s', async (body) => {
    expect(await linkOf(body)).toMatch(/^5 .*: expected an? (?:link|object|record)/);
    for (const other of ['true', '<html>', '', '{"errors":"x"}']) expect(await linkOf(other)).toMatch(/^5 /);
  });
});

describe('a fiscal ID where an id belongs', () => {
  const SPELLINGS = ['12.345.678-5', '12345678-5', '6-k', '76.086.428-5'];
  it.each(SPELLINGS)('%s is told apart in one call', async (id) => {
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
  });

  it('is an id where a customer has it', async () => {
    const { code } = await run(['customers', 'get', '12345678-5'], [CUSTOMER], listed);
    expect(code).toBe(0);
  });

  it('is none with another check digit', async () => {
    const { asked } = await run(['customers', 'get', '12345678-6', '--retries', '0'], [FAILS], listed);
    expect(asked).toEqual(['12345678-6', 'customers', 'customers']);
  });
});
