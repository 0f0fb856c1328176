import { expect, it } from 'vitest';
import { sideFilesOf } from '../../../src/output/files/side-files.ts';

it('knows its own files, and no other', () => {
  const names = sideFilesOf('out.csv');
  const guard = names.guard(names.lock, 'dead');
  const files = [
    names.temporary(7, 0.5),
    names.claim(7, 0.5),
    guard,
    names.guard(guard, 'dead too'),
    names.lock,
    'out.csv',
    '.out.csv',
    '.out.csv.bak',
    '.out.csv.7-aaaaaaaa.folio-tmp.bak',
    '.out.csv.x-aaaaaaaa.folio-tmp',
    '.out.csv.7-aaaa.folio-tmp',
    '.other.csv.7-aaaaaaaa.folio-tmp',
    '.out.csv.7-aaaaaaaa.8-bbbbbbbb.folio-tmp',
    '.out.csv.folio-lock.backup',
    'out.csv.7-aaaaaaaa.folio-tmp',
  ];
  expect(files.flatMap((file) => names.recognise(file) ?? [])).toEqual([
    'temporary',
    'claim',
    'guard',
    'guard',
  ]);
});

it('tells long names apart that begin alike', () => {
  const [one, other] = [sideFilesOf(`${'x'.repeat(250)}a`), sideFilesOf(`${'x'.repeat(250)}b`)];
  expect(one.recognise(one.temporary(7, 0.5))).toBe('temporary');
  expect(one.recognise(other.temporary(7, 0.5))).toBeUndefined();
});
