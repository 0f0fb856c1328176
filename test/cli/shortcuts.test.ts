import { describe, expect, it } from 'vitest';
import { memoryStore } from '../support/memory-store.ts';
import { pageOf, runScripted, type Answer, type ScriptedExit } from '../support/scripted-run.ts';

const PAGE = pageOf(['{"id":1,"number":10,"status":"PAID"}', '{"id":2,"number":20,"status":"OPEN"}']);

const run = (
  settings: Readonly<Record<string, unknown>>,
  argv: readonly string[],
  answers: readonly Answer[] = [PAGE],
): Promise<ScriptedExit> => runScripted(argv, answers, { config: async () => memoryStore({ settings }) });

describe('a shortcut', () => {
  const settings = {
    'shortcut.paid': 'issued --where \'status=paid\' --columns "id,number"',
    'shortcut.again': 'paid --no-header',
    'shortcut.issued': 'funds',
  };

  it('is the command line that it is short for, and what is behind it', async () => {
    expect((await run(settings, ['paid'])).stdout).toBe('id,number\n1,10\n');
    expect((await run(settings, ['-q', 'paid', '--no-header'])).stdout).toBe('1,10\n');
    expect((await run(settings, ['--progress', 'plain', 'paid'])).stdout).toBe('id,number\n1,10\n');
  });

  it('is shown with -v', async () => {
    expect((await run(settings, ['paid', '-v'])).stderr).toContain(
      `paid is short for: folio ${settings['shortcut.paid']}\n`,
    );
    expect((await run(settings, ['paid'])).stderr).toBe('');
  });

  it('is expanded once, and never goes before a command', async () => {
    expect(await run(settings, ['again'], [])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("unknown command 'paid'"),
    });
    expect((await run(settings, ['issued', '--count'])).asked[0]).toContain('/invoices/issued');
  });

  it('leaves an unknown command one', async () => {
    expect(await run(settings, ['isued'], [])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean issued?'),
    });
  });

  it('is set, listed and unset like a setting, but for what it could not do', async () => {
    const store = memoryStore({ settings: {} });
    const config = (...argv: string[]): Promise<ScriptedExit> =>
      runScripted(['config', ...argv], [], { config: async () => store });
    expect(await config('set', 'shortcut.late-ones', 'issued --overdue')).toMatchObject({ code: 0 });
    expect((await config('get', 'shortcut.late-ones')).stdout).toBe('issued --overdue\n');
    expect((await config('list')).stdout).toMatch(/^shortcut.late-ones +issued --overdue\n$/);
    expect(await config('unset', 'shortcut.late-ones')).toMatchObject({ code: 0 });
    expect((await config('list')).stdout).toBe('');
    for (const [name, line, why] of [
      ['shortcut.issued', 'funds', 'there is a command issued, and a shortcut never goes before one'],
      ['shortcut.late', '', 'expected a command line'],
      ['shortcut.late', 'folio issued', 'expected a command line'],
      ['shortcut.late', "issued --where 'a", 'a quote is not closed'],
      ['shortcut.Late', 'issued', 'there is no setting "shortcut.Late"'],
    ] as const) {
      const outcome = await config('set', name, line);
      expect(outcome.code).toBe(2);
      expect(outcome.stderr).toContain(why);
    }
  });
});

describe('settings of what a listing shows', () => {
  it('columns.issued are its columns, unless --columns says otherwise or something else comes out', async () => {
    const settings = { 'columns.issued': 'number,id' };
    expect((await run(settings, ['issued'])).stdout).toBe('number,id\n10,1\n20,2\n');
    expect((await run(settings, ['issued', '--columns', 'id'])).stdout).toBe('id\n1\n2\n');
    expect((await run(settings, ['issued', '--group-by', 'status'])).stdout).toBe(
      'status,records\nPAID,1\nOPEN,1\n',
    );
    expect((await run(settings, ['received'])).stdout).toMatch(/^id,number,status\n/);
  });

  it('limit is where a table on a terminal stops, and cuts no file', async () => {
    const config = async () => memoryStore({ settings: { limit: 1 } });
    const screen = { config, terminal: true, env: { NO_COLOR: '1' } };
    const { stdout, stderr } = await runScripted(['issued', '--sort', 'id'], [PAGE], screen);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stderr).toContain('1 of 2 · --all for the rest');
    expect((await run({ limit: 1 }, ['issued', '--count'])).stdout).toBe('2\n');
    expect((await run({ limit: 1 }, ['issued', '--columns', 'id'])).stdout).toBe('id\n1\n2\n');
  });
});
