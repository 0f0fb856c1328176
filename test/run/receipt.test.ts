import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { nobody, pageOf, runScripted, type Answer, type ScriptedExit } from '../support/scripted-run.ts';
import { expectRefused } from '../support/expect-exit.ts';

const RECORDS = ['{"id":1,"net":1190.10}', '{"id":2,"net":12345678901234567890}'];

interface Site {
  readonly folder: string;
  readonly run: (line: string, answers: readonly Answer[]) => Promise<ScriptedExit>;
  readonly receipt: () => Record<string, unknown>;
}

/** A folder, command lines in which FOLDER stands for it, and the receipt `receipt.json` in it. */
function site(): Site {
  const folder = temporaryFolder();
  return {
    folder,
    run: (line, answers) =>
      runScripted(
        line.split(' ').map((word) => word.replace('FOLDER', folder)),
        answers,
      ),
    receipt: () => JSON.parse(readFileSync(join(folder, 'receipt.json'), 'utf8')) as Record<string, unknown>,
  };
}

const EXPORT = 'issued -o FOLDER/out.csv --receipt FOLDER/receipt.json';

describe('--receipt', () => {
  it('writes everything that the contract names', async () => {
    const { folder, run, receipt } = site();
    const outcome = await run(`${EXPORT} --customer-fiscal-id 1-9,2-7`, [
      pageOf(RECORDS, { total: 2, errors: [nobody('27')] }),
    ]);
    expect(outcome.code).toBe(0);
    const output = readFileSync(join(folder, 'out.csv'));
    expect(receipt()).toEqual({
      folio: expect.stringMatching(/^\d+\.\d+\.\d+/),
      resource: 'issued',
      profile: null,
      baseUrl: 'https://api.example.com/v1',
      arguments: expect.arrayContaining(['issued', '--receipt', '1-9,2-7']),
      only: ['--customer-fiscal-id 1-9,2-7'],
      tokenEndsSoon: null,
      startedAt: '2026-11-20T12:00:00.000Z',
      finishedAt: '2026-11-20T12:00:00.000Z',
      seconds: 0,
      output: join(folder, 'out.csv'),
      file: 'out.csv',
      format: 'csv',
      header: true,
      records: 2,
      bytes: output.length,
      sha256: createHash('sha256').update(output).digest('hex'),
      ...{ recordsRead: 2, total: 2, totalAtStart: 2, totalAtEnd: 2, drift: false, orderMayMove: false },
      ...{ pages: 1, requests: 1, retries: 0, shrinks: 0, slowPages: 0, rereads: 0, repeats: 0, givenUp: 0 },
      ...{ wireBytes: expect.any(Number), missingFiscalIds: ['2-7'], errors: [], complete: true },
    });
    expect(readdirSync(folder).sort()).toEqual(['out.csv', 'receipt.json']);
  });

  it('says which flags left records out, by their values and not by the words of the command line', async () => {
    const { run, receipt } = site();
    await run(`${EXPORT} --limit 2 --limit 1 --where id>0 --where id<9 --sort-by --since`, [pageOf(RECORDS)]);
    expect(receipt()['only']).toEqual(['--limit 1', '--where id>0', '--where id<9']);
  });

  it('tells of a run that delivered, but not all', async () => {
    const { run, receipt } = site();
    const outcome = await run(`${EXPORT} --strict --customer-fiscal-id 1-9,2-7`, [
      pageOf(RECORDS, { errors: [nobody('27')] }),
    ]);
    expect(outcome.code).toBe(6);
    expect(receipt()).toMatchObject({ records: 2, missingFiscalIds: ['2-7'], complete: false });
    expect(receipt()['errors']).toEqual([expect.stringContaining('unknown fiscal ID')]);
  });

  it('tells of a run that failed, and that no file came of it', async () => {
    const { folder, run, receipt } = site();
    const outcome = await run(`${EXPORT} --page-size 2 --concurrency 1`, [
      pageOf(RECORDS, { total: 9 }),
      [403, '{"Message":"User is not authorized to access this resource"}'],
    ]);
    expect(outcome.code).toBe(3);
    expect(receipt()).toMatchObject({ records: 0, bytes: 0, sha256: null, recordsRead: 2, complete: false });
    expect(receipt()['errors']).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['receipt.json']);
  });

  it('takes the place of an earlier receipt also when the run fails before its first request', async () => {
    const { folder, run, receipt } = site();
    writeFileSync(join(folder, 'receipt.json'), '{"complete":true}', { mode: 0o640 });
    const outcome = await run(`${EXPORT} --profile nobody`, []);
    expect(outcome.code).toBe(2);
    expect(receipt()).toMatchObject({ complete: false, baseUrl: null, requests: 0 });
    expect(statSync(join(folder, 'receipt.json')).mode & 0o777).toBe(0o640);
  });

  it('counts what went to standard output', async () => {
    const { run, receipt } = site();
    const { stdout } = await run('issued --format jsonl --receipt FOLDER/receipt.json', [pageOf(RECORDS)]);
    expect(receipt()).toMatchObject({ output: null, bytes: Buffer.byteLength(stdout), records: 2 });
    expect(receipt()['sha256']).toBe(createHash('sha256').update(stdout).digest('hex'));
  });

  it('holds no secret that was on the command line by mistake', async () => {
    const { folder, run } = site();
    const jwt = 'eyJhbGciOiJub25lIn0.eyJvcmdhbml6YXRpb25JZCI6Im8ifQ.c2lnbmF0dXJl';
    await run(
      `${EXPORT} --param key=a-token-for-tests --param other=${jwt} --param link=https://f.example.com/x?expires=1&signature=abcdef`,
      [pageOf(RECORDS)],
    );
    const text = readFileSync(join(folder, 'receipt.json'), 'utf8');
    expect(text).toContain('key=[hidden]');
    expect(text).toContain('other=[hidden]');
    expect(text).toContain('https://f.example.com/x?[hidden]');
    expect(text).not.toMatch(/a-token-for-tests|eyJ|abcdef/);
  });

  it.each(['', ' -o -', ' -o /dev/stderr'])('is beside no stream: issued%s', async (output) => {
    const { folder, run } = site();
    const outcome = await run(`issued --receipt beside${output}`, []);
    expect([outcome.code, readdirSync(folder)]).toEqual([2, []]);
    expect(outcome.stderr).toContain('--receipt beside is a file beside that of -o, and none is written');
  });

  it('is beside no database, and says what to do', async () => {
    const { run } = site();
    await expectRefused(
      run('sync FOLDER/books.db --receipt beside', []),
      'folio: --receipt beside is a file beside that of -o, and a database is written\n' +
        '  Name a file for the receipt, as in --receipt sync.json.\n',
    );
  });

  it('is found out to be unwritable before the first request', async () => {
    const { run } = site();
    await expectRefused(run('issued --receipt FOLDER/nowhere/receipt.json', []), 'there is no folder', 1);
  });
});
