import type { Environment } from '../context.ts';
import { compareDecimals, negateDecimal, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';

export interface BarStyle {
  /** Display cells that the longest bar takes. */
  readonly width: number;
  /** Whether the terminal has block characters; `#` otherwise. */
  readonly blocks: boolean;
}

/** One cell filled from the left by one to eight eighths. */
const EIGHTHS = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/**
 * A bar as long, against `style.width`, as the value is against `longest`, of all that
 * stand beside it in the same currency. What is not zero has at least an eighth; less than zero is shaded.
 */
export function barOf(value: Decimal, longest: Decimal, style: BarStyle): string {
  const eighths = eighthsOf(value, longest, style.width);
  const cells = Math.ceil(eighths / 8);
  if (!style.blocks) return (value.coefficient < 0n ? '-' : '#').repeat(cells);
  if (value.coefficient < 0n) return '░'.repeat(cells);
  return eighths === 0 ? '' : '█'.repeat(cells - 1) + EIGHTHS[(eighths - 1) % 8]!;
}

/** The value whose bar is the longest: the largest without its sign. */
export function longestOf(values: readonly Decimal[]): Decimal {
  return values.reduce(
    (longest, value) => (compareDecimals(absolute(longest), absolute(value)) < 0 ? value : longest),
    DECIMAL_ZERO,
  );
}

/** In whole numbers, so that no amount is too large. */
function eighthsOf(value: Decimal, longest: Decimal, width: number): number {
  const part = absolute(value).coefficient * 10n ** BigInt(longest.scale) * BigInt(width * 8);
  const whole = absolute(longest).coefficient * 10n ** BigInt(value.scale);
  if (part === 0n || whole === 0n) return 0;
  return Math.min(width * 8, Math.max(1, Number((part + whole / 2n) / whole)));
}

function absolute(value: Decimal): Decimal {
  return value.coefficient < 0n ? negateDecimal(value) : value;
}

/** Whether a terminal shows block characters, as far as its environment tells: a UTF-8 locale, and not the bare console. */
export function hasBlocks(env: Environment): boolean {
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return false;
  if (env['WT_SESSION'] || env['TERM_PROGRAM'] === 'vscode') return true;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale);
}
