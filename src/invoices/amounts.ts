import type { Cell } from '../json/cells.ts';
import { DECIMAL_ZERO, negateDecimal, parseDecimal, type Decimal } from '../json/decimal.ts';
import type { Document } from './document.ts';
import type { AmountRole } from './fields.ts';

const MAX_CHARACTERS_SHOWN = 40;

/**
 * The exact amount in a cell. Text is unreadable, even text of digits: a total must not depend on a guess at what a text means.
 */
export function readAmount(cell: Cell | undefined): Decimal | 'absent' | 'unreadable' {
  if (cell === undefined || cell.text === '') return 'absent';
  const amount = cell.kind === 'number' ? parseDecimal(cell.text) : 'no number';
  return typeof amount === 'string' ? 'unreadable' : amount;
}

/** Names a cell that cannot be read: `the text "N/A"`. */
export function nameOfCell(cell: Cell): string {
  if (cell.kind === 'number' && parseDecimal(cell.text) === 'too long')
    return 'a number of more than 1,000 digits';
  const shown = JSON.stringify(cell.text.slice(0, MAX_CHARACTERS_SHOWN));
  if (cell.kind === 'string') return `the text ${shown}`;
  return `the ${cell.kind === 'array' && cell.text.startsWith('{') ? 'object' : cell.kind} ${shown}`;
}

/** What a document adds to a sum. Delivery guides, quotes, orders and what is void are in none. */
export type Worth = 'in no sum' | 'absent' | 'unreadable' | Added;

interface Added {
  readonly amount: Decimal;
  /** What is left out because something was cancelled, with its sign. Only open amounts are left out. */
  readonly leftOut: Decimal;
}

/** What the amount of this role adds to a sum. */
export function worthOf(document: Document, role: AmountRole): Worth {
  return worthOfCell(document, role, document.cell(role));
}

/**
 * What the amount in a cell adds to a sum of the role: for a credit note it is negative; a cancelled document is not open,
 * but counts in every other sum, as the credit note that cancels it does.
 */
export function worthOfCell(document: Document, role: AmountRole, cell: Cell | undefined): Worth {
  if (!document.isInSums) return 'in no sum';
  const isNeverOpen = role === 'open' && document.validity === 'cancelled';
  const sent = readAmount(cell);
  if (typeof sent === 'string') return isNeverOpen ? { amount: DECIMAL_ZERO, leftOut: DECIMAL_ZERO } : sent;
  const isCredit = document.family === 'credit note' && sent.coefficient > 0n;
  const signed = isCredit ? negateDecimal(sent) : sent;
  return isNeverOpen ? { amount: DECIMAL_ZERO, leftOut: signed } : { amount: signed, leftOut: DECIMAL_ZERO };
}
