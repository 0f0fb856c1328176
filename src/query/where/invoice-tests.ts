import type { Finding } from '../../findings.ts';
import { meaningOf } from '../../invoices/fields.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { dayIn, isOverdue, OPEN_ITEM_ROLES, openItemOf } from '../../invoices/open-items.ts';
import { Unreadable } from '../../invoices/unreadable.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import type { DateFlag } from '../question-syntax.ts';
import { compareDate, type DateValue } from './date-value.ts';
import type { RecordTest } from './where.ts';

/**
 * The test of `--overdue`: an open item, no credit, that was due before today, whatever the status says.
 *
 * @param today in days since 1970-01-01
 */
export function overdueTest(today: number): RecordTest {
  const unreadable = new Unreadable();
  const lacks = { due: 0, open: 0 };
  return {
    roles: OPEN_ITEM_ROLES,
    holds: (document) => {
      const item = openItemOf(document);
      if (item.kind === 'unreadable') unreadable.noteRole(document, item.role);
      if (item.kind === 'absent') lacks.open++;
      if (item.kind === 'open' && item.due === undefined) lacks.due++;
      return isOverdue(item, today);
    },
    finish: (reader) => reader.refuseWithout(['open', 'due'], '--overdue'),
    // Without an amount or a due date nobody knows whether they are overdue. That is usual, so it is no warning.
    findings: () => [
      leftOut('remark', `--overdue: ${countOf(lacks.due, 'open invoice')} without a due date`, {
        due: lacks.due,
      }),
      leftOut('remark', `--overdue: ${countOf(lacks.open, 'document')} without an open amount`, {
        open: lacks.open,
      }),
      unreadable.finding('--overdue'),
    ],
  };
}

/** The test of a flag such as `--since`: a date of the document is not before the date, or not after it. A month counts whole. */
export function dateTest({ flag, role, keeps }: DateFlag, date: DateValue): RecordTest {
  const unreadable = new Unreadable();
  let without = 0;
  return {
    roles: [role, 'number'],
    told: (document) => [document.columnOf(role), [document.cell(role)]],
    holds: (document) => {
      const cell = document.cell(role);
      if (cell === undefined) without++;
      else if (dayIn(document, role) === 'unreadable') unreadable.noteRole(document, role);
      else {
        const order = compareDate(cell.text, date);
        return keeps === 'later' ? order >= 0 : order <= 0;
      }
      return false;
    },
    finish: (reader) => reader.refuseWithout([role], flag),
    findings: () => [
      leftOut('warning', `${flag}: ${countOf(without, 'record')} without ${meaningOf(role)}`, {
        [role]: without,
      }),
      unreadable.finding(flag),
    ],
  };
}

/** The test whether the counterparty has one of the fiscal IDs, in any spelling. `flag` named them. */
export function counterpartyTest(flag: string, ids: readonly string[]): RecordTest {
  const wanted = new Set(ids.map(foldFiscalId));
  return {
    roles: ['counterpartyFiscalId'],
    holds: (document) => {
      const id = document.text('counterpartyFiscalId');
      return id !== undefined && wanted.has(foldFiscalId(id));
    },
    finish: (reader) => reader.refuseWithout(['counterpartyFiscalId'], flag),
  };
}

/** What is left out for lack of a value. Where nothing is, only the receipt says so. */
function leftOut(level: Finding['level'], what: string, missing: Readonly<Record<string, number>>): Finding {
  const isAny = Object.values(missing).some((count) => count > 0);
  return isAny ? { level, text: `${what} left out`, missing } : { level: 'fact', text: '', missing };
}
