import { UsageError, type IncompleteError } from '../../errors.ts';
import { howToMap, type FieldsOf, type Role } from '../../invoices/fields.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { InvoiceReader } from '../../invoices/invoice.ts';
import { dayIn, isOverdue, OPEN_ITEM_ROLES, openItemOf } from '../../invoices/open-items.ts';
import type { Limits } from '../../invoices/references.ts';
import { Unreadable } from '../../invoices/unreadable.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { compareDate, type DateValue } from './date-value.ts';
import type { Note } from '../questions.ts';
import type { RecordTest } from './where.ts';

/** What `--overdue` judges by. */
interface OverdueOptions {
  readonly fields: FieldsOf;
  /** In days since 1970-01-01. */
  readonly today: number;
  /** What references leave of open amounts. */
  readonly limits?: (() => Limits | undefined) | undefined;
}

/** The test of `--overdue`: an open item, no credit, that was due before today, whatever the status says. */
export function overdueTest({ fields, today, limits }: OverdueOptions): RecordTest {
  const reader = new InvoiceReader(fields, OPEN_ITEM_ROLES);
  const unreadable = new Unreadable();
  const lacks = { due: 0, open: 0 };
  return {
    columns: [],
    further: reader.columns,
    telling: [],
    holds: (cells, place) => {
      const invoice = reader.read(cells);
      const item = openItemOf(invoice, place, limits?.());
      if (item.kind === 'unreadable') unreadable.noteRole(invoice, item.role, place);
      if (item.kind === 'absent') lacks.open++;
      if (item.kind === 'open' && item.due === undefined) lacks.due++;
      return isOverdue(item, today);
    },
    finish: (isThere) => refuseWithout(reader, ['open', 'due'], { flag: '--overdue', isThere }),
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

/** The test of `--since` or `--until`: the date of issue is not before the date, or not after it. A month counts whole. */
export function issuedTest(fields: FieldsOf, flag: 'since' | 'until', date: DateValue): RecordTest {
  const reader = new InvoiceReader(fields, ['date', 'number']);
  const unreadable = new Unreadable();
  let withoutDate = 0;
  return {
    columns: [],
    further: reader.columns,
    telling: reader.columnsOf('date').filter((column) => reader.columns.includes(column)),
    holds: (cells, place) => {
      const invoice = reader.read(cells);
      const issued = invoice.cell('date');
      if (issued === undefined) withoutDate++;
      else if (dayIn(invoice, 'date') === 'unreadable') unreadable.noteRole(invoice, 'date', place);
      else {
        const order = compareDate(issued.text, date);
        return flag === 'since' ? order >= 0 : order <= 0;
      }
      return false;
    },
    finish: (isThere) => refuseWithout(reader, ['date'], { flag: `--${flag}`, isThere }),
    notes: () =>
      leftOut('warning', `--${flag}: ${countOf(withoutDate, 'record')} without a date of issue`, withoutDate),
    lacking: () => ({ date: withoutDate, unreadable: unreadable.count }),
    failure: (): IncompleteError | undefined => unreadable.failure(`--${flag}`),
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
    finish: (isThere) => refuseWithout(reader, ['counterpartyFiscalId'], { flag, isThere }),
  };
}

/** Throws UsageError where no record has a column of one of the roles, not even without a value. */
function refuseWithout(
  reader: InvoiceReader,
  roles: readonly Role[],
  { flag, isThere }: { readonly flag: string; readonly isThere: (column: string) => boolean },
): void {
  const role = roles.find((one) => !reader.has(one) && !reader.columnsOf(one).some(isThere));
  if (role === undefined) return;
  throw new UsageError(`${flag}: no record has ${reader.describe(role)}`, { hint: howToMap(role) });
}

function leftOut(kind: Note['kind'], what: string, count: number): Note[] {
  return count === 0 ? [] : [{ kind, text: `${what} left out` }];
}
