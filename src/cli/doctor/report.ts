import type { Context } from '../../context.ts';
import { paint, useColor, type Style } from '../../output/colors.ts';
import { visible } from '../../output/terminal-text.ts';
import { asAside } from '../report-error.ts';
import { wrapText } from '../help/render-topic.ts';
import type { CheckResult } from './check.ts';

const STYLES: Readonly<Record<CheckResult['status'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  failed: 'alarm',
  skipped: 'dim',
};

/** Cells of the longest status and of the longest name of a check. */
const [STATUS, NAME] = [9, 14];
/** Cells that a text needs to be read in lines. */
const NARROWEST = 30;

/** The lines about one check: on a terminal no wider than it, elsewhere one for what was found and one for what to do. */
export function describeCheck(name: string, { status, says, mend }: CheckResult, screen: Screen): string {
  const margin = ' '.repeat(STATUS + NAME);
  const lines = [
    ...wrapped(visible(says), screen),
    ...(mend === undefined ? [] : wrapped(`→ ${visible(asAside(mend))}`, screen)),
  ];
  const word = status.padEnd(STATUS);
  const head = (screen.color ? paint(word, STYLES[status]) : word) + name.padEnd(NAME);
  return lines.map((line, at) => `${at === 0 ? head : margin}${line}\n`).join('');
}

export interface Screen {
  readonly width: number;
  readonly color: boolean;
}

export function screenOf({ stdout, env }: Context, color: boolean): Screen {
  const width = stdout.isTerminal ? (stdout.columns ?? 80) : Infinity;
  return { width, color: useColor(env, stdout.isTerminal, color) };
}

function wrapped(text: string, { width }: Screen): string[] {
  return wrapText(text, Math.max(NARROWEST, width - STATUS - NAME))
    .trimEnd()
    .split('\n');
}
