import { UsageError } from '../../errors.ts';
import type { Cell } from '../../json/cells.ts';
import { parseCalendarDay } from '../../json/calendar-day.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { amountOf } from '../amount.ts';
import { foldFiscalId } from './cell-test.ts';
import { compareDate, isDate, type DateValue } from './date-value.ts';
import { FieldFinder, howToMap, type KnownColumns } from '../known-columns.ts';
import type { Note } from '../questions.ts';
import type { RecordTest } from './where.ts';

/** The column with the kind of document, in the service's invoices. */
export const DOCUMENT_TYPE = 'documentType';
const CREDIT_NOTE = 'CREDIT_NOTE';

/**
 * The test of `--overdue`: an amount is still to be paid and was due before today, whatever the status says. Credit notes are
 * never overdue. `today` is in days since 1970-01-01.
 */
export function overdueTest(fields: KnownColumns, today: number): RecordTest {
  const finder = new FieldFinder(fields, ['amount', 'due']);
  const typeAt = finder.columns.length;
  let withoutDue = 0;
  return {
    columns: [...finder.columns, DOCUMENT_TYPE],
    telling: [],
    holds: (cells, place) => {
      const cell = finder.find('amount', cells);
      const amount = amountOf(cell, { column: finder.columnOf('amount'), place });
      const due = finder.find('due', cells);
      if (amount === undefined || amount.coefficient <= 0n || isCreditNote(cells[typeAt])) return false;
      const day = due && parseCalendarDay(due.text);
      if (day === undefined) withoutDue++;
      return day !== undefined && day < today;
    },
    finish: () => refuseWithout(finder, '--overdue'),
    // Without a due date nobody knows whether they are overdue. That is usual, so it is no warning.
    notes: () =>
      leftOut('remark', `--overdue: ${countOf(withoutDue, 'open invoice')} without a due date`, withoutDue),
  };
}

/** Whether the document type in the cell is that of a credit note, which reduces what is owed. */
export function isCreditNote(type: Cell | undefined): boolean {
  return type?.text === CREDIT_NOTE;
}

/** The test of `--since` or `--until`: the date of issue is not before the date, or not after it. A month counts whole. */
export function issuedTest(fields: KnownColumns, flag: 'since' | 'until', date: DateValue): RecordTest {
  const finder = new FieldFinder(fields, ['date']);
  let withoutDate = 0;
  return {
    columns: finder.columns,
    telling: finder.columns,
    holds: (cells) => {
      const issued = finder.find('date', cells);
      if (issued === undefined || !isDate(issued.text)) {
        withoutDate++;
        return false;
      }
      const order = compareDate(issued.text, date);
      return flag === 'since' ? order >= 0 : order <= 0;
    },
    finish: () => refuseWithout(finder, `--${flag}`),
    notes: () =>
      leftOut('warning', `--${flag}: ${countOf(withoutDate, 'record')} without a date of issue`, withoutDate),
  };
}

/** The test whether the counterparty has one of the fiscal IDs, in any spelling. `flag` named them. */
export function counterpartyTest(fields: KnownColumns, flag: string, ids: readonly string[]): RecordTest {
  const finder = new FieldFinder(fields, ['counterpartyFiscalId']);
  const wanted = new Set(ids.map(foldFiscalId));
  return {
    columns: finder.columns,
    telling: [],
    holds: (cells) => {
      const id = finder.find('counterpartyFiscalId', cells);
      return id !== undefined && wanted.has(foldFiscalId(id.text));
    },
    finish: () => refuseWithout(finder, flag),
  };
}

function refuseWithout(finder: FieldFinder, flag: string): void {
  const field = finder.wanted.find((wanted) => !finder.has(wanted));
  if (field === undefined) return;
  throw new UsageError(`${flag}: no record has ${finder.describe(field)}`, { hint: howToMap(field) });
}

function leftOut(kind: Note['kind'], what: string, count: number): Note[] {
  return count === 0 ? [] : [{ kind, text: `${what} left out` }];
}
