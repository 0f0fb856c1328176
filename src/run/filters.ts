import { parseCondition, type Condition } from '../query/question-syntax.ts';
import { parseDateEnd, parsePeriod, type DateRange } from '../query/where/dates.ts';
import type { RecordTest, TestContext } from '../query/where/where.ts';
import type { Resource } from '../resources/resource.ts';
import type { Flag, ValueOf, Values } from './flag.ts';

/** A flag that keeps some of the records: those that pass the tests of its value. */
export interface Filter extends Flag {
  readonly narrows: true;
  /** The column or role that it reads. Where the listing declares neither, the help has the flag below the daily ones. */
  readonly of?: string;
  /** Loads and makes the tests of a value that the flag was parsed into. */
  tests(this: void, value: unknown, at: TestContext): Promise<readonly RecordTest[]>;
}

/** Declares a filter: a flag as in `flags.ts`, and the function that makes the tests from its value. */
function defineFilter<const Of extends Flag & Pick<Filter, 'of'>>(
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
    {
      syntax: '--open',
      of: 'open',
      about: 'only what is still to be paid: no credits, and nothing cancelled',
    },
    async (_, at) => [(await invoiceTests()).openTest('--open', at)],
  ),
  overdue: defineFilter(
    {
      syntax: '--overdue',
      of: 'open',
      about: 'only what is still to be paid and was due before today, whatever its status; no credits',
    },
    async (_, at) => [(await invoiceTests()).openTest('--overdue', at, at.today())],
  ),
  since: defineFilter(
    {
      syntax: '--since <date>',
      of: 'date',
      about: 'dated on that day or later: 2026-11-21, 2026-11, today, -30d',
      parse: (text: string, flag: string) => parseDateEnd(text, flag, 'from'),
    },
    dateTests,
  ),
  until: defineFilter(
    {
      syntax: '--until <date>',
      of: 'date',
      about: 'dated on that day or before; a month counts whole',
      parse: (text: string, flag: string) => parseDateEnd(text, flag, 'to'),
    },
    dateTests,
  ),
  period: defineFilter(
    {
      syntax: '--period <period>',
      of: 'date',
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

/** The filters of a listing. */
export function recordFilters({ columns }: Resource) {
  const flags: Record<string, Flag> = {};
  for (const [name, filter] of Object.entries<Filter>(filters)) {
    const { daily: _daily, ...rare } = filter;
    const { of } = rare;
    const isDeclared = of === undefined || columns.some(([column, , role]) => column === of || role === of);
    flags[name] = isDeclared ? filter : rare;
  }
  return flags as typeof filters;
}
