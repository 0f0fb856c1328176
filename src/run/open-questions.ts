import { promises } from 'node:fs';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { QuestionFlags } from '../query/question-syntax.ts';
import { Questions, type FilterQuestion, type Question } from '../query/questions.ts';
import type { ResultSite } from '../query/result-rows.ts';
import type { WhereFilter } from '../query/where.ts';
import type { Resource } from '../resources/resource.ts';
import type { ExtentFlags, FilterFlags } from './listing-source.ts';
import { TABLE_LIMIT, type OutputFlags, type OutputPlan } from './output-plan.ts';
import type { ProfilesFlags } from './profile-choice.ts';
import type { ResumeFlags } from './resume.ts';
import type { AddressFlags } from './session.ts';

type Extent = Pick<ExtentFlags, 'all' | 'limit' | 'page'>;

interface QuestionsWish {
  readonly flags: QuestionFlags;
  /** How many records are wanted. */
  readonly extent: Extent;
  /** The columns that were asked for. */
  readonly columns: readonly string[] | undefined;
  /** Whose label a record of a table of changes has; undefined where the records are of no resource. */
  readonly resource: Resource | undefined;
  /** How the answer leaves; undefined where only its columns are asked for. */
  readonly plan: OutputPlan | undefined;
  /** Asks something else of the records than the flags of a listing could. */
  readonly makeResult?: MakeResult | undefined;
}

export type MakeResult = (site: ResultSite) => Question;

/** What the flags ask of the records. Reads an earlier export, when there is one to compare with. Throws UsageError. */
export async function openQuestions(context: Context, asked: QuestionsWish): Promise<Questions> {
  const { flags, extent, plan } = asked;
  const filter = await filterOf(flags);
  const site = { terminal: await terminalOf(context, plan), placeOf: filter?.placeOf };
  const result = asked.makeResult?.(site) ?? (await resultOf(asked, site));
  const sort = flags.sort && (await import('../query/sort.ts')).sortQuestion(flags.sort);
  return new Questions({
    filter,
    result,
    sort,
    limit: limitOf(extent, plan, result),
    locale: plan?.layout.locale,
  });
}

/** Totals and changes are what was asked for: a table of them does not stop by itself. */
function limitOf(
  extent: Extent,
  plan: OutputPlan | undefined,
  result: Question | undefined,
): number | undefined {
  return extent.limit ?? (result === undefined && plan !== undefined ? tableLimit(extent, plan) : undefined);
}

/** Records after which a table on a terminal stops by itself. */
export function tableLimit({ all, limit, page }: Extent, plan: OutputPlan): number | undefined {
  if (plan.format !== 'table' || !plan.onTerminal) return undefined;
  return all || limit !== undefined || page !== undefined ? undefined : TABLE_LIMIT;
}

/** The terminal that bars are drawn on, where the answer is a table on one. */
async function terminalOf({ env }: Context, plan: OutputPlan | undefined): Promise<ResultSite['terminal']> {
  const width = plan?.format === 'table' ? plan.layout.width : undefined;
  if (width === undefined) return undefined;
  const { hasBlocks } = await import('../query/result-rows.ts');
  return { width, blocks: hasBlocks(env) };
}

// What most runs do not ask is not loaded for them.

async function filterOf(flags: QuestionFlags): Promise<FilterQuestion | undefined> {
  const filter = await recordFilter(flags);
  return filter && (await import('../query/where.ts')).whereQuestion(filter);
}

async function recordFilter({ where }: QuestionFlags): Promise<WhereFilter | undefined> {
  return where && new (await import('../query/where.ts')).WhereFilter(where);
}

async function resultOf(
  { flags, columns, resource, plan }: QuestionsWish,
  site: ResultSite,
): Promise<Question | undefined> {
  const { changesSince: path, key = ['id'] } = flags;
  if (asksForTotals(flags)) return (await import('../query/totals.ts')).totalsQuestion(flags, site);
  if (path === undefined) return undefined;
  const { changesQuestion } = await import('../query/changes/changes.ts');
  await refuseOverwriting('--changes-since', path, plan?.target);
  const earlier = await recordFilter(flags);
  const keep = earlier && ((batch: Parameters<typeof earlier.apply>[0]) => earlier.apply(batch));
  const options = { path, key, shown: columns ?? [resource?.label ?? 'id'], keep };
  return changesQuestion(options, plan?.format === 'table');
}

/** Throws UsageError where the file that a flag names, which is to be read, is the one that -o would replace. */
export async function refuseOverwriting(
  flag: string,
  read: string,
  output: string | undefined,
): Promise<void> {
  const paths = await Promise.all(
    [read, output ?? ''].map((path) => promises.realpath(path).catch(() => undefined)),
  );
  if (output === undefined || paths[0] === undefined || paths[0] !== paths[1]) return;
  throw new UsageError(`--output ${output} would replace the export that ${flag} is to read`, {
    hint: 'Name another file.',
  });
}

/** The flags of a command, as far as it has them. */
interface FlagsOfRun {
  readonly questions?: QuestionFlags;
  readonly extent?: ExtentFlags;
  readonly filters?: FilterFlags;
  readonly output: OutputFlags;
  readonly resume?: ResumeFlags;
  readonly profiles?: ProfilesFlags;
  readonly everywhere: AddressFlags;
}

type Flags = QuestionFlags &
  ExtentFlags &
  FilterFlags &
  OutputFlags &
  ResumeFlags &
  ProfilesFlags &
  AddressFlags;
type Test = (flags: Flags) => boolean;

/** Flags that do not go together: when both of a pair are given, why they do not and what to do. */
const CLASHES: readonly (readonly [one: Test, other: Test, message: string, hint: string])[] = [
  [
    ({ changesSince }) => changesSince !== undefined,
    (flags) => asksForTotals(flags),
    '--changes-since does not go together with --sum and --group-by',
    'Write the changes to a file, or sum the listing itself.',
  ],
  [
    ({ changesSince }) => changesSince !== undefined,
    ({ page, nextToken }) => (page ?? nextToken) !== undefined,
    '--changes-since needs the whole listing: what is not on one page would look as if it were gone',
    'Leave out --page or --next-token.',
  ],
  [
    ({ key }) => key !== undefined,
    ({ changesSince }) => changesSince === undefined,
    '--key goes with --changes-since',
    'Name the file to compare with, as in --changes-since yesterday.jsonl.',
  ],
  [
    ({ limit }) => limit !== undefined,
    ({ sum, groupBy }) => sum !== undefined && groupBy === undefined,
    '--limit and --sum do not go together: a sum is of all records for which --where holds',
    'Leave --limit out; with --group-by it is how many groups to show.',
  ],
  [
    ({ sort }) => sort !== undefined,
    ({ sortOrder, sortBy }) => sortOrder !== undefined && sortBy === undefined,
    '--sort-order is for --sort-by, not for --sort',
    'Put a minus before a column that is to descend, as in --sort -totalAmount.',
  ],
  [
    ({ sheetPerProfile }) => sheetPerProfile === true,
    ({ allProfiles, profile }) => !allProfiles && profile?.includes(',') !== true,
    '--sheet-per-profile: of which profiles?',
    'Name them with --profile a,b, or say --all-profiles.',
  ],
];

/** What says how records are written, and so nothing to --list-columns, which writes names. */
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

/** Throws UsageError for questions that make no sense together, or not with the extent of the listing. */
export function checkQuestions(given: FlagsOfRun): void {
  const { questions, extent, filters, output, resume, profiles, everywhere } = given;
  const flags = { ...questions, ...extent, ...filters, ...output, ...resume, ...profiles, ...everywhere };
  const clash = CLASHES.find(([one, other]) => one(flags) && other(flags));
  if (clash !== undefined) throw new UsageError(clash[2], { hint: clash[3] });
  const idle = flags.listColumns ? OF_RECORDS.find((name) => flags[name] !== undefined) : undefined;
  if (idle === undefined) return;
  const flag = `--${idle.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UsageError(
    `${flag} and --list-columns do not go together: names of columns come out, one a line`,
    {
      hint: `Leave ${flag} out.`,
    },
  );
}

/** Whether totals are asked for instead of records. */
export function asksForTotals({ sum, groupBy }: Pick<QuestionFlags, 'sum' | 'groupBy'>): boolean {
  return (sum ?? groupBy) !== undefined;
}
