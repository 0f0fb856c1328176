import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { always, from, inTurn, status } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const issued = modelRecords(45);
const ARGS = ['issued', '--page-size', '10', '--format', 'jsonl'];

describe.concurrent('a service that refuses', () => {
  it.each([401, 403])('the token midway (%i): exit 3, at once, the file not touched', async (code) => {
    const folder = temporaryFolder();
    const file = join(folder, 'out.jsonl');
    await writeFile(file, 'old\n');
    const script = from(3, status(code));
    const args = [...ARGS, '-o', file, '--concurrency', '1'];
    const exit = await runAgainst({ records: { issued }, script, args });
    expect({ code: exit.code, requests: exit.requests.length }).toEqual({ code: 3, requests: 4 });
    expect(exit.stderr).toContain(exit.host);
    expect(await readFile(file, 'utf8')).toBe('old\n');
    expect(await readdir(folder)).toEqual(['out.jsonl']);
  });

  it.each([
    ['no Retry-After', status(429)],
    ['seconds', status(429, { 'retry-after': '0' })],
    ['a date that is past', status(429, { 'retry-after': 'Fri, 20 Nov 2020 12:00:00 GMT' })],
    ['no form at all', status(429, { 'retry-after': 'soon' })],
  ])('for a while (429 with %s): every record is there in the end', async (_, fault) => {
    const script = inTurn(undefined, fault, fault, undefined, fault);
    const { code, text, stderr } = await runAgainst({ records: { issued }, script, args: ARGS });
    expect({ code, text, stderr }).toEqual({ code: 0, text: lines(issued), stderr: '' });
  });

  it('for longer than a run sits out: exit 5 at once, with the time to come back', async () => {
    const script = from(1, status(429, { 'retry-after': '121' }));
    const args = [...ARGS, '--concurrency', '1'];
    const { code, stderr, requests } = await runAgainst({ records: { issued }, script, args });
    expect({ code, requests: requests.length }).toEqual({ code: 5, requests: 2 });
    expect(stderr).toMatch(/\d{4}-\d{2}-\d{2}|\d{2}:\d{2}/);
  });

  it('the query (400): exit 2, never asked again', async () => {
    const script = always(status(400));
    const { code, requests } = await runAgainst({ records: { issued }, script, args: ARGS });
    expect({ code, requests: requests.length }).toEqual({ code: 2, requests: 1 });
  });

  it('the fund (404): exit 4, asked for once, when a listing shows that the address is right', async () => {
    const { code, requests } = await runAgainst({ records: {}, args: ['funds', 'documents', '2'] });
    expect({ code, paths: requests.map(({ url }) => url.pathname) }).toEqual({
      code: 4,
      paths: ['/v1/accounts-payable/prepaid-expenses/2', '/v1/invoices/issued'],
    });
  });
});
