import type { Finding } from '../findings.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { shownInOrder, type ShownColumns } from '../output/column-looks.ts';
import type { DeclaredType, Meanings } from '../invoices/fields.ts';
import type { OpenWriter, Writer } from '../output/writer.ts';

/** A stream of records, in order. */
export type Records = AsyncIterable<RecordBatch>;

/** One question: takes records, yields records or rows, and has findings. */
export interface Question {
  /** Sees the records before a filter, to find their columns. */
  readonly sample?: (records: RecordBatch) => void;
  /** The answer, to be read once. Errors are thrown while it is read. */
  readonly answer: (records: Records) => Records;
  /** Called when the limit is reached before the records end. Throws UsageError as the answer does at its end. */
  readonly refuse?: () => void;
  /** The findings, once the answer was read as far as needed. */
  readonly findings: () => readonly Finding[];
  /** Set if the answer is rows instead of records. */
  readonly result?: ResultForm;
  /** Set with a result: how its rows are sorted. */
  readonly sorting?: Sorting;
}

export interface Sorting {
  /** The name of a row, if rows are not records. */
  readonly what?: string | undefined;
  readonly meanings?: Meanings | undefined;
  /** The currency of the nth row of the answer, from 0, if the rows may lack it. */
  readonly currencyOf?: ((nth: number) => string | undefined) | undefined;
}

export interface ResultForm {
  /** The columns, from the first row on; undefined for all. Throws UsageError for one of --columns that is missing. */
  readonly columns: (chosen: readonly string[] | undefined) => readonly string[] | undefined;
  /** How a table shows the columns, if their names do not tell: see `shownInOrder`. Read after the first row. */
  readonly shown?: ShownColumns;
  /** The types of the columns; text if undefined. */
  readonly typeOf?: (column: string) => DeclaredType | undefined;
}

/** A question that lets some of the records through, and counts them. */
export interface FilterQuestion extends Question {
  readonly counts: () => { readonly seen: number; readonly kept: number };
}

/** A question that makes several rows of a record, and counts them. */
export interface ExpandQuestion extends Question {
  readonly rows: () => number;
}

interface QuestionsOptions {
  readonly before?: FilterQuestion | undefined;
  /** Makes rows from records; the questions after it are about rows. */
  readonly expand?: ExpandQuestion | undefined;
  readonly filter?: FilterQuestion | undefined;
  /** Makes the result; undefined if the records are written as they are. */
  readonly result?: Question | undefined;
  readonly sort?: Question | undefined;
  /** The most rows of the answer. */
  readonly limit?: number | undefined;
}

/** The questions between a source and a writer, in this order: which records, what is made of them, their order, how many. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #inOrder: readonly Question[];
  /** The most records to read from the listing; undefined if more may be needed than are written. */
  readonly limitOfListing: number | undefined;
  /** Whether all records that are read are written as they are. */
  readonly #isListing: boolean;
  readonly hasResult: boolean;
  /** Whether rows are written instead of records. */
  readonly hasRows: boolean;
  /** Whether reading stopped at the limit: then it is unknown how many more there are. */
  isFull = false;

  constructor(options: QuestionsOptions) {
    const { before, expand, filter, result, sort, limit } = options;
    this.#options = options;
    this.#inOrder = [before, expand, filter, result, sort].filter((question) => question !== undefined);
    this.#isListing = this.#inOrder.length === 0;
    // Each record is at least one row.
    const isOfExpand = expand !== undefined && this.#inOrder.length === 1;
    this.limitOfListing = this.#isListing || isOfExpand ? limit : undefined;
    this.hasResult = result !== undefined;
    this.hasRows = this.hasResult || expand !== undefined;
  }

  /** Whether the answer ended at the limit, once so many records were read, of so many. */
  stoppedEarly(read: number, total = Infinity): boolean {
    const { limit = Infinity } = this.#options;
    return this.isFull || (this.#isListing && read >= limit && read < total);
  }

  /** How many records were read and let through; undefined without a filter. */
  get filtered(): { readonly seen: number; readonly kept: number } | undefined {
    return this.#options.filter?.counts();
  }

  /** The records or rows of the answer. To be read once. */
  answer(records: Records): Records {
    const { before, filter, result, sort, limit = Infinity } = this.#options;
    const sample = (before ?? filter) && (result ?? sort)?.sample;
    const all = sample === undefined ? records : sampled(records, sample);
    const answer = this.#inOrder.reduce((answer, question) => question.answer(answer), all);
    return limit === Infinity || this.#isListing ? answer : this.#first(answer, limit);
  }

  /** The first rows. Stops reading when it has enough, except for a result, whose findings are about all records. */
  async *#first(records: Records, limit: number): AsyncGenerator<RecordBatch> {
    let left = limit;
    for await (const batch of records) {
      const part = sliceRecords(batch, 0, left);
      left -= part.count;
      if (left === 0) {
        this.isFull = true;
        for (const question of this.#inOrder) question.refuse?.();
      }
      yield part;
      if (left === 0 && !this.hasResult) return;
    }
  }

  writer(openWriter: OpenWriter): OpenWriter {
    const form = this.#options.result?.result;
    return form === undefined ? openWriter : writerOfResult(openWriter, form);
  }

  /** The columns of a result, once its first row was read; undefined where the records come out as they are. */
  resultColumns(): readonly string[] | undefined {
    return this.#options.result?.result?.columns(undefined);
  }

  /** The number of all rows, from so many records; undefined if not all were read: only a sort reads them all. */
  total(read: number): number | undefined {
    const { before, expand, filter, sort } = this.#options;
    return sort && (filter?.counts().kept ?? expand?.rows() ?? before?.counts().kept ?? read);
  }

  findings(): readonly Finding[] {
    return this.#inOrder.flatMap((question) => question.findings());
  }
}

async function* sampled(records: Records, sample: (batch: RecordBatch) => void): AsyncGenerator<RecordBatch> {
  for await (const batch of records) {
    sample(batch);
    yield batch;
  }
}

/** Opens the writer when the first rows come: the columns to choose from are not known before. */
export function writerOfResult(openWriter: OpenWriter, form: ResultForm): OpenWriter {
  return (sink, layout) => {
    let writer: Writer | undefined;
    const open = (): Writer => {
      const { columns, shown, typeOf } = form;
      const named = columns(layout.columns);
      const known = named && shownInOrder(named, shown, layout.known);
      const types = typeOf ?? layout.declared?.typeOf;
      const declared = types && { names: named ?? [], typeOf: types };
      return openWriter(sink, { ...layout, columns: named, known, declared });
    };
    const opened = (): Writer => (writer ??= open());
    return {
      write: (batch) => opened().write(batch),
      end: () => opened().end(),
    };
  };
}
