import { hasBlocks } from '../../analysis/bars.ts';
import type { BarTerminal } from '../../analysis/result-rows.ts';
import type { PlaceOf } from '../../analysis/totals.ts';
import { WhereFilter } from '../../analysis/where-filter.ts';
import type { Context } from '../../context.ts';
import type { Resource } from '../../resources/resource.ts';
import type { ListingFlags } from '../listing-flags.ts';
import type { Notices } from '../notices.ts';
import { TABLE_LIMIT, type OutputPlan } from '../output-plan.ts';
import { openChanges } from './changes-maker.ts';
import { isTotal } from './check-questions.ts';
import { Questions } from './questions.ts';
import { refuseOverwriting } from './refuse-overwriting.ts';
import type { ResultMaker } from './result-maker.ts';
import { makeTotals } from './totals-maker.ts';

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
  const filter = flags.where && new WhereFilter(flags.where);
  const { width, locale } = plan.layout;
  const isTable = plan.format === 'table';
  const terminal = isTable && width !== undefined ? { width, blocks: hasBlocks(context.env) } : undefined;
  const placeOf = filter && ((nth: number): number => filter.placeOf(nth));
  const maker = asked.makeResult?.({ terminal, placeOf }) ?? (await resultOf(asked, { terminal, placeOf }));
  // Totals and changes are what was asked for: a table of them does not stop by itself.
  const limit = flags.limit ?? (maker === undefined ? tableLimit(flags, plan) : undefined);
  return new Questions({ filter, maker, sort: flags.sort, limit, notices, locale });
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
  const { where, changesSince: path, key = 'id', columns } = flags;
  if (isTotal(flags)) return makeTotals({ ...flags, ...site });
  if (path === undefined) return undefined;
  await refuseOverwriting('--changes-since', path, plan.target);
  const earlier = where && new WhereFilter(where);
  const keep = earlier && ((batch: Parameters<typeof earlier.apply>[0]) => earlier.apply(batch));
  return openChanges({ path, key, shown: columns ?? [resource.label], keep }, plan.format === 'table');
}
