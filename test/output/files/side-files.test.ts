import { expect, it } from 'vitest';
import { sideFilesOf } from '../../../src/output/files/side-files.ts';

it('tells long names apart that begin alike', () => {
  const [one, other] = [sideFilesOf(`${'x'.repeat(250)}a`), sideFilesOf(`${'x'.repeat(250)}b`)];
  expect(one.isLeftover(one.temporary(7, 0.5))).toBe(true);
  expect(one.isLeftover(other.temporary(7, 0.5))).toBe(false);
});
