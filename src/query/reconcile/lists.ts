import { UsageError } from '../../errors.ts';
import { bareFiscalId } from '../../invoices/fiscal-ids.ts';
import { monthOf, parsePeriod, type Period } from '../../invoices/periods.ts';
import { DocumentsKept } from './documents-kept.ts';
import { readName } from './list-layout.ts';
import { checkMatch, type Against, type Match } from './list-match.ts';
import type { ReconcileOptions } from './reconcile.ts';
import { Texts } from './tables.ts';
import { openList, readList, type ListsRead, type OpenList } from './read-list.ts';

interface ListsOptions {
  readonly against?: Against | undefined;
  readonly match?: Match | undefined;
  /** As given to --period. */
  readonly period?: string | undefined;
  /** In days since 1970-01-01. */
  readonly today: number;
}

/** Lists whose headings are known, and what they are about together. */
interface OpenLists {
  readonly lists: readonly OpenList[];
  readonly against: Against;
  /** Whose they are, by the name of a file. */
  readonly owner: { readonly fiscalId: string; readonly path: string } | undefined;
  /** The months that names or --period say. Where a list has neither, its dates say it. */
  readonly named: readonly (Period | undefined)[];
}

/** Opens the lists and finds out what they are about. Throws UsageError where they are of several kinds or organizations. */
export async function openLists(paths: readonly string[], options: ListsOptions): Promise<OpenLists> {
  const { match, period, today } = options;
  if (match !== undefined) checkMatch(match);
  const whole = period === undefined ? undefined : parsePeriod(period, today);
  const lists: OpenList[] = [];
  for (const path of paths) lists.push(await openList(path, match));
  const named = lists.map(({ path }) => whole ?? readName(path).month);
  for (const [place, { path, layout }] of lists.entries()) {
    if (layout.against !== 'received' || named[place] !== undefined) continue;
    throw new UsageError(`${path} does not say in its name of which month it is`, {
      hint: 'Say it with --period 2026-10: purchases stand in the month in which they were accepted, whatever their dates.',
    });
  }
  return { lists, against: againstOf(lists, options), owner: ownerOf(lists), named };
}

function againstOf(lists: readonly OpenList[], { against }: ListsOptions): Against {
  const said = lists.find(({ layout }) => layout.against !== undefined);
  const own = said?.layout.against;
  const other = lists.find(({ layout }) => layout.against !== undefined && layout.against !== own);
  if (said !== undefined && other !== undefined) {
    throw new UsageError(
      `${said.path} is of ${WORDS[own!]}, and ${other.path} of ${WORDS[other.layout.against!]}`,
      {
        hint: 'Reconcile purchases and sales one after the other.',
      },
    );
  }
  if (own !== undefined && against !== undefined && own !== against) {
    throw new UsageError(`--against ${against}: ${said!.path} is of ${WORDS[own]}`, {
      hint: `Leave --against out, or say --against ${own}.`,
    });
  }
  const found = own ?? against;
  if (found !== undefined) return found;
  throw new UsageError('nothing says what the list is to be held against', {
    hint: 'Add --against received for what you buy, --against issued for what you sell.',
  });
}

const WORDS: Readonly<Record<Against, string>> = { received: 'purchases', issued: 'sales' };

/** The organization whose registers they are. The name of another list may have the fiscal ID of a counterparty. */
function ownerOf(lists: readonly OpenList[]): OpenLists['owner'] {
  const owners = lists.flatMap(({ path, layout }) => {
    const { fiscalId } = readName(path);
    return layout.kind === 'other' || fiscalId === undefined ? [] : [{ fiscalId, path }];
  });
  const [first] = owners;
  const other = owners.find(({ fiscalId }) => bareFiscalId(fiscalId) !== bareFiscalId(first!.fiscalId));
  if (first === undefined || other === undefined) return first;
  throw new UsageError(`${first.path} is of ${first.fiscalId}, and ${other.path} of ${other.fiscalId}`, {
    hint: 'Reconcile the lists of one organization at a time.',
  });
}

/** All documents of the lists, and the months that the lists are of. Throws UsageError for what cannot be read. */
export async function readLists({
  lists,
  named,
}: OpenLists): Promise<ListsRead & Pick<ReconcileOptions, 'listed' | 'texts' | 'months'>> {
  const texts = new Texts();
  const listed = new DocumentsKept(texts);
  const read: ListsRead = { receiptTotals: 0 };
  const months: Period[] = [];
  for (const [place, list] of lists.entries()) {
    const from = listed.count;
    await readList(list, { place, into: listed, read });
    const name = named[place];
    months.push(...(name === undefined ? monthsOf(listed, from) : [name]));
  }
  return {
    ...read,
    listed,
    texts,
    months: [...new Map(months.map((month) => [month.name, month])).values()],
  };
}

/** The months from the first to the last date of the documents from this one on; none without dates. */
function monthsOf(listed: DocumentsKept, from: number): Period[] {
  let [first, last] = [Infinity, -Infinity];
  for (let index = from; index < listed.count; index++) {
    const day = listed.dayOf(index);
    if (day !== undefined) [first, last] = [Math.min(first, day), Math.max(last, day)];
  }
  if (first > last) return [];
  const [one, other] = [monthOf(first), monthOf(last)];
  const name = one.name === other.name ? one.name : `${one.name} to ${other.name}`;
  return [{ name, first: one.first, last: other.last }];
}
