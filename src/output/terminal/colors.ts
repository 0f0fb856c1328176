import type { Environment } from '../../context.ts';

/** SGR parameters that switch a style on, and off again. */
const STYLES = {
  bold: ['1', '22'],
  dim: ['2', '22'],
  red: ['31', '39'],
  green: ['32', '39'],
  yellow: ['33', '39'],
  alarm: ['1;31', '22;39'],
} as const;

export type Style = keyof typeof STYLES;

/** The text in a style, for a terminal that has colours by `useColor`. The text must be safe already: see `visible`. */
export function paint(text: string, style: Style): string {
  const [on, off] = STYLES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/**
 * Whether output may be coloured. The first that applies decides: `--no-color` (`flag` is false), NO_COLOR,
 * FORCE_COLOR (`0` and `false` forbid, anything else demands, also off a terminal), no terminal, TERM=dumb, CI.
 * A variable that is set to nothing counts as not set (no-color.org, force-color.org).
 */
export function useColor(env: Environment, isTerminal: boolean, flag: boolean | undefined): boolean {
  if (flag === false || env['NO_COLOR']) return false;
  const force = env['FORCE_COLOR'];
  if (force) return force !== '0' && force !== 'false';
  return isTerminal && isForPeople(env);
}

/** False when nobody watches (CI), or the terminal can only print (TERM=dumb). */
export function isForPeople(env: Environment): boolean {
  return env['TERM'] !== 'dumb' && !isSet(env['CI']);
}

/** A user at a terminal says CI=false when a program has set it. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}
