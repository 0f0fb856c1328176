import type { IncompleteError } from '../../errors.ts';
import { meaningOf, type FieldsOf } from '../../invoices/fields.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { InvoiceReader } from '../../invoices/invoice.ts';
import { dayIn, isOverdue, OPEN_ITEM_ROLES, openItemOf } from '../../invoices/open-items.ts';
import { Unreadable } from '../../invoices/unreadable.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { compareDate, type DateValue } from './date-value.ts';
import type { DateFlag } from '../question-syntax.ts';
import type { Note } from '../questions.ts';
import type { RecordTest } from './where.ts';

/**
 * The test of `--overdue`: an open item, no credit, that was due before today, whatever the status says.
 *
 * @param today in days since 1970-01-01
 */
export function overdueTest(fields: FieldsOf, today: number): RecordTest {
  const reader = new InvoiceReader(fields, OPEN_ITEM_ROLES);
  const unreadable = new Unreadable();
  const lacks = { due: 0, open: 0 };
  return {
    columns: [],
    further: reader.columns,
    telling: [],
    holds: (cells, place) => {
      const invoice = reader.read(cells);
      const item = openItemOf(invoice);
      if (item.kind === 'unreadable') unreadable.noteRole(invoice, item.role, place);
      if (item.kind === 'absent') lacks.open++;
      if (item.kind === 'open' && item.due === undefined) lacks.due++;
      return isOverdue(item, today);
    },
    finish: (isThere) => reader.refuseWithout(['open', 'due'], '--overdue', isThere),
    // Without an amount or a due date nobody knows whether they are overdue. That is usual, so it is no warning.
    notes: () => [
      ...leftOut('remark', `--overdue: ${countOf(lacks.due, 'open invoice')} without a due date`, lacks.due),
      ...leftOut(
        'remark',
        `--overdue: ${countOf(lacks.open, 'document')} without an open amount`,
        lacks.open,
      ),
    ],
    lacking: () => ({ open: lacks.open, due: lacks.due, unreadable: unreadable.count }),
    failure: () => unreadable.failure('--overdue'),
  };
}

/** The test of a flag such as `--since`: a date of the document is not before the date, or not after it. A month counts whole. */
export function dateTest(fields: FieldsOf, { flag, role, keeps }: DateFlag, date: DateValue): RecordTest {
  const reader = new InvoiceReader(fields, [role, 'number']);
  const unreadable = new Unreadable();
  let without = 0;
  return {
    columns: [],
    further: reader.columns,
    telling: reader.columnsOf(role).filter((column) => reader.columns.includes(column)),
    holds: (cells, place) => {
      const invoice = reader.read(cells);
      const cell = invoice.cell(role);
      if (cell === undefined) without++;
      else if (dayIn(invoice, role) === 'unreadable') unreadable.noteRole(invoice, role, place);
      else {
        const order = compareDate(cell.text, date);
        return keeps === 'later' ? order >= 0 : order <= 0;
      }
      return false;
    },
    finish: (isThere) => reader.refuseWithout([role], flag, isThere),
    notes: () =>
      leftOut('warning', `${flag}: ${countOf(without, 'record')} without ${meaningOf(role)}`, without),
    lacking: () => ({ [role]: without, unreadable: unreadable.count }),
    failure: (): IncompleteError | undefined => unreadable.failure(flag),
  };
}

/** The test whether the counterparty has one of the fiscal IDs, in any spelling. `flag` named them. */
export function counterpartyTest(fields: FieldsOf, flag: string, ids: readonly string[]): RecordTest {
  const reader = new InvoiceReader(fields, ['counterpartyFiscalId']);
  const wanted = new Set(ids.map(foldFiscalId));
  return {
    columns: [],
    further: reader.columns,
    telling: [],
    holds: (cells) => {
      const id = reader.read(cells).cell('counterpartyFiscalId');
      return id !== undefined && wanted.has(foldFiscalId(id.text));
    },
    finish: (isThere) => reader.refuseWithout(['counterpartyFiscalId'], flag, isThere),
  };
}

function leftOut(kind: Note['kind'], what: string, count: number): Note[] {
  return count === 0 ? [] : [{ kind, text: `${what} left out` }];
}
