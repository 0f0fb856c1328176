import type { Document } from './document.ts';
import type { Counterparty } from './fiscal-ids.ts';
import { dayIn } from './open-items.ts';

/** What the newest document of a counterparty says of it, and when and under which number it was issued. */
interface Newest extends Counterparty {
  readonly day: number;
  readonly number: string;
}

/** The roles that `Counterparties` reads of each document. */
export const COUNTERPARTY_ROLES = ['counterpartyName', 'counterpartyFiscalId', 'date', 'number'] as const;

/**
 * Knows for each counterparty by which name and in which spelling of its fiscal ID its newest document calls it: so every row of
 * an answer calls it. The newest is that of the latest day, then of the highest number; a document without a name is older than
 * any with one.
 */
export class Counterparties {
  readonly #newest = new Map<string, Newest>();

  /** Notes what the document says of its counterparty. */
  add(document: Document): void {
    const { counterpartyKey: key, counterparty } = document;
    const day = dayIn(document, 'date');
    const one = {
      ...counterparty,
      day: typeof day === 'number' ? day : -Infinity,
      number: document.text('number') ?? '',
    };
    const known = this.#newest.get(key);
    if (known === undefined || isNewer(one, known)) this.#newest.set(key, one);
  }

  /** Each counterparty, as its newest document calls it. */
  all(): Iterable<Counterparty> {
    return this.#newest.values();
  }

  /** The counterparty of a document, as its newest one calls it. */
  of({ counterpartyKey, counterparty }: Document): Counterparty {
    return this.#newest.get(counterpartyKey) ?? counterparty;
  }
}

/** Whatever the order of the listing is: where day and number are equal, the texts decide. */
function isNewer(one: Newest, other: Newest): boolean {
  if ((one.name === undefined) !== (other.name === undefined)) return one.name !== undefined;
  if (one.day !== other.day) return one.day > other.day;
  const order = compareNumbers(one.number, other.number);
  if (order !== 0) return order > 0;
  return `${one.fiscalId}\n${one.name}` > `${other.fiscalId}\n${other.name}`;
}

/** Compares numbers of documents: F-9 comes before F-10. */
function compareNumbers(one: string, other: string): number {
  return one === other ? 0 : (numbers ??= new Intl.Collator('en', { numeric: true })).compare(one, other);
}

let numbers: Intl.Collator | undefined;
