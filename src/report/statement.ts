import { DEFAULT_BUCKETS, ageOf, dayIn, readAmount, worthOf, type OpenItem } from '../invoices/open-items.ts';
import { bareCurrency } from '../invoices/document-reader.ts';
import type { Party } from '../invoices/counterparties.ts';
import { PAYMENT_MEMBERS, type FieldsOf } from '../invoices/fields.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import { CellReader, firstFilled, type Cell } from '../json/cells.ts';
import { compareDecimals, type Decimal } from '../json/decimal.ts';
import { objectsIn } from '../json/record-lists.ts';
import type { RecordBatch } from '../json/records.ts';
import { Aging, type AgedBalance } from '../query/aging.ts';
import { compareOrders } from '../query/cell-order.ts';
import { groupsBy } from '../query/result-rows.ts';
import type { WhereFilter } from '../query/where/where.ts';
import { CANCELLED, CREDIT } from './terms.ts';
import { OwnNames } from './tallies.ts';

/** A day since 1970-01-01, or the text that a record has instead; undefined without one. */
export type StatedDay = number | string | undefined;

interface Payment {
  readonly date: StatedDay;
  readonly amount: Decimal;
  /** Where it is another than that of the document. */
  readonly currency: string | undefined;
}

/** An open document, a credit or a cancelled document, as a line of a statement. */
export interface StatedDocument {
  /** As sent, like its type. */
  readonly number: Cell | undefined;
  readonly type: Cell | undefined;
  readonly date: StatedDay;
  readonly due: StatedDay;
  /** 0 if it is not late; undefined for credits and cancelled documents, and without a due date. */
  readonly daysLate: number | undefined;
  /** The total of the document: negative for a credit note. */
  readonly total: Decimal | undefined;
  readonly open: Decimal | undefined;
  readonly age: number;
  readonly payments: readonly Payment[];
}

export type Statement = ReturnType<ReturnType<typeof statementTally>['finish']>['statements'][number];
/** The open items of a counterparty in one currency. */
export type StatedCurrency = Statement['currencies'][number];

interface StatementOptions {
  readonly fields: FieldsOf;
  readonly listing: 'issued' | 'received';
  /** The day to which is counted, and that of the balances, in days since 1970-01-01. */
  readonly asOf: number;
  readonly today: number;
  /** Whether counterparties without open items get a statement, too. */
  readonly everyone: boolean;
  /** The fiscal IDs whose documents are read; undefined for all. */
  readonly fiscalIds?: readonly string[] | undefined;
}

const DATES_AT = PAYMENT_MEMBERS.amount.length;
const CURRENCIES_AT = DATES_AT + PAYMENT_MEMBERS.date.length;

/** Gathers the open items of each counterparty, by the rule of `folio aging`. */
export function statementTally({ fields, listing, asOf, today, everyone, fiscalIds }: StatementOptions) {
  const own = new OwnNames(listing);
  const aging = new Aging({
    fields,
    buckets: DEFAULT_BUCKETS,
    asOf,
    today,
    ofParties: true,
    record: fiscalIds && `document of ${fiscalIds.join(', ')}`,
    alsoReads: { roles: ['total'], names: [...own.columns, 'payments'] },
  });
  const { documents, parties } = aging;
  const paymentCells = new CellReader(Object.values(PAYMENT_MEMBERS).flat());
  const stated = new Map<AgedBalance, StatedDocument[]>();
  /** How many documents cannot be read of each counterparty. */
  const unreadable = new Map<Party, number>();
  /** All counterparties, where everyone has a statement. */
  const seen = new Set<Party>();

  const dayOf = (role: 'date' | 'due'): StatedDay => {
    const day = dayIn(documents, role);
    return day === 'unreadable' ? documents.text(role) : day;
  };

  const documentOf = (item: Extract<OpenItem, { readonly amount: Decimal }>): StatedDocument => {
    const total = worthOf(documents, 'total');
    return {
      number: documents.cell('number'),
      type: documents.cell('documentType'),
      date: dayOf('date'),
      due: dayOf('due'),
      daysLate: item.kind === 'open' && item.due !== undefined ? Math.max(0, asOf - item.due) : undefined,
      total: typeof total === 'string' ? undefined : total.amount,
      open: item.kind === 'cancelled' ? undefined : item.amount,
      age: item.kind === 'cancelled' ? CANCELLED : ageOf(item, DEFAULT_BUCKETS, asOf),
      payments: paymentsIn(documents.named(own.columns.length), paymentCells, documents.currency),
    };
  };

  const currencyOf = (balance: AgedBalance) => {
    const all: readonly StatedDocument[] = stated.get(balance) ?? [];
    const ofAge = (wanted: number): StatedDocument[] =>
      all.filter(({ age }) => age === wanted).toSorted((left, right) => compareDays(left.date, right.date));
    return {
      currency: balance.currency,
      /** The longest due first, those without a due date last. */
      documents: all.filter(({ age }) => age < CREDIT).toSorted(byDueDate),
      /** What reduces the amount due, the oldest first. */
      credits: ofAge(CREDIT),
      /** In no sum. A credit note may be that of one of them. */
      cancelled: balance.creditNotes.coefficient === 0n ? [] : ofAge(CANCELLED),
      balance,
    };
  };

  const statementOf = (party: Party, balances: readonly AgedBalance[] = []) => ({
    party: { name: party.name?.text, fiscalId: party.fiscalId?.text },
    /** By name; amounts without a currency come last. */
    currencies: balances
      .map(currencyOf)
      .toSorted((left, right) => compareOrders(left.currency, right.currency)),
    unreadable: unreadable.get(party) ?? 0,
  });

  return {
    fields,
    parties,

    /** @param filter which of the documents count; without it, all. The others have names of counterparties, too. */
    add(batch: RecordBatch, filter?: WhereFilter): void {
      if (filter !== undefined) aging.sample(batch);
      aging.add(filter?.apply(batch) ?? batch, (item, balance, party) => {
        if (balance !== undefined && 'amount' in item) {
          const ofBalance = stated.get(balance) ?? [];
          stated.set(balance, ofBalance);
          ofBalance.push(documentOf(item));
        }
        if (item.kind === 'unreadable') unreadable.set(party, (unreadable.get(party) ?? 0) + 1);
        own.add(documents);
        if (everyone) seen.add(party);
      });
    },

    /** Takes names of counterparties from newer documents of other organizations, so that a run uses one name for each. */
    learnNames(other: Pick<Aging, 'parties'>): void {
      if (other.parties !== parties) parties.learnFrom(other.parties);
    },

    /** Throws UsageError if no record has a column that the figures need. */
    finish() {
      const balances = groupsBy(aging.finish(), ({ party }) => party!);
      const open = [...balances.keys()].filter((party) =>
        balances.get(party)!.some(({ invoices }) => invoices > 0),
      );
      return {
        /** The statements of counterparties with open items, in order of first appearance; with `everyone`, of all. */
        statements: [...(everyone ? seen : open)].map((party) => statementOf(party, balances.get(party))),
        /** The organization's own fiscal ID and name, as its invoices have them. */
        own: { fiscalId: own.fiscalIds[0], name: own.name },
        findings: [aging.unreadable.finding('statement')],
      };
    },
  };
}

function byDueDate(left: StatedDocument, right: StatedDocument): number {
  return (
    compareDays(left.due, right.due) ||
    compareDays(left.date, right.date) ||
    compareDecimals(right.open!, left.open!)
  );
}

/** Compares days; values that are not days come last. */
function compareDays(left: StatedDay, right: StatedDay): number {
  const [a, b] = [left, right].map((day) => (typeof day === 'number' ? day : Infinity));
  return a! < b! ? -1 : a! > b! ? 1 : 0;
}

/** The payments in a cell: a list of objects with an amount each. Other values are ignored. */
function paymentsIn(cell: Cell | undefined, reader: CellReader, ofDocument: string | undefined): Payment[] {
  const batch = cell && objectsIn(cell.text);
  if (batch === undefined) return [];
  const payments: Payment[] = [];
  for (let index = 0; index < batch.count; index++) {
    const cells = reader.read(batch, index);
    const amount = readAmount(firstFilled(cells.slice(0, DATES_AT)));
    const date = firstFilled(cells.slice(DATES_AT, CURRENCIES_AT))?.text;
    const own = bareCurrency(firstFilled(cells.slice(CURRENCIES_AT))?.text);
    if (typeof amount === 'string') continue;
    payments.push({
      date: date === undefined ? undefined : (parseCalendarDay(date) ?? date),
      amount,
      currency: own === ofDocument ? undefined : own,
    });
  }
  return payments;
}
