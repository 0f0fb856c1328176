import type { SortKey } from '../../analysis/sort-key.ts';
import type { WhereFilter } from '../../analysis/where-filter.ts';
import type { RecordBatch } from '../../json/record-batch.ts';
import { tableFooter } from '../../output/table/table-notes.ts';
import type { OpenWriter } from '../../output/writer.ts';
import type { Notices } from '../notices.ts';
import { filterRecords, limitRecords, sortRecords } from './answer-steps.ts';
import { openLate } from './late-writer.ts';
import type { ResultMaker } from './result-maker.ts';

export interface QuestionsOptions {
  /** Which records. */
  readonly filter: WhereFilter | undefined;
  /** What is made of them; nothing where they come out as they are. */
  readonly maker: ResultMaker | undefined;
  readonly sort: readonly SortKey[] | undefined;
  /** Rows that come out, at most. */
  readonly limit: number | undefined;
  readonly notices: Notices;
  readonly locale: string | undefined;
}

/** What is asked of the records on their way to the writer: which, what of them, in which order, how many; in turn. */
export class Questions {
  readonly #options: QuestionsOptions;
  #isFull = false;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** The most records that the listing itself has to give; undefined where more may be needed than come out. */
  get limitOfListing(): number | undefined {
    const { filter, maker, sort, limit } = this.#options;
    return filter === undefined && maker === undefined && sort === undefined ? limit : undefined;
  }

  /** The records, or the rows, that come out. To be read once. */
  answer(records: AsyncIterable<RecordBatch>): AsyncIterable<RecordBatch> {
    const { filter, maker, sort, limit, notices } = this.#options;
    let answer = records;
    if (filter !== undefined) answer = filterRecords(answer, filter, notices);
    if (maker !== undefined) answer = maker.rows(answer);
    if (sort !== undefined) answer = sortRecords(answer, sort, notices);
    if (limit === undefined || this.limitOfListing !== undefined) return answer;
    const onFull = (): void => void (this.#isFull = true);
    return limitRecords(answer, { most: limit, drain: maker !== undefined, onFull });
  }

  /** The writer for what comes out. */
  writer(openWriter: OpenWriter): OpenWriter {
    const { maker } = this.#options;
    return maker === undefined ? openWriter : openLate(openWriter, (asked) => maker.columns(asked));
  }

  /** Says what is to be said of the whole, once it is delivered: of so many records, in a table that may stop by itself. */
  announce(read: number, stopsByItself: boolean): void {
    const { maker, filter, sort, limit = 0, notices, locale } = this.#options;
    maker?.announce(notices);
    if (!stopsByItself || !this.#isFull) return;
    // Only who sorts has read everything.
    const known = sort && tableFooter({ shown: limit, total: filter?.kept ?? read, locale });
    const footer = known ?? `the first ${limit} · --all for the rest`;
    if (footer !== '') notices.remark(footer);
  }
}
