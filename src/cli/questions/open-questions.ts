import { hasBlocks } from '../../analysis/bars.ts';
import type { BarTerminal } from '../../analysis/result-rows.ts';
import type { PlaceOf } from '../../analysis/totals.ts';
import type { WhereFilter } from '../../analysis/where-filter.ts';
import type { Context } from '../../context.ts';
import type { Resource } from '../../resources/resource.ts';
import type { ListingFlags } from '../listing-flags.ts';
import type { Notices } from '../notices.ts';
import { TABLE_LIMIT, type OutputPlan } from '../output-plan.ts';
import { isTotal } from './check-questions.ts';
import { Questions } from './questions.ts';
import type { ResultMaker } from './result-maker.ts';

export interface ListingQuestions {
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
  return where && new (await import('../../analysis/where-filter.ts')).WhereFilter(where);
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
  if (isTotal(flags)) return (await import('./totals-maker.ts')).makeTotals({ ...flags, ...site });
  if (path === undefined) return undefined;
  const { openChanges } = await import('./changes-maker.ts');
  const { refuseOverwriting } = await import('./refuse-overwriting.ts');
  await refuseOverwriting('--changes-since', path, plan.target);
  const earlier = await filterOf(flags);
  const keep = earlier && ((batch: Parameters<typeof earlier.apply>[0]) => earlier.apply(batch));
  return openChanges({ path, key, shown: columns ?? [resource.label], keep }, plan.format === 'table');
}
