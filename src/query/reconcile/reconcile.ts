import { UsageError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { readAmount } from '../../invoices/amounts.ts';
import { IN_NO_SUM, type Family } from '../../invoices/documents.ts';
import { ownIdColumns, type FieldsOf, type Role } from '../../invoices/fields.ts';
import { bareFiscalId, isFiscalId } from '../../invoices/fiscal-ids.ts';
import { InvoiceReader, type Invoice } from '../../invoices/invoice.ts';
import { dayIn } from '../../invoices/open-items.ts';
import type { Period } from '../../invoices/periods.ts';
import { Unreadable } from '../../invoices/unreadable.ts';
import { CellReader, type Cell } from '../../json/cells.ts';
import { addDecimals, DECIMAL_ZERO, type Decimal } from '../../json/decimal.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { CooperativeTask } from '../../json/cooperative-task.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { ColumnWatch } from '../column-watch.ts';
import { bareNumber, DocumentsKept, signedAmount } from './documents-kept.ts';
import type { Against, ListField } from './list-match.ts';
import type { OpenList } from './read-list.ts';
import { Matching, ROW_OUTCOMES, type MatchOptions, type Outcome } from './match-documents.ts';
import { findNear } from './near-documents.ts';
import type { Texts } from './tables.ts';

/** What the lists say, and how they are held against the service. */
export interface ReconcileOptions {
  readonly against: Against;
  readonly lists: readonly OpenList[];
  /** All documents of the lists, and where their texts are kept. */
  readonly listed: DocumentsKept;
  readonly texts: Texts;
  /** Whose lists they are, by the name of a file; undefined where no name says it. */
  readonly owner: { readonly fiscalId: string; readonly path: string } | undefined;
  /** The months that the lists are of; none where nothing says it. */
  readonly months: readonly Period[];
  readonly tolerance: Decimal;
  readonly fields: FieldsOf;
}

/** How many documents there are of an outcome, and what they are worth on each side, by currency; '' where none is said. */
interface OutcomeSum {
  count: number;
  readonly byCurrency: Map<string, { service: Decimal | undefined; list: Decimal | undefined }>;
}

/** What is no difference, and is said. */
interface CountedApart {
  /** Documents of the service of kinds that the list has none of. */
  readonly ofKind: Map<Family, number>;
  /** Documents in another currency than the list's, by currency. */
  readonly otherCurrency: Map<string, number>;
  void: number;
  /** Documents of the service, in no list, that do not say of when they are. */
  undated: number;
  /** Credit notes that a list without types has as amounts above 0: among what differs. */
  positiveCredits: number;
}

/** Kinds of which lists may have none, or sums. */
const APART: readonly Family[] = ['receipt', 'fee note', 'guide', 'quote', 'order'];

/** How many days before and behind the period a mistaken document may be. */
const REACH = 31;

const ROLES = [
  'number',
  'documentType',
  'status',
  'cancelled',
  'total',
  'net',
  'tax',
  'date',
  'currency',
  'counterpartyName',
  'counterpartyFiscalId',
] as const satisfies readonly Role[];

/** Documents between two turns of the event loop. */
const A_STEP = 2_000;

/** Holds lists against the records of the service: first `add` all records, then `finish`. */
export class Reconciliation {
  readonly apart: CountedApart = {
    ofKind: new Map(),
    otherCurrency: new Map(),
    void: 0,
    undated: 0,
    positiveCredits: 0,
  };
  /** By outcome, of those that there are. */
  readonly sums = new Map<Outcome, OutcomeSum>();
  readonly matching: Matching;
  readonly #options: ReconcileOptions;
  readonly #served: DocumentsKept;
  readonly #invoices: InvoiceReader;
  readonly #reader: CellReader;
  readonly #columns = new ColumnWatch([]);
  readonly #unreadable = new Unreadable();
  readonly #own: readonly number[];
  /** The numbers of the fiscal IDs that many share. */
  readonly #shared: readonly number[];
  readonly #hasTypes: boolean;
  /** What the lists have, or their period asks for: whatever else a record says need not be readable. */
  readonly #isCompared: Readonly<Record<'total' | 'net' | 'tax' | 'date', boolean>>;
  /** The families of documents in the lists. */
  readonly #familiesListed = new Set<Family>();
  #records = 0;

  constructor(options: ReconcileOptions) {
    const { against, lists, listed, tolerance, fields } = options;
    this.#options = options;
    this.#served = new DocumentsKept(options.texts);
    this.#invoices = new InvoiceReader(fields, ROLES);
    const own = ownIdColumns(against);
    const columns = [...new Set([...this.#invoices.columns, ...own])];
    this.#reader = new CellReader(columns);
    this.#own = own.map((column) => columns.indexOf(column));
    const numberOf = (id: string): number => options.texts.numberOf(bareFiscalId(id));
    this.#shared = [...new Set(fields.usual.sharedIds.map(numberOf))];
    const has = (field: ListField): boolean => lists.every(({ layout }) => layout.places.has(field));
    this.#hasTypes = has('documentType');
    const isIn = (field: ListField): boolean => lists.some(({ layout }) => layout.places.has(field));
    this.#isCompared = {
      total: true,
      net: isIn('net') || isIn('exempt'),
      tax: isIn('tax'),
      date: options.months.length > 0,
    };
    const matchOptions: MatchOptions = {
      against,
      tolerance,
      hasIds: has('counterpartyFiscalId'),
      hasTypes: this.#hasTypes,
      isPending: (file) => lists[file]!.layout.kind === 'pending',
    };
    this.matching = new Matching(listed, this.#served, matchOptions);
    for (let index = 0; index < listed.count; index++) this.#familiesListed.add(listed.familyOf(index));
  }

  /** How many records were looked at. */
  get records(): number {
    return this.#records;
  }

  /** Takes records. Throws UsageError where they are of another organization than the lists. */
  add(batch: RecordBatch): void {
    this.#columns.sample(batch);
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      this.#records++;
      this.#checkOwner(cells);
      this.#keep(this.#invoices.read(cells));
    }
  }

  /** Decides on every document. Throws UsageError where no record has a column that it takes. */
  *finish(): CooperativeTask<void> {
    this.#checkColumns();
    yield* this.matching.match();
    yield* findNear(this.matching, {
      isInReach: (day, side) => this.#isInReach(day, side),
      isWanted: (index) => !this.#isApart(this.#served.familyOf(index)),
      partyKey: (documents, index) => this.#partyKey(documents, index),
    });
    yield* this.#decide();
  }

  /** Whether both sides are the same, as far as all could be read. */
  get isSame(): boolean {
    return this.#unreadable.count === 0 && this.#differences.length === 0;
  }

  /** The kinds of rows that there are, but for what is the same. */
  get #differences(): readonly Outcome[] {
    return ROW_OUTCOMES.filter((outcome) => outcome !== 'same' && this.sums.has(outcome));
  }

  /** What could not be read, else in what the sides differ: no failure where both are the same. */
  finding(what: string, doubt: string): Finding {
    const unreadable = this.#unreadable.finding(what);
    if (unreadable.level === 'failure') return { ...unreadable, text: `${unreadable.text}; ${doubt}` };
    if (this.isSame) return unreadable;
    const kinds = this.#differences.map(
      (outcome) => `${this.sums.get(outcome)!.count.toLocaleString('en-US')} ${outcome}`,
    );
    return {
      level: 'failure',
      kind: 'differs',
      text: `the list and the service differ: ${kinds.join(', ')}`,
      hint: this.#hints.join(' ') || undefined,
    };
  }

  get #hints(): readonly string[] {
    const hints: string[] = [];
    if (this.sums.has('only in the service'))
      hints.push(
        'What is only in the service may stand in the list of a neighbouring month: give that list, too.',
      );
    if (this.apart.positiveCredits > 0)
      hints.push(
        `${countOf(this.apart.positiveCredits, 'credit note')} of the service would be worth the same in the list with a minus sign: ` +
          'write it there, or name the column of the types with --match documentType=<heading>.',
      );
    return hints;
  }

  #keep(invoice: Invoice): void {
    const place = this.#records;
    const { family, validity, counterparty } = invoice;
    if (validity === 'void') {
      this.apart.void++;
      return;
    }
    const amountOf = (role: 'total' | 'net' | 'tax'): Decimal | undefined => {
      if (!this.#isCompared[role]) return undefined;
      const amount = readAmount(invoice.cell(role));
      if (amount === 'unreadable') this.#unreadable.noteRole(invoice, role, place);
      return typeof amount === 'string' ? undefined : signedAmount(amount, family);
    };
    const day = dayIn(invoice, 'date');
    if (day === 'unreadable' && this.#isCompared.date) this.#unreadable.noteRole(invoice, 'date', place);
    const number = bareNumber(invoice.cell('number')?.text ?? '');
    this.#served.add({
      number: number === '' ? undefined : number,
      type: invoice.cell('documentType')?.text,
      fiscalId: counterparty.fiscalId,
      name: counterparty.name,
      currency: invoice.currency,
      day: day === 'unreadable' ? undefined : day,
      total: amountOf('total'),
      net: amountOf('net'),
      exempt: undefined,
      tax: amountOf('tax'),
      furtherTax: undefined,
      file: 0,
      line: place,
    });
  }

  #checkOwner(cells: readonly (Cell | undefined)[]): void {
    const { owner } = this.#options;
    if (owner === undefined) return;
    const own = this.#own.map((place) => cells[place]?.text).find(isFiscalId);
    if (own === undefined || bareFiscalId(own) === bareFiscalId(owner.fiscalId)) return;
    throw new UsageError(
      `${owner.path} is of ${owner.fiscalId}, and the ${this.#options.against} invoices are of ${own}`,
      { hint: 'Name the list of that organization, or choose the other with --profile.' },
    );
  }

  #checkColumns(): void {
    if (this.#records === 0) return;
    const { against, months } = this.#options;
    const wanted: Role[] = ['number', 'total'];
    if (months.length > 0) wanted.push('date');
    const hasIds = this.#options.lists.some(({ layout }) => layout.places.has('counterpartyFiscalId'));
    if (against === 'received' && hasIds) wanted.push('counterpartyFiscalId');
    this.#invoices.refuseWithout(wanted, 'nothing to match by', (name) => this.#columns.has(name));
  }

  /** A list of documents of which it does not say when they were is of any time. */
  #isInReach(day: number | undefined, side: 'list' | 'service'): boolean {
    const { months } = this.#options;
    if (day === undefined) return side === 'list' && months.length > 0;
    return months.some(({ first, last }) => day >= first - REACH && day <= last + REACH);
  }

  #isInPeriod(day: number | undefined): boolean {
    return day !== undefined && this.#options.months.some(({ first, last }) => day >= first && day <= last);
  }

  /** An ID that many share is no counterparty: there it and the name together are. */
  #partyKey(documents: DocumentsKept, index: number): number | undefined {
    const party = documents.partyOf(index);
    if (party === 0) return undefined;
    const at = this.#shared.indexOf(party);
    return at < 0 ? party : -1 - at - this.#shared.length * documents.nameNumberOf(index);
  }

  #isApart(family: Family): boolean {
    return APART.includes(family) && !this.#familiesListed.has(family);
  }

  /** Tells what is on one side only, and sums everything up. */
  *#decide(): CooperativeTask<void> {
    const { list, service } = this.matching;
    for (let index = 0; index < list.documents.count; index++) {
      if (index % A_STEP === 0) yield;
      if (list.outcomeOf(index) === 'unmatched') list.setOutcome(index, 'only in the list');
      if (this.#isPositiveCredit(index)) this.apart.positiveCredits++;
      this.#sum(list.outcomeOf(index), index, list.mateOf(index));
    }
    for (let index = 0; index < service.documents.count; index++) {
      if (index % A_STEP === 0) yield;
      const outcome = this.#outcomeServed(index);
      service.setOutcome(index, outcome);
      if (service.mateOf(index) === undefined && outcome !== 'unmatched')
        this.#sum(outcome, undefined, index);
      else if (outcome === 'in another currency')
        add(this.apart.otherCurrency, this.#served.currencyOf(index) ?? '');
    }
  }

  /** Whether a list without types has the amount of a credit note of the service, but for its sign. */
  #isPositiveCredit(index: number): boolean {
    const { list, service } = this.matching;
    if (this.#hasTypes || list.outcomeOf(index) !== 'differs') return false;
    const mate = list.mateOf(index)!;
    const listed = list.documents.amountOf(index, 'total');
    const served = service.documents.amountOf(mate, 'total');
    if (service.documents.familyOf(mate) !== 'credit note' || !listed || !served) return false;
    return listed.coefficient > 0n && addDecimals(listed, served).coefficient === 0n;
  }

  #outcomeServed(index: number): Outcome {
    const { service } = this.matching;
    const { documents } = service;
    const outcome = service.outcomeOf(index);
    const day = documents.dayOf(index);
    // A document that came twice years ago is no matter of this month.
    if (outcome === 'twice in the service')
      return this.matching.isOfMatched(index) || this.#isInPeriod(day) ? outcome : 'unmatched';
    if (outcome !== 'unmatched') return outcome;
    const family = documents.familyOf(index);
    if (this.#isApart(family)) {
      if (this.#isInPeriod(day)) add(this.apart.ofKind, family);
      return outcome;
    }
    if (day === undefined && this.#options.months.length > 0) this.apart.undated++;
    return this.#isInPeriod(day) ? 'only in the service' : outcome;
  }

  #sum(outcome: Outcome, one: number | undefined, other: number | undefined): void {
    const sum = this.sums.get(outcome) ?? { count: 0, byCurrency: new Map() };
    this.sums.set(outcome, sum);
    sum.count++;
    const { listed } = this.#options;
    const currency =
      (other === undefined ? undefined : this.#served.currencyOf(other)) ??
      (one === undefined ? undefined : listed.currencyOf(one)) ??
      '';
    const known = sum.byCurrency.get(currency) ?? { service: undefined, list: undefined };
    const plus = (before: Decimal | undefined, documents: DocumentsKept, index: number | undefined) => {
      if (index === undefined || IN_NO_SUM.has(documents.familyOf(index))) return before;
      return addDecimals(before ?? DECIMAL_ZERO, documents.amountOf(index, 'total') ?? DECIMAL_ZERO);
    };
    known.list = plus(known.list, listed, one);
    known.service = plus(known.service, this.#served, other);
    sum.byCurrency.set(currency, known);
  }
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
