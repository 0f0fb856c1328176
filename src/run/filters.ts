import { parseCondition, type Condition } from '../query/question-syntax.ts';
import { parseDateEnd, parsePeriod, refuseEmptySpan, type DateRange } from '../query/where/dates.ts';
import type { RecordTest, TestContext } from '../query/where/where.ts';
import type { Flag, ValueOf, Values } from './flag.ts';

/** A flag that keeps some of the records: those that pass the tests of its value. */
export interface Filter<Value = never> extends Flag {
  /** Loads and makes the tests. `others` are the values of all such flags. Throws UsageError where no record can pass. */
  readonly tests: (
    value: Value,
    context: TestContext,
    others: { readonly since?: DateRange | undefined },
  ) => Promise<readonly RecordTest[]>;
}

const whereTests = () => import('../query/where/where.ts');
const invoiceTests = () => import('../query/where/invoice-tests.ts');

/** The flags that keep some of the records of any listing, declared as in `flags.ts`, with how their tests are made. */
export const filters = {
  where: {
    syntax: '--where <condition>',
    narrows: true,
    about:
      'only records for which this holds: status=PAID; also status=OVERDUE,PENDING "dueBy<today" "totalAmount>=1000" customer.name~roble; repeated, all must',
    parse: (text: string, flag: string, before: readonly Condition[] = []): readonly Condition[] => [
      ...before,
      parseCondition(text, flag),
    ],
    tests: async (conditions: readonly Condition[], at: TestContext) => {
      const { conditionTest } = await whereTests();
      return conditions.map((condition) => conditionTest(condition, at));
    },
  },
  open: {
    syntax: '--open',
    narrows: true,
    about: 'only what is still to be paid: no credits, and nothing that was cancelled',
    roles: ['open'],
    tests: async (_: true, at: TestContext) => [(await invoiceTests()).openTest('--open', at)],
  },
  overdue: {
    syntax: '--overdue',
    narrows: true,
    about: 'of that, only what was due before today, whatever its status',
    roles: ['open', 'due'],
    tests: async (_: true, at: TestContext) => [(await invoiceTests()).openTest('--overdue', at, at.today())],
  },
  since: {
    syntax: '--since <date>',
    narrows: true,
    about: 'dated on that day or later: 2026-11-21, 2026-11, today, -30d',
    roles: ['date'],
    parse: (text: string, flag: string) => parseDateEnd(text, flag, 'from'),
    tests: dateTests,
  },
  until: {
    syntax: '--until <date>',
    narrows: true,
    about: 'dated on that day or before; a month counts whole',
    roles: ['date'],
    parse: (text: string, flag: string) => parseDateEnd(text, flag, 'to'),
    tests: async (
      until: DateRange,
      at: TestContext,
      { since }: { readonly since?: DateRange | undefined },
    ) => {
      if (since !== undefined) refuseEmptySpan(since, until, at);
      return dateTests(until, at);
    },
  },
  period: {
    syntax: '--period <period>',
    narrows: true,
    about: 'dated in 2026-10, 2026-Q3, 2026 or last-month; also this-month',
    roles: ['date'],
    rules: [{ not: ['--since', '--until'], why: 'a period has both its days' }],
    parse: parsePeriod,
    tests: dateTests,
  },
} as const satisfies Readonly<Record<string, Filter>>;

/** Has the compiler check that the tests of each flag take the value that it is parsed into. */
export type CheckedFilters = {
  readonly [Name in keyof typeof filters]: Filter<ValueOf<(typeof filters)[Name]>>;
};

async function dateTests(range: DateRange, at: TestContext): Promise<readonly RecordTest[]> {
  return [(await invoiceTests()).dateTest(range.flag, 'date', range.on(at))];
}

export type RecordFilters = Values<typeof filters>;
