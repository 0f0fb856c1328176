import { countOf, tableFooter } from '../output/terminal/number-text.ts';
import type { Questions } from '../query/questions.ts';
import type { ExportFlags } from './flags.ts';
import type { Written } from './notices.ts';
import type { OutputPlan } from './output-plan.ts';
import type { Part, Source } from './part.ts';

/*
 * What an export says of its records once they are out: how many of how many, and in which order.
 */

/** Whether --limit left records out, in an order that the user did not choose. */
export function isCutByLimit({ status }: Part, { limit, sort }: ExportFlags, questions: Questions): boolean {
  if (limit === undefined || sort !== undefined || questions.hasResult) return false;
  const { records, totalAtEnd = Infinity } = status;
  return questions.isFull || (questions.isListing && records >= limit && records < totalAtEnd);
}

/** In which order records came; undefined where the user chose it. */
export function orderText(
  begins: ReturnType<NonNullable<Source['begins']>>,
  { joined }: Source,
): string | undefined {
  if (begins === 'unsorted') return 'in the order of the service';
  return begins && `the ${begins}${joined ? ' of each profile' : ''} first`;
}

interface RemarkOptions {
  readonly questions: Questions;
  readonly plan: OutputPlan;
  readonly order: string | undefined;
}

/** What the line of a file that was written says; undefined where none was. */
export function writtenBy(
  { source, state: { records, delivered }, status }: Part,
  { plan, questions, single, order }: RemarkOptions & { readonly single: boolean },
): Written | undefined {
  if (plan.target === undefined || delivered?.isFile !== true) return undefined;
  const { seen } = questions.filtered ?? { seen: status.totalAtEnd };
  const ofListing = questions.hasRows ? { what: 'rows' } : { what: source.records, of: seen };
  return {
    ...(single ? { count: 1, what: 'records' } : { count: records, ...ofListing }),
    place: plan.target,
    bytes: delivered.bytes,
    more: [source.joined ? `of ${countOf(source.joined.had().length, 'profile')}` : [], order ?? []].flat(),
  };
}

/** Remarks below what went to standard output of how many records these are the first, and in which order. */
export function remarkCount(
  { notices, status: { records, totalAtEnd } }: Part,
  { page, nextToken }: ExportFlags,
  { questions, plan, order }: RemarkOptions,
): void {
  const { filtered, hasRows, isFull, isListing } = questions;
  const { isTerminalTable: isTable, tableLimit: limit, layout } = plan;
  const footer = (shown: number, total: number, isCut: boolean): string =>
    tableFooter({ shown, total, locale: layout.locale, isCut, order });
  let text = '';
  if (isTable && filtered !== undefined && filtered.kept > 0 && !isFull && !hasRows)
    text = footer(filtered.kept, filtered.seen, false);
  else if (!isListing || !isTable || (page ?? nextToken) !== undefined)
    text = (filtered?.kept ?? records) > 0 ? (order ?? '') : '';
  else if (totalAtEnd !== undefined) text = footer(records, totalAtEnd, limit !== undefined);
  else if (limit !== undefined && records >= limit) text = `the first ${records} · --all for the rest`;
  if (text !== '') notices.remark(text);
}
