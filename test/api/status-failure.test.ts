import { describe, expect, it } from 'vitest';
import { statusFailure, UnknownFiscalIds } from '../../src/api/status-failure.ts';
import { AuthError, NotFoundError, RefusedQuery, ServiceError } from '../../src/errors.ts';
import { nobody } from '../support/scripted-run.ts';

const url = new URL('https://api.example.com/v1/invoices/issued?options_page=0');
const redact = (text: string) => text.replaceAll('s3cret', '[hidden]');
const failure = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  statusFailure({
    url,
    status,
    headers,
    redact,
    milliseconds: 0,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });

describe('400', () => {
  it.each([
    [{ errors: ['bad date', { message: 'bad page' }] }, 'bad date: bad page'],
    [{ errors: 'totalAmount is not supported' }, 'totalAmount is not supported'],
    [{ error: 'Bad Request', message: 'page must be a number' }, 'Bad Request: page must be a number'],
    [{ error: 'Bad', message: 'Bad page' }, 'Bad: Bad page'],
    [{ error: { message: 'nested' } }, 'nested'],
    [{ message: ['one', 'two'] }, '["one","two"]'],
    [{ Message: 'capital' }, 'capital'],
    [{ message: 'x', errors: [] }, 'x'],
    ['"text"', 'text'],
    ['plain\ntext', 'plain text'],
    [{ errors: 'echo s3cret' }, 'echo [hidden]'],
    [{ errors: '\u001b[31mred' }, String.raw`\u001b[31mred`],
  ])('%j is a usage error in the words of the service: %s', (body, words) => {
    const error = failure(400, body);
    expect(error).toBeInstanceOf(RefusedQuery);
    expect(error.message).toBe(`api.example.com refuses the query (400): ${words}`);
  });

  const WORDLESS = ['', '<html>no</html>', '\n <html>no</html>', '{}', 'null', '[]', ' '.repeat(2 ** 21)];
  it.each(WORDLESS)('has no words in %j', (body) => {
    expect(failure(400, body).message).toBe('api.example.com refuses the query (400)');
  });

  it('names the fiscal IDs where none exist', () => {
    const error = failure(400, { errors: [nobody('1'), nobody('2'), 'and slow'] });
    expect(error).toBeInstanceOf(UnknownFiscalIds);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({
      message: 'none of the fiscal IDs exist: 1, 2; the service also says: and slow',
      fiscalIds: ['1', '2'],
      warnings: ['and slow'],
      hint: 'Check them against a listing without the filter.',
    });
  });
});

describe('other statuses', () => {
  const SIGNATURE = "Authorization header requires 'Signature' parameter.";
  const NOT_REACHED = 'auth login`. If that does not help, a proxy may';
  const hasNo = 'api.example.com has no such address as /v1/invoices/issued (403)';
  it.each([
    [401, { message: 'No' }, AuthError, 'no token reached api.example.com (401): No', NOT_REACHED],
    [403, { Message: 'a deny' }, AuthError, 'refuses the token (403): a deny', 'deactivated'],
    [403, { message: SIGNATURE }, ServiceError, hasNo, 'base address'],
    [403, {}, AuthError, 'refuses the token or has no /v1/invoices/issued (403)', 'is deactivated. Log in'],
    [404, { message: 'no such' }, NotFoundError, 'has no /v1/invoices/issued (404): no such', 'Check the ID'],
  ])('%i with %j', (status, body, kind, message, hint) => {
    const error = failure(status, body);
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  const ADDRESS = 'Check the base address, and any proxy on the way to it.';
  const STATUSES: readonly (readonly [codes: readonly number[], what: string, hint: string])[] = [
    [[201, 204, 206, 300, 304], 'gave an unexpected status on', ADDRESS],
    [[402, 405, 408, 410, 499], 'failed on', ADDRESS],
    [[414, 431], 'refuses a request as long as this', 'Give fewer fiscal IDs in one run.'],
    [[429], 'failed on', 'Ask less often, or with a lower --concurrency.'],
    [[500, 502, 503, 504, 599], 'failed on', 'Try again later.'],
  ];
  const rows = STATUSES.flatMap(([codes, ...more]) => codes.map((code) => [code, ...more] as const));
  it.each(rows)('%i %s, and has a hint that fits it', (status, what, hint) => {
    const error = failure(status, { error: 'Oops', message: 'in its words' });
    expect(error).toBeInstanceOf(ServiceError);
    const path = what.endsWith(' on') ? ' /v1/invoices/issued' : '';
    const message = `api.example.com ${what}${path} (${status}): Oops: in its words`;
    expect(error).toMatchObject({ message, hint });
  });
});
