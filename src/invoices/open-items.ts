import { isFilled, quoteText, type Cell } from '../json/cells.ts';
import { DECIMAL_ZERO, parseDecimal, type Decimal } from '../json/decimal.ts';
import { KIND_ROLES, type DocumentReader } from './document-reader.ts';
import { signedAmount } from './document-types.ts';
import type { AmountRole, Role } from './fields.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';

/**
 * The exact amount in a cell. Text is unreadable, even text of digits: a total must not depend on a guess at what a text means.
 */
export function readAmount(cell: Cell | undefined): Decimal | 'absent' | 'unreadable' {
  if (!isFilled(cell)) return 'absent';
  const amount = cell.kind === 'number' ? parseDecimal(cell.text) : 'no number';
  return typeof amount === 'string' ? 'unreadable' : amount;
}

/** Names a cell that cannot be read: `the text "N/A"`. */
export function nameOfCell(cell: Cell): string {
  if (cell.kind === 'number' && parseDecimal(cell.text) === 'too long')
    return 'a number of more than 1,000 digits';
  const shown = quoteText(cell.text);
  if (cell.kind === 'string') return `the text ${shown}`;
  return `the ${cell.kind === 'array' && cell.text.startsWith('{') ? 'object' : cell.kind} ${shown}`;
}

/** What a document adds to a sum. Delivery guides, quotes, orders and void documents are in no sum. */
export type Worth = 'in no sum' | 'absent' | 'unreadable' | Added;

export interface Added {
  readonly amount: Decimal;
  /** The amount of a cancelled document, with its sign: included in other sums, left out of sums of open amounts. */
  readonly cancelled: Decimal;
}

export function worthOf(document: DocumentReader, role: AmountRole): Worth {
  return worthOfCell(document, role, document.cell(role));
}

/**
 * What the amount in a cell adds to a sum of the role: for a credit note it is negative; a cancelled document is not open,
 * but counts in every other sum, as the credit note that cancels it does. Without a role, it is added as it was sent.
 */
export function worthOfCell(
  document: DocumentReader,
  role: AmountRole | undefined,
  cell: Cell | undefined,
): Worth {
  if (role !== undefined && !document.isInSums) return 'in no sum';
  const isCancelled = document.validity === 'cancelled';
  const isNeverOpen = isCancelled && role === 'open';
  const sent = readAmount(cell);
  if (typeof sent === 'string') return isNeverOpen ? { amount: DECIMAL_ZERO, cancelled: DECIMAL_ZERO } : sent;
  const amount = role === undefined ? sent : signedAmount(sent, document.family);
  return {
    amount: isNeverOpen ? DECIMAL_ZERO : amount,
    cancelled: isCancelled ? amount : DECIMAL_ZERO,
  };
}

/** How a document counts among open items. */
export type OpenItem =
  | { readonly kind: 'settled' }
  | { readonly kind: 'absent' }
  /** It may be open, but its amount or its due date cannot be read. */
  | { readonly kind: 'unreadable'; readonly role: 'open' | 'due' }
  /** It is not open, because it was cancelled. The amount is what it would add. */
  | { readonly kind: 'cancelled'; readonly amount: Decimal }
  /** It reduces what is owed, and is neither aged nor overdue: a credit note, or an amount below zero. */
  | { readonly kind: 'credit'; readonly amount: Decimal }
  | {
      readonly kind: 'open';
      readonly amount: Decimal;
      /** In days since 1970-01-01; undefined without a due date. */
      readonly due: number | undefined;
    };

/** The roles that `openItemOf` reads, and the number, by which messages name a document. */
export const OPEN_ITEM_ROLES = ['open', 'due', ...KIND_ROLES, 'number'] as const;

/** How a document counts among open items: the one rule for aging, `--overdue`, the report and statements. */
export function openItemOf(document: DocumentReader): OpenItem {
  const worth = worthOf(document, 'open');
  if (worth === 'in no sum') return { kind: 'settled' };
  if (worth === 'absent') return { kind: worth };
  if (worth === 'unreadable') return { kind: worth, role: 'open' };
  const { amount, cancelled } = worth;
  if (amount.coefficient === 0n)
    return cancelled.coefficient === 0n ? { kind: 'settled' } : { kind: 'cancelled', amount: cancelled };
  if (amount.coefficient < 0n) return { kind: 'credit', amount };
  const due = dayIn(document, 'due');
  return due === 'unreadable' ? { kind: 'unreadable', role: 'due' } : { kind: 'open', amount, due };
}

/** The day of a date, in days since 1970-01-01; undefined without a date. */
export function dayIn(document: DocumentReader, role: Role): number | undefined | 'unreadable' {
  const cell = document.cell(role);
  if (cell === undefined) return undefined;
  const day = cell.kind === 'string' ? parseCalendarDay(cell.text) : undefined;
  return day ?? 'unreadable';
}

export function isOverdue(item: OpenItem, day: number): boolean {
  return item.kind === 'open' && item.due !== undefined && item.due < day;
}

/** The last day overdue of each bucket of an aging: 30, 60, 90. */
export type Buckets = readonly number[];

export const DEFAULT_BUCKETS: Buckets = [30, 60, 90];

/** The names of the buckets' columns: `not due`, `1 to 30`, `31 to 60`, `61 to 90`, `over 90`. */
export function bucketNames(buckets: Buckets): string[] {
  const ranges = buckets.map((last, index) => `${(buckets[index - 1] ?? 0) + 1} to ${last}`);
  return ['not due', ...ranges, `over ${buckets.at(-1)}`];
}

export const NO_DUE_DATE = 'no due date';
export const CREDITS = 'credits';

/** The ages of open amounts: the buckets, then amounts without a due date, then credits, which have no age. */
export function ageColumns(buckets: Buckets): string[] {
  return [...bucketNames(buckets), NO_DUE_DATE, CREDITS];
}

/**
 * The position of an open item in `ageColumns`, on a day since 1970-01-01. On its due date, it is not
 * overdue.
 */
export function ageOf(
  item: Extract<OpenItem, { readonly kind: 'open' | 'credit' }>,
  buckets: Buckets,
  day: number,
): number {
  const undated = buckets.length + 2;
  if (item.kind === 'credit') return undated + 1;
  if (item.due === undefined) return undated;
  const late = day - item.due;
  return [0, ...buckets, Infinity].findIndex((last) => late <= last);
}
