import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Count {
  /** What was run, in the plural: `chaos runs`. */
  readonly what: string;
  readonly ran: number;
}

/** How many of them lost something without saying so, or let something out; or several such counts in words. */
type Figure = Count &
  ({ readonly lost: number } | { readonly leaked: number } | { readonly outcome: string });

/** Where the counts of a test run are collected: set by the script that prints them. */
const FOLDER = process.env['FOLIO_FIGURES'];

/** Counts what a test ran, for `npm run figures`; in other runs nothing is kept. */
export function countFigure(figure: Figure): void {
  if (FOLDER === undefined) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${figure.what.replaceAll(' ', '-')}.json`), JSON.stringify(figure));
}
