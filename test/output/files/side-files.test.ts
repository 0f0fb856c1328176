import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeStaleFiles } from '../../../src/output/files/side-files.ts';
import { sideFilesOf } from '../../../src/output/files/side-files.ts';
import { fakeProcesses, OUR_PID } from '../fake-site.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const foreign = [
  'out.csv',
  '.out.csv',
  '.out.csv.bak',
  '.out.csv.7-aaaaaaaa.folio-tmp.bak',
  '.out.csv.x-aaaaaaaa.folio-tmp',
  '.out.csv.7-aaaa.folio-tmp',
  '.other.csv.7-aaaaaaaa.folio-tmp',
  '.out.csv.7-aaaaaaaa.8-bbbbbbbb.folio-tmp',
  '.out.csv.folio-lock',
  '.out.csv.folio-lock.backup',
  'out.csv.7-aaaaaaaa.folio-tmp',
];

it('removes what runs left beside the target, and nothing else', async () => {
  const folder = temporaryFolder();
  const names = sideFilesOf('out.csv');
  const left = [
    names.temporary(7, 0.5),
    names.temporary(OUR_PID, 0.25),
    names.claim(7, 0.5),
    names.guard(names.lock, 'dead'),
    names.guard(names.guard(names.lock, 'dead'), 'dead too'),
  ];
  const ofTheLiving = names.claim(OUR_PID, 0.5);
  for (const name of [...foreign, ...left, ofTheLiving]) writeFileSync(join(folder, name), '');
  await removeStaleFiles(folder, 'out.csv', fakeProcesses());
  expect(readdirSync(folder).toSorted()).toEqual([...foreign, ofTheLiving].toSorted());
});

it('tells long names apart that begin alike', () => {
  const [one, other] = [`${'x'.repeat(250)}a`, `${'x'.repeat(250)}b`];
  expect(sideFilesOf(one).recognise(sideFilesOf(one).temporary(7, 0.5))).toEqual({
    kind: 'temporary',
    pid: 7,
  });
  expect(sideFilesOf(one).recognise(sideFilesOf(other).temporary(7, 0.5))).toBeUndefined();
});

it('minds no folder that is gone', async () => {
  await removeStaleFiles(join(temporaryFolder(), 'gone'), 'out.csv', fakeProcesses());
});
