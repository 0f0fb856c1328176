import { expect, it } from 'vitest';
import { useColor } from '../../../src/output/terminal/colors.ts';

it.each([
  [{}, true, undefined, true],
  [{}, false, undefined, false],
  [{}, true, false, false],
  [{ FORCE_COLOR: '1' }, true, false, false],
  [{ NO_COLOR: '1' }, true, undefined, false],
  [{ NO_COLOR: '' }, true, undefined, true],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, undefined, false],
  [{ FORCE_COLOR: '1' }, false, undefined, true],
  [{ FORCE_COLOR: '3', TERM: 'dumb' }, false, undefined, true],
  [{ FORCE_COLOR: '0' }, true, undefined, false],
  [{ FORCE_COLOR: '' }, false, undefined, false],
  [{ TERM: 'dumb' }, true, undefined, false],
  [{ CI: 'true' }, true, undefined, false],
  [{ CI: 'false' }, true, undefined, true],
])('%j on a terminal: %j, --color: %j', (env, isTerminal, flag, expected) => {
  expect(useColor(env, isTerminal, flag)).toBe(expected);
});
