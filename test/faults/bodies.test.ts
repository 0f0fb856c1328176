import { describe, expect, it } from 'vitest';
import { always, body, html, jsonCutShort, members, records, type Fault } from '../support/faults.ts';
import { runAgainst } from '../support/run-against.ts';

const page = (members: string): string => `{"errors":[],"page":0,"pageSize":10,${members}}`;
const CURSOR = body('{"data":[],"errors":[],"nextToken":7}');
const BODIES: [what: string, fault: Fault, reason: string, path?: string][] = [
  ['an HTML page', html, 'an HTML page, where JSON was expected'],
  ['JSON cut short', jsonCutShort, 'unusable body'],
  ['nothing', body(''), 'expected an object with "pageResults"'],
  ['a page without records', body(page('"total":0')), 'expected "pageResults" in the object'],
  ['null for the records', body(page('"total":0,"pageResults":null')), 'expected an array of records'],
  ['records that are not objects', records(() => ['1', '2']), 'expected'],
  ['a page without a total', members({ total: undefined }), 'expected a whole number as "total"'],
  ['a text for the total', members({ total: '"25"' }), 'expected a whole number as "total"'],
  ['a total below nothing', members({ total: '-1' }), 'expected a whole number as "total"'],
  ['a body 100,000 levels deep', body(`{"more":${'['.repeat(100_000)}`), 'more than 1000 levels of nesting'],
  ['two bodies in one', body(`${page('"total":0,"pageResults":[]')}{}`), 'the end of the body'],
  ['a number as a cursor', CURSOR, 'expected a cursor or null as "nextToken"', 'customers'],
];

describe.concurrent('a body that is not what the specification says', () => {
  it.each(BODIES)(
    'is never data, and asked for again: %s',
    async (_, fault, reason, path = 'invoices/issued') => {
      const args = [path.replace(/.*\//, ''), '--page-size', '10', '--retries', '1'];
      const exit = await runAgainst({ records: {}, script: always(fault), args });
      const { stderr, host } = exit;
      expect(exit).toMatchObject({ code: 5, text: '', requests: { length: 2 } });
      expect(stderr).toMatch(/^folio: [^\n]+\n( {2}[^\n]+\n)?$/);
      expect(stderr).toContain(`${host} answered /v1/${path} with`);
      expect(stderr).toContain(reason);
      expect(stderr).toContain(fault === html ? 'any proxy on the way' : 'may be changing the responses');
    },
  );
});
