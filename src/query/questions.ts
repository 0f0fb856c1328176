import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { tableFooter } from '../output/table/table-notes.ts';
import type { OpenWriter, Writer } from '../output/writer.ts';
import { countOf, type Notices } from '../run/notices.ts';
import type { SortColumn } from './question-syntax.ts';
import type { WhereFilter } from './where.ts';

/** Makes something else of records: totals, changes. */
export interface ResultMaker {
  /** The rows of the result, with everything that comes read to its end. */
  rows(records: AsyncIterable<RecordBatch>): AsyncIterable<RecordBatch>;
  /**
   * The columns to show, once the first row is there, for those that were asked for; undefined for all that the rows
   * have. Throws UsageError for one that the result does not have.
   */
  columns(asked: readonly string[] | undefined): readonly string[] | undefined;
  /** What is to be said of the whole, at its end. */
  announce(notices: Notices): void;
}

interface QuestionsOptions {
  /** Which records. */
  readonly filter: WhereFilter | undefined;
  /** What is made of them; nothing where they come out as they are. */
  readonly maker: ResultMaker | undefined;
  readonly sort: readonly SortColumn[] | undefined;
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
    return maker === undefined
      ? openWriter
      : openWriterWithFirstRow(openWriter, (asked) => maker.columns(asked));
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

type Records = AsyncIterable<RecordBatch>;

/** The records that the filter lets through. Warns of columns that none had, when no more are wanted or there are no more. */
async function* filterRecords(
  records: Records,
  filter: WhereFilter,
  notices: Notices,
): AsyncGenerator<RecordBatch> {
  try {
    for await (const batch of records) {
      const kept = filter.apply(batch);
      if (kept.count > 0) yield kept;
    }
  } finally {
    for (const complaint of filter.complaints())
      notices.warn(`--where: ${complaint} (${countOf(filter.seen, 'record')} read)`);
  }
}

/** All records in order; those that do not fit in memory wait in a temporary file. */
async function* sortRecords(
  records: Records,
  keys: readonly SortColumn[],
  notices: Notices,
): AsyncGenerator<RecordBatch> {
  const { RecordSorter } = await import('./sort.ts');
  const { Spool } = await import('../output/spool.ts');
  const spool = new Spool();
  const sorter = new RecordSorter(keys, spool);
  try {
    for await (const batch of records) await sorter.add(batch);
    for (const complaint of sorter.complaints()) notices.warn(`--sort: ${complaint}`);
    yield* sorter.sorted();
  } finally {
    await spool.close();
  }
}

interface RecordLimit {
  readonly most: number;
  /** Whether the rest is to be read all the same, for what is said of the whole. */
  readonly drain: boolean;
  /** Told when there are as many. */
  readonly onFull: () => void;
}

/** The first records; what they are made from is told to stop when no more are wanted. */
async function* limitRecords(
  records: Records,
  { most, drain, onFull }: RecordLimit,
): AsyncGenerator<RecordBatch> {
  let left = most;
  for await (const batch of records) {
    const part = sliceRecords(batch, 0, left);
    left -= part.count;
    if (left === 0) onFull();
    if (part.count > 0) yield part;
    if (left === 0 && !drain) return;
  }
}

type Columns = readonly string[] | undefined;

/** Opens the writer when the first rows come: only then it is known which columns there are to choose from. */
function openWriterWithFirstRow(openWriter: OpenWriter, columnsOf: (asked: Columns) => Columns): OpenWriter {
  return (sink, layout) => {
    let writer: Writer | undefined;
    const opened = (): Writer =>
      (writer ??= openWriter(sink, { ...layout, columns: columnsOf(layout.columns) }));
    return { write: (batch) => opened().write(batch), end: () => opened().end() };
  };
}
