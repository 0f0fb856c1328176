import { ServiceError } from '../errors.ts';
import type { IdentityReader } from '../json/identity.ts';
import { recordBytes, selectRecords, sliceRecords, type RecordBatch } from '../json/records.ts';
import { scanRecord } from '../json/scan-records.ts';
import { runCooperatively, type CooperativeTask } from '../json/cooperative-task.ts';
import { PageSizes, Place, type SizedWindow } from './page-sizes.ts';
import { PageRefused, type Delivery, type OnRefusal } from './page.ts';
import type { UniqueRecords } from './unique-records.ts';
import type { WalkStatus } from './walk-status.ts';

export interface CursorPage {
  readonly records: RecordBatch;
  /** What to send for the next page, exactly as it came; null on the last page. */
  readonly next: string | null;
}

interface CursorRequest {
  /** Names the page; undefined names the first page. */
  readonly cursor: string | undefined;
  /** Records, at most; undefined leaves it to the service. */
  readonly size: number | undefined;
  readonly signal: AbortSignal;
  readonly onRefusal: OnRefusal;
}

export interface CursorWalkOptions {
  /** Reads a page. Rejects with PageRefused where a smaller page may succeed; any other error ends the walk. */
  readonly fetchPage: (request: CursorRequest) => Promise<CursorPage>;
  /** Records a page, at most. */
  readonly size: number;
  /** The cursor to begin at; undefined for the first page. */
  readonly from?: string | undefined;
  /** Records to deliver, at most. */
  readonly limit?: number | undefined;
  readonly status: WalkStatus;
  readonly signal: AbortSignal;
  /** Tells the listing's records apart. */
  readonly unique: UniqueRecords;
}

/** Empty pages in a row, each with a cursor, after which the listing counts as one that never ends. */
const EMPTY_WITH_CURSOR = 20;

/**
 * Walks a listing of cursor pages, the next one on its way while one is read. An empty page with a cursor is not the end.
 *
 * A page that begins with records that came before shows that the listing moved: those records are left out. A record that comes
 * again anywhere else, word for word, is held back until the listing was read once more. Where the second pass, in pages of
 * another size, brings the same records in the same order, the record exists twice and is delivered. Otherwise the order is not
 * stable, and the status names what may be missing.
 *
 * Where the service repeats a cursor, or sends pages with nothing new, the walk ends as incomplete. Throws ServiceError where
 * that happens before any record came.
 */
export function walkCursors(options: CursorWalkOptions): AsyncGenerator<Delivery> {
  return new CursorWalk(options).walk();
}

class CursorWalk {
  readonly #options: CursorWalkOptions;
  readonly #limit: number;
  readonly #unique: UniqueRecords;
  readonly #pages: CursorPages;
  readonly #identity: IdentityReader;
  /** Records of this pass that came word for word like one before them, each as a batch of its own. */
  #heldBack: RecordBatch[] = [];
  /** Whether a page of this pass began with a record that came before, or one equal to it: the listing may have moved. */
  #isShifted = false;
  #isRepeating = false;
  /** Whether this pass reads everything once more, so that a record may have come before in another form. */
  #isReread = false;
  /** Contents of records that were held back because another had their key. */
  readonly #sameKey = new Set<string>();
  /** Records read in this pass. */
  #read = 0;

  constructor(options: CursorWalkOptions) {
    this.#options = options;
    this.#limit = options.limit ?? Infinity;
    this.#unique = options.unique;
    this.#identity = this.#unique.newReader();
    this.#pages = new CursorPages(options);
  }

  async *walk(): AsyncGenerator<Delivery> {
    yield* this.#pass();
    const mayBeIncomplete = this.#heldBack.length > 0 || this.#isShifted;
    if (mayBeIncomplete && !this.#isRepeating && !this.#isEnough) yield* this.#readAgain();
  }

  /**
   * Reads everything once more, and delivers the records that are new. A pass in which no record comes twice has everything.
   * Where two passes bring the same records in the same order, a record that comes twice exists twice, and the second one is
   * delivered, too. Each pass has pages of another size: in pages of one size, two records that change places at the end of a
   * page with each pass would look like one that exists twice. Where the service fixes the size, that cannot be told apart.
   */
  async *#readAgain(): AsyncGenerator<Delivery> {
    const { status } = this.#options;
    let before = this.#isShifted ? undefined : this.#passed;
    const rounds = before === undefined ? 2 : 1;
    this.#isReread = true;
    for (let round = 0; round < rounds; round++) {
      const heldBefore = this.#heldBack;
      status.reread();
      this.#pages.endElsewhere();
      yield* this.#pass(before?.read);
      if (this.#isRepeating) return;
      if (this.#isEnough) return status.setIncomplete(0, undefined);
      const { read, sequence } = this.#passed;
      if (this.#heldBack.length === 0 && !this.#holdsTwoForms) return status.setIncomplete(0, undefined);
      const isSame = before !== undefined && read === before.read && sequence === before.sequence;
      if (isSame && !(this.#isShifted && this.#pages.isFixed)) {
        status.takeBackRepeats(this.#heldBack.length);
        for (const records of heldBefore) yield* this.#deliver(records);
        return status.setIncomplete(this.#holdsTwoForms ? 1 : 0, 'unsteady');
      }
      status.setIncomplete(Math.max(1, this.#heldBack.length), 'unsteady');
      before = this.#passed;
    }
  }

  /** Reads everything, or `most` records, and delivers those that are new. */
  async *#pass(most = Infinity): AsyncGenerator<Delivery> {
    const { status, signal, from } = this.#options;
    const isEnough = ({ records: { count } }: CursorPage): boolean =>
      status.records + count >= this.#limit || this.#read + count >= most;
    let empty = 0;
    this.#unique.beginPass('page');
    this.#heldBack = [];
    this.#isShifted = false;
    this.#read = 0;
    for await (const { records, next } of this.#pages.from(from, isEnough)) {
      const wanted = sliceRecords(records, 0, most - this.#read);
      const fresh = await runCooperatively(this.#take(wanted), signal);
      const isWhole = this.#heldBack.length === 0 && status.records + fresh.count <= this.#limit;
      status.isAtEnd = next === null && isWhole;
      yield* this.#deliver(fresh);
      if (this.#isEnough || this.#read >= most) return;
      empty = records.count === 0 ? empty + 1 : 0;
      if (empty > 0) this.#unique.countNewsAgain();
      const isEndless = this.#pages.isCircular || empty >= EMPTY_WITH_CURSOR;
      if (isEndless || this.#unique.isRepeating()) return this.#endRepeating();
    }
  }

  /** True when more was delivered than there is now, and no key shows whether some of it is one record that changed. */
  get #holdsTwoForms(): boolean {
    const { allHaveKeys, keysRepeat } = this.#unique;
    return (!allHaveKeys || keysRepeat) && this.#options.status.records > this.#read;
  }

  /** What the pass read: how many records, and their contents in order. */
  get #passed() {
    return { read: this.#read, sequence: this.#unique.sequence };
  }

  /** The records of a page that are to be delivered. Holds back those that came before. */
  *#take(records: RecordBatch): CooperativeTask<RecordBatch> {
    const { status } = this.#options;
    status.page();
    this.#read += records.count;
    const found = yield* this.#unique.deduplicate(records, { moved: this.#isReread, holdsSameKey: true });
    const { fresh, repeated, sameKey } = found;
    status.repeat(repeated.count + sameKey.count);
    this.#isShifted ||= this.#unique.allHaveKeys && found.repeatedAtFront > 0;
    this.#heldBack.push(...copiesOf(repeated));
    for (let index = 0; index < sameKey.count; index++) this.#sameKey.add(this.#contentOf(sameKey, index));
    this.#heldBack.push(...copiesOf(this.#isReread ? this.#neverDelivered(records) : sameKey));
    return fresh;
  }

  /** The records of a page that were held back for their key in this or an earlier pass. */
  #neverDelivered(records: RecordBatch): RecordBatch {
    const indices = this.#sameKey.size === 0 ? [] : [...Array(records.count).keys()];
    const isHeld = (index: number): boolean => this.#sameKey.has(this.#contentOf(records, index));
    return selectRecords(records, indices.filter(isHeld));
  }

  #contentOf(records: RecordBatch, index: number): string {
    return this.#identity.read(records, index).content();
  }

  *#deliver(records: RecordBatch): Generator<Delivery> {
    const { status } = this.#options;
    const wanted = sliceRecords(records, 0, this.#limit - status.records);
    status.records += wanted.count;
    if (wanted.count > 0) yield { records: wanted };
  }

  get #isEnough(): boolean {
    return this.#options.status.records >= this.#limit;
  }

  #endRepeating(): void {
    const { status } = this.#options;
    this.#isRepeating = true;
    if (status.records > 0) return status.setIncomplete(1, 'repeating');
    throw new ServiceError(
      'the service goes on with cursors that bring nothing new: the listing would never end',
      { hint: 'This is a fault of the service. There was nothing to deliver, so try again later.' },
    );
  }
}

/** Reads pages one after the other, each on its way while the one before it is used. Shrinks what the service refuses. */
class CursorPages {
  /** True when the service sent a cursor that it had sent before: there are no pages behind it. */
  isCircular = false;
  readonly #options: CursorWalkOptions;
  readonly #sizes: PageSizes;
  /** False once the service was seen to refuse requests that name a size. */
  #isSized = true;
  /** True once a page had more records than were requested. */
  #isLarger = false;
  /** How many records smaller pages are than they could be. */
  #less = 0;

  constructor(options: CursorWalkOptions) {
    this.#options = options;
    this.#sizes = new PageSizes(options.size);
  }

  /** Whether the service was seen to fix the size of pages. */
  get isFixed(): boolean {
    return this.#isLarger || !this.#isSized;
  }

  /** Makes the next pages a record smaller than those so far. */
  endElsewhere(): void {
    this.#less++;
  }

  /** The pages from a cursor on, to the end or until one is enough. */
  async *from(
    cursor: string | undefined,
    isEnough: (page: CursorPage) => boolean,
  ): AsyncGenerator<CursorPage> {
    this.isCircular = false;
    const seen = new Set<string>(cursor === undefined ? [] : [cursor]);
    const controller = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, controller.signal]);
    const fetch = (next: string | undefined): Promise<CursorPage> => {
      const page = this.#fetch(next, signal);
      // A failure is thrown where the page is awaited. Where the reader left before that, it must not end the process.
      page.catch(() => {});
      return page;
    };
    let coming: Promise<CursorPage> | undefined = fetch(cursor);
    try {
      while (coming !== undefined) {
        const page: CursorPage = await coming;
        this.isCircular = page.next !== null && seen.has(page.next);
        const next = this.isCircular ? null : page.next;
        if (next !== null) seen.add(next);
        coming = next === null || isEnough(page) ? undefined : fetch(next);
        yield page;
        // The page seemed to be enough, but some of its records had come before.
        if (coming === undefined && next !== null) coming = fetch(next);
      }
    } finally {
      controller.abort(new Error('the reader left'));
    }
  }

  /** Fetches a page, in whatever size the service serves it, or without a size where it takes none. */
  async #fetch(cursor: string | undefined, signal: AbortSignal): Promise<CursorPage> {
    const place = new Place(this.#sizes, this.#options.status);
    for (;;) {
      const largest = this.#sizes.beginPage(0, place.moveTo(0));
      const window = { ...largest, size: Math.max(1, largest.size - this.#less) };
      const onRefusal = place.onRefusal(window.size, !this.#isSized);
      const size = this.#isSized ? window.size : undefined;
      try {
        const page = await this.#options.fetchPage({ cursor, size, signal, onRefusal });
        const { count, bytes } = page.records;
        this.#isLarger ||= count > window.size;
        if (this.#isSized) place.came(window, { count, bytes: bytes.length });
        return page;
      } catch (error) {
        if (!(error instanceof PageRefused)) throw error;
        if (error.reason === 'size' && this.#isSized) return this.#fetchUnsized(cursor, window, signal);
        place.refuse(window, error, { onRefusal });
      }
    }
  }

  /** Fetches a page without a size, since the service refused one. Its count shows whether smaller sizes are worth a trial. */
  async #fetchUnsized(
    cursor: string | undefined,
    window: SizedWindow,
    signal: AbortSignal,
  ): Promise<CursorPage> {
    const page = await this.#options.fetchPage({ cursor, size: undefined, signal, onRefusal: 'retry' });
    const { count, bytes } = page.records;
    this.#isSized = window.size > count;
    const size = Math.max(1, count);
    this.#sizes.serve({ offset: 0, size, nominal: size }, { count, bytes: bytes.length }, false);
    this.#sizes.refuse(window, 'size');
    return page;
  }
}

/** Each record as a batch with bytes of its own: otherwise one record would keep the bytes of a page in memory. */
function copiesOf(records: RecordBatch): RecordBatch[] {
  return Array.from({ length: records.count }, (_, index) =>
    scanRecord(Buffer.from(recordBytes(records, index))),
  );
}
