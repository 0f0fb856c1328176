import type { Finding } from '../../findings.ts';
import type { Document } from '../../invoices/document.ts';
import type { DocumentReader } from '../../invoices/document-reader.ts';
import { meaningOf, type Role } from '../../invoices/fields.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import { OPEN_ITEM_ROLES, dayIn, isOverdue, openItemOf } from '../../invoices/open-items.ts';
import { parsePeriod } from '../../invoices/periods.ts';
import { Unreadable } from '../../invoices/left-out.ts';
import { addDecimals, DECIMAL_ZERO, formatDecimal, type Decimal } from '../../json/decimal.ts';
import { countOf, digitGrouper, type GroupDigits } from '../../output/terminal/number-text.ts';
import type { WhereContext } from './cell-test.ts';
import { compareDate, datesIn, type DateSpan, type DocumentFlags } from './dates.ts';
import type { RecordTest } from './where.ts';

/** The tests of the flags; `now` is in days since 1970-01-01. Throws UsageError where no document meets them. */
export function documentTests(flags: DocumentFlags, context: WhereContext, now: number): RecordTest[] {
  const tests = datesIn(flags, context.today).map(({ flag, text, span }) => {
    // Nothing is issued in a period that has not begun.
    if (flag.bound === 'period') parsePeriod(text, now);
    return dateTest(flag.flag, span);
  });
  // Last, so that they report only on records that the date flags kept.
  if (flags.open) tests.push(openTest(digitGrouper(context.locale)));
  if (flags.overdue) tests.push(overdueTest(context.today(), digitGrouper(context.locale)));
  return tests;
}

/** The test of `--open`: an open item, due or not. Credits are none: what they would take from a sum is reported. */
function openTest(group: GroupDigits): RecordTest {
  const unreadable = new Unreadable();
  const credits = new LeftOutCredits('--open', group);
  const profiles = needing(['open'], '--open');
  let absent = 0;
  return {
    roles: LeftOutCredits.roles,
    matches: (document) => {
      const item = openItemOf(document);
      const isDueUnreadable = item.kind === 'unreadable' && item.role === 'due';
      if (item.kind === 'absent') absent++;
      if (item.kind === 'unreadable' && !isDueUnreadable) unreadable.noteRole(document, item.role);
      if (item.kind === 'credit') credits.add(document, item.amount);
      return item.kind === 'open' || isDueUnreadable;
    },
    finish: profiles.finish,
    findings: () => [
      ...credits.findings(),
      leftOut('remark', `--open: ${countOf(absent, 'document')} without an open amount`, { open: absent }),
      ...profiles.findings(),
      unreadable.finding('--open'),
    ],
  };
}

const MAX_NAMED = 3;

/** The credits that a flag leaves out. Whoever duns by the other records has to know them. */
class LeftOutCredits {
  static readonly roles: readonly Role[] = [...OPEN_ITEM_ROLES, 'currency'];
  readonly #flag: string;
  readonly #group: GroupDigits;
  readonly #named: string[] = [];
  readonly #amounts = new Map<string, Decimal>();
  #count = 0;

  constructor(flag: string, group: GroupDigits) {
    [this.#flag, this.#group] = [flag, group];
  }

  add(document: Document, amount: Decimal): void {
    const [currency, number] = [document.currency ?? 'without a currency', document.text('number')];
    this.#count++;
    this.#amounts.set(currency, addDecimals(this.#amounts.get(currency) ?? DECIMAL_ZERO, amount));
    if (this.#named.length < MAX_NAMED)
      this.#named.push(number === undefined ? `record ${document.place}` : `number ${number}`);
  }

  findings(): readonly Finding[] {
    if (this.#count === 0) return [];
    const amounts = [...this.#amounts].map(
      ([currency, sum]) => `${this.#group(formatDecimal(sum))} ${currency}`,
    );
    const more = this.#count > MAX_NAMED ? ` and ${this.#count - MAX_NAMED} more` : '';
    const which = `${this.#named.join(', ')}${more}`;
    const text = `${this.#flag}: ${countOf(this.#count, 'credit')} not in it, ${amounts.join(' and ')} (${which})`;
    return [{ level: 'warning', text }];
  }
}

/**
 * The test of `--overdue`: an open item, no credit, due before `today` (days since 1970-01-01), whatever its status. Credits are
 * reported as with `--open`.
 */
function overdueTest(today: number, group: GroupDigits): RecordTest {
  const unreadable = new Unreadable();
  const credits = new LeftOutCredits('--overdue', group);
  const missing = { due: 0, open: 0 };
  const profiles = needing(['open', 'due'], '--overdue');
  return {
    roles: LeftOutCredits.roles,
    matches: (document) => {
      const item = openItemOf(document);
      if (item.kind === 'credit') credits.add(document, item.amount);
      if (item.kind === 'unreadable') unreadable.noteRole(document, item.role);
      if (item.kind === 'absent') missing.open++;
      if (item.kind === 'open' && item.due === undefined) missing.due++;
      return isOverdue(item, today);
    },
    finish: profiles.finish,
    // Without an amount or a due date nobody knows whether they are overdue. That is usual, so it is no warning.
    findings: () => [
      ...credits.findings(),
      leftOut('remark', `--overdue: ${countOf(missing.due, 'open invoice')} without a due date`, {
        due: missing.due,
      }),
      leftOut('remark', `--overdue: ${countOf(missing.open, 'document')} without an open amount`, {
        open: missing.open,
      }),
      ...profiles.findings(),
      unreadable.finding('--overdue'),
    ],
  };
}

/**
 * The end of a test: refuses an answer where no record has one of the roles, as `DocumentReader.refuseWithout` does; where it is those
 * of one of several profiles, the answer is of the others, and a failure says so.
 */
function needing(roles: readonly Role[], flag: string) {
  let ofProfiles: readonly Finding[] = [];
  return {
    finish: (reader: DocumentReader): void => {
      reader.refuseWithout(roles, flag);
      ofProfiles = reader.profilesWithout(flag, { roles });
    },
    findings: () => ofProfiles,
  };
}

/** The test of a date flag. A month counts whole. */
function dateTest(flag: string, { from, to }: DateSpan): RecordTest {
  const unreadable = new Unreadable();
  const profiles = needing(['date'], flag);
  let without = 0;
  return {
    roles: ['date', 'number'],
    described: (document) => [document.columnOf('date'), [document.cell('date')]],
    matches: (document) => {
      const cell = document.cell('date');
      if (cell === undefined) without++;
      else if (dayIn(document, 'date') === 'unreadable') unreadable.noteRole(document, 'date');
      else {
        const isEarly = from !== undefined && compareDate(cell.text, from) < 0;
        return !isEarly && (to === undefined || compareDate(cell.text, to) <= 0);
      }
      return false;
    },
    finish: profiles.finish,
    findings: () => [
      leftOut('warning', `${flag}: ${countOf(without, 'record')} without ${meaningOf('date')}`, {
        date: without,
      }),
      ...profiles.findings(),
      unreadable.finding(flag),
    ],
  };
}

/** The test whether the counterparty has one of the fiscal IDs, in any spelling. `flag` named them. */
export function counterpartyTest(flag: string, ids: readonly string[]): RecordTest {
  const wanted = new Set(ids.map(foldFiscalId));
  const profiles = needing(['counterpartyFiscalId'], flag);
  return {
    roles: ['counterpartyFiscalId'],
    matches: (document) => {
      const id = document.text('counterpartyFiscalId');
      return id !== undefined && wanted.has(foldFiscalId(id));
    },
    ...profiles,
  };
}

/** The finding of records that are left out since they have no value; for the receipt alone where there are none. */
function leftOut(level: Finding['level'], what: string, missing: Readonly<Record<string, number>>): Finding {
  const isAny = Object.values(missing).some((count) => count > 0);
  return isAny ? { level, text: `${what} left out`, missing } : { level: 'fact', text: '', missing };
}
