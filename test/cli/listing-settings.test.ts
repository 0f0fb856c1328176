import { describe, expect, it } from 'vitest';
import { memoryStore } from '../support/memory-store.ts';
import { pageOf, runScripted, type Answer, type ScriptedExit } from '../support/scripted-run.ts';
import { expectAnswer } from '../support/expect-exit.ts';

const PAGE = pageOf(['{"id":1,"number":10,"status":"PAID"}', '{"id":2,"number":20,"status":"OPEN"}']);

const run = (
  settings: Readonly<Record<string, unknown>>,
  argv: readonly string[],
  answers: readonly Answer[] = [PAGE],
): Promise<ScriptedExit> => runScripted(argv, answers, { config: async () => memoryStore({ settings }) });

describe('settings of what a listing shows', () => {
  it('limit is where a table on a terminal stops, and cuts no file', async () => {
    const config = async () => memoryStore({ settings: { limit: 1 } });
    const screen = { config, terminal: true, env: { NO_COLOR: '1' } };
    const { stdout, stderr } = await runScripted(['issued', '--sort', 'id'], [PAGE], screen);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stderr).toContain('1 of 2 · --all for the rest');
    await expectAnswer(run({ limit: 1 }, ['issued', '--count']), '2\n');
    await expectAnswer(run({ limit: 1 }, ['issued', '--columns', 'id']), 'id\n1\n2\n');
  });
});
