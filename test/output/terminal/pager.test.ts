import { expect, it } from 'vitest';
import { neverRan } from '../../../src/output/terminal/pager.ts';

it('tells a pager that was not there from one that was quit, by what each system says', () => {
  const codes = [0, 1, 126, 127, 9009, null];
  expect(codes.filter((code) => neverRan(code, 'linux'))).toEqual([126, 127]);
  expect(codes.filter((code) => neverRan(code, 'win32'))).toEqual([1, 126, 127, 9009]);
});
