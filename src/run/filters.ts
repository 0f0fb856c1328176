import { parseCondition, type Condition } from '../query/question-syntax.ts';
import { parseDateEnd, parsePeriod, type DateRange } from '../query/where/dates.ts';
import type { RecordTest, TestContext } from '../query/where/where.ts';
import type { Resource } from '../resources/resource.ts';
import type { Flag, ValueOf, Values } from './flag.ts';

/** A flag that keeps some of the records: those that pass the tests of its value. */
export interface Filter extends Flag {
  readonly narrows: true;
  /** A column or a role: only listings that declare it have the flag. Without this, every listing has it. */
  readonly of?: string;
  /** Loads and makes the tests of a value that the flag was parsed into. */
  tests(this: void, value: unknown, at: TestContext): Promise<readonly RecordTest[]>;
}

/** Declares a filter: a flag as in `flags.ts`, and the function that makes the tests from its value. */
function defineFilter<const Of extends Flag>(
  flag: Of,
  tests: (value: ValueOf<Of>, at: TestContext) => Promise<readonly RecordTest[]>,
) {
  return { ...flag, narrows: true, daily: true, tests } as const;
}

const whereTests = () => import('../query/where/where.ts');
const invoiceTests = () => import('../query/where/invoice-tests.ts');

/** The flags that keep some of the records. */
export const filters = {
  where: defineFilter(
    {
      syntax: '--where <condition>',
      about:
        'only records for which this holds: status=PAID; also status=OVERDUE,PENDING "dueBy<today" "totalAmount>=1000" customer.name~roble; repeated, all must',
      parse: (text: string, flag: string, before: readonly Condition[] = []): readonly Condition[] => [
        ...before,
        parseCondition(text, flag),
      ],
    },
    async (conditions, at) => {
      const { conditionTest } = await whereTests();
      return conditions.map((condition) => conditionTest(condition, at));
    },
  ),
  open: defineFilter(
    { syntax: '--open', about: 'only what is still to be paid: no credits, and nothing cancelled' },
    async (_, at) => [(await invoiceTests()).openTest('--open', at)],
  ),
  overdue: defineFilter(
    {
      syntax: '--overdue',
      about: 'only what is still to be paid and was due before today, whatever its status; no credits',
    },
    async (_, at) => [(await invoiceTests()).openTest('--overdue', at, at.today())],
  ),
  since: defineFilter(
    {
      syntax: '--since <date>',
      about: 'dated on that day or later: 2026-11-21, 2026-11, today, -30d',
      parse: (text: string, flag: string) => parseDateEnd(text, flag, 'from'),
    },
    dateTests,
  ),
  until: defineFilter(
    {
      syntax: '--until <date>',
      about: 'dated on that day or before; a month counts whole',
      parse: (text: string, flag: string) => parseDateEnd(text, flag, 'to'),
    },
    dateTests,
  ),
  period: defineFilter(
    {
      syntax: '--period <period>',
      about: 'dated in 2026-10, 2026-Q3, 2026 or last-month; also this-month',
      rules: [{ not: ['--since', '--until'], why: 'a period has both its days' }],
      parse: parsePeriod,
    },
    dateTests,
  ),
} as const;

async function dateTests(range: DateRange, at: TestContext): Promise<readonly RecordTest[]> {
  return [(await invoiceTests()).dateTest(range.flag, 'date', range.on(at))];
}

export type RecordFilters = Values<typeof filters>;

/** The filters that a listing has. */
export function recordFilters({ columns }: Resource): Partial<typeof filters> {
  const has = ([, { of }]: readonly [string, Filter]): boolean =>
    of === undefined || columns.some(([name, , role]) => name === of || role === of);
  return Object.fromEntries(Object.entries<Filter>(filters).filter(has));
}
