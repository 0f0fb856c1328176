import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { hasBlocks } from '../../query/bars.ts';
import { Questions, type ResultMaker } from '../../query/questions.ts';
import type { BarTerminal } from '../../query/result-rows.ts';
import type { PlaceOf } from '../../query/totals.ts';
import type { WhereFilter } from '../../query/where.ts';
import type { Resource } from '../../resources/resource.ts';
import type { Notices } from '../../run/notices.ts';
import { TABLE_LIMIT, type OutputPlan } from '../../run/output-plan.ts';
import type { GlobalFlags, ListingFlags } from '../flags.ts';
import type { QuestionFlags } from '../question-flags.ts';

interface ListingQuestions {
  readonly flags: ListingFlags;
  readonly resource: Resource;
  readonly plan: OutputPlan;
  readonly notices: Notices;
  /** Makes another result of the records than the flags could ask for. */
  readonly makeResult?: MakeResult | undefined;
}

/** Where the terminal is that a table goes to, and where in the listing a record is. */
export interface ResultSite {
  readonly terminal: BarTerminal | undefined;
  readonly placeOf: PlaceOf | undefined;
}

export type MakeResult = (site: ResultSite) => ResultMaker;

/** What the flags ask of the records. Reads an earlier export, when there is one to compare with. Throws UsageError. */
export async function openQuestions(context: Context, asked: ListingQuestions): Promise<Questions> {
  const { flags, plan, notices } = asked;
  const filter = await filterOf(flags);
  const { width, locale } = plan.layout;
  const isTable = plan.format === 'table';
  const terminal = isTable && width !== undefined ? { width, blocks: hasBlocks(context.env) } : undefined;
  const placeOf = filter && ((nth: number): number => filter.placeOf(nth));
  const maker = asked.makeResult?.({ terminal, placeOf }) ?? (await resultOf(asked, { terminal, placeOf }));
  // Totals and changes are what was asked for: a table of them does not stop by itself.
  const limit = flags.limit ?? (maker === undefined ? tableLimit(flags, plan) : undefined);
  return new Questions({ filter, maker, sort: flags.sort, limit, notices, locale });
}

/** What most runs do not ask is not loaded for them. */
async function filterOf({ where }: ListingFlags): Promise<WhereFilter | undefined> {
  return where && new (await import('../../query/where.ts')).WhereFilter(where);
}

/** Records after which a table on a terminal stops by itself. */
export function tableLimit(
  { all, limit, page }: Pick<ListingFlags, 'all' | 'limit' | 'page'>,
  plan: OutputPlan,
): number | undefined {
  if (plan.format !== 'table' || !plan.onTerminal) return undefined;
  return all || limit !== undefined || page !== undefined ? undefined : TABLE_LIMIT;
}

async function resultOf(
  { flags, resource, plan }: ListingQuestions,
  site: ResultSite,
): Promise<ResultMaker | undefined> {
  const { changesSince: path, key = ['id'], columns } = flags;
  if (asksForTotals(flags)) return (await import('../../query/totals.ts')).makeTotals({ ...flags, ...site });
  if (path === undefined) return undefined;
  const { openChanges } = await import('../../query/changes/changes.ts');
  const { refuseOverwriting } = await import('./refuse-overwriting.ts');
  await refuseOverwriting('--changes-since', path, plan.target);
  const earlier = await filterOf(flags);
  const keep = earlier && ((batch: Parameters<typeof earlier.apply>[0]) => earlier.apply(batch));
  return openChanges({ path, key, shown: columns ?? [resource.label], keep }, plan.format === 'table');
}

type Flags = QuestionFlags & ListingFlags & Pick<GlobalFlags, 'profile'>;

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

type Test = (flags: Flags) => boolean;

/** Throws UsageError for questions that make no sense together, or not with the extent of the listing. */
export function checkQuestions(flags: Flags): void {
  const clash = CLASHES.find(([one, other]) => one(flags) && other(flags));
  if (clash !== undefined) throw new UsageError(clash[2], { hint: clash[3] });
}

/** Whether totals are asked for instead of records. */
export function asksForTotals({ sum, groupBy }: QuestionFlags): boolean {
  return (sum ?? groupBy) !== undefined;
}
