import { describe, expect, it } from 'vitest';
import { customersOf, pageOf, runAnswered, runScripted } from '../support/scripted-run.ts';
import { memoryStore } from '../support/memory-store.ts';

const none = pageOf([]);
const TOO_LARGE = [400, '{"errors":"options_pageSize is too large"}'] as const;
const FIRST = 'options_page=0&options_pageSize=';
const FUNDS = '/accounts-payable/prepaid-expenses';

/** So many records from a number on, of a listing of so many. */
function partOf(total: number, from: number, size: number): string {
  return pageOf(
    Array.from({ length: size }, (_, at) => `{"id":${from + at}}`),
    { total },
  );
}

/** (arguments, the one request that they make) */
const single: readonly (readonly [argv: string, path: string])[] = [
  ['issued', `/invoices/issued?${FIRST}2000`],
  ['issued --limit 5', `/invoices/issued?${FIRST}5`],
  ['issued --page-size 300', `/invoices/issued?${FIRST}300`],
  ['issued --page-size 300 --limit 7', `/invoices/issued?${FIRST}7`],
  ['issued --page 3', '/invoices/issued?options_page=3'],
  ['issued --page 3 --page-size 50', '/invoices/issued?options_page=3&options_pageSize=50'],
  ['issued --sort-by due_by --limit 1', `/invoices/issued?${FIRST}1&options_sortBy=DUE_BY`],
  ['issued --sort-by issuedAt --limit 1', `/invoices/issued?${FIRST}1&options_sortBy=issuedAt`],
  ['issued --sort-order Desc --limit 1', `/invoices/issued?${FIRST}1&options_sortOrder=DESC`],
  [
    'issued --customer-fiscal-id 1-9 2-7,3-5 --limit 1',
    `/invoices/issued?${FIRST}1&customerFiscalIds=1-9,2-7,3-5`,
  ],
  ['issued --param a=b=c --param d= --limit 1', `/invoices/issued?${FIRST}1&a=b=c&d=`],
  ['received', `/invoices/received?${FIRST}500`],
  ['received --issuer-fiscal-id 1-9', `/invoices/received?${FIRST}500&issuerFiscalIds=1-9`],
  ['received --sort-by number --limit 1', `/invoices/received?${FIRST}1&options_sortBy=NUMBER`],
  ['funds', `${FUNDS}?options_page=1&options_pageSize=1000`],
  ['funds list --page 2', `${FUNDS}?options_page=2`],
  ['funds --sort-order ASC --limit 3', `${FUNDS}?options_page=1&options_pageSize=3&options_sortOrder=asc`],
];

describe('what a command line asks of the service', () => {
  it.each(single)('folio %s', async (argv, path) => {
    const { code, asked, stderr } = await runScripted(argv.split(' '), [none]);
    expect({ code, asked, stderr }).toEqual({ code: 0, asked: [path], stderr: '' });
  });

  it.each([
    ['repeat', 'customerFiscalIds=1-9&customerFiscalIds=2-7'],
    ['brackets', 'customerFiscalIds[]=1-9&customerFiscalIds[]=2-7'],
  ])('writes a list as %s', async (how, list) => {
    const argv = ['issued', '--customer-fiscal-id', '1-9,2-7'];
    const config = async () => memoryStore({ settings: { listEncoding: how } });
    const both = pageOf(['{"id":1,"customer":{"fiscalId":"1-9"}}', '{"id":2,"customer":{"fiscalId":"27"}}']);
    const { code, asked, stderr } = await runScripted(argv, [both], { config });
    expect({ code, asked, stderr }).toEqual({
      code: 0,
      asked: [`/invoices/issued?options_page=0&options_pageSize=2000&${list}`],
      stderr: '',
    });
  });

  it.each(['issued', 'received'])('begins a table of %s on a terminal with the newest', async (line) => {
    const { asked } = await runScripted([line], [none], { terminal: true });
    expect(asked[0]).toMatch(/&options_sortBy=DATE&options_sortOrder=DESC$/);
  });

  it('asks without fiscal IDs, for one record, whether they are what was refused', async () => {
    const refusal = [400, '{"errors":"no"}'] as const;
    const argv = ['issued', '--customer-fiscal-id', '1-9', '--page-size', '7'];
    const { code, asked } = await runScripted(argv, [refusal, refusal]);
    expect([code, asked[1]]).toEqual([2, '/invoices/issued?options_page=0&options_pageSize=1']);
  });

  it('spreads a limit evenly over as few pages as it takes', async () => {
    const page = partOf.bind(undefined, 9000);
    const requestsOf = async (limit: string, ...pages: string[]) =>
      (await runScripted(['issued', '--limit', limit], pages)).asked;
    const path = (number: number, size: number) =>
      `/invoices/issued?options_page=${number}&options_pageSize=${size}`;
    // Over 1729 records the service compresses a page.
    expect(await requestsOf('2500', page(0, 2500))).toEqual([path(0, 2500)]);
    expect(await requestsOf('3900', page(0, 1951), page(1950, 1950))).toEqual([path(0, 1951), path(1, 1950)]);
    expect(await requestsOf('1500', page(0, 1500))).toEqual([path(0, 1500)]);
  });

  const VERSIONS = ['https://api.example.com/v2', 'https://api.example.com/v2/'];
  it.each(VERSIONS)('keeps the version of %s', async (FOLIO_BASE_URL) => {
    const paths: string[] = [];
    const answer = ({ pathname }: URL): string => {
      paths.push(pathname);
      return none;
    };
    await runAnswered(['issued'], answer, { env: { FOLIO_BASE_URL } });
    expect(paths).toEqual(['/v2/invoices/issued']);
  });

  it('asks for the listing of a page, and of a page no more than a limit', async () => {
    const { stdout, asked } = await runScripted(
      ['issued', '--page', '0', '--page-size', '3', '--limit', '2', '--format', 'jsonl'],
      [pageOf(['{"id":1}', '{"id":2}', '{"id":3}'], { total: 9 })],
    );
    expect({ stdout, asked }).toEqual({
      stdout: '{"id":1}\n{"id":2}\n',
      asked: ['/invoices/issued?options_page=0&options_pageSize=3'],
    });
  });

  it('tells records apart that no total counts, where their fast hashes are the same', async () => {
    const twins = ['{"name":"Ada","id":"000h0000000a"}', '{"name":"Ada","id":"000X00000P0Q"}'];
    const line = ['--format', 'jsonl', '--page-size', '1'];
    const customers = await runScripted(
      ['customers', ...line],
      [customersOf([twins[0]!], 'x'), customersOf([twins[1]!])],
    );
    expect(customers.stdout).toBe(`${twins.join('\n')}\n`);
    const documents = [...twins, ''].map((twin) => `{"id":1,"assignedDocuments":[${twin}]}`);
    const ofFund = await runScripted(['funds', 'documents', '1', ...line], documents);
    expect(ofFund.stdout).toBe(customers.stdout);
  });

  it('sends a cursor back as it came', async () => {
    const cursor = 'a+b/c==&d e%20';
    const { asked, stdout } = await runScripted(
      ['customers', 'list', '--format', 'jsonl'],
      [customersOf(['{"id":1}'], cursor), customersOf([], 'x'), customersOf(['{"id":2}'])],
    );
    expect(asked).toEqual([
      '/customers?options_pageSize=1000',
      `/customers?options_nextToken=${cursor}&options_pageSize=1000`,
      '/customers?options_nextToken=x&options_pageSize=1000',
    ]);
    expect(stdout).toBe('{"id":1}\n{"id":2}\n');
  });

  it('asks for customers without a page size where the service refuses it, then for as many as came', async () => {
    const [first, second] = [customersOf(['{"id":1}'], 'x'), customersOf(['{"id":2}'])];
    const { asked, code } = await runScripted(['customers'], [TOO_LARGE, first, second]);
    expect(code).toBe(0);
    expect(asked).toEqual([
      '/customers?options_pageSize=1000',
      '/customers',
      '/customers?options_nextToken=x&options_pageSize=1',
    ]);
    const none = await runScripted(['customers'], [TOO_LARGE, first, TOO_LARGE, second]);
    expect(none.code).toBe(0);
    expect(none.asked).toEqual([...asked, '/customers?options_nextToken=x']);
    // A query that is wrong by itself is known after one more request.
    const wrong = await runScripted(['customers', '--param', 'x=y'], [TOO_LARGE, TOO_LARGE]);
    expect(wrong.code).toBe(2);
  });

  it('requests smaller pages where the service refuses the size that folio chose', async () => {
    const page = partOf.bind(undefined, 15);
    const issued = await runScripted(['issued'], [TOO_LARGE, page(0, 10), page(0, 15)]);
    expect(issued.code).toBe(0);
    expect(issued.asked.map((path) => path.split('?')[1])).toEqual([
      'options_page=0&options_pageSize=2000',
      'options_page=0&options_pageSize=10',
      'options_page=0&options_pageSize=200',
    ]);
    const failing = await runScripted(['issued', '--retries', '0'], [[500, '{}'], page(0, 10), page(0, 15)]);
    expect(failing.asked).toEqual(issued.asked);
    const customers = [[500, '{}'], customersOf(['{"id":1}'], 'x'), customersOf(['{"id":1}'])] as const;
    const paths = (await runScripted(['customers', '--retries', '0'], customers)).asked;
    expect(paths.map((path) => path.split('=')[1])).toEqual(['1000', '10', '100']);
    // A query that is wrong by itself is known after one more request.
    const wrong = await runScripted(['issued', '--sort-by', 'x'], [TOO_LARGE, TOO_LARGE]);
    expect(wrong.code).toBe(2);
  });

  it('leaves a page size that the user chose to the user', async () => {
    const { code, stderr } = await runScripted(['customers', '--page-size', '5000'], [TOO_LARGE]);
    expect(code).toBe(2);
    expect(stderr).toContain('options_pageSize is too large');
  });

  it('asks for a portal link by the parameter that the user names', async () => {
    const link = '{"link":"https://example.com/portal"}';
    const requestsOf = async (...argv: string[]) =>
      (await runScripted(['customers', 'portal-link', ...argv], [link])).asked;
    expect(await requestsOf('4711')).toEqual(['/customers/portal-link?customerId=4711']);
    expect(await requestsOf('4711', '--id-param', 'id')).toEqual(['/customers/portal-link?id=4711']);
    expect(await requestsOf('--param', 'fiscalId=1-9')).toEqual(['/customers/portal-link?fiscalId=1-9']);
  });

  it('walks the listing that a raw path names', async () => {
    const { asked, stdout } = await runScripted(
      ['get', '/v1/accounts-payable/prepaid-expenses/9?x=y', '--paginate', '--format', 'jsonl'],
      ['{"id":9,"assignedDocuments":[{"id":1}]}', '{"id":9,"assignedDocuments":[]}'],
    );
    expect(asked).toEqual([
      '/accounts-payable/prepaid-expenses/9?options_page=1&options_pageSize=100&x=y',
      '/accounts-payable/prepaid-expenses/9?options_page=2&options_pageSize=1&x=y',
    ]);
    expect(stdout).toBe('{"id":1}\n');
  });
});
