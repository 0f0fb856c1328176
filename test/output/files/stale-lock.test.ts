import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ISSUED = ['--sandbox', 'issued', '--limit', '3', '--columns', 'number', '-o', 'out.csv'];

it.each([
  ['an empty lock file', ''],
  ['the lock of a container that is gone', '{"pid":1,"host":"gone","startedAt":"2026-11-01T02:00:00.000Z"}'],
])('%s stops a run for a minute, and not the next night', async (_what, contents) => {
  const cwd = temporaryFolder();
  const lock = join(cwd, '.out.csv.folio-lock');
  writeFileSync(lock, contents);
  const env = { FOLIO_TOKEN: undefined };
  const refused = await runHere(ISSUED, { cwd, env });
  expect(refused.stderr).toContain('out.csv');
  expect(refused.stderr).toContain('Wait for it to end; its lock ends a minute after the last sign of life.');
  expect(refused.code).toBe(1);
  const aMinuteAgo = Date.now() / 1000 - 61;
  utimesSync(lock, aMinuteAgo, aMinuteAgo);
  expect(await runHere(ISSUED, { cwd, env })).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(cwd)).toEqual(['out.csv']);
  expect(readFileSync(join(cwd, 'out.csv'), 'utf8').split('\n')).toHaveLength(5);
});
