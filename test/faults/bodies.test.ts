import { describe, expect, it } from 'vitest';
import { always, body, html, inTurn, jsonCutShort, members, records } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { lines, runAgainst } from '../support/run-against.ts';

const page = (members: string): string => `{"errors":[],"page":0,"pageSize":10,${members}}`;
const BODIES = [
  ['an HTML page', html, 'an HTML page, where JSON was expected'],
  ['JSON cut short', jsonCutShort, 'unusable body'],
  ['nothing', body(''), 'expected an object with "pageResults"'],
  ['an array', body('[]'), 'expected an object with "pageResults"'],
  ['null', body('null'), 'expected an object with "pageResults"'],
  ['a string', body('"pageResults"'), 'expected an object with "pageResults"'],
  ['a page without records', body(page('"total":0')), 'expected "pageResults" in the object'],
  ['null for the records', body(page('"total":0,"pageResults":null')), 'expected an array of records'],
  ['an object for the records', body(page('"total":0,"pageResults":{}')), 'expected an array of records'],
  ['records that are no objects', records(() => ['1', '2']), 'expected'],
  ['a page without a total', members({ total: undefined }), 'expected a whole number as "total"'],
  ['a text for the total', members({ total: '"25"' }), 'expected a whole number as "total"'],
  ['a total below nothing', members({ total: '-1' }), 'expected a whole number as "total"'],
  ['a body 100,000 levels deep', body(`{"more":${'['.repeat(100_000)}`), 'more than 1000 levels of nesting'],
  ['two bodies in one', body(`${page('"total":0,"pageResults":[]')}{}`), 'the end of the body'],
] as const;

describe.concurrent('a body that is not what the specification says', () => {
  it.each(BODIES)('is never data: %s', async (_, fault, reason) => {
    const args = ['issued', '--page-size', '10', '--retries', '1'];
    const { code, text, stderr, host } = await runAgainst({ records: {}, script: always(fault), args });
    expect({ code, text }).toEqual({ code: 5, text: '' });
    expect(stderr).toMatch(/^folio: [^\n]+\n( {2}[^\n]+\n)?$/);
    expect(stderr).toContain(`${host} answered /v1/invoices/issued with`);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(fault === html ? 'any proxy on the way' : 'may be changing the responses');
  });

  it('is asked for again, and costs no record', async () => {
    const issued = modelRecords(30);
    const script = inTurn(undefined, ...BODIES.slice(0, 5).map(([, fault]) => fault));
    const args = ['issued', '--page-size', '10', '--format', 'jsonl'];
    const exit = await runAgainst({ records: { issued }, script, args });
    expect(exit).toMatchObject({ code: 0, text: lines(issued), stderr: '' });
  });

  it('is never data on a listing with cursors either', async () => {
    const script = always(body('{"data":[],"errors":[],"nextToken":7}'));
    const exit = await runAgainst({ records: {}, script, args: ['customers', '--retries', '1'] });
    expect(exit).toMatchObject({ code: 5, text: '' });
    expect(exit.stderr).toContain('expected a cursor or null as "nextToken"');
  });
});
