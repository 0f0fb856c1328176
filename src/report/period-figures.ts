import { addDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import { worthOf } from '../invoices/amounts.ts';
import type { Family } from '../invoices/documents.ts';
import type { Invoice } from '../invoices/invoice.ts';

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
  add(invoice: Invoice): TypeRole | undefined {
    const amounts = TYPE_ROLES.map((role) => [role, amountOf(invoice, role)] as const);
    this.#all.add(amounts);
    this.#tallyOf(invoice).add(amounts);
    const found = new Map(amounts).get('total');
    const total = typeof found === 'object' ? found : DECIMAL_ZERO;
    if (invoice.family === 'credit note') this.#creditNotes = addDecimals(this.#creditNotes, total);
    if (invoice.validity === 'cancelled') {
      const { documents, total: before } = this.#cancelled;
      this.#cancelled = { documents: documents + 1, total: addDecimals(before, total) };
    }
    return amounts.find(([, amount]) => amount === 'unreadable')?.[0];
  }

  get figures(): PeriodFigures {
    const types = [...this.#types]
      .toSorted(([, left], [, right]) => ORDER.indexOf(left.family) - ORDER.indexOf(right.family))
      .map(([type, tally]) => ({ type, isRest: false, ...tally.figures }));
    const rest = this.#rest && { type: undefined, isRest: true, ...this.#rest.figures };
    return {
      all: this.#all.figures,
      types: rest === undefined ? types : [...types, rest],
      creditNotes: this.#creditNotes,
      cancelled: this.#cancelled,
    };
  }

  #tallyOf(invoice: Invoice): TypeTally {
    const type = invoice.cell('documentType')?.text;
    const known = this.#types.get(type);
    if (known !== undefined) return known;
    if (this.#types.size === MAX_TYPES) return (this.#rest ??= new TypeTally('unknown'));
    const tally = new TypeTally(invoice.family);
    this.#types.set(type, tally);
    return tally;
  }
}

type TypeAmount = Decimal | 'absent' | 'unreadable';

function amountOf(invoice: Invoice, role: TypeRole): TypeAmount {
  const worth = worthOf(invoice, { role, cell: invoice.cell(role) });
  if (worth.kind === 'amount') return worth.amount;
  return worth.kind === 'unreadable' ? 'unreadable' : 'absent';
}

class TypeTally {
  readonly family: Family;
  readonly #amounts = { exempt: DECIMAL_ZERO, net: DECIMAL_ZERO, tax: DECIMAL_ZERO, total: DECIMAL_ZERO };
  readonly #missing = { exempt: 0, net: 0, tax: 0, total: 0 };
  #documents = 0;

  constructor(family: Family) {
    this.family = family;
  }

  add(amounts: readonly (readonly [role: TypeRole, amount: TypeAmount])[]): void {
    this.#documents++;
    for (const [role, amount] of amounts) {
      if (amount === 'absent') this.#missing[role]++;
      else if (amount !== 'unreadable') this.#amounts[role] = addDecimals(this.#amounts[role], amount);
    }
  }

  get figures(): Omit<TypeFigures, 'type' | 'isRest'> {
    return { documents: this.#documents, amounts: this.#amounts, missing: this.#missing };
  }
}
