import { IdentityReader, type KeyColumns } from '../json/identity.ts';
import { selectRecords, type RecordBatch } from '../json/records.ts';
import type { CooperativeTask } from '../json/cooperative-task.ts';

/** The records of a page, by whether they came before. Each batch is in the order of the page. */
interface Deduplicated {
  /** Not delivered before. */
  readonly fresh: RecordBatch;
  /** How many were delivered before, word for word but for their links. */
  readonly duplicates: number;
  /** How many have a key that was delivered with another content: the same records, changed. */
  readonly changed: number;
  /** Not delivered in this form, but with a key that came before in this pass, on another page. Only with `holdsSameKey`. */
  readonly sameKey: RecordBatch;
  /** Came before in this pass, word for word, on another page. */
  readonly repeated: RecordBatch;
  /** How many of these are the first records of the page, one behind the other. */
  readonly repeatedAtFront: number;
}

/** Pages in a row with nothing new after which the service counts as repeating itself. */
const NOTHING_NEW = 3;
/** The same where records have no key, so that different ones may well be equal. */
const NOTHING_NEW_WITHOUT_KEYS = 12;

/** A prime whose multiples are spread evenly over 32 bits: it is close to 2^32 divided by the golden ratio. */
const SCATTER = 0x9e3779b1;

/** The event loop may run after so many records of a page. */
const STEP = 256;

/** Where equal records without a key count as different ones: within one page, or in a whole pass that reads nothing twice. */
type Scope = 'page' | 'pass';

interface DeduplicateOptions {
  /** Whether the listing was seen to move, so that a record may have come before in another form. */
  readonly moved: boolean;
  /** Whether to hold back a record with a key that came before with another content. */
  readonly holdsSameKey?: boolean;
}

/** What a record is, beside all that were delivered: a new one; equal to one of them; or one of them, changed. */
type Delivered = 'fresh' | 'duplicate' | 'changed';
/** What a record is, beside those of its pass on other pages: the first of its kind; equal to one; or another with its key. */
type InPass = 'first' | 'repeated' | 'sameKey';

/** How a record differs from the others of its page. */
interface PlaceInPage {
  /** How many records in front of it are equal. */
  readonly equal: number;
  /** Whether a record in front of it has its key. */
  readonly sharesKey: boolean;
}

export type NewReader = () => IdentityReader;

/**
 * Tells which records of a page were delivered before. Two records count as the same one when their contents are equal or, where
 * the listing was seen to move, when their keys are.
 *
 * Where the listing does not move, equal keys with different contents are different records. Records of one page are always
 * different records, so equal ones are counted: the second of them in one pass is the second in any other.
 */
export class UniqueRecords {
  /** Records delivered, and those found new after the limit was reached. */
  size = 0;
  /** True when a key was seen that stands for several records. */
  keysRepeat = false;
  /** Whether every record so far has a key. */
  allHaveKeys = true;
  /** Records of the present pass that differ from each other, or stand in one page. */
  inPass = 0;
  /** Records of the present pass that came before in it, word for word, on another page. */
  repeatedInPass = 0;
  /** Records delivered that may be another form of one before: they have its key, which stands for several records. */
  unsure = 0;
  /** Pages in a row, and their records, that had nothing but what came before in the pass. */
  #pagesWithoutNews = 0;
  #recordsWithoutNews = 0;
  readonly newReader: NewReader;
  readonly #identity: IdentityReader;
  readonly #contents: HashSet;
  readonly #keys: HashSet;
  readonly #keysInPage: HashSet;
  /** What came in this pass, where all is read again. */
  #pass: HashSet | undefined;
  #passKeys: HashSet;
  /** How often each content came in this pass, where equal records without a key count over all of it. */
  #occurrences: Map<string, number> | undefined;
  /** A hash of the contents of this pass in their order: as many words as a content has. */
  readonly #sequence: Int32Array;

  constructor(newReader: NewReader = () => new IdentityReader()) {
    this.newReader = newReader;
    this.#identity = newReader();
    this.#contents = this.#newSet();
    this.#keys = this.#newSet();
    this.#keysInPage = this.#newSet();
    this.#passKeys = this.#newSet();
    this.#sequence = new Int32Array(this.#identity.width);
  }

  /**
   * @param columns the columns that tell records apart in place of `id`
   * @param isCounted whether a total counts the records, so that a record lost to a collision of fast hashes would show
   */
  static async of(
    columns: KeyColumns,
    { isCounted }: { readonly isCounted: boolean },
  ): Promise<UniqueRecords> {
    if (isCounted) return new UniqueRecords(() => new IdentityReader(columns));
    const { DigestReader } = await import('../json/digest-identity.ts');
    return new UniqueRecords(() => new DigestReader(columns));
  }

  /** Whether pages in a row with nothing new show that the service repeats itself, where they have at least so many records. */
  isRepeating(least = 0): boolean {
    const pages = this.allHaveKeys ? NOTHING_NEW : NOTHING_NEW_WITHOUT_KEYS;
    return this.#pagesWithoutNews >= pages && this.#recordsWithoutNews >= least;
  }

  /** Counts pages with nothing new from 0 again, as something else came between them. */
  countNewsAgain(): void {
    this.#pagesWithoutNews = this.#recordsWithoutNews = 0;
  }

  /** The contents of this pass in their order: equal for two passes that read the same. */
  get sequence(): string {
    return this.#sequence.join(' ');
  }

  /** Begins to read everything again. */
  beginPass(scope: Scope): void {
    this.inPass = 0;
    this.repeatedInPass = 0;
    this.countNewsAgain();
    this.#sequence.fill(0);
    this.#pass = this.#newSet();
    this.#passKeys = this.#newSet();
    this.countEqualWithin(scope);
  }

  /** From now on, equal records without a key count as different ones within this. */
  countEqualWithin(scope: Scope): void {
    if (scope === 'pass') this.#pass ??= this.#newSet();
    this.#occurrences = scope === 'pass' ? new Map() : undefined;
  }

  /** Sorts the records of one page by whether they came before. */
  *deduplicate(
    batch: RecordBatch,
    { moved, holdsSameKey = false }: DeduplicateOptions,
  ): CooperativeTask<Deduplicated> {
    const delivered: Record<Delivered, number[]> = { fresh: [], duplicate: [], changed: [] };
    const inPass: Record<InPass, number[]> = { first: [], repeated: [], sameKey: [] };
    const equalInPage = new Map<string, number>();
    this.#keysInPage.clear();
    for (let index = 0; index < batch.count; index++) {
      if (index % STEP === STEP - 1) yield;
      const { words, hasKey } = this.#identity.read(batch, index);
      const equal = countUp(equalInPage, this.#identity.content());
      const sharesKey = hasKey && !this.#keysInPage.add(words, 0);
      const inPage = { equal, sharesKey };
      this.#addToSequence();
      this.allHaveKeys &&= hasKey;
      const before = this.#compareWithDelivered(inPage, moved);
      const own = this.#compareWithPass(inPage, before === 'duplicate', holdsSameKey);
      // A record with the key of another is held back, unless it was delivered in an earlier pass.
      if (own !== 'sameKey' || before !== 'duplicate') inPass[own].push(index);
      if (own !== 'sameKey' || before !== 'fresh') delivered[before].push(index);
    }
    const { fresh, duplicate, changed } = delivered;
    const { first, repeated, sameKey } = inPass;
    this.size += fresh.length;
    this.inPass += first.length;
    this.repeatedInPass += repeated.length;
    if (first.length > 0) this.countNewsAgain();
    else if (batch.count > 0) {
      this.#pagesWithoutNews++;
      this.#recordsWithoutNews += batch.count;
    }
    return {
      fresh: fresh.length === batch.count ? batch : selectRecords(batch, fresh),
      duplicates: duplicate.length,
      changed: changed.length,
      repeated: selectRecords(batch, repeated),
      repeatedAtFront: repeated.filter((index, at) => index === at).length,
      sameKey: selectRecords(batch, sameKey),
    };
  }

  /** Compares the record that was read with all that were delivered, and adds it to them. */
  #compareWithDelivered({ equal, sharesKey }: PlaceInPage, moved: boolean): Delivered {
    const { words, width, hasKey } = this.#identity;
    const isNew = this.#contents.add(words, width);
    const isKnownKey = hasKey && !this.#keys.add(words, 0);
    const counts = hasKey ? undefined : this.#occurrences;
    const before = counts === undefined ? equal : countUp(counts, this.#identity.content());
    if (sharesKey) this.keysRepeat = true;
    if (!isNew && !this.#contents.add(words, width, before)) return 'duplicate';
    if (!isKnownKey) return 'fresh';
    if (moved && !this.keysRepeat) return 'changed';
    if (moved && !sharesKey) this.unsure++;
    this.keysRepeat = true;
    return 'fresh';
  }

  /** Compares the record that was read with those of this pass, and adds it to them. */
  #compareWithPass({ equal, sharesKey }: PlaceInPage, isDuplicate: boolean, holdsSameKey: boolean): InPass {
    const { words, width, hasKey } = this.#identity;
    const isNewKey = !holdsSameKey || !hasKey || this.#passKeys.add(words, 0);
    // The first pass keeps no contents of its own: what was delivered is what came in it.
    const isRepeated = this.#pass === undefined ? isDuplicate : !this.#pass.add(words, width, equal);
    if (isRepeated) return 'repeated';
    return isNewKey || sharesKey ? 'first' : 'sameKey';
  }

  #newSet(): HashSet {
    return new HashSet(this.#identity.width);
  }

  #addToSequence(): void {
    const { words, width } = this.#identity;
    for (let word = 0; word < width; word++) {
      const state = this.#sequence[word]!;
      this.#sequence[word] = Math.imul(state ^ words[width + word]!, SCATTER) ^ (state >>> 13);
    }
  }
}

/** Counts a content. Returns how often it was counted before. */
function countUp(counts: Map<string, number>, content: string): number {
  const count = counts.get(content) ?? 0;
  counts.set(content, count + 1);
  return count;
}

const FIRST_CAPACITY = 1024;

/**
 * Hashes of a few words, for listings of a million: no more than the words are kept, in a table that is at least a third full
 * (16 MB for 1,000,000 of 64 bits, where a Set of strings takes 100).
 */
export class HashSet {
  #count = 0;
  #mask = FIRST_CAPACITY - 1;
  readonly #width: number;
  /** Open addressing; a slot is free when its first word is 0. */
  #slots: Uint32Array;

  /** @param width how many words a hash has: two or more, of which the first is not 0 */
  constructor(width: number) {
    this.#width = width;
    this.#slots = new Uint32Array(width * FIRST_CAPACITY);
  }

  /**
   * Adds the hash that begins at `words[from]`. Returns whether it is new.
   *
   * @param number of several equal hashes: each number makes another hash of it, far from the others, so that they do not
   *   cluster in the table
   */
  add(words: Readonly<Uint32Array>, from: number, number = 0): boolean {
    const slot = this.#find(words, from, number);
    const slots = this.#slots;
    if (slots[slot] !== 0) return false;
    for (let word = 0; word < this.#width; word++) slots[slot + word] = words[from + word]!;
    slots[slot + 1]! ^= Math.imul(number, SCATTER);
    this.#count++;
    if (this.#count * 3 > (this.#mask + 1) * 2) this.#grow();
    return true;
  }

  clear(): void {
    if (this.#count > 0) this.#slots.fill(0);
    this.#count = 0;
  }

  /** Where in the table this hash is, or else the free slot where it belongs. */
  #find(words: Readonly<Uint32Array>, from: number, number: number): number {
    const [slots, width] = [this.#slots, this.#width];
    const first = words[from]!;
    const second = (words[from + 1]! ^ Math.imul(number, SCATTER)) >>> 0;
    for (let at = first ^ second; ; at++) {
      const slot = width * (at & this.#mask);
      if (slots[slot] === 0) return slot;
      if (slots[slot] !== first || slots[slot + 1] !== second) continue;
      let word = 2;
      while (word < width && slots[slot + word] === words[from + word]) word++;
      if (word === width) return slot;
    }
  }

  #grow(): void {
    const [old, width] = [this.#slots, this.#width];
    this.#mask = 2 * this.#mask + 1;
    this.#slots = new Uint32Array(2 * old.length);
    for (let from = 0; from < old.length; from += width) {
      if (old[from] === 0) continue;
      const slot = this.#find(old, from, 0);
      for (let word = 0; word < width; word++) this.#slots[slot + word] = old[from + word]!;
    }
  }
}
