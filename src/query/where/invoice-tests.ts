import type { Finding } from '../../findings.ts';
import { phraseOf, type Role } from '../../invoices/fields.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { OPEN_ITEM_ROLES, dayIn, isOverdue, openItemOf } from '../../invoices/open-items.ts';
import { Unreadable } from '../../invoices/left-out.ts';
import { firstOf, quoteUnlessCode } from '../../json/cells.ts';
import { addDecimals, DECIMAL_ZERO, formatDecimal, type Decimal } from '../../json/decimal.ts';
import { countOf, digitGrouper } from '../../output/terminal/number-text.ts';
import type { WhereContext } from './cell-test.ts';
import { compareDate, type DateSpan } from './dates.ts';
import type { RecordTest } from './where.ts';

const MAX_NAMED = 3;

/**
 * The test of `--open`: an open item, due or not. With a day (since 1970-01-01), the test of `--overdue`: an open item that was
 * due before that day, whatever its status. Credits do not match; their sum is reported, because anyone who sends reminders
 * needs it.
 */
export function openTest(flag: string, { locale }: WhereContext, day?: number): RecordTest {
  const group = digitGrouper(locale);
  const unreadable = new Unreadable();
  const missing = { due: 0, open: 0 };
  const credits = new Map<string, Decimal>();
  const creditNumbers: string[] = [];
  const creditsLeftOut = (): Finding[] => {
    if (creditNumbers.length === 0) return [];
    const amounts = [...credits].map(([currency, sum]) => `${group(formatDecimal(sum))} ${currency}`);
    const which = firstOf(creditNumbers.slice(0, MAX_NAMED), creditNumbers.length);
    const count = countOf(creditNumbers.length, 'credit');
    return [{ level: 'warning', text: `${flag} leaves out ${count}, ${amounts.join(' and ')} (${which})` }];
  };
  return {
    flag,
    roles: [...OPEN_ITEM_ROLES, 'currency'],
    needs: day === undefined ? ['open'] : ['open', 'due'],
    isLast: true,
    matches: (document) => {
      const item = openItemOf(document);
      // For --open, an unreadable due date does not matter.
      const isOfUnknownDay = day === undefined && item.kind === 'unreadable' && item.role === 'due';
      if (item.kind === 'unreadable' && !isOfUnknownDay) unreadable.noteRole(document, item.role);
      if (item.kind === 'credit') {
        const number = document.text('number');
        const currency =
          document.currency === undefined ? 'without a currency' : quoteUnlessCode(document.currency);
        credits.set(currency, addDecimals(credits.get(currency) ?? DECIMAL_ZERO, item.amount));
        creditNumbers.push(
          number === undefined ? `record ${document.place}` : `number ${quoteUnlessCode(number)}`,
        );
      }
      if (item.kind === 'absent') missing.open++;
      if (item.kind === 'open' && item.due === undefined) missing.due++;
      return day === undefined ? item.kind === 'open' || isOfUnknownDay : isOverdue(item, day);
    },
    // Documents without an amount or a due date are common, so they get a remark and no warning.
    findings: () => [
      ...creditsLeftOut(),
      ...(day === undefined
        ? []
        : [
            leftOut('remark', `${flag}: ${countOf(missing.due, 'open invoice')} without a due date`, {
              due: missing.due,
            }),
          ]),
      leftOut('remark', `${flag}: ${countOf(missing.open, 'document')} without an open amount`, {
        open: missing.open,
      }),
      unreadable.finding(flag),
    ],
  };
}

/** Tests whether the date of a role is within a span. A span that ends with a month includes all of its days. */
export function dateTest(flag: string, role: Role, { from, to }: DateSpan): RecordTest {
  const unreadable = new Unreadable();
  let without = 0;
  return {
    flag,
    listed: role,
    roles: ['number', role],
    needs: [role],
    matches: (document) => {
      const cell = document.cell(role);
      if (cell === undefined) without++;
      else if (dayIn(document, role) === 'unreadable') unreadable.noteRole(document, role);
      else {
        const isEarly = from !== undefined && compareDate(cell.text, from) < 0;
        return !isEarly && (to === undefined || compareDate(cell.text, to) <= 0);
      }
      return false;
    },
    findings: () => [
      leftOut('warning', `${flag}: ${countOf(without, 'record')} without ${phraseOf(role)}`, {
        [role]: without,
      }),
      unreadable.finding(flag),
    ],
  };
}

/**
 * Tests whether the counterparty has one of the fiscal IDs, in any spelling. `flag` is the flag that named the IDs. `found` is
 * called with the folded fiscal ID of each match.
 */
export function counterpartyTest(
  flag: string,
  ids: readonly string[],
  found?: (fiscalId: string) => void,
): RecordTest {
  const wanted = new Set(ids.map(foldFiscalId));
  return {
    flag,
    roles: ['counterpartyFiscalId'],
    needs: ['counterpartyFiscalId'],
    matches: (document) => {
      const text = document.text('counterpartyFiscalId');
      const id = text && foldFiscalId(text);
      if (id === undefined || !wanted.has(id)) return false;
      found?.(id);
      return true;
    },
  };
}

/** The finding for records that were left out because they have no value. If there are none, only the receipt has it. */
function leftOut(level: Finding['level'], what: string, missing: Readonly<Record<string, number>>): Finding {
  const isAny = Object.values(missing).some((count) => count > 0);
  return isAny ? { level, text: `${what} left out`, missing } : { level: 'fact', text: '', missing };
}
