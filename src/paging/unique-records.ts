import { HashReader, type IdentityReader, type KeyColumns, type Sequence } from '../json/identity.ts';
import { selectRecords, type RecordBatch } from '../json/records.ts';
import type { Steps } from '../json/turns.ts';

/** The records of a page, by what became of them. Each list is in the order of the page. */
interface Deduplicated {
  /** Not given before. */
  readonly fresh: RecordBatch;
  /** How many were given before, word for word but for their links. */
  readonly again: number;
  /** How many have a key that was given with another content: the same records, changed. */
  readonly changed: number;
  /** The same where a key may stand for several records: they are given, so that none is missing. */
  readonly unsure: number;
  /** Not seen before, but with a key that came before in this pass, on another page. Only where `holdsSameKey` asks for it. */
  readonly sameKey: RecordBatch;
  /** Came before in this pass, word for word, on another page. */
  readonly repeated: RecordBatch;
}

/** Pages in a row with nothing new after which the service counts as repeating itself. */
const NOTHING_NEW = 3;
/** The same where records have no key, so that different ones may well be equal. */
const NOTHING_NEW_WITHOUT_KEYS = 12;

/** Records of a page that are looked at in one step. */
const STEP = 256;

/** The same while a page is deduplicated: lists of the places of records in the page. */
interface Result {
  readonly fresh: number[];
  readonly repeated: number[];
  readonly sameKey: number[];
  again: number;
  changed: number;
  unsure: number;
}

interface Deduplication {
  readonly result: Result;
  readonly moved: boolean;
  readonly holdsSameKey: boolean;
}

/** Where equal records without a key count as different ones: within one page, or in all of a pass that reads nothing twice. */
type Counting = 'page' | 'pass';

/** Makes a reader of the identity of a listing's records. */
export type NewReader = () => IdentityReader;

/**
 * Lets each record through once. Two records count as the same one when their contents are equal or, where the listing was
 * seen to move, when their keys are.
 *
 * Where the listing does not move, equal keys with different contents are different records. Records of one page are always
 * different records. The k-th of equal records is the k-th in every reading.
 */
export class UniqueRecords {
  /** Records given. */
  size = 0;
  /** True when a key was seen that stands for several records. */
  keysRepeat = false;
  /** Whether the last record had a key. */
  hasKeys = false;
  /** Records of the present pass that differ from each other, or stand in one page. */
  inPass = 0;
  /** The other records of the pass: they came before in it, word for word, on another page. */
  repeatedInPass = 0;
  readonly newReader: NewReader;
  readonly #identity: IdentityReader;
  readonly #contents = new HashSet();
  readonly #keys = new HashSet();
  readonly #inPage = new HashSet();
  readonly #keysInPage = new HashSet();
  /** What came in this pass, where all is read again. */
  #pass: HashSet | undefined;
  #passKeys = new HashSet();
  #occurrences: HashSet | undefined;
  /** What an earlier walk gave: an equal record that comes now is another one. */
  #restored = new HashSet();
  #sequence: Sequence = 0;

  constructor(newReader: NewReader = () => new HashReader()) {
    this.newReader = newReader;
    this.#identity = newReader();
  }

  /** Whether so many pages in a row with nothing new show that the service repeats itself. */
  isRepeatedBy(pages: number): boolean {
    return pages >= (this.hasKeys ? NOTHING_NEW : NOTHING_NEW_WITHOUT_KEYS);
  }

  /** @param columns the columns that tell records apart in place of `id`, and how exactly */
  static async of(columns: KeyColumns): Promise<UniqueRecords> {
    if (columns.exact !== true) return new UniqueRecords(() => new HashReader(columns));
    const { DigestReader } = await import('../json/digest-identity.ts');
    return new UniqueRecords(() => new DigestReader(columns));
  }

  /** The contents of this pass in their order: equal for two passes that read the same. */
  get sequence(): Sequence {
    return this.#sequence;
  }

  /** Begins to read everything again. Records without a key are counted over all pages, or within each. */
  beginPass(counting: Counting): void {
    this.inPass = 0;
    this.repeatedInPass = 0;
    this.#sequence = 0;
    this.#pass = new HashSet();
    this.#passKeys = new HashSet();
    this.#restored = new HashSet();
    this.count(counting);
  }

  /** Begins to read parts of the listing again. */
  beginPart(): void {
    this.#pass = undefined;
    this.count('page');
  }

  /** Sets how equal records without a key are counted from here on. */
  count(counting: Counting): void {
    if (counting === 'pass') this.#pass ??= new HashSet();
    this.#occurrences = counting === 'pass' ? this.#restored : undefined;
    this.#restored = new HashSet();
  }

  /** Notes what an earlier walk gave, batch by batch in its order, so that this walk goes on after it. */
  restore(batch: RecordBatch): void {
    for (let index = 0; index < batch.count; index++) {
      const { words } = this.#identity.read(batch, index);
      this.#contents.add(words[2]!, occurrenceIn(this.#restored, words));
      this.#noteKey();
      this.size++;
      this.inPass++;
    }
  }

  /**
   * Sorts the records of one page by whether they were given before.
   *
   * @param moved whether the listing was seen to move, so that a record may have come before in another form
   * @param holdsSameKey whether to hold back a record with a key that came before with another content
   */
  *deduplicate(batch: RecordBatch, moved: boolean, holdsSameKey = false): Steps<Deduplicated> {
    const result: Result = { fresh: [], again: 0, changed: 0, unsure: 0, sameKey: [], repeated: [] };
    this.#inPage.clear();
    this.#keysInPage.clear();
    for (let from = 0; from < batch.count; from += STEP) {
      if (from > 0) yield;
      this.#deduplicateSome(batch, from, { result, moved, holdsSameKey });
    }
    const { fresh, repeated, sameKey, ...counts } = result;
    this.size += fresh.length;
    this.repeatedInPass += repeated.length;
    return {
      fresh: fresh.length === batch.count ? batch : selectRecords(batch, fresh),
      ...counts,
      repeated: selectRecords(batch, repeated),
      sameKey: selectRecords(batch, sameKey),
    };
  }

  #deduplicateSome(batch: RecordBatch, from: number, { result, moved, holdsSameKey }: Deduplication): void {
    const to = Math.min(from + STEP, batch.count);
    for (let index = from; index < to; index++) {
      const identity = this.#identity.read(batch, index);
      const { words, hasKey } = identity;
      const high = words[2]!;
      const inPage = occurrenceIn(this.#inPage, words);
      const low = hasKey || this.#occurrences === undefined ? inPage : occurrenceIn(this.#occurrences, words);
      this.#sequence = identity.extend(this.#sequence);
      this.hasKeys = hasKey;
      const isTwiceInPage = hasKey && !this.#keysInPage.add(words[0]!, words[1]!);
      const isKnownKey = hasKey && !this.#noteKey();
      if (isTwiceInPage) this.keysRepeat = true;
      const isNewKey = !holdsSameKey || !hasKey || this.#passKeys.add(words[0]!, words[1]!);
      const hasSameKey = holdsSameKey && !isNewKey && !isTwiceInPage;
      const isKnown = !this.#contents.add(high, low);
      const isRepeated = this.#pass === undefined ? isKnown : !this.#pass.add(high, inPage);
      if (isRepeated) result.repeated.push(index);
      else if (hasSameKey) {
        if (!isKnown) result.sameKey.push(index);
      } else this.inPass++;
      if (isKnown) result.again++;
      else if (isKnownKey && moved && !this.keysRepeat) result.changed++;
      else {
        if (isKnownKey && moved && !isTwiceInPage) result.unsure++;
        if (isKnownKey) this.keysRepeat = true;
        if (!hasSameKey) result.fresh.push(index);
      }
    }
  }

  /** Notes the key of the record. Returns false where the key came before. */
  #noteKey(): boolean {
    const { words } = this.#identity;
    return this.#keys.add(words[0]!, words[1]!);
  }
}

/**
 * Adds a record to those counted. Returns the last word of its content, combined with its number among equal records, so
 * that each of them has another word. Bisection finds the first number that is free: a listing may have 100,000 equal
 * records.
 */
function occurrenceIn(counted: HashSet, words: Readonly<Uint32Array>): number {
  const [high, low] = [words[2]!, words[3]!];
  if (counted.add(high, low)) return low;
  let [taken, free] = [0, 1];
  while (counted.has(high, nth(low, free))) [taken, free] = [free, 2 * free];
  while (free - taken > 1) {
    const middle = (taken + free) >>> 1;
    if (counted.has(high, nth(low, middle))) taken = middle;
    else free = middle;
  }
  counted.add(high, nth(low, free));
  return nth(low, free);
}

/** Another word for each number, far from the others, so that they do not cluster in a table. */
function nth(low: number, number: number): number {
  return low ^ Math.imul(number, 0x9e3779b1);
}

const FIRST_CAPACITY = 1024;

/**
 * Hashes of 64 bits, for listings of a million: 8 bytes a slot in a table that is at least a third full (16 MB for
 * 1,000,000 of them, where a Set of strings takes 100).
 */
export class HashSet {
  #count = 0;
  #mask = FIRST_CAPACITY - 1;
  /** Open addressing, two words a slot; a slot is free when both are 0. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);

  get size(): number {
    return this.#count;
  }

  has(high: number, low: number): boolean {
    return this.#isTaken(this.#find(high, low >>> 0));
  }

  /** Returns whether it is new. `high` is not 0. */
  add(high: number, low: number): boolean {
    const place = this.#find(high, low >>> 0);
    if (this.#isTaken(place)) return false;
    this.#slots[place] = high;
    this.#slots[place + 1] = low;
    this.#count++;
    if (this.#count * 3 > (this.#mask + 1) * 2) this.#grow();
    return true;
  }

  clear(): void {
    if (this.#count > 0) this.#slots.fill(0);
    this.#count = 0;
  }

  #isTaken(place: number): boolean {
    return this.#slots[place] !== 0 || this.#slots[place + 1] !== 0;
  }

  /** Where in the table this hash is, or else the free slot where it belongs. */
  #find(high: number, low: number): number {
    const slots = this.#slots;
    let place = 2 * ((high ^ low) & this.#mask);
    while (this.#isTaken(place) && (slots[place] !== high || slots[place + 1] !== low)) {
      place = (place + 2) & (2 * this.#mask + 1);
    }
    return place;
  }

  #grow(): void {
    const old = this.#slots;
    this.#mask = 2 * this.#mask + 1;
    this.#slots = new Uint32Array(2 * old.length);
    for (let from = 0; from < old.length; from += 2) {
      const high = old[from]!;
      const low = old[from + 1]!;
      if (high === 0 && low === 0) continue;
      const place = this.#find(high, low);
      this.#slots[place] = high;
      this.#slots[place + 1] = low;
    }
  }
}
