import { countOf, tableFooter } from '../output/terminal/number-text.ts';
import type { Questions } from '../query/questions.ts';
import { hasRecords } from './completeness.ts';
import type { OutputPlan } from './output-plan.ts';
import type { Part } from './run.ts';
import type { QuestionsRequest } from './open-questions.ts';

type ExportRequest = QuestionsRequest & { readonly single?: boolean };

interface Written {
  readonly questions: Questions;
  readonly plan: OutputPlan;
  readonly newestFirst: boolean;
}

/** Remarks how much was written to a file; of what went to standard output, of how many records these are the first. */
export function remarkEnd(part: Part, request: ExportRequest, written: Written): void {
  const { source, state, status, notices, run, isJoined } = part;
  const { filtered, hasRows } = written.questions;
  const { target } = written.plan;
  const order = orderOf(part, request, written);
  const texts = target === undefined ? countTexts(part, request, { ...written, order }) : [];
  for (const text of texts) if (text !== '') notices.remark(text);
  notices.remarkWritten(() => {
    const { delivered } = state;
    if (state.written !== undefined || target === undefined || delivered?.isFile !== true)
      return state.written;
    const { seen } = filtered ?? { seen: status.totalAtEnd };
    const ofListing = hasRows ? { what: 'rows' } : { what: source.records, of: seen };
    const joined = isJoined ? `of ${countOf(run.parts.filter(hasRecords).length, 'profile')}` : [];
    return {
      ...(request.single ? { count: 1, what: 'records' } : { count: state.records, ...ofListing }),
      place: target,
      bytes: delivered.bytes,
      more: [joined, order ?? []].flat(),
    };
  });
}

/** In which order they came, where a user did not choose it and sees a part of them, or a table that begins with the newest. */
function orderOf(
  { source, status: { records, totalAtEnd = Infinity }, isJoined }: Part,
  { flags: { limit, sort } }: ExportRequest,
  { questions, newestFirst }: Written,
): string | undefined {
  const isPart = questions.isFull || (questions.isListing && records >= limit! && records < totalAtEnd);
  const isCut = limit !== undefined && isPart;
  if (source.order === undefined || sort !== undefined || questions.hasResult || !(isCut || newestFirst))
    return undefined;
  const begins = newestFirst ? 'newest' : source.order.begins;
  if (begins === 'unsorted') return 'in the order of the service';
  return `the ${begins}${isJoined ? ' of each profile' : ''} first`;
}

/** How many of how many a table shows, and in which order; empty where that goes without saying. */
function countTexts(
  { status: { records, totalAtEnd } }: Part,
  { flags: { page, nextToken } }: ExportRequest,
  { questions, plan, order }: Written & { readonly order: string | undefined },
): readonly string[] {
  const { filtered, hasRows, isFull, isListing } = questions;
  const { tableLimit, isTerminalTable, layout } = plan;
  const { locale } = layout;
  const firstOf = (shown: number): string => `the first ${shown} · --all for the rest`;
  if (isTerminalTable && filtered !== undefined && filtered.kept > 0 && !isFull && !hasRows)
    return [tableFooter({ shown: filtered.kept, total: filtered.seen, locale, isCut: false, order })];
  if (!isListing || !isTerminalTable || (page ?? nextToken) !== undefined) {
    const orders = (filtered?.kept ?? records) > 0 ? (order ?? '') : '';
    if (tableLimit === undefined || !isFull) return [orders];
    const total = questions.total(records);
    return [
      total === undefined ? firstOf(tableLimit) : tableFooter({ shown: tableLimit, total, locale }),
      orders,
    ];
  }
  if (totalAtEnd !== undefined)
    return [
      tableFooter({ shown: records, total: totalAtEnd, locale, isCut: tableLimit !== undefined, order }),
    ];
  return tableLimit !== undefined && records >= tableLimit ? [firstOf(records)] : [];
}
