import { PageRefused, type Delivery, type FetchPage, type Page, type Window } from '../../src/paging/page.ts';
import { batchOf, textsOf } from './records.ts';

/** `{"id":0}`, `{"id":1}` and so on. */
export function numberedRecords(count: number): string[] {
  return Array.from({ length: count }, (_, id) => `{"id":${id}}`);
}

/** A listing over records that may change under the walk; `answer` may change a page. `windows` are those asked for. */
export function fakeListing(
  records: () => readonly string[],
  answer: (page: Page, window: Window) => Page | Promise<Page> = (page) => page,
) {
  const windows: string[] = [];
  const fetchPage: FetchPage = async (window) => {
    windows.push(`${window.offset}+${window.size}`);
    const all = records();
    const page = {
      records: batchOf(...all.slice(window.offset, window.offset + window.size)),
      total: all.length,
    };
    return answer(page, window);
  };
  return { fetchPage, windows };
}

export function refuse(reason: 'large' | 'slow'): never {
  throw new PageRefused(reason, new Error('502'));
}

/** Everything that a walk gives. */
export async function gather(walk: AsyncIterable<Delivery>): Promise<string[]> {
  const texts: string[] = [];
  for await (const { records } of walk) texts.push(...textsOf(records));
  return texts;
}

/** How often each record was there: at least, within what was asked for, and at most. */
export class ExistingRecords {
  readonly #range: { readonly from: number; readonly until: number };
  #least: ReadonlyMap<string, number>;
  readonly #most = new Map<string, number>();

  constructor(records: readonly string[], range = { from: 0, until: Infinity }) {
    this.#range = range;
    this.#least = countsOf(records.slice(range.from, range.until));
    this.note(records);
  }

  note(records: readonly string[]): void {
    const now = countsOf(records.slice(this.#range.from, this.#range.until));
    this.#least = new Map(
      [...this.#least].map(([text, count]) => [text, Math.min(count, now.get(text) ?? 0)]),
    );
    for (const [text, count] of countsOf(records))
      this.#most.set(text, Math.max(count, this.#most.get(text) ?? 0));
  }

  /** How many records that were there throughout were not given, and how many were given more often than they ever were there. */
  compare(texts: readonly string[]): { readonly lost: number; readonly twice: number } {
    const given = countsOf(texts);
    const sum = (counts: readonly number[]): number =>
      counts.reduce((all, count) => all + Math.max(0, count), 0);
    return {
      lost: sum([...this.#least].map(([text, count]) => count - (given.get(text) ?? 0))),
      twice: sum([...given].map(([text, count]) => count - (this.#most.get(text) ?? Infinity))),
    };
  }
}

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
