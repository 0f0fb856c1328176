import { addDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import { worthOf } from '../invoices/amounts.ts';
import type { Document } from '../invoices/document.ts';
import type { Family } from '../invoices/documents.ts';

/** The amounts that are told by type, in the order of their columns. */
export const TYPE_ROLES = ['exempt', 'net', 'tax', 'total'] as const;
type TypeRole = (typeof TYPE_ROLES)[number];

/** Documents of one type, or of several: each amount is what `--sum` says of them. */
export interface TypeFigures {
  /** As it was sent; undefined where documents name none. */
  readonly type: string | undefined;
  /** Whether this is what is left where there are more types than are told apart. */
  readonly isRest: boolean;
  readonly documents: number;
  readonly amounts: Readonly<Record<TypeRole, Decimal>>;
  /** Documents that say no such amount. */
  readonly missing: Readonly<Record<TypeRole, number>>;
}

/** What is dated in the period, in one direction and one currency. */
export interface PeriodFigures {
  readonly all: Omit<TypeFigures, 'type' | 'isRest'>;
  /** Invoices first, then other documents, then credit notes. */
  readonly types: readonly TypeFigures[];
  /** The part of the total that is credit notes. */
  readonly creditNotes: Decimal;
  /** How many documents were cancelled, and the part of the total that these are. */
  readonly cancelled: { readonly documents: number; readonly total: Decimal };
}

const MAX_TYPES = 40;
const ORDER: readonly Family[] = [
  'invoice',
  'receipt',
  'fee note',
  'debit note',
  'import declaration',
  'unknown',
  'credit note',
];

/** Adds up what is dated in a period by type of document, in memory that does not grow with the documents. */
export class PeriodTally {
  readonly #all = new TypeTally('unknown');
  readonly #types = new Map<string | undefined, TypeTally>();
  #rest: TypeTally | undefined;
  #creditNotes = DECIMAL_ZERO;
  #cancelled = { documents: 0, total: DECIMAL_ZERO };

  /** Adds a document that is in sums. Returns the first of its amounts that cannot be read, which is not in them. */
  add(document: Document): TypeRole | undefined {
    const tallies = [this.#all, this.#tallyOf(document)];
    for (const tally of tallies) tally.documents++;
    let unreadable: TypeRole | undefined;
    let total = DECIMAL_ZERO;
    for (const role of TYPE_ROLES) {
      const worth = worthOf(document, role);
      if (worth === 'unreadable') unreadable ??= role;
      else if (typeof worth === 'string') for (const { missing } of tallies) missing[role]++;
      else {
        if (role === 'total') total = worth.amount;
        for (const { amounts } of tallies) amounts[role] = addDecimals(amounts[role], worth.amount);
      }
    }
    if (document.family === 'credit note') this.#creditNotes = addDecimals(this.#creditNotes, total);
    if (document.validity === 'cancelled') {
      this.#cancelled.documents++;
      this.#cancelled.total = addDecimals(this.#cancelled.total, total);
    }
    return unreadable;
  }

  get figures(): PeriodFigures {
    const types = [...this.#types]
      .toSorted(([, left], [, right]) => ORDER.indexOf(left.family) - ORDER.indexOf(right.family))
      .map(([type, tally]) => ({ type, isRest: false, ...tally }));
    const rest = this.#rest === undefined ? [] : [{ type: undefined, isRest: true, ...this.#rest }];
    return {
      all: this.#all,
      types: [...types, ...rest],
      creditNotes: this.#creditNotes,
      cancelled: this.#cancelled,
    };
  }

  #tallyOf(document: Document): TypeTally {
    const type = document.text('documentType');
    const known = this.#types.get(type);
    if (known !== undefined) return known;
    if (this.#types.size === MAX_TYPES) return (this.#rest ??= new TypeTally('unknown'));
    const tally = new TypeTally(document.family);
    this.#types.set(type, tally);
    return tally;
  }
}

class TypeTally {
  readonly family: Family;
  documents = 0;
  readonly amounts = { exempt: DECIMAL_ZERO, net: DECIMAL_ZERO, tax: DECIMAL_ZERO, total: DECIMAL_ZERO };
  readonly missing = { exempt: 0, net: 0, tax: 0, total: 0 };

  constructor(family: Family) {
    this.family = family;
  }
}
