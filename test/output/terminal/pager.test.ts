import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { neverRan, startPager } from '../../../src/output/terminal/pager.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('tells a pager that was not there from one that was quit, by what each system says', () => {
  const codes = [0, 1, 126, 127, 9009, null];
  expect(codes.filter((code) => neverRan(code, 'linux'))).toEqual([126, 127]);
  expect(codes.filter((code) => neverRan(code, 'win32'))).toEqual([1, 126, 127, 9009]);
});

it.each([
  ['win32', '/'],
  ['linux', process.cwd()],
])('runs in the folder where no download can take its place: on %s, %s', async (platform, expected) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'less'), '#!/bin/sh\npwd >"$WHERE"; cat >/dev/null\n');
  chmodSync(join(folder, 'less'), 0o755);
  const env = { PATH: `${folder}:${process.env['PATH']}`, WHERE: join(folder, 'where') };
  const { signal } = new AbortController();
  const pager = await startPager({
    ...{ env, longLines: 'folded' as const, platform },
    redact: (text) => text,
    signal,
    onStart: () => {},
  });
  expect(await pager!.end()).toBe(true);
  expect(readFileSync(env.WHERE, 'utf8').trimEnd()).toBe(expected);
});
