import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { tableFooter } from '../output/terminal/number-text.ts';
import type { OpenWriter, Writer } from '../output/writer.ts';

export type Records = AsyncIterable<RecordBatch>;

/** What a question has to say about what it found: a warning may be a slip of the keys, a remark is for somebody at a terminal. */
export interface Note {
  readonly kind: 'warning' | 'remark';
  readonly text: string;
}

/** One question: records in, records or rows out, and notes about what it found. */
export interface Question {
  /** To be called once; what it returns is to be read once. Errors come while it is read. */
  readonly answer: (records: Records) => Records;
  /** Complete once the answer was read as far as anybody wanted it. */
  readonly notes: () => readonly Note[];
  /** Set where rows come out instead of the records. */
  readonly result?: ResultForm;
}

/** How the rows of a result are shown. */
interface ResultForm {
  /**
   * The columns, once the first row is there, for those that were asked for; undefined for all that the rows have.
   * Throws UsageError for one that the result does not have.
   */
  readonly columns: (asked: readonly string[] | undefined) => readonly string[] | undefined;
}

/** Where in the listing, from 1, the nth record is that a question was given: for messages. */
export type PlaceOf = (nth: number) => number;

/** A question that keeps some of the records, and knows how many. */
export interface FilterQuestion extends Question {
  /** Records read, and let through, so far. */
  readonly counts: () => { readonly seen: number; readonly kept: number };
  /** The place in the listing of the nth record let through, while its batch is the last one. */
  readonly placeOf: PlaceOf;
}

interface QuestionsOptions {
  /** Which records. */
  readonly filter?: FilterQuestion | undefined;
  /** What is made of them; nothing where they come out as they are. */
  readonly result?: Question | undefined;
  readonly sort?: Question | undefined;
  /** Rows that come out, at most. */
  readonly limit?: number | undefined;
  /** Whose separators group digits in notes. */
  readonly locale?: string | undefined;
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
    const { filter, result, sort, limit } = this.#options;
    return (filter ?? result ?? sort) === undefined ? limit : undefined;
  }

  /** Whether rows come out instead of the records. */
  get hasResult(): boolean {
    return this.#options.result !== undefined;
  }

  /** Records that were read and that the filter let through; undefined where all are let through. */
  get filtered(): { readonly seen: number; readonly kept: number } | undefined {
    return this.#options.filter?.counts();
  }

  /** The records, or the rows, that come out. To be read once. */
  answer(records: Records): Records {
    const { filter, result, sort, limit } = this.#options;
    const asked = [filter, result, sort].filter((question) => question !== undefined);
    const answer = asked.reduce((answer, question) => question.answer(answer), records);
    if (limit === undefined || this.limitOfListing !== undefined) return answer;
    const onFull = (): void => void (this.#isFull = true);
    // What is said of the whole result needs all of it.
    return limitRecords(answer, { max: limit, drain: result !== undefined, onFull });
  }

  /** The writer for what comes out. */
  writer(openWriter: OpenWriter): OpenWriter {
    const form = this.#options.result?.result;
    return form === undefined ? openWriter : writerOfResult(openWriter, form);
  }

  /** The columns of a result, once its first row was read; undefined where the records come out as they are. */
  resultColumns(): readonly string[] | undefined {
    return this.#options.result?.result?.columns(undefined);
  }

  /** What is to be said of the whole, once it is delivered: of so many records, in a table that may stop by itself. */
  notes(read: number, stopsByItself: boolean): Note[] {
    const { filter, result, sort, limit = 0, locale } = this.#options;
    const notes = [filter, result, sort].flatMap((question) => question?.notes() ?? []);
    if (!stopsByItself || !this.#isFull) return notes;
    // Only a sort has read everything.
    const known = sort && tableFooter({ shown: limit, total: filter?.counts().kept ?? read, locale });
    const footer = known ?? `the first ${limit} · --all for the rest`;
    return footer === '' ? notes : [...notes, { kind: 'remark', text: footer }];
  }
}

interface RecordLimit {
  readonly max: number;
  /** Whether the rest is to be read all the same, for what is said of the whole. */
  readonly drain: boolean;
  /** Told when there are as many. */
  readonly onFull: () => void;
}

/** The first records; what they are made from is told to stop when no more are wanted. */
async function* limitRecords(
  records: Records,
  { max, drain, onFull }: RecordLimit,
): AsyncGenerator<RecordBatch> {
  let left = max;
  for await (const batch of records) {
    const part = sliceRecords(batch, 0, left);
    left -= part.count;
    if (left === 0) onFull();
    if (part.count > 0) yield part;
    if (left === 0 && !drain) return;
  }
}

/** Opens the writer when the first rows come: only then it is known which columns there are to choose from. */
function writerOfResult(openWriter: OpenWriter, { columns }: ResultForm): OpenWriter {
  return (sink, layout) => {
    let writer: Writer | undefined;
    const opened = (): Writer =>
      (writer ??= openWriter(sink, { ...layout, columns: columns(layout.columns) }));
    return { write: (batch) => opened().write(batch), end: () => opened().end() };
  };
}
