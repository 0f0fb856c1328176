import { UsageError } from '../../errors.ts';
import { readAmount } from '../../invoices/open-items.ts';
import { isFilled, type Cell } from '../../json/cells.ts';
import type { ColumnFacts } from '../../json/column-facts.ts';
import { compareDecimals, parseDecimal } from '../../json/decimal.ts';
import { digitGrouper } from '../../output/terminal/number-text.ts';
import { cellOrder, compareOrders, numberOrder } from '../cell-order.ts';
import { DATE_FORMS, compareDate, isDate, parseDate, type DayOfQuestion } from './dates.ts';
import type { DeclaredType } from '../../invoices/fields.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import type { Condition } from '../question-syntax.ts';

/** Whether a cell meets a condition that is not negated; undefined where it cannot be compared with the value. */
type CellTest = (cell: Cell | undefined) => boolean | undefined;

/**
 * The kind of a column's first cells; `text` also for mixtures. It only decides which values are refused, so it is lenient: a
 * point in time is a date, and empty text does not count.
 */
export type ColumnKind = 'numbers' | 'dates' | 'booleans' | 'text';

export interface WhereContext {
  readonly today: DayOfQuestion;
  /** Numbers with the separators of this locale are refused. */
  readonly locale: string;
}

const ORDERS = {
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
};

/** A text of this form is a fiscal ID in any column. */
const FISCAL_ID = /^\d{1,3}(?:\.?\d{3})*-[\dk]$/i;

/** What is known about the column of a condition. A cell cannot be compared with a value of another type. */
interface ComparedColumn {
  readonly hasFiscalIds: boolean;
  readonly type: DeclaredType | undefined;
}

/**
 * The test for a condition without its negation: for `!=` and `!~`, the caller negates the result.
 *
 * - A field that is null, missing, an empty list, empty text or only blanks has no value. It equals the empty value alone and
 *   differs from every other value; it contains nothing, and is neither less nor greater than anything.
 * - Numbers are compared as exact decimals: `totalAmount=10` finds 10.00. `<` and `>` also take text that reads as a number,
 *   such as invoice numbers, for that number. `=` and `!=` take text as it is, so that `007` is not `7`. But amounts are
 *   read as sums read them: text is not an amount.
 * - Dates are compared by `compareDate`: `dueBy<=2026-11-01` includes all of that day.
 * - Fiscal IDs are equal in any spelling: `60.155.445-k` and `60155445-K`.
 * - Text is compared without regard to case, accents and white space around it. `==` compares text, and numbers as they were
 *   sent, exactly.
 */
export function cellTest(condition: Condition, context: WhereContext, kind: ComparedColumn): CellTest {
  const { operator, values } = condition;
  const [value] = values as [string];
  switch (operator) {
    case '=':
    case '!=':
      return anyOf(
        values.map(
          (one) => amountTest(one, (order) => order === 0, kind) ?? equalityTest(one, context, kind),
        ),
      );
    case '==':
      return (cell) => (cell?.text ?? '') === value;
    case '~':
    case '!~':
      return containsTest(value, kind.hasFiscalIds ? [foldText, foldFiscalId] : [foldText]);
    default:
      return amountTest(value, ORDERS[operator], kind) ?? orderTest(value, ORDERS[operator], context, kind);
  }
}

/** The test of a column of amounts; undefined for another one, and for a value that is not a number. */
function amountTest(
  value: string,
  matches: (order: number) => boolean,
  { type }: ComparedColumn,
): CellTest | undefined {
  const wanted = type === 'money' ? parseDecimal(value) : 'no number';
  if (typeof wanted === 'string') return undefined;
  return (cell) => {
    const amount = readAmount(cell);
    if (typeof amount === 'string') return amount === 'absent' ? false : undefined;
    return matches(compareDecimals(amount, wanted));
  };
}

function anyOf(tests: readonly CellTest[]): CellTest {
  if (tests.length === 1) return tests[0]!;
  return (cell) => {
    const results = tests.map((test) => test(cell));
    return results.includes(true) || (results.includes(undefined) ? undefined : false);
  };
}

/** In a column of dates, a cell that is neither a date nor empty cannot be compared. */
function equalityTest(
  value: string,
  context: WhereContext,
  { hasFiscalIds, type }: ComparedColumn,
): CellTest {
  const number = numberOrder(value);
  const date = parseDate(value, context.today);
  const folded = foldText(value).trim();
  const fiscal = hasFiscalIds || FISCAL_ID.test(value) ? foldFiscalId(value) : undefined;
  return (cell) => {
    if (cell?.text === value) return true;
    if (!hasValue(cell)) return value === '';
    if (value === '') return false;
    if (fiscal !== undefined && (hasFiscalIds || FISCAL_ID.test(cell.text)))
      return foldFiscalId(cell.text) === fiscal;
    if (date !== undefined && cell.kind === 'string' && isDate(cell.text))
      return compareDate(cell.text, date) === 0;
    if (date !== undefined && type === 'date') return undefined;
    if (cell.kind === 'number') return number !== undefined && numberOrder(cell.text) === number;
    return foldText(cell.text).trim() === folded;
  };
}

/** Whether the cell has more than blanks. */
function hasValue(cell: Cell | undefined): cell is Cell {
  return isFilled(cell) && cell.text.trim() !== '';
}

function containsTest(value: string, folds: readonly ((text: string) => string)[]): CellTest {
  // A part that folds to empty text, such as the dash of a fiscal ID, would match every text.
  const parts = folds.map((fold) => ({ fold, part: fold(value) })).filter(({ part }) => part !== '');
  return (cell) => isFilled(cell) && parts.some(({ fold, part }) => fold(cell.text).includes(part));
}

/** Numbers are compared with numbers, and dates with dates; anything else beside them cannot be compared. */
function orderTest(
  value: string,
  matches: (order: number) => boolean,
  context: WhereContext,
  { type }: ComparedColumn,
): CellTest {
  const wanted = cellOrder({ kind: 'string', text: value });
  const date = parseDate(value, context.today);
  const isNumber = numberOrder(value) !== undefined;
  return (cell) => {
    if (!isFilled(cell)) return false;
    if (date !== undefined && cell.kind === 'string' && isDate(cell.text))
      return matches(compareDate(cell.text, date));
    if (date !== undefined && type === 'date') return undefined;
    const reads = (cell.kind === 'number' || cell.kind === 'string') && numberOrder(cell.text) !== undefined;
    if (isNumber ? !reads : date !== undefined) return undefined;
    return matches(compareOrders(cellOrder(cell), wanted));
  };
}

/** Accents of these scripts are optional; marks of other scripts make different letters. */
const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;

/** The text without case and accents. Systems may write the same accented letter in two ways. */
function foldText(text: string): string {
  return text.toLowerCase().normalize('NFD').replaceAll(ACCENTED, '$1').normalize('NFC');
}

/** The kind of a column with these facts; undefined where no cell has a value. */
export function comparedKind({
  numbers,
  texts,
  booleans,
  nested,
  empty,
  dated,
}: ColumnFacts): ColumnKind | undefined {
  const filled = numbers + texts + booleans + nested - empty;
  if (filled === 0) return undefined;
  if (numbers === filled) return 'numbers';
  if (booleans === filled) return 'booleans';
  return dated === filled ? 'dates' : 'text';
}

/** Throws UsageError for a value that the column cannot hold: it would find nothing. `~` and `==` take any text. */
export function checkValues(condition: Condition, kind: ColumnKind, context: WhereContext): void {
  const { column, operator, values, typed } = condition;
  if (operator === '~' || operator === '!~' || operator === '==') return;
  const wrong = values.find((value) => value !== '' && !fits(value, kind, context));
  if (wrong === undefined) return;
  throw new UsageError(`${typed}: ${column} holds ${kind}, and '${wrong}' is not one`, {
    hint: kind === 'numbers' ? numberHint(values.join(',')) : HINTS[kind],
  });
}

function fits(value: string, kind: ColumnKind, context: WhereContext): boolean {
  if (kind === 'numbers') return numberOrder(value) !== undefined && !isGrouped(value, context.locale);
  if (kind === 'dates') return parseDate(value, context.today) !== undefined;
  return kind === 'text' || /^(?:true|false)$/i.test(value);
}

/** Whether the value has thousands separators of the locale: `1.000` would be read as 1. */
function isGrouped(value: string, locale: string): boolean {
  return /^-?\d{1,3}\.\d{3}$/.test(value) && digitGrouper(locale)(value.replace('.', '')) === value;
}

const HINTS: Readonly<Partial<Record<ColumnKind, string>>> = {
  dates: DATE_FORMS,
  booleans: 'Write true or false.',
};

/** How to write a number that may be grouped: `1.000.000,50` is 1000000.50. */
function numberHint(value: string): string {
  const grouped = /^(-?\d{1,3}(?:([.,'\u2019\s])\d{3})(?:\2\d{3})*)(?:[.,](\d+))?$/.exec(value);
  const [, whole, , fraction] = grouped ?? /^(-?\d+)()(?:,(\d+))$/.exec(value) ?? [];
  if (whole === undefined)
    return 'Write numbers with digits and a decimal point only, such as 1000000 or 1190.10.';
  const plain = whole.replaceAll(/[^\d-]/g, '') + (fraction === undefined ? '' : `.${fraction}`);
  return `Write ${plain}: numbers have digits and a decimal point only.`;
}
