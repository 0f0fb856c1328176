import CliTable from 'cli-table3';
import { GAP } from './table-fit.ts';

/** What stands around the cells of a table. */
export interface Frame {
  /** The line between head and rows. */
  readonly rule: string;
  /** What stands before, between and after the cells of a row: one more than there are cells. */
  readonly joints: readonly string[];
}

const NONE = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'right',
  'right-mid',
] as const;

const gap = ' '.repeat(GAP);
const chars = {
  ...Object.fromEntries(NONE.map((name) => [name, ''])),
  mid: '─',
  'mid-mid': gap,
  middle: gap,
};

/**
 * Has cli-table3 draw the frame for columns of the given widths, with one row whose cells are full. Rows are then
 * poured into that one by the writer: cli-table3 lays out 1,000 rows of 8 columns in 0.2 s at best, 5,000 in one table in 7 s,
 * and takes marks other than the European ones for letters, which sets cells askew.
 */
export function drawFrame(widths: readonly number[]): Frame {
  const full = widths.map((width) => '#'.repeat(width));
  const table = new CliTable({
    head: full,
    colWidths: [...widths],
    chars,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(full);
  const [, rule, row] = table.toString().split('\n');
  return { rule: rule!, joints: row!.split(/#+/) };
}
