import { afterEach, describe, expect, it } from 'vitest';
import { pageOf, runScripted } from '../support/scripted-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Keys that assignment on a plain object gives a meaning of their own. */
const KEYS = '__proto__ constructor prototype toString hasOwnProperty __defineGetter__ valueOf'.split(' ');

const RECORD = `{"id":1,${KEYS.map((key) => `"${key}":{"polluted":"${key}!"}`).join(',')},"__proto__.polluted":2}`;
const FLAT = `{"id":2,${KEYS.map((key) => `"${key}":"${key}!"`).join(',')}}`;
const cells = (end = ''): string => KEYS.map((key) => `${key}!${end}`).join(',');

const issued = (line: string, page: string) => runScripted(['issued', ...line.split(' ')], [page]);

afterEach(() => {
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(typeof {}.toString).toBe('function');
});

describe('keys of the prototype', () => {
  const parts = ['id', ...KEYS.map((key) => `${key}.polluted`), '__proto__\\.polluted'].join(',');
  it.each([
    ['columns like others', FLAT, '--format csv', `id,${KEYS.join(',')}\n2,${cells()}\n`],
    ['parts of columns', RECORD, '--format csv', `${parts}\n1,${cells()},2\n`],
    [
      'there for who asks for them alone',
      FLAT,
      `--format csv --columns ${KEYS.flatMap((key) => [key, `${key}.polluted`]).join(',')} --no-header`,
      `${cells(',')}\n`,
    ],
    ['sent on as they came', `${FLAT},${RECORD}`, '--format jsonl', `${FLAT}\n${RECORD}\n`],
  ])('are %s', async (_, records, line, expected) => {
    expect(await issued(line, pageOf([records]))).toMatchObject({ code: 0, stdout: expected });
  });

  it.each(['json', 'table'])('are all in %s', async (format) => {
    const { code, stdout } = await issued(`--format ${format}`, pageOf([FLAT, RECORD]));
    expect([code, KEYS.filter((key) => !stdout.includes(key))]).toEqual([0, []]);
  });

  it('mean nothing beside the records', async () => {
    const page = `{"__proto__":{"polluted":1,"pageResults":[{"id":9}]},"constructor":1,${pageOf([FLAT]).slice(1)}`;
    const error = `{"_type":"x","__proto__":{"polluted":1},"message":"strange"}`;
    const withErrors = page.replace('"errors":[]', `"errors":[${error}]`);
    const { stderr, ...exit } = await issued('--format jsonl', withErrors);
    expect(exit).toMatchObject({ code: 0, stdout: `${FLAT}\n` });
    expect(stderr).toContain('strange');
  });

  it('mean nothing in the answer to a refused query', async () => {
    const body =
      '{"__proto__":{"polluted":1,"message":"no"},"constructor":{"prototype":{"polluted":1}},"errors":"yes"}';
    const { code, stderr } = await runScripted(['issued', '--page-size', '10'], [[400, body]]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/\(400\): yes\n/)]);
  });

  it('mean nothing as names of settings, profiles and flags', async () => {
    const env = { FOLIO_CONFIG_DIR: temporaryFolder() };
    for (const name of KEYS)
      for (const line of ['config get NAME', 'config set NAME 1', 'issued --profile NAME', 'NAME'])
        expect((await runScripted(line.replace('NAME', name).split(' '), [], { env })).code).toBe(2);
  });
});
