import { describe, expect, it } from 'vitest';
import { memoryStore } from '../support/memory-store.ts';
import { runAnswered, nobody, type Answer } from '../support/scripted-run.ts';

/** How a service reads a list in a query; the specification does not say (spec 4.9). */
type Reading = 'comma' | 'repeat' | 'first' | 'last' | 'brackets' | 'one';

const read: Readonly<Record<Reading, (query: URLSearchParams, name: string) => string[]>> = {
  comma: (query, name) => query.getAll(name).slice(-1).join().split(','),
  repeat: (query, name) => query.getAll(name),
  first: (query, name) => query.getAll(name).slice(0, 1),
  last: (query, name) => query.getAll(name).slice(-1),
  brackets: (query, name) => query.getAll(`${name}[]`),
  one: (query, name) => (query.getAll(name).length === 1 ? query.getAll(name) : ['two parameters']),
};

/** An invoice of customer or issuer `party`. */
const invoice = (id: number, party: string, seller: string): string =>
  `{"id":${id},"date":"2026-01-01","dueBy":"2026-02-01","amountToBePaid":100,"currency":"CLP","customer":{"fiscalId":"${party}"},"seller":"${seller}"}`;

interface Service {
  readonly reading: Reading;
  /** The fiscal IDs of the invoices, one each; those of `parties` are known, too. `1-9 as 2-7` shows another one than its own. */
  readonly invoices: readonly string[];
  readonly parties?: readonly string[];
  /** Whether a 400 names the IDs, as the specification has it for issued invoices alone. */
  readonly names?: boolean;
  /** Whether a record says whose it is. */
  readonly shows?: boolean;
  /** The fiscal ID of the organization itself, which is in each record. */
  readonly seller?: string;
  /** Whether parameters with brackets are ignored. */
  readonly ignores?: boolean;
  /** The setting listEncoding. */
  readonly encoding?: string;
  /** The requests that fail with a 500: of lists, of one ID, of none, or of any page behind the first. */
  readonly fails?: 'repeated' | 'one' | 'none' | 'behind';
}

async function run(argv: readonly string[], { reading, invoices, parties = [], ...how }: Service) {
  const { encoding } = how;
  const { names = true, shows = true, seller = '', ignores = false, fails } = how;
  const known = new Set([...invoices, ...parties]);
  const settings = encoding === undefined ? {} : { listEncoding: encoding };
  const config = async () => memoryStore({ settings });
  const answer = ({ searchParams: query }: URL): Answer => {
    const name = ['customerFiscalIds', 'issuerFiscalIds'].find(
      (one) => query.has(one) || query.has(`${one}[]`),
    );
    const parts = name === undefined ? [] : query.getAll(name);
    const kind = parts.length > 1 ? 'repeated' : parts.join().includes(',') ? 'commas' : 'one';
    const isBehind = fails === 'behind' && query.get('options_page') !== '0';
    if (isBehind || fails === (name === undefined ? 'none' : kind)) return [500, '{}'];
    const isFiltered = name !== undefined && !(ignores && query.has(`${name}[]`));
    const wanted = isFiltered ? read[reading](query, name) : [...known];
    const missing = wanted.filter((id) => !known.has(id));
    const errors = missing.map((id) => nobody(id.replace('-', '')));
    if (isFiltered && missing.length === wanted.length)
      return [400, JSON.stringify({ errors: names ? errors : 'no such party' })];
    const own = invoices.flatMap((party, id) =>
      wanted.includes(party.split(' as ')[0]!)
        ? [invoice(id, shows ? party.split(' as ').at(-1)! : '?', seller)]
        : [],
    );
    const size = Number(query.get('options_pageSize') ?? 10);
    const page = own.slice(Number(query.get('options_page')) * size).slice(0, size);
    const said = names ? JSON.stringify(errors) : '[]';
    return `{"total":${own.length},"page":0,"errors":${said},"pageResults":[${page.join(',')}]}`;
  };
  const { asked, ...exit } = await runAnswered(argv, answer, { config });
  const ids = [...exit.stdout.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id)).toSorted((a, b) => a - b);
  const sizes = asked.map((path) => Number(/options_pageSize=(\d+)/.exec(path)?.[1]));
  return { ...exit, ids, calls: asked.length, sizes };
}

const READINGS = ['comma', 'repeat', 'first', 'last', 'brackets', 'one'] as const;
const ISSUED = ['issued', '--format', 'jsonl', '--customer-fiscal-id'];
const RECEIVED = ['received', '--format', 'jsonl', '--issuer-fiscal-id'];
/** Three of A, two of B, one of another. */
const INVOICES = ['1-9', '1-9', '2-7', '3-5', '2-7', '1-9'];
const WHOLE = { code: 0, ids: [0, 1, 2, 4, 5] };

it('records of other fiscal IDs than the requested ones are said to be', async () => {
  const { stderr, ...exit } = await run([...ISSUED, '1-9'], {
    reading: 'comma',
    invoices: ['1-9', '1-9 as 2-7'],
  });
  expect(exit).toMatchObject({ code: 0, ids: [0, 1] });
  const others = '1 of 2 records that the service sent are of other fiscal IDs, such as 2-7';
  expect(stderr).toBe(`warning: --customer-fiscal-id: ${others}\n`);
});

describe.each(READINGS)('a list of fiscal IDs, where the service reads %s', (reading) => {
  const service: Service = { reading, invoices: INVOICES, parties: ['4-3'] };

  it('brings the invoices of all of them', async () => {
    for (const seller of ['', '1-9', '2-7'])
      expect(await run([...ISSUED, '1-9,2-7'], { ...service, seller })).toMatchObject({
        ...WHOLE,
        stderr: '',
      });
    expect(await run([...RECEIVED, '2-7,1-9'], { ...service, names: false })).toMatchObject(WHOLE);
    expect(await run([...RECEIVED, '4-3,1-9,2-7'], { ...service, names: false })).toMatchObject(WHOLE);
  });

  it.each(['comma', 'repeat', 'brackets'])('does so with the setting listEncoding %s', async (how) => {
    // A service that reads brackets alone understands nothing else, not even for one ID.
    if (reading === 'brackets' && how !== 'brackets') {
      const { code, stdout } = await run([...ISSUED, '1-9,2-7'], { ...service, encoding: how });
      return expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    }
    for (const ids of ['1-9,2-7', '4-3,2-7,1-9', '2-7,1-9,4-3'])
      expect(await run([...ISSUED, ids], { ...service, encoding: how })).toMatchObject(WHOLE);
    const one = await run([...ISSUED, '2-7'], { ...service, encoding: how });
    expect(one).toMatchObject({ code: 0, ids: [2, 4] });
    const ignoring = await run([...ISSUED, '2-7'], { ...service, encoding: how, ignores: true });
    expect(ignoring).toMatchObject(reading === 'brackets' ? {} : { code: 0, ids: [2, 4] });
  });

  it('is added up and aged whole', async () => {
    const sum = ['issued', '--customer-fiscal-id', '1-9,2-7', '--sum', 'amountToBePaid', '--format', 'json'];
    expect((await run(sum, service)).stdout).toContain('500');
    const aging = ['aging', '--customer-fiscal-id', '1-9,2-7', '--format', 'json'];
    expect((await run(aging, service)).stdout).toMatch(/"total":300\b[^]*"total":200\b/);
  });

  it('names those that nobody has, and they are exit 6 under --strict', async () => {
    const some = await run([...ISSUED, '1-9,8-6,2-7,9-4'], service);
    expect(some).toMatchObject(WHOLE);
    expect(some.stderr).toMatch(/has the fiscal ID 8-6\n.*has the fiscal ID 9-4\n/);
    const strict = await run([...RECEIVED, '1-9,8-6,2-7', '--strict'], { ...service, names: false });
    expect({ code: strict.code, ids: strict.ids }).toEqual({ ...WHOLE, code: 6 });
    expect(strict.stderr).toContain('1 unknown fiscal ID: 8-6');
  });

  it('is exit 4 only where nobody has any of them', async () => {
    for (const names of [true, false]) {
      const none = await run([...RECEIVED, '8-6,9-4'], { ...service, names });
      expect({ code: none.code, ids: none.ids }).toEqual({ code: 4, ids: [] });
      expect(none.stderr).toContain('no issuer has any of these fiscal IDs: 8-6, 9-4');
      const last = await run([...RECEIVED, '8-6,9-4,2-7'], { ...service, names });
      expect(last).toMatchObject({ code: 0, ids: [2, 4] });
    }
  });

  it('brings the first of them all under --limit, else says that it may not: exit 6', async () => {
    const { code, ids, stderr, sizes } = await run([...ISSUED, '2-7,1-9', '--limit', '3'], service);
    expect(Math.max(...sizes)).toBe(3);
    const isRead = !['first', 'last', 'one'].includes(reading);
    expect({ code, ids }).toEqual(isRead ? { code: 0, ids: [0, 1, 2] } : { code: 6, ids: [0, 2, 4] });
    expect(stderr).toMatch(isRead ? /^$/ : /of several fiscal IDs in one request, the service may have read/);
    for (const enough of ['5', '6'])
      expect(await run([...ISSUED, '2-7,1-9', '--limit', enough], service)).toMatchObject(WHOLE);
  });
});

// Brackets that a service may have ignored are never taken for a filter.
it.each(['comma', 'repeat', 'first', 'last', 'one'] as const)(
  'all come where the service reads %s and records do not say whose they are',
  async (reading) => {
    const hidden: Service = { reading, invoices: INVOICES, parties: ['4-3'], shows: false };
    expect(await run([...ISSUED, '1-9,2-7,4-3'], hidden)).toMatchObject(WHOLE);
    expect(await run([...RECEIVED, '4-3,2-7,1-9'], { ...hidden, names: false })).toMatchObject(WHOLE);
  },
);

it('delivers a page of one ID, or of a list with commas, before it has the next one', async () => {
  const service = { reading: 'comma', invoices: INVOICES, fails: 'behind' } as const;
  for (const ids of ['1-9', '1-9,2-7']) {
    const line = [...ISSUED, ids, '--page-size', '2', '--retries', '0'];
    expect(await run(line, service)).toMatchObject({ code: 5, ids: [0, 1] });
  }
});

it('says that records may be of other IDs, where an answer shows it once some were delivered', async () => {
  const invoices = ['1-9', '8-6 as 2-7', '3-5', '3-5'];
  const ignoring = { reading: 'one', ignores: true, encoding: 'brackets', parties: ['2-7', '8-6'] } as const;
  const exit = await run([...ISSUED, '1-9,2-7', '--page-size', '2'], { ...ignoring, invoices });
  expect(exit).toMatchObject({ code: 6, ids: [0, 1], stderr: expect.stringContaining('but not all') });
  // Under a limit, they wait for the end of the answer.
  const limited = await run([...ISSUED, '1-9,8-6', '--page-size', '2', '--limit', '3'], {
    ...ignoring,
    invoices: ['1-9', '8-6', '3-5', '3-5'],
  });
  expect(limited).toMatchObject({ code: 0, ids: [0, 1], stderr: '' });
});

// A way that fails is made good by the next one: what it costs shows in the number of calls alone, one for each reading.
describe('the calls that a list of fiscal IDs takes', () => {
  const [hidden, nameless] = [{ shows: false }, { names: false }];

  it.each<readonly [line: readonly string[], how: Partial<Service>, calls: readonly number[]]>([
    [[...ISSUED, '1-9'], {}, [1, 1, 1, 1, 3, 1]],
    [[...ISSUED, '1-9'], { encoding: 'brackets' }, [3, 3, 3, 3, 1, 2]],
    [[...ISSUED, '1-9'], { encoding: 'brackets', ignores: true }, [2, 2, 2, 2, 4, 2]],
    [[...ISSUED, '1-9,2-7'], {}, [1, 2, 3, 3, 4, 5]],
    [[...ISSUED, '1-9,2-7'], { encoding: 'comma' }, [1, 3, 3, 3, 4, 3]],
    [[...ISSUED, '1-9,2-7'], { encoding: 'repeat' }, [2, 1, 2, 2, 4, 3]],
    [[...ISSUED, '1-9,2-7'], { encoding: 'brackets' }, [4, 4, 4, 4, 1, 3]],
    [[...ISSUED, '1-9,2-7'], { encoding: 'brackets', ignores: true }, [3, 3, 3, 3, 6, 3]],
    [[...ISSUED, '1-9,2-7', '--limit', '1'], { encoding: 'brackets' }, [4, 4, 4, 4, 6, 3]],
    [[...ISSUED, '1-9,2-7'], hidden, [1, 6, 6, 6, 8, 5]],
    [[...ISSUED, '1-9,2-7', '--limit', '1'], {}, [1, 4, 8, 8, 8, 5]],
    [[...ISSUED, '1-9,2-7', '--limit', '3'], {}, [1, 2, 8, 3, 4, 5]],
    [[...ISSUED, '1-9,2-7', '--limit', '3'], hidden, [1, 6, 6, 6, 8, 5]],
    [[...ISSUED, '1-9,2-7', '--page', '0', '--page-size', '2'], {}, [1, 4, 6, 6, 8, 3]],
    [[...ISSUED, '4-3,2-7,1-9'], {}, [1, 3, 7, 6, 5, 6]],
    [[...RECEIVED, '2-7,4-3,1-9'], nameless, [1, 4, 6, 6, 5, 7]],
    [[...RECEIVED, '2-7,4-3,1-9', '--strict'], nameless, [4, 7, 7, 7, 11, 7]],
    [[...ISSUED, '1-9,8-6,2-7,9-4'], {}, [1, 2, 7, 8, 4, 7]],
    [[...RECEIVED, '1-9,8-6,2-7,9-4'], nameless, [1, 4, 9, 10, 5, 10]],
    [[...RECEIVED, '1-9,8-6,2-7,9-4', '--strict'], nameless, [6, 6, 10, 10, 9, 10]],
    [[...RECEIVED, '8-6'], nameless, [3, 3, 3, 3, 3, 3]],
    [[...ISSUED, '8-6,9-4'], {}, [1, 2, 6, 6, 4, 5]],
    [[...RECEIVED, '8-6,9-4'], nameless, [8, 8, 8, 8, 8, 8]],
    [[...ISSUED, '4-3'], {}, [1, 1, 1, 1, 3, 1]],
  ])('%j %j: %j', async (line, how, calls) => {
    const counted: number[] = [];
    for (const reading of READINGS) {
      const service = { reading, invoices: INVOICES, parties: ['4-3'], ...how };
      counted.push((await run(line, service)).calls);
    }
    expect(counted).toEqual(calls);
  });
});

it('is the service at fault where it fails, not a fiscal ID', async () => {
  for (const fails of ['repeated', 'one'] as const) {
    const service = { reading: 'last', invoices: INVOICES, shows: false, fails } as const;
    const { code, stderr } = await run([...ISSUED, '1-9,2-7', '--retries', '0'], service);
    expect([fails, code, stderr]).toEqual([fails, 5, expect.stringContaining('(500)')]);
  }
  // Where the listing without the ID fails, too, the refusal of the ID counts.
  const service = { reading: 'comma', invoices: INVOICES, names: false, fails: 'none' } as const;
  const { code, stderr } = await run([...RECEIVED, '8-6', '--retries', '0'], service);
  expect([code, stderr]).toEqual([2, expect.stringContaining('no such party')]);
});

describe('hundreds of fiscal IDs', () => {
  const all = Array.from({ length: 700 }, (_, at) => `${10_000_000 + at}-${at % 10}`);
  const parties = all.slice(0, 300);
  const invoices = parties.filter((_, at) => at % 3 === 0);

  // An address holds some 630 of them with commas: 631 are two halves.
  it.each([
    ['comma', 700, 2],
    ['repeat', 300, 4],
    ['repeat', 631, 6],
    ['brackets', 300, 7],
  ] as const)('take few calls where the service reads %s: %i of them, %i', async (reading, count, calls) => {
    const parties = all.slice(0, count);
    const invoices = parties.filter((_, at) => at % 3 === 0);
    const exit = await run([...ISSUED, parties.join(',')], { reading, invoices, parties });
    expect(exit).toMatchObject({ code: 0, ids: { length: invoices.length }, stderr: '', calls });
  });

  it('end with the list that reaches the limit', async () => {
    const exit = await run([...ISSUED, all.join(','), '--limit', '3'], { reading: 'comma', invoices: all });
    expect(exit).toMatchObject({ code: 0, ids: [0, 1, 2], calls: 1 });
  });

  it('are too many for one page', async () => {
    const argv = [...ISSUED, parties.join(','), '--page', '0', '--page-size', '2'];
    const { code, ids, stderr } = await run(argv, { reading: 'repeat', invoices, parties });
    expect({ code, ids }).toEqual({ code: 2, ids: [] });
    expect(stderr).toContain('--page does not go with 300 fiscal IDs');
  });

  it('are asked for one by one where it reads one of them, and all come', async () => {
    const { code, ids } = await run([...ISSUED, parties.join(',')], { reading: 'last', invoices, parties });
    expect({ code, ids: ids.length }).toEqual({ code: 0, ids: 100 });
  });

  it('are given up after the first 20 that nobody has, and only those are named', async () => {
    const service = { reading: 'one', invoices: ['1-9'], names: false } as const;
    const { code, ids, stderr, calls } = await run([...RECEIVED, parties.join(',')], service);
    expect({ code, ids }).toEqual({ code: 4, ids: [] });
    expect(stderr).toContain('and 10 more');
    expect(calls).toBeLessThan(130);
  });
});

it('says under --verbose in which spelling the service was seen to read lists, where folio chose it', async () => {
  const service = { reading: 'repeat', invoices: INVOICES } as const;
  const chosen = await run([...ISSUED, '1-9,2-7', '--verbose'], service);
  expect(chosen.stderr).toContain(
    'the service takes no list with commas: sent as the setting listEncoding repeat does',
  );
  const named = await run([...ISSUED, '1-9,2-7', '--verbose'], { ...service, encoding: 'repeat' });
  expect(named.stderr).not.toContain('sent as the setting');
});

it('does not take a page of one customer for a page of two', async () => {
  const argv = [...ISSUED, '1-9,2-7', '--page', '0', '--page-size', '2'];
  const { code, ids, stderr } = await run(argv, { reading: 'last', invoices: INVOICES });
  expect({ code, ids }).toEqual({ code: 2, ids: [] });
  expect(stderr).toContain('--page does not go with 2 fiscal IDs');
  expect(stderr).toContain('Give fewer IDs, or leave out --page.');
  const read = await run(argv, { reading: 'repeat', invoices: INVOICES });
  expect(read).toMatchObject({ code: 0, ids: [0, 1] });
});
