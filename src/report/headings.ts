import type { Words } from './words.ts';

/** What stands above the columns of aging and statements in a workbook, in the words of pages; of other columns their names. */
export function headingsIn(words: Words): (columns: readonly string[]) => readonly string[] {
  const known: Readonly<Record<string, string>> = {
    _profile: words.organization,
    counterparty: words.counterparty,
    fiscalId: words.fiscalId,
    currency: words.currency,
    invoices: words.documents,
    'not due': words.notDue,
    'no due date': words.noDueDate,
    credits: words.credits,
    total: words.total,
    'total.creditNotes': words.creditNotes,
    'total.cancelled': words.cancelled,
    'total.missing': words.missing,
    age: words.ages,
    number: words.number,
    documentType: words.type,
    date: words.date,
    due: words.dueDate,
    daysLate: words.daysLate,
    open: words.open,
    payments: words.payments,
  };
  return (columns) =>
    columns.map((column) => {
      const [, from, to] = /^(\d+) to (\d+)$/.exec(column) ?? [];
      const [, days] = /^over (\d+)$/.exec(column) ?? [];
      if (from !== undefined) return words.daysRange({ from, to: to! });
      if (days !== undefined) return words.over({ days });
      return known[column] ?? column;
    });
}
