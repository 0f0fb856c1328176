import { scaleBand, scaleLinear } from 'd3-scale';
import { stack, stackOffsetDiverging } from 'd3-shape';
import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { markup, type Html } from './html.ts';
import type { Writing } from './words.ts';

/** One bar of parts, such as what is receivable by age. */
interface StackedBar {
  readonly label: string;
  /** One for each part of the chart, in its order. */
  readonly amounts: readonly Decimal[];
}

interface StackedChart {
  readonly title: string;
  readonly about: string;
  /** What the parts are called. */
  readonly parts: readonly string[];
  readonly bars: readonly StackedBar[];
}

const WIDTH = 640;
const LABELS = 110;
const AXIS = 22;
const BAR = 30;
const TICKS = 5;

/** Horizontal bars of parts; what is below zero goes to the left. Positions are rounded, the titles of the parts are exact. */
export function stackedBars({ title, about, parts, bars }: StackedChart, writing: Writing, id: string): Html {
  const rows = bars.map(({ amounts }) => amounts.map(roughly));
  const layers = stack<number[], number>()
    .keys(parts.keys())
    .value((row, part) => row[part] ?? 0)
    .offset(stackOffsetDiverging)(rows);
  const ends = layers.flatMap((layer) => layer.flatMap(([from, to]) => [from, to]));
  const x = scaleLinear()
    .domain([Math.min(0, ...ends), Math.max(0, ...ends)])
    .nice(TICKS)
    .range([LABELS, WIDTH - 12]);
  const y = scaleBand<number>()
    .domain(bars.keys())
    .range([4, 4 + bars.length * (BAR + 12)])
    .padding(0.25);
  const height = y.range()[1] + AXIS;
  const pieces = layers.flatMap((layer, part) =>
    layer.map(([from, to], bar) => {
      const width = x(to) - x(from);
      if (!(width > 0)) return undefined;
      const name = `${bars[bar]!.label}, ${parts[part]}: ${writing.amount(bars[bar]!.amounts[part]!)}`;
      return markup`<rect
        class="part${part}"
        x="${oneDecimal(x(from))}"
        y="${oneDecimal(y(bar)!)}"
        width="${oneDecimal(width)}"
        height="${oneDecimal(y.bandwidth())}"
        ><title>${name}</title></rect
      >`;
    }),
  );
  const labels = bars.map(
    ({ label }, bar) =>
      markup`<text x="${LABELS - 8}" y="${oneDecimal(y(bar)! + y.bandwidth() / 2)}" dy="0.35em" text-anchor="end"
        >${label}</text
      >`,
  );
  const axis = x.ticks(TICKS).map(
    (tick) =>
      markup`<line class="grid" x1="${oneDecimal(x(tick))}" x2="${oneDecimal(x(tick))}" y1="0" y2="${oneDecimal(y.range()[1])}" /><text
            class="tick"
            x="${oneDecimal(x(tick))}"
            y="${oneDecimal(y.range()[1] + 15)}"
            text-anchor="middle"
            >${writing.rough(tick)}</text
          >`,
  );
  const zero = markup`<line class="zero" x1="${oneDecimal(x(0))}" x2="${oneDecimal(x(0))}" y1="0" y2="${oneDecimal(y.range()[1])}" />`;
  return markup`${picture({ id, title, about, height }, [axis, pieces, zero, labels])}${legend(parts)}`;
}

interface MonthlyChart {
  readonly title: string;
  readonly about: string;
  readonly series: readonly [string, string];
  readonly months: readonly { readonly label: string; readonly amounts: readonly [Decimal, Decimal] }[];
}

const PLOT = 180;

/** Two columns a month, side by side. */
export function monthlyColumns(
  { title, about, series, months }: MonthlyChart,
  writing: Writing,
  id: string,
): Html {
  const values = months.flatMap(({ amounts }) => amounts.map(roughly));
  const y = scaleLinear()
    .domain([Math.min(0, ...values), Math.max(0, ...values)])
    .nice(TICKS)
    .range([PLOT, 8]);
  const x = scaleBand<number>()
    .domain(months.keys())
    .range([48, WIDTH - 8])
    .padding(0.25);
  const half = x.bandwidth() / 2;
  const columns = months.flatMap(({ label, amounts }, month) =>
    amounts.map((amount, which) => {
      const top = y(Math.max(0, roughly(amount)));
      const height = y(Math.min(0, roughly(amount))) - top;
      if (!(height > 0)) return undefined;
      const name = `${label}, ${series[which]}: ${writing.amount(amount)}`;
      return markup`<rect
        class="series${which}"
        x="${oneDecimal(x(month)! + which * half)}"
        y="${oneDecimal(top)}"
        width="${oneDecimal(half - 1)}"
        height="${oneDecimal(height)}"
        ><title>${name}</title></rect
      >`;
    }),
  );
  const grid = y.ticks(TICKS).map(
    (tick) =>
      markup`<line class="grid" x1="48" x2="${WIDTH - 8}" y1="${oneDecimal(y(tick))}" y2="${oneDecimal(y(tick))}" /><text
            class="tick"
            x="44"
            y="${oneDecimal(y(tick))}"
            dy="0.35em"
            text-anchor="end"
            >${writing.rough(tick)}</text
          >`,
  );
  const labels = months.map(
    ({ label }, month) =>
      markup`<text class="tick" x="${oneDecimal(x(month)! + half)}" y="${PLOT + 16}" text-anchor="middle"
        >${label}</text
      >`,
  );
  const zero = markup`<line class="zero" x1="48" x2="${WIDTH - 8}" y1="${oneDecimal(y(0))}" y2="${oneDecimal(y(0))}" />`;
  const height = PLOT + AXIS;
  return markup`${picture({ id, title, about, height }, [grid, columns, zero, labels])}${legend(series, 'series')}`;
}

interface PictureFrame {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly height: number;
}

function picture(
  { id, title, about, height }: PictureFrame,
  content: readonly (readonly (Html | undefined)[] | Html)[],
): Html {
  return markup`<div class="wide" role="group" aria-label="${title}" tabindex="0">
    <svg viewBox="0 0 ${WIDTH} ${oneDecimal(height)}" role="img" aria-labelledby="${id}-title ${id}-about">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-about">${about}</desc>
      ${content}
    </svg>
  </div>`;
}

function legend(names: readonly string[], kind: 'part' | 'series' = 'part'): Html {
  return markup`<ul class="legend" aria-hidden="true">
    ${names.map((name, index) => markup`<li><i class="${kind}${index}"></i>${name}</li>`)}
  </ul>`;
}

/** Good enough for a length on a screen; never for a figure. */
function roughly(amount: Decimal): number {
  return Number(formatDecimal(amount));
}

/** A length with one decimal. */
function oneDecimal(length: number): string {
  return String(Math.round(length * 10) / 10);
}
