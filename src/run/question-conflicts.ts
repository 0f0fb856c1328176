import { UsageError } from '../errors.ts';
import type { QuestionFlags } from '../query/question-syntax.ts';
import type { ExtentFlags, FilterFlags } from './sources/listing-source.ts';
import type { OutputFlags } from './output-plan.ts';
import type { ProfilesFlags, AddressFlags } from './session.ts';
import type { ResumeFlags } from './resume/resume.ts';
import { flagNamed } from './parse-values.ts';

/** The flags of a command, as far as it has them. */
interface FlagsOfRun {
  readonly questions?: QuestionFlags;
  readonly extent?: ExtentFlags;
  readonly filters?: FilterFlags;
  readonly output: OutputFlags;
  readonly resume?: ResumeFlags;
  readonly profiles?: ProfilesFlags;
  readonly globals: AddressFlags;
  /** Where given, the command answers a question of its own, such as how old open amounts are. */
  readonly makeResult?: unknown;
}

type Flags = QuestionFlags &
  ExtentFlags &
  FilterFlags &
  OutputFlags &
  ResumeFlags &
  ProfilesFlags &
  AddressFlags & { readonly isOwnQuestion: boolean };
type Test = (flags: Flags) => boolean;

/** Pairs of flags that do not go together, each with the message and the hint of the error. */
const CONFLICTS: readonly (readonly [one: Test, other: Test, message: string, hint: string])[] = [
  [
    ({ changesSince }) => changesSince !== undefined,
    (flags) => asksForTotals(flags),
    '--changes-since does not go together with --sum, --count and --group-by',
    'Write the changes to a file, or sum the listing itself.',
  ],
  [
    ({ changesSince }) => changesSince !== undefined,
    ({ page, nextToken }) => (page ?? nextToken) !== undefined,
    '--changes-since needs the whole listing: what is not on one page would look as if it were gone',
    'Leave out --page or --next-token.',
  ],
  [
    ({ changesSinceMissingOk }) => changesSinceMissingOk === true,
    ({ changesSince }) => changesSince === undefined,
    '--changes-since-missing-ok goes with --changes-since',
    'Name the file to compare with, as in --changes-since yesterday.jsonl.',
  ],
  [
    ({ count }) => count === true,
    ({ sum }) => sum !== undefined,
    '--count and --sum do not go together: the result of --sum has the number of records too',
    'Leave --count out.',
  ],
  [
    ({ limit }) => limit !== undefined,
    ({ sum, groupBy }) => sum !== undefined && groupBy === undefined,
    '--limit and --sum do not go together: a sum is of all records for which --where holds',
    'Leave --limit out; with --group-by it is how many groups to show.',
  ],
  [
    ({ limit }) => limit !== undefined,
    ({ count, groupBy }) => count === true && groupBy === undefined,
    '--limit and --count do not go together: a count is of all records for which --where holds',
    'Leave --limit out; with --group-by it is how many groups to show.',
  ],
  [
    ({ sort }) => sort !== undefined,
    ({ count, groupBy }) => count === true && groupBy === undefined,
    '--sort and --count do not go together: a count is one number',
    'Leave --sort out; with --group-by it is the order of the groups.',
  ],
  [
    ({ sort }) => sort !== undefined,
    ({ sortOrder, sortBy }) => sortOrder !== undefined && sortBy === undefined,
    '--sort-order is for --sort-by, not for --sort',
    'Put a minus before a column that is to descend, as in --sort -totalAmount.',
  ],
  [
    ({ field }) => field !== undefined,
    ({ isOwnQuestion, overdue, since, until, sum, groupBy, where, sort, columns }) =>
      !isOwnQuestion &&
      (overdue ?? since ?? until ?? sum ?? groupBy ?? where ?? sort ?? columns) === undefined,
    '--field says what a column means, and no question asks for it',
    'Leave --field out, or ask with --overdue, --since <date>, --until <date> or --sum <column>.',
  ],
  [
    ({ asSent }) => asSent === true,
    ({ sum }) => sum === undefined,
    '--as-sent goes with --sum: records always leave as they were sent',
    'Leave --as-sent out, or add --sum <column>.',
  ],
  [
    ({ sheetPerProfile }) => sheetPerProfile === true,
    ({ allProfiles, profile }) => !allProfiles && profile?.includes(',') !== true,
    '--sheet-per-profile needs several profiles',
    'Name them with --profile a,b, or say --all-profiles.',
  ],
];

/** Flags for the writing of records. They have no effect with --list-columns, which writes names. */
const OF_RECORDS = [
  'columns',
  'format',
  'delimiter',
  'excel',
  'wide',
  'raw',
  'resume',
  'sheetPerProfile',
  'outputDir',
] as const satisfies readonly (keyof Flags)[];

/** Throws UsageError for flags that make no sense together. */
export function checkQuestions(given: FlagsOfRun): void {
  const { questions, extent, filters, output, resume, profiles, globals, makeResult } = given;
  const isOwnQuestion = makeResult !== undefined;
  const flags = {
    ...{ ...questions, ...extent, ...filters, ...output, ...resume, ...profiles, ...globals },
    isOwnQuestion,
  };
  const conflict = CONFLICTS.find(([one, other]) => one(flags) && other(flags));
  if (conflict !== undefined) throw new UsageError(conflict[2], { hint: conflict[3] });
  const idle = flags.listColumns ? OF_RECORDS.find((name) => flags[name] !== undefined) : undefined;
  if (idle === undefined) return;
  const flag = flagNamed(idle);
  throw new UsageError(
    `${flag} and --list-columns do not go together: names of columns come out, one a line`,
    {
      hint: `Leave ${flag} out.`,
    },
  );
}

/** Throws UsageError where totals are to be sorted by a column that they do not have. */
export async function checkOrderOfTotals(flags: QuestionFlags): Promise<void> {
  if (flags.sort === undefined || !asksForTotals(flags)) return;
  const { columnsOfTotals } = await import('../query/totals-rows.ts');
  const { chosenColumns } = await import('../query/result-rows.ts');
  const asked = flags.sort.map(({ column }) => column);
  chosenColumns(columnsOfTotals(flags), { asked, flag: '--sort' });
}

/** Throws UsageError for a text that is no date. */
export async function checkDates({ since, until }: QuestionFlags): Promise<void> {
  if ((since ?? until) === undefined) return;
  const { DATE_FORMS, parseDate } = await import('../query/where/date-value.ts');
  for (const [flag, value] of Object.entries({ since, until })) {
    if (value === undefined || parseDate(value, 0) !== undefined) continue;
    throw new UsageError(`--${flag} ${JSON.stringify(value)} is no date`, { hint: DATE_FORMS });
  }
}

/** Whether totals are asked for instead of records. */
export function asksForTotals({ sum, groupBy, count }: QuestionFlags): boolean {
  return (sum ?? groupBy ?? count) !== undefined;
}

/** Whether the answer is something other than the records. */
export function asksForResult(questions: QuestionFlags): boolean {
  return asksForTotals(questions) || questions.changesSince !== undefined;
}
