import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { el, type Html } from './html.ts';
import { ageNames, UNDATED } from './terms.ts';
import type { Writing } from './texts.ts';

/** An amount as a length in a bar. Its title is exact. */
interface Piece {
  readonly amount: Decimal;
  /** A class: `part0`, `issued`. Below zero it is `negative`. */
  readonly look: string;
  readonly title: string;
}

/** A bar of amounts one behind the other, in which `most` takes the whole width. Amounts stand in figures beside it. */
export function bar(pieces: readonly Piece[], most: number): Html {
  let at = 0;
  const shapes = pieces.map(({ amount, look, title }) => {
    const width = (100 * lengthOf(amount)) / most;
    const place = { x: percent(at), width: percent(width), height: '100%' };
    at += width;
    const name = amount.coefficient < 0n ? 'rect.negative' : `rect.${look}`;
    return width > 0 ? el(name, place, el('title', title)) : undefined;
  });
  return el('svg.bar', { 'aria-hidden': 'true' }, shapes);
}

/** An approximation, good enough for a length on a screen, never for a figure; 0 for an amount that is too large. */
export function lengthOf({ coefficient, scale }: Decimal): number {
  const length = Number(formatDecimal({ coefficient: coefficient < 0n ? -coefficient : coefficient, scale }));
  return Number.isFinite(length) ? length : 0;
}

/** The length of the strip of ages. Credits have no length. */
export function lengthOfAges(sums: readonly Decimal[]): number {
  return sums.slice(0, UNDATED + 1).reduce((length, sum) => length + lengthOf(sum), 0);
}

/** The strip of ages: a bar in scale, and each age with its exact sum. */
export function agesStrip(
  sums: readonly Decimal[],
  label: string,
  { texts, amount }: Writing,
  most = lengthOfAges(sums),
): Html {
  const ages = ageNames(texts).map((name, age) => ({ name, age, amount: sums[age]!, look: `part${age}` }));
  const pieces = ages
    .slice(0, UNDATED + 1)
    .map((one) => ({ ...one, title: `${one.name}: ${amount(one.amount)}` }));
  const items = ages.map(({ name, age, amount: sum, look }) => {
    const isNil = sum.coefficient === 0n;
    if (isNil && age >= UNDATED) return undefined;
    const sample = age > UNDATED ? undefined : sampleOf(look);
    return el(isNil ? 'li.none' : 'li.some', el('span', sample, name), el('b', amount(sum)));
  });
  const drawn = most > 0 && Number.isFinite(most) ? bar(pieces, most) : undefined;
  return el('div.ages', { role: 'group', 'aria-label': label }, drawn, el('ul', items));
}

export function sampleOf(look: string): Html {
  return el('svg.sample', { 'aria-hidden': 'true' }, el(`rect.${look}`, { width: '100%', height: '100%' }));
}

/** A share of the width, with three decimals. */
function percent(share: number): string {
  return `${Math.round(share * 1000) / 1000}%`;
}
