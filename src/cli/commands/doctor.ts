import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { paint, useColor, visible, wrapText, type Style } from '../../output/terminal/terminal-text.ts';
import { factFlags, type GlobalFlags } from '../../run/flags.ts';
import { addCommand } from '../command.ts';
import type { FactFlags, Facts } from '../facts.ts';
import type { CheckResult } from './doctor-checks.ts';

/** `doctor`: whether all is set up, and what to fix. */
export function addDoctor(program: Command, context: Context): void {
  addCommand(program, context, 'doctor', {
    description:
      'Looks at the store, the base address, the way to the service step by step, the clock and the token, and makes one ' +
      'call to each of the four listings. A line each, with what to fix. The exit code is that of the first failure.',
    examples: [
      ['folio doctor', 'for the commands that you run here'],
      ['folio doctor --profile acme', 'for one organization'],
      ['folio doctor --format json', 'for a script; nothing secret is in it'],
    ],
    flags: factFlags,
    run: (flags) => runDoctor(context, flags),
  });
}

/** `folio doctor`: makes all checks, whichever fail, and ends with the error of the first that failed. */
async function runDoctor(context: Context, flags: GlobalFlags & FactFlags): Promise<void> {
  const results: (readonly [name: string, CheckResult])[] = [];
  const screen = screenOf(context, flags.color !== false);
  const { checkAll } = await import('./doctor-checks.ts');
  await checkAll(context, flags, async (name, result) => {
    results.push([name, result]);
    if (flags.format !== 'json') await context.stdout.write(describeCheck(name, result, screen));
  });
  // JSON is written whole, at the end. Lines were written as the results came.
  if (flags.format === 'json') {
    const { writeFactsAsJson } = await import('../facts.ts');
    await writeFactsAsJson(context.stdout, results.map(factsOf));
  }
  const failures = results.filter(([, { status }]) => status === 'failed');
  const [first] = failures;
  if (first === undefined) return;
  const [name, { failure }] = first;
  const many = failures.length === 1 ? '1 check' : `${failures.length} checks`;
  // The hint stands beside the check already.
  throw failure!.reworded(`${many} of ${results.length} failed, first: ${name}`, undefined);
}

function factsOf([check, result]: readonly [name: string, CheckResult]): Facts {
  const { status, says, fix = null, milliseconds = null, bytes = null } = result;
  return { check, status, says, fix, milliseconds, bytes };
}

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

/** The lines about one check, wrapped on a terminal: what was found, and what to do about it. */
function describeCheck(name: string, { status, says, fix }: CheckResult, screen: Screen): string {
  const margin = ' '.repeat(STATUS + NAME);
  const lines = [
    ...wrapped(visible(says), screen),
    ...(fix === undefined ? [] : wrapped(`→ ${visible(fix)}`, screen)),
  ];
  const word = status.padEnd(STATUS);
  const head = (screen.color ? paint(word, STYLES[status]) : word) + name.padEnd(NAME);
  return lines.map((line, at) => `${at === 0 ? head : margin}${line}\n`).join('');
}

interface Screen {
  readonly width: number;
  readonly color: boolean;
}

function screenOf({ stdout, env }: Context, color: boolean): Screen {
  const width = stdout.isTerminal ? (stdout.columns ?? 80) : Infinity;
  return { width, color: useColor(env, stdout.isTerminal, color) };
}

function wrapped(text: string, { width }: Screen): string[] {
  return wrapText(text, Math.max(NARROWEST, width - STATUS - NAME))
    .trimEnd()
    .split('\n');
}
