import { scaleBand, scaleLinear } from 'd3-scale';
import { stack, stackOffsetDiverging } from 'd3-shape';
import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { el, type Html, type Content } from './html.ts';
import { table, type Column } from './table.ts';
import type { Writing } from './words.ts';

interface ChartPart {
  readonly name: string;
  /** A class: `part0`, `series1`. `undated` is hatched, so that it differs in grey, too. */
  readonly look: string;
}

interface ChartRow {
  readonly label: string;
  /** Those of the parts, in their order. */
  readonly amounts: readonly Decimal[];
}

interface Chart {
  /** Bars of parts that are stacked, or columns of parts that stand beside each other. */
  readonly kind: 'bars' | 'columns';
  readonly title: string;
  readonly about: string;
  readonly id: string;
  readonly parts: readonly ChartPart[];
  readonly rows: readonly ChartRow[];
  /** Of the table of its figures, with the head of its labels. */
  readonly caption: string;
  readonly head: string;
}

/** A chart under its title, and its figures as a table, folded; undefined where it has no parts. */
export function chartSection(chart: Chart, writing: Writing): Html | undefined {
  const { kind, title, parts, rows, caption, head } = chart;
  if (parts.length === 0) return undefined;
  const columns: Column<ChartRow>[] = [
    ['text', head, ({ label }) => label],
    ...parts.map(({ name }, part): Column<ChartRow> => ['amount', name, ({ amounts }) => amounts[part]]),
  ];
  const figures = table({ caption, columns, rows }, writing);
  const folded = el('details', el('summary', writing.words.figures), figures);
  const drawn = kind === 'bars' ? stackedBars(chart, writing) : columnsBeside(chart, writing);
  return el('section.keep', el('h4', title), el('figure', drawn, folded));
}

// Widths are shares of what there is, so that a chart is as wide as the tables, and no label shrinks with it. Heights are px.
const TICKS = 5;
const BAR_LABEL = 20;
const BAR = 26;
const BAR_GAP = 12;
const TICK_LABEL = 20;

/** Horizontal bars of parts; what is below zero goes to the left. Positions are rounded, the titles of the parts are exact. */
function stackedBars(chart: Chart, writing: Writing): Content {
  const { parts, rows, id } = chart;
  const layers = stack<number[], number>()
    .keys(parts.keys())
    .value((row, part) => row[part] ?? 0)
    .offset(stackOffsetDiverging)(rows.map(({ amounts }) => amounts.map(roughly)));
  const ends = layers.flatMap((layer) => layer.flatMap(([from, to]) => [from, to]));
  const x = scaleLinear().domain(domainOf(ends)).range([0, 100]);
  const top = (bar: number): number => bar * (BAR_LABEL + BAR + BAR_GAP);
  const bottom = top(rows.length);
  const pieces = layers.flatMap((layer, part) =>
    layer.map(([from, to], bar) => {
      const width = x(to) - x(from);
      const position = { x: percent(x(from)), y: top(bar) + BAR_LABEL, width: percent(width), height: BAR };
      return width > 0 ? piece(chart, [bar, part], position, writing) : undefined;
    }),
  );
  const labels = rows.map(({ label }, bar) => el('text.name', { x: 0, y: top(bar) + BAR_LABEL - 6 }, label));
  const upright = (name: string, at: number): Html =>
    el(name, { x1: percent(at), x2: percent(at), y1: BAR_LABEL - 2, y2: bottom });
  const axis = x.ticks(TICKS).map((tick) => {
    const at = x(tick);
    // The label of a tick at the edge stays within the chart.
    const anchor = at < 4 ? 'start' : at > 96 ? 'end' : 'middle';
    const position = { x: percent(at), y: bottom + 14, 'text-anchor': anchor };
    return [upright('line.grid', at), el('text.tick', position, writing.rough(tick))];
  });
  const content = [hatching(id), axis, pieces, upright('line.zero', x(0)), labels];
  return picture(chart, bottom + TICK_LABEL, content);
}

const PLOT = 190;

function columnsBeside(chart: Chart, writing: Writing): Content {
  const { parts, rows } = chart;
  const y = scaleLinear()
    .domain(domainOf(rows.flatMap(({ amounts }) => amounts.map(roughly))))
    .range([PLOT, 8]);
  const x = scaleBand<number>().domain(rows.keys()).range([0, 100]).padding(0.25);
  const share = x.bandwidth() / parts.length;
  const columns = rows.flatMap(({ amounts }, month) =>
    amounts.map((amount, part) => {
      const top = y(Math.max(0, roughly(amount)));
      const height = y(Math.min(0, roughly(amount))) - top;
      const left = percent(x(month)! + part * share);
      const position = { x: left, y: oneDecimal(top), width: percent(share), height: oneDecimal(height) };
      return height > 0 ? piece(chart, [month, part], position, writing) : undefined;
    }),
  );
  const level = (name: string, at: string): Html => el(name, { x1: 0, x2: '100%', y1: at, y2: at });
  const grid = y.ticks(TICKS).map((tick) => {
    const at = oneDecimal(y(tick));
    const position = { x: -6, y: at, dy: '0.35em', 'text-anchor': 'end' };
    return [level('line.grid', at), el('text.tick', position, writing.rough(tick))];
  });
  const labels = rows.map(({ label }, month) => {
    // On a narrow screen there is room for every other name only, the last among them.
    const name = (rows.length - 1 - month) % 2 === 0 ? 'text.tick' : 'text.tick.spare';
    const position = { x: percent(x(month)! + x.bandwidth() / 2), y: PLOT + 16, 'text-anchor': 'middle' };
    return el(name, position, label);
  });
  const content = [grid, columns, level('line.zero', oneDecimal(y(0))), labels];
  return picture(chart, PLOT + TICK_LABEL + 2, content);
}

/** From the least to a round number above the most. The least stays, so that a small credit does not make the axis begin far below zero. */
function domainOf(values: readonly number[]): [number, number] {
  const [, most] = scaleLinear()
    .domain([0, Math.max(0, ...values)])
    .nice(TICKS)
    .domain();
  return [Math.min(0, ...values), most!];
}

/** One amount of a chart. Its title is exact. */
function piece(
  { rows, parts, id }: Chart,
  [row, part]: readonly [row: number, part: number],
  position: Readonly<Record<string, string | number>>,
  writing: Writing,
): Html {
  const { label, amounts } = rows[row]!;
  const { name, look } = parts[part]!;
  const exact = `${label}, ${name}: ${writing.amount(amounts[part]!)}`;
  return el('rect', { ...fillOf(look, id), ...position }, el('title', exact));
}

function picture({ kind, id, title, about, parts }: Chart, height: number, content: Content): Content {
  const labels = { height, role: 'img', 'aria-labelledby': `${id}-title ${id}-about` };
  const texts = [el('title', { id: `${id}-title` }, title), el('desc', { id: `${id}-about` }, about)];
  const legend = parts.map(({ name, look }) => el('li', sampleOf(look, id), name));
  return [
    el(`svg.chart.${kind}`, labels, texts, content),
    el('ul.legend', { 'aria-hidden': 'true' }, legend),
  ];
}

export function sampleOf(look: string, id: string): Html {
  return el(
    'svg',
    { 'aria-hidden': 'true' },
    el('rect', { width: '100%', height: '100%', ...fillOf(look, id) }),
  );
}

/** How a look fills a shape. A hatching has an id of its own in each chart, since it stands in the chart. */
export function fillOf(look: string, id: string): { readonly fill: string } | { readonly class: string } {
  return look === 'undated' ? { fill: `url(#${id}-hatch)` } : { class: look };
}

/** What the parts of the chart of this id may be filled with, to stand in its svg. */
export function hatching(id: string): Html {
  const size = { width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' };
  const lines = [el('path', { d: 'M0 0H6V6H0Z' }), el('path', { d: 'M3 0V6' })];
  return el('defs', el('pattern.hatch', { id: `${id}-hatch`, ...size }, lines));
}

/** Good enough for a length on a screen; never for a figure. */
function roughly(amount: Decimal): number {
  return Number(formatDecimal(amount));
}

function oneDecimal(length: number): string {
  return String(Math.round(length * 10) / 10);
}

/** A share of the width of the chart, with three decimals. */
function percent(share: number): string {
  return `${Math.round(share * 1000) / 1000}%`;
}
