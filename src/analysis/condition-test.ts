import type { Cell } from '../json/cells.ts';
import { UsageError } from '../errors.ts';
import { cellOrder, numberOrder } from './cell-order.ts';
import type { Condition } from './condition.ts';

/** Says whether a cell meets the condition. `place` is the record's number in the listing, from 1, for messages. */
export type CellTest = (cell: Cell | undefined, place: number) => boolean;

const DAY_OR_MONTH = /^\d{4}-\d{2}(?:-\d{2})?$/;
const STARTS_WITH_DAY = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/;

const ORDERS = {
  '<': (order: string, wanted: string) => order < wanted,
  '<=': (order: string, wanted: string) => order <= wanted,
  '>': (order: string, wanted: string) => order > wanted,
  '>=': (order: string, wanted: string) => order >= wanted,
};

/**
 * The test for a condition.
 *
 * - A field that is null, missing or empty text has no value: it equals only the empty value, differs from every
 *   other, contains nothing, and is neither less nor greater than anything.
 * - Numbers are compared as exact decimals, so that `totalAmount=10` finds 10.00. Where `<` and `>` meet text that
 *   reads as a number, as invoice numbers do, it is one; `=` and `!=` take text as it is, so that `007` is not `7`.
 * - A value that is a day or a month (2026-11-01, 2026-11) is held against that part of a date, so that
 *   `dueBy<=2026-11-01` has the whole of that day. Other dates, as all other text, are compared by their characters.
 * - `~` and `!~` look for the value anywhere in the text, in any case. Everything else minds case.
 *
 * A number compared by `<` or `>` with a value that is none (`1.000.000`) throws UsageError rather than finding nothing.
 */
export function conditionTest(condition: Condition): CellTest {
  const { operator, value } = condition;
  switch (operator) {
    case '=':
      return equalityTest(value);
    case '!=': {
      const equals = equalityTest(value);
      return (cell, place) => !equals(cell, place);
    }
    case '~':
      return containsTest(value);
    case '!~': {
      const contains = containsTest(value);
      return (cell, place) => !contains(cell, place);
    }
    default:
      return orderTest(condition, operator);
  }
}

function equalityTest(value: string): CellTest {
  const number = numberOrder(value);
  const period = DAY_OR_MONTH.test(value);
  return (cell) => {
    if (cell === undefined || cell.text === value) return (cell?.text ?? '') === value;
    if (cell.kind === 'number') return number !== undefined && numberOrder(cell.text) === number;
    return period && partOfDate(cell, value) === value;
  };
}

function containsTest(value: string): CellTest {
  const part = fold(value);
  return (cell) => cell !== undefined && fold(cell.text).includes(part);
}

/** Names typed on one system and stored by another may spell the same accent in two ways. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function orderTest({ column, value }: Condition, operator: keyof typeof ORDERS): CellTest {
  const holds = ORDERS[operator];
  const wanted = cellOrder({ kind: 'string', text: value });
  const isNumber = numberOrder(value) !== undefined;
  const period = DAY_OR_MONTH.test(value);
  return (cell, place) => {
    if (cell === undefined || cell.text === '') return false;
    if (cell.kind === 'number' && !isNumber) refuse(column, cell, { value, place });
    const part = period && partOfDate(cell, value);
    const order = part ? cellOrder({ kind: 'string', text: part }) : cellOrder(cell);
    return holds(order, wanted);
  };
}

/** As much of the date in the cell as the value names; undefined when there is no date in it. */
function partOfDate(cell: Cell, value: string): string | undefined {
  return cell.kind === 'string' && STARTS_WITH_DAY.test(cell.text)
    ? cell.text.slice(0, value.length)
    : undefined;
}

function refuse(column: string, cell: Cell, { value, place }: { value: string; place: number }): never {
  throw new UsageError(
    `--where compares ${column} with '${value}', which is not a number, but record ${place} has ${cell.text} there`,
    { hint: 'Write numbers with digits and a decimal point only, such as 1000000 or 1190.10' },
  );
}
