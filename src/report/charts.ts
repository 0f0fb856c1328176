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

/** A part of a chart: what it is called, and the class that gives it its look. */
interface ChartPart {
  readonly name: string;
  /** `part0`, `series1`; `undated` is hatched, so that it is told apart in grey, too. */
  readonly look: string;
}

interface StackedChart {
  readonly title: string;
  readonly about: string;
  readonly parts: readonly ChartPart[];
  readonly bars: readonly StackedBar[];
}

// Widths are shares of what there is, so that a chart is as wide as the tables, and no label shrinks with it. Heights are px.
const TICKS = 5;
const BAR_LABEL = 20;
const BAR = 26;
const BAR_GAP = 12;
const TICK_LABEL = 20;

/** Horizontal bars of parts; what is below zero goes to the left. Positions are rounded, the titles of the parts are exact. */
export function stackedBars({ title, about, parts, bars }: StackedChart, writing: Writing, id: string): Html {
  const rows = bars.map(({ amounts }) => amounts.map(roughly));
  const layers = stack<number[], number>()
    .keys(parts.keys())
    .value((row, part) => row[part] ?? 0)
    .offset(stackOffsetDiverging)(rows);
  const ends = layers.flatMap((layer) => layer.flatMap(([from, to]) => [from, to]));
  const x = scaleLinear().domain(domainOf(ends)).range([0, 100]);
  const top = (bar: number): number => bar * (BAR_LABEL + BAR + BAR_GAP);
  const bottom = top(bars.length);
  const pieces = layers.flatMap((layer, part) =>
    layer.map(([from, to], bar) => {
      const width = x(to) - x(from);
      if (!(width > 0)) return undefined;
      const name = `${bars[bar]!.label}, ${parts[part]!.name}: ${writing.amount(bars[bar]!.amounts[part]!)}`;
      return markup`<rect
        ${fillOf(parts[part]!, id)}
        x="${percent(x(from))}"
        y="${top(bar) + BAR_LABEL}"
        width="${percent(width)}"
        height="${BAR}"
        ><title>${name}</title></rect
      >`;
    }),
  );
  const labels = bars.map(
    ({ label }, bar) => markup`<text class="name" x="0" y="${top(bar) + BAR_LABEL - 6}">${label}</text>`,
  );
  const axis = x.ticks(TICKS).map((tick) => {
    const at = x(tick);
    // The label of a tick at the edge stays within the chart.
    const anchor = at < 4 ? 'start' : at > 96 ? 'end' : 'middle';
    return markup`<line class="grid" x1="${percent(at)}" x2="${percent(at)}" y1="${BAR_LABEL - 2}" y2="${bottom}" /><text
            class="tick"
            x="${percent(at)}"
            y="${bottom + 14}"
            text-anchor="${anchor}"
            >${writing.rough(tick)}</text
          >`;
  });
  const zero = markup`<line class="zero" x1="${percent(x(0))}" x2="${percent(x(0))}" y1="${BAR_LABEL - 2}" y2="${bottom}" />`;
  const height = bottom + TICK_LABEL;
  return markup`${picture({ id, title, about, height, kind: 'bars' }, [hatching(id), axis, pieces, zero, labels])}${legend(parts, id)}`;
}

interface MonthlyChart {
  readonly title: string;
  readonly about: string;
  readonly series: readonly ChartPart[];
  /** The amounts are those of the series, in their order. */
  readonly months: readonly { readonly label: string; readonly amounts: readonly Decimal[] }[];
}

const PLOT = 190;

/** A column a month for each series, side by side. */
export function monthlyColumns(
  { title, about, series, months }: MonthlyChart,
  writing: Writing,
  id: string,
): Html {
  const values = months.flatMap(({ amounts }) => amounts.map(roughly));
  const y = scaleLinear().domain(domainOf(values)).range([PLOT, 8]);
  const x = scaleBand<number>().domain(months.keys()).range([0, 100]).padding(0.25);
  const share = x.bandwidth() / series.length;
  const columns = months.flatMap(({ label, amounts }, month) =>
    amounts.map((amount, which) => {
      const top = y(Math.max(0, roughly(amount)));
      const height = y(Math.min(0, roughly(amount))) - top;
      if (!(height > 0)) return undefined;
      const name = `${label}, ${series[which]!.name}: ${writing.amount(amount)}`;
      return markup`<rect
        ${fillOf(series[which]!, id)}
        x="${percent(x(month)! + which * share)}"
        y="${oneDecimal(top)}"
        width="${percent(share)}"
        height="${oneDecimal(height)}"
        ><title>${name}</title></rect
      >`;
    }),
  );
  const grid = y.ticks(TICKS).map(
    (tick) =>
      markup`<line class="grid" x1="0" x2="100%" y1="${oneDecimal(y(tick))}" y2="${oneDecimal(y(tick))}" /><text
            class="tick"
            x="-6"
            y="${oneDecimal(y(tick))}"
            dy="0.35em"
            text-anchor="end"
            >${writing.rough(tick)}</text
          >`,
  );
  const labels = months.map(({ label }, month) => {
    // On a narrow screen there is room for every other name only, the last among them.
    const rank = (months.length - 1 - month) % 2 === 0 ? 'tick' : 'tick spare';
    return markup`<text class="${rank}" x="${percent(x(month)! + x.bandwidth() / 2)}" y="${PLOT + 16}" text-anchor="middle"
        >${label}</text
      >`;
  });
  const zero = markup`<line class="zero" x1="0" x2="100%" y1="${oneDecimal(y(0))}" y2="${oneDecimal(y(0))}" />`;
  const height = PLOT + TICK_LABEL + 2;
  return markup`${picture({ id, title, about, height, kind: 'columns' }, [grid, columns, zero, labels])}${legend(series, id)}`;
}

/** From the least to a round number above the most. The least stays, so that a small credit does not make the axis begin far below zero. */
function domainOf(values: readonly number[]): [number, number] {
  const [, most] = scaleLinear()
    .domain([0, Math.max(0, ...values)])
    .nice(TICKS)
    .domain();
  return [Math.min(0, ...values), most!];
}

interface PictureFrame {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly height: number;
  readonly kind: 'bars' | 'columns';
}

function picture(
  { id, title, about, height, kind }: PictureFrame,
  content: readonly (readonly (Html | undefined)[] | Html)[],
): Html {
  return markup`<svg class="chart ${kind}" height="${height}" role="img" aria-labelledby="${id}-title ${id}-about">
    <title id="${id}-title">${title}</title>
    <desc id="${id}-about">${about}</desc>
    ${content}
  </svg>`;
}

function legend(parts: readonly ChartPart[], id: string): Html {
  return markup`<ul class="legend" aria-hidden="true">
    ${parts.map((part) => markup`<li><svg><rect width="100%" height="100%" ${fillOf(part, id)} /></svg>${part.name}</li>`)}
  </ul>`;
}

/** What a part is filled with. A hatching has an id of its own in each chart, since it stands in the chart. */
export function fillOf({ look }: Pick<ChartPart, 'look'>, id: string): Html {
  return look === 'undated' ? markup`fill="url(#${id}-hatch)"` : markup`class="${look}"`;
}

/** What the parts of the chart of this id may be filled with, to stand in its svg. */
export function hatching(id: string): Html {
  return markup`<defs>
    <pattern id="${id}-hatch" class="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path d="M0 0H6V6H0Z" /><path d="M3 0V6" />
    </pattern>
  </defs>`;
}

/** Good enough for a length on a screen; never for a figure. */
function roughly(amount: Decimal): number {
  return Number(formatDecimal(amount));
}

/** A length with one decimal. */
function oneDecimal(length: number): string {
  return String(Math.round(length * 10) / 10);
}

/** A share of the width of the chart, with three decimals. */
function percent(share: number): string {
  return `${Math.round(share * 1000) / 1000}%`;
}
