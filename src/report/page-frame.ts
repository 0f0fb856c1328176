import { createHash } from 'node:crypto';
import type { Decimal } from '../json/decimal.ts';
import { el, noteLine, textOf, trusted, type Content } from './html.ts';
import type { Writing } from './texts.ts';

interface PageContent {
  readonly language: string;
  readonly title: string;
  readonly body: Content;
  /** An optional script: the page must be complete without it. */
  readonly script?: string;
  /** The styles of this kind of page, added to those of all. */
  readonly style?: string;
}

/** The frame of every page: style and script are in it, and its own policy allows no request. */
export function htmlPage({ language, title, body, script, style = '' }: PageContent): string {
  const styles = style === '' ? STYLE : `${STYLE}\n${style}`;
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(styles)}'`,
    ...(script === undefined ? [] : [`script-src '${hashOf(script)}'`]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const head = [
    el('meta', { charset: 'utf-8' }),
    el('meta', { 'http-equiv': 'Content-Security-Policy', content: trusted(policy) }),
    el('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    el('meta', { name: 'referrer', content: 'no-referrer' }),
    el('title', title),
    el('style', trusted(styles)),
  ];
  const code = script === undefined ? undefined : el('script', trusted(script));
  return `<!doctype html>\n${textOf(el('html', { lang: language }, el('head', head), el('body', body, code)))}\n`;
}

/**
 * Notes on the records for readers: it is unknown when they were read, some are newer than others, flags left some out,
 * credits are left out, or only overdue documents are shown.
 */
export type RecordNote = 'undated' | 'newer' | 'part' | 'withoutCredits' | 'onlyOverdue';

export interface RecordFacts {
  /** The day to which is counted, and that of the balances, in days since 1970-01-01. */
  readonly asOf: number;
  readonly today: number;
  readonly caveats: readonly RecordNote[];
  /** The only period whose documents are shown; undefined for all. */
  readonly onlyPeriod?: string | undefined;
}

/** Notes on the records that a reader of the page might not expect. */
export function recordNotes(
  { asOf, today, caveats, onlyPeriod }: RecordFacts,
  { texts, longDay }: Writing,
): Content {
  const balances = texts[asOf < today ? 'laterPayments' : 'earlierBalances'];
  const notes = caveats.flatMap((note) => (note === 'part' ? [] : texts[note]));
  if (asOf !== today) notes.unshift(balances({ day: longDay(today) }));
  if (onlyPeriod !== undefined) notes.push(texts.onlyPeriod({ period: onlyPeriod }));
  return [caveats.includes('part') ? warning(texts.part) : undefined, noteLine(notes)];
}

/** Notes on what open amounts leave out: cancelled documents, and documents without an amount. */
export function leftOutTexts(
  { cancelled, missing }: { readonly cancelled: Decimal; readonly missing: number },
  { texts, count }: Writing,
  amount: (value: Decimal) => string,
): string[] {
  return [
    ...(cancelled.coefficient === 0n ? [] : [texts.cancelledOf({ amount: amount(cancelled) })]),
    ...(missing === 0 ? [] : [texts.withoutAmount({ count: count(missing) })]),
  ];
}

export function warning(...content: readonly Content[]): Content {
  return el('p.verdict.warning', { role: 'alert' }, content);
}

/** A line of facts, without the undefined ones. */
export function factLine(...facts: readonly (string | undefined)[]): Content {
  return el(
    'p.facts',
    facts.map((fact) => (fact === undefined || fact === '' ? undefined : el('span', el('bdi', fact)))),
  );
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** For a screen, light or dark, narrow or wide, and for A4. Ages go from light to dark, so that they differ without colour. */
const STYLE = `
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2430; --soft: #5a6472; --line: #d5dae1; --band: #f4f6f8;
  --accent: #1f5a96; --late: #a3341c; --warn: #fff3cd; --warn-ink: #5c4400;
  --part0: #9db7d2; --part1: #f2c879; --part2: #e09a4b; --part3: #bf6426; --part4: #7a2f14; --part5: #8a8f98;
  --issued: #1f5a96; --received: #d08a3c; --shade: rgb(28 36 48 / 28%); }
@media (prefers-color-scheme: dark) { :root { --paper: #14181e; --ink: #e6e9ee; --soft: #a3adba; --line: #38414d; --band: #1d232b;
  --accent: #8ab8e8; --late: #ff9d86; --warn: #4a3a08; --warn-ink: #ffe7a3;
  --part0: #5f7d9c; --part1: #8a5a18; --part2: #b97a2a; --part3: #dda14f; --part4: #f6d9a0; --part5: #6c737d;
  --issued: #6ea6de; --received: #e0a45c; --shade: rgb(0 0 0 / 70%); } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums lining-nums; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; padding-top: 1rem; border-top: 2px solid var(--ink); }
h3 { font-size: 1.05rem; margin: 2rem 0 0.5rem; color: var(--accent); }
h4 { font-size: 0.95rem; margin: 1.75rem 0 0.4rem; }
p { margin: 0.4rem 0; max-width: 45rem; }
.facts { margin: 0.5rem 0 0; color: var(--soft); }
.facts span { margin-right: 1.5rem; white-space: nowrap; }
.verdict { margin: 1rem 0; padding: 0.6rem 0.9rem; border-left: 4px solid var(--accent); background: var(--band); }
.verdict.warning { border-color: var(--late); background: var(--warn); color: var(--warn-ink); }
.note { color: var(--soft); font-size: 0.9rem; }
.cards { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 0.75rem 0 0; padding: 0; list-style: none; }
.cards li { flex: 1 1 9.5rem; max-width: 100%; padding: 0.7rem 0.9rem; border: 1px solid var(--line); border-radius: 6px; }
.cards b { display: block; font-size: 1.25rem; font-weight: 600; white-space: nowrap; } .cards .long { white-space: normal; overflow-wrap: anywhere; }
.cards small { display: block; color: var(--soft); }
.late { color: var(--late); }
svg { display: block; width: 100%; }
.bar { height: 0.75rem; } .beside { display: block; min-width: 8rem; } .beside .bar { height: 0.5rem; }
.bar rect, .sample rect { stroke: var(--paper); stroke-width: 0.75; }
.part0 { fill: var(--part0); } .part1 { fill: var(--part1); } .part2 { fill: var(--part2); } .part3 { fill: var(--part3); } .part4 { fill: var(--part4); }
.part5 { fill: var(--part5); } .issued { fill: var(--issued); } .received { fill: var(--received); } .negative { fill: var(--late); }
.sample { display: inline-block; width: 0.85em; height: 0.85em; margin-right: 0.4em; border: 1px solid var(--ink); vertical-align: -0.08em; }
.ages { margin: 0.75rem 0 0; break-inside: avoid; }
.ages ul { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; margin: 0.6rem 0 0; padding: 0; list-style: none; font-size: 0.85rem; }
.ages li { flex: 1 1 auto; min-width: 5rem; max-width: 100%; }
.ages b { display: block; font-weight: 600; overflow-wrap: anywhere; } .ages .none b { font-weight: 400; color: var(--soft); }
.wide { overflow-x: auto; position: relative; background: linear-gradient(90deg, var(--paper) 40%, transparent) 0 0 / 2.5rem 100% no-repeat local,
  linear-gradient(-90deg, var(--paper) 40%, transparent) 100% 0 / 2.5rem 100% no-repeat local,
  linear-gradient(90deg, var(--shade), transparent) 0 0 / 0.7rem 100% no-repeat scroll,
  linear-gradient(-90deg, var(--shade), transparent) 100% 0 / 0.7rem 100% no-repeat scroll; }
.id { white-space: nowrap; }
table { border-collapse: collapse; width: 100%; margin: 0.4rem 0; font-size: 0.85rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; text-align: left; color: var(--soft); padding: 0.2rem 0; }
th, td { padding: 0.3rem 0.5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { border-bottom: 1px solid var(--ink); font-weight: 600; }
th.amount, td.amount { text-align: right; } td.amount { white-space: nowrap; } .zero-amount { color: var(--soft); }
.sum td { font-weight: 600; } tr:not(.sum) + .sum td { border-top: 1px solid var(--ink); }
.below td { padding-top: 0; font-size: 0.8rem; color: var(--soft); overflow-wrap: anywhere; } tr:has(+ .below) td { border-bottom: 0; padding-bottom: 0; }
th button { all: unset; cursor: pointer; font: inherit; } th button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
th[aria-sort=ascending] button::after { content: " \\2191"; } th[aria-sort=descending] button::after { content: " \\2193"; }
footer { margin-top: 3rem; color: var(--soft); font-size: 0.85rem; }
@media screen and (max-width: 46rem) { .facts span { display: block; white-space: normal; overflow-wrap: anywhere; }
  .wide :is(table, tbody, tr) { display: block; } .wide :is(thead, td:empty, td.nil) { display: none; }
  .wide tr { padding: 0.45rem 0; border-bottom: 1px solid var(--line); } .wide tr:not(.sum) + .sum { border-top: 1px solid var(--ink); }
  .wide tr:not(.sum) + .sum td, .wide td { display: flex; justify-content: space-between; gap: 1.5rem; padding: 0.05rem 0; border: 0; text-align: right; overflow-wrap: anywhere; }
  .wide :is(td.amount, .id) { white-space: normal; } .wide td:first-child { text-align: left; font-weight: 600; } .wide tr:has(+ .below) { border: 0; padding-bottom: 0; } .wide .below { padding-top: 0; } .wide .below td { font-weight: 400; }
  .wide td[data-l]::before { content: attr(data-l); flex: none; max-width: 60%; color: var(--soft); font-weight: 400; text-align: left; } }
@media (max-width: 34rem) { body { padding: 1.25rem 0.9rem 2rem; } }
@media print { :root { color-scheme: light; --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --band: #f2f2f2; --accent: #000; --late: #000;
  --part0: #d4d4d4; --part1: #b0b0b0; --part2: #868686; --part3: #555; --part4: #111; --part5: #fff; --issued: #333; --received: #b5b5b5;
  --warn: #fff; --warn-ink: #000; }
  @page { size: A4; margin: 14mm; }
  body { max-width: none; padding: 0; font-size: 10pt; } svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .bar rect { stroke: #000; } .bar .negative { fill: #fff; }
  .ages li { min-width: 4.6rem; } .ages ul { font-size: 0.8rem; gap: 0.4rem 0.8rem; }
  .cards { gap: 0.5rem; } .cards li { flex-basis: 7rem; padding: 0.4rem 0.55rem; } .cards b { font-size: 1rem; }
  h2, h3, h4 { break-after: avoid; } .keep, tr, .cards, .cards li, .verdict, .block:not(:has(.long)) { break-inside: avoid; }
  thead { display: table-header-group; break-inside: avoid; }
  tr:has(+ .below), .long tbody tr:nth-child(-n + 3), .long tbody tr:nth-last-child(-n + 4) { break-after: avoid; }
  /* The title of a table that may break asks for room for a head and three rows: browsers leave a head alone. */
  .block:has(.long) > :is(h3, h4) { break-inside: avoid; padding-bottom: 11rem; margin-bottom: -10.6rem; }
  .wide { overflow: visible; background: none; }
  th button { display: contents; } th button::after { content: "" !important; } }
`.trim();
