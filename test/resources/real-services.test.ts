import { describe, expect, it } from 'vitest';
import { nobody, pageOf, runAnswered } from '../support/scripted-run.ts';

type Answer = string | readonly [status: number, body?: string, milliseconds?: number];

/** Runs a command line against a service that answers each address by itself. */
async function runAgainst(argv: readonly string[], answer: (query: URLSearchParams, url: URL) => Answer) {
  const { code, stdout, stderr, asked } = await runAnswered([...argv, '--format', 'jsonl'], (url, clock) => {
    const answered = answer(url.searchParams, url);
    if (typeof answered === 'string') return answered;
    const [status, body = '{}', milliseconds = 0] = answered;
    clock.advance(milliseconds);
    return [status, body];
  });
  const rows = stdout === '' ? [] : stdout.trimEnd().split('\n');
  return { code, rows, stderr, asked, counts: { code, given: new Set(rows).size, rows: rows.length } };
}

/** The counts of a run that delivers so many records, each once. */
const whole = (count: number) => ({ code: 0, given: count, rows: count });

/** A page of these records, as the query asks for it. */
function served(all: readonly string[], query: URLSearchParams, first = 0): string {
  const size = Number(query.get('options_pageSize'));
  const start = (Number(query.get('options_page')) - first) * size;
  return pageOf(all.slice(start, start + size), { total: all.length });
}

const records = (count: number, text = (at: number): string => `{"id":${at},"number":"F-${at}"}`): string[] =>
  Array.from({ length: count }, (_, at) => text(at));

describe('an order that is not stable', () => {
  const count = 1_200;
  const days = (by: (at: number) => number): string[] =>
    Array.from({ length: count }, (_, at) => at)
      .toSorted((a, b) => Math.floor(a / 200) - Math.floor(b / 200) || by(a) - by(b))
      .map((at) => `{"id":${at},"date":${Math.floor(at / 200)}}`);

  it('by the request: gives every record where it can be sorted by number, else says why not', async () => {
    let salt = 0;
    const shuffled = (query: URLSearchParams, first: number): string => {
      salt++;
      const isSorted = query.get('options_sortBy') === 'NUMBER';
      const all = days((at) => (isSorted ? at : Math.imul(at + salt, 2 * salt + 1) % 1009));
      return served(all, query, first);
    };
    const { counts } = await runAgainst(['issued', '--page-size', '100'], (query) => shuffled(query, 0));
    expect(counts).toEqual(whole(count));
    for (const [line, first] of [
      ['funds', 1],
      ['issued --param options_sortBy=DATE', 0],
    ] as const) {
      const args = [...line.split(' '), '--page-size', '100'];
      const { code, stderr } = await runAgainst(args, (query) => shuffled(query, first));
      expect(code).toBe(6);
      expect(stderr).toContain('the service’s order changes from request to request');
    }
  });
});

describe('the documents of a fund', () => {
  const documents = records(230);

  it.each<[string, number | undefined, (list: string) => string]>([
    ['an array in pages of its own size', 20, (list) => `"total":77,"assignedDocuments":${list}`],
    ['an array beside a total', 20, (list) => `"total":230,"pageSize":20,"assignedDocuments":${list}`],
    ['an envelope without a total', undefined, (list) => `"assignedDocuments":{"data":${list}}`],
    ['an array beside errors', 20, (list) => `"errors":["of it"],"assignedDocuments":${list}`],
    ['an envelope with errors', 20, (list) => `"assignedDocuments":{"data":${list},"errors":["of it"]}`],
  ])('are all delivered as %s', async (what, own, members) => {
    const answer = (query: URLSearchParams): string => {
      const size = own ?? Number(query.get('options_pageSize'));
      const start = (Number(query.get('options_page')) - 1) * size;
      return `{"id":1,${members(`[${documents.slice(start, start + size).join(',')}]`)}}`;
    };
    const says = what.endsWith('with errors') ? /of it/ : /^$/;
    const exit = { code: 0, rows: documents, stderr: expect.stringMatching(says) };
    expect(await runAgainst(['funds', 'documents', '1'], answer)).toMatchObject(exit);
    const whole = await runAgainst(['funds', 'get', '1'], answer);
    expect(whole.rows[0]!.match(/"number"/g)).toHaveLength(230);
  });

  const NONE = ['null', '[]', '{"data":[]}', '{"pageResults":null}', undefined];
  it.each(NONE)('are none as %s', async (value) => {
    const body = `{"id":1${value === undefined ? '' : `,"assignedDocuments":${value}`}}`;
    expect(await runAgainst(['funds', 'documents', '1'], () => body)).toMatchObject({ code: 0, rows: [] });
    expect(await runAgainst(['funds', 'get', '1'], () => body)).toMatchObject({ code: 0, rows: [body] });
  });
});

describe('pages that are too much', () => {
  it.each([
    ['issued', 0],
    ['received', 0],
    ['funds', 1],
  ])('shrink on %s, by what the records weigh', async (listing, first) => {
    const heavy = records(500, (at) => `{"id":${at},"x":"${'x'.repeat(50_000)}"}`);
    const { code, rows, asked } = await runAgainst([listing, '--page-size', '500'], (query) => {
      const body = served(heavy, query, first);
      return body.length > 6_000_000 ? [502] : body;
    });
    expect({ code, rows: rows.length }).toEqual({ code: 0, rows: 500 });
    expect(asked.length).toBeLessThanOrEqual(10);
  });

  it('are given up soon by a service that is slow at every size', async () => {
    const { code, asked, stderr } = await runAgainst(['received'], () => [502, '{}', 29_200]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/\(502\).*took 29 s, and the service gives up after 29 s\n.*--page-size/);
    expect(new Set(asked).size).toBe(2);
    expect(asked.length).toBeLessThanOrEqual(10);
  });
});

describe('many fiscal IDs', () => {
  const ids = Array.from({ length: 3_000 }, (_, at) => `${10_000_000 + at}-${at % 10}`);
  const idsOf = (query: URLSearchParams): string[] =>
    query.getAll('customerFiscalIds').flatMap((list) => list.split(','));

  it('go in addresses under 8,000 bytes, and a record that several parts share comes once', async () => {
    const lengths: number[] = [];
    const line = ['issued', '--customer-fiscal-id', ids.join(',')];
    const unknown = nobody(ids[7]!.replace('-', ''));
    const { counts, stderr } = await runAgainst(line, (query, url) => {
      lengths.push(url.href.length);
      const all = ['shared', ...idsOf(query).filter((id) => id !== ids[7])].map((id) => `{"id":"${id}"}`);
      const errors = JSON.stringify(idsOf(query).includes(ids[7]!) ? [unknown] : []);
      return `{"total":${all.length},"errors":${errors},"pageResults":[${all.join(',')}]}`;
    });
    expect(Math.max(...lengths)).toBeLessThan(8_000);
    expect(counts).toEqual(whole(3_000));
    expect(stderr).toContain(`no customer has the fiscal ID ${ids[7]}`);
  });

  it('are asked for one by one under --strict where the listing never names an unknown one', async () => {
    const line = ['received', '--strict', '--issuer-fiscal-id', '1-9,2-7'];
    const { code, stderr } = await runAgainst(line, (query) =>
      query.get('issuerFiscalIds') === '2-7' ? [400, '{"message":"issuer not found"}'] : pageOf(['{"id":1}']),
    );
    expect(code).toBe(6);
    expect(stderr).toContain('2-7');
  });
});

describe('records without an id', () => {
  it('are not known by links that are signed anew', async () => {
    let signature = 0;
    const link = (at: number) => `{"fileUrl":"https://f.example/${at}?s=${signature++}"}`;
    const { code, rows } = await runAgainst(['issued', '--page-size', '100'], (query) => {
      const all = records(450, (at) => `{"number":${at},"files":[${link(at)}]}`);
      return served(all, query);
    });
    expect({ code, rows: rows.length }).toEqual({ code: 0, rows: 450 });
  });

  it('are known by their number where one changed while the listing moved', async () => {
    let pages = 0;
    const line = ['issued', '--page-size', '100', '--concurrency', '1'];
    const { rows, code } = await runAgainst(line, (query) => {
      const all = records(450, (at) => `{"number":${at},"net":${at === 99 && pages > 0 ? 2 : 1}}`);
      // One before the place is gone, so that the record which changed comes again.
      if (pages++ > 0) all.shift();
      return served(all, query);
    });
    const numbers = rows.map((row) => /"number":(\d+)/.exec(row)![1]);
    expect({ code, given: new Set(numbers).size, rows: rows.length }).toEqual(whole(450));
  });
});

describe('an order that can move', () => {
  it.each([
    ['AMOUNT', true],
    ['DUE_BY', true],
    ['NUMBER', false],
    ['DATE', false],
  ])('is said of --sort-by %s: %s', async (key, isSaid) => {
    const line = ['issued', '--sort-by', key, '--page-size', '100'];
    const { code, stderr } = await runAgainst(line, (query) => served(records(250), query));
    expect(code).toBe(0);
    expect(stderr.includes('the order can move')).toBe(isSaid);
    const one = await runAgainst([...line, '--limit', '5'], (query) => served(records(250), query));
    expect(one).toMatchObject({ code: 0, stderr: '' });
  });
});
