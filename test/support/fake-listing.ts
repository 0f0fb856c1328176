import { PageRefused, type Delivery, type FetchPage, type Page, type Window } from '../../src/paging/page.ts';
import { batchOf, textsOf } from './records.ts';

/** `{"id":0}`, `{"id":1}` and so on. */
export function numberedRecords(count: number): string[] {
  return Array.from({ length: count }, (_, id) => `{"id":${id}}`);
}

interface FakeListing {
  readonly fetchPage: FetchPage;
  /** Every window asked for, in the order of asking: `offset+size`. */
  readonly asked: string[];
}

/** A listing over an array of records, which may change under the walk; `answer` may turn a page into something else. */
export function fakeListing(
  records: () => readonly string[],
  answer: (page: Page, window: Window) => Page | Promise<Page> = (page) => page,
): FakeListing {
  const asked: string[] = [];
  const fetchPage: FetchPage = async (window) => {
    asked.push(`${window.offset}+${window.size}`);
    const all = records();
    const page = {
      records: batchOf(...all.slice(window.offset, window.offset + window.size)),
      total: all.length,
    };
    return answer(page, window);
  };
  return { fetchPage, asked };
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
