import { temporaryFolder } from '../support/temporary-folder.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { pageOf, runScripted } from '../support/scripted-run.ts';

/** Keys that assignment on a plain object gives a meaning of their own. */
const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'valueOf',
];

const RECORD = `{"id":1,${KEYS.map((key) => `"${key}":{"polluted":"${key}!"}`).join(',')},"__proto__.polluted":2}`;
const FLAT = `{"id":2,${KEYS.map((key) => `"${key}":"${key}!"`).join(',')}}`;

afterEach(() => {
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(typeof {}.toString).toBe('function');
});

describe('keys of the prototype', () => {
  it('are columns like others, in csv', async () => {
    const { code, stdout } = await runScripted(['issued', '--format', 'csv'], [pageOf([FLAT])]);
    expect(code).toBe(0);
    expect(stdout).toBe(`id,${KEYS.join(',')}\n2,${KEYS.map((key) => `${key}!`).join(',')}\n`);
  });

  it('are parts of columns', async () => {
    const { stdout } = await runScripted(['issued', '--format', 'csv'], [pageOf([RECORD])]);
    const [header = '', row = ''] = stdout.split('\n');
    expect(header.split(',')).toEqual([
      'id',
      ...KEYS.map((key) => `${key}.polluted`),
      '__proto__\\.polluted',
    ]);
    expect(row).toBe(`1,${KEYS.map((key) => `${key}!`).join(',')},2`);
  });

  it.each(['jsonl', 'json', 'table'])('leave as they came: %s', async (format) => {
    const { code, stdout } = await runScripted(['issued', '--format', format], [pageOf([FLAT, RECORD])]);
    expect(code).toBe(0);
    for (const key of KEYS) expect(stdout).toContain(key);
    if (format === 'jsonl') expect(stdout).toBe(`${FLAT}\n${RECORD}\n`);
  });

  it('can be asked for, alone', async () => {
    const columns = KEYS.flatMap((key) => [key, `${key}.polluted`]).join(',');
    const args = ['issued', '--format', 'csv', '--columns', columns, '--no-header'];
    const { stdout } = await runScripted(args, [pageOf([FLAT])]);
    expect(stdout).toBe(`${KEYS.map((key) => `${key}!,`).join(',')}\n`);
  });

  it('mean nothing beside the records', async () => {
    const page = `{"__proto__":{"polluted":1,"pageResults":[{"id":9}]},"constructor":1,${pageOf([FLAT]).slice(1)}`;
    const error = `{"_type":"x","__proto__":{"polluted":1},"message":"strange"}`;
    const errors = page.replace('"errors":[]', `"errors":[${error}]`);
    const { code, stdout, stderr } = await runScripted(['issued', '--format', 'jsonl'], [errors]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${FLAT}\n` });
    expect(stderr).toContain('strange');
  });

  it('mean nothing in the answer to a refused query', async () => {
    const body =
      '{"__proto__":{"polluted":1,"message":"no"},"constructor":{"prototype":{"polluted":1}},"errors":"yes"}';
    const { code, stderr } = await runScripted(['issued', '--page-size', '10'], [[400, body]]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/\(400\): yes\n/);
  });

  it('mean nothing as names of settings, profiles and flags', async () => {
    const env = { FOLIO_CONFIG_DIR: temporaryFolder() };
    for (const name of KEYS) {
      expect((await runScripted(['config', 'get', name], [], { env })).code).toBe(2);
      expect((await runScripted(['config', 'set', name, '1'], [], { env })).code).toBe(2);
      expect((await runScripted(['issued', '--profile', name], [], { env })).code).toBe(2);
      expect((await runScripted([name], [], { env })).code).toBe(2);
    }
  });
});
