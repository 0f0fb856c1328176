import { randomFrom } from '../support/random.ts';

/** What a column means, in a book. */
type Field = Amount | 'due' | 'date' | 'currency' | 'type' | 'status' | 'name' | 'fiscalId';
type Amount = 'open' | 'paid' | 'total';

/** One document, as whoever made it knows it. */
export interface BookDocument {
  readonly id: string;
  readonly number: string;
  readonly type: string | undefined;
  readonly kind: 'plain' | 'credit' | 'debit' | 'no money';
  readonly state: 'valid' | 'cancelled' | 'void';
  /** In cents; undefined where it says none, and `unreadable` where nobody can read it. */
  readonly open: bigint | undefined | 'unreadable';
  readonly paid: bigint | undefined;
  readonly total: bigint | undefined;
  /** Days from today. */
  readonly due: number | undefined | 'unreadable';
  readonly date: number;
  readonly currency: string | undefined;
  readonly fiscalId: string | undefined;
  readonly name: string | undefined;
}

/** The documents of one organization, the records that its service has of them, and the settings that say where things are. */
export interface Book {
  readonly documents: readonly BookDocument[];
  readonly records: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  /** Whether the columns are those that the service has by itself. */
  readonly isUsual: boolean;
}

/** 2026-11-20, the day of the clock of tests, in days since 1970-01-01. */
const TODAY = Date.UTC(2026, 10, 20) / 86_400_000;

const TYPES: readonly (readonly [literal: string | undefined, kind: BookDocument['kind']])[] = [
  ['"INVOICE"', 'plain'],
  ['"INVOICE"', 'plain'],
  ['33', 'plain'],
  ['"034"', 'plain'],
  ['"EXEMPT_INVOICE"', 'plain'],
  ['"CREDIT_NOTE"', 'credit'],
  ['"CREDIT_NOTE"', 'credit'],
  ['61', 'credit'],
  ['"Export-Credit-Note"', 'credit'],
  ['"CreditNote"', 'credit'],
  ['"exportCreditNote"', 'credit'],
  ['"061"', 'credit'],
  ['"DEBIT_NOTE"', 'debit'],
  ['56', 'debit'],
  ['39', 'plain'],
  ['"RECEIPT"', 'plain'],
  ['914', 'plain'],
  ['"SOMETHING"', 'plain'],
  ['999', 'plain'],
  [undefined, 'plain'],
  ['null', 'plain'],
  ['52', 'no money'],
  ['"DELIVERY_GUIDE"', 'no money'],
  ['"QUOTE"', 'no money'],
  ['"deliveryNote"', 'no money'],
  ['"SalesOrder/2"', 'no money'],
  ['"Invoice of order"', 'plain'],
  ['"PURCHASE_ORDER"', 'no money'],
  ['"Nota de crédito"', 'credit'],
  ['"NOTA DE CRÉDITO"', 'credit'],
  ['"notaDeCredito"', 'credit'],
  ['"Nota de débito"', 'debit'],
  ['"Factura exenta"', 'plain'],
  ['"Guía de despacho"', 'no money'],
  ['"COTIZACIÓN"', 'no money'],
  ['"Orden de compra"', 'no money'],
];

const STATES: readonly (readonly [status: string | undefined, state: BookDocument['state']])[] = [
  ...['PENDING', 'PENDING', 'OVERDUE', 'PAID', 'CANCELADA', undefined].map((one) => [one, 'valid'] as const),
  ...['NULLIFIED', 'anulada', 'Cancelled'].map((one) => [one, 'cancelled'] as const),
  ...['VOID', 'voided'].map((one) => [one, 'void'] as const),
];

const PARTIES: readonly (readonly [fiscalId: string | undefined, name: string | undefined])[] = [
  ['76.543.210-k', 'Roble'],
  ['76543210-K', 'Roble'],
  ['1-9', 'Roble'],
  ['2-7', 'Lago'],
  ['2-7', undefined],
  ['-', 'Sol'],
  ['.', 'Luz'],
  [' ', 'Sol'],
  [undefined, 'Luz'],
  ['55555555-5', 'Sol'],
  ['55.555.555-5', 'Luz'],
  ['66666666-6', 'Sol'],
];

const USUAL: Readonly<Record<Field, string>> = {
  open: 'amountToBePaid',
  paid: 'paidAmount',
  total: 'totalAmount',
  due: 'dueBy',
  date: 'date',
  currency: 'currency',
  type: 'documentType',
  status: 'status',
  name: 'customer.name',
  fiscalId: 'receiverFiscalId',
};
const KNOWN = {
  ...USUAL,
  open: 'amountDue',
  due: 'dueDate',
  currency: 'currencyCode',
  type: 'type',
  status: 'state',
};
const OWN: Readonly<Record<Field, string>> = {
  ...{ open: 'saldo', paid: 'pagado', total: 'monto', due: 'vence', date: 'emitida', currency: 'moneda' },
  ...{ type: 'tipo', status: 'estado', name: 'cliente.nombre', fiscalId: 'rut' },
};
/** The names of the settings that say where the columns of a book are. */
const SETTINGS: Readonly<Record<Field, string>> = {
  ...{ open: 'amount', paid: 'paid', total: 'total', due: 'due', date: 'date', currency: 'currency' },
  ...{ type: 'documentType', status: 'status', name: 'counterpartyName', fiscalId: 'counterpartyFiscalId' },
};

/** A random book: the same for the same seed. */
export function randomBook(seed: number): Book {
  const below = randomFrom(seed);
  const columns = [USUAL, USUAL, KNOWN, OWN][below(4)]!;
  const mayFail = below(3) === 0;
  const documents: BookDocument[] = [];
  const records: string[] = [];
  for (let index = 0; index < 1 + below(40); index++) {
    const made = randomDocument(below, { index, mayFail });
    documents.push(made.document);
    records.push(recordOf({ ...made, place: index }, columns, below));
  }
  const own = Object.entries(columns === OWN ? SETTINGS : {}).map(([field, setting]) => [
    `fields.${setting}`,
    OWN[field as Field],
  ]);
  const settings = Object.fromEntries(own) as Record<string, string>;
  return { documents, records, settings, isUsual: columns === USUAL };
}

interface Made {
  readonly document: BookDocument;
  readonly status: string | undefined;
}

/** What a record is made of; its place tells it from all others. */
interface PlacedDocument extends Made {
  readonly place: number;
}

interface Making {
  readonly index: number;
  readonly mayFail: boolean;
}

function randomDocument(below: (limit: number) => number, { index, mayFail }: Making): Made {
  // The first has every column, so that there is one at all.
  const isFirst = index === 0;
  const maybe = <T>(share: number, value: T): T | undefined =>
    !isFirst && below(share) === 0 ? undefined : value;
  const [type, kind] = TYPES[isFirst ? 0 : below(TYPES.length)]!;
  const [status, state] = STATES[isFirst ? 0 : below(STATES.length)]!;
  const [fiscalId, name] = PARTIES[isFirst ? 0 : below(PARTIES.length)]!;
  const cents = (): bigint => BigInt(below(5)) * BigInt(below(1_000_000)) * (below(6) === 0 ? -1n : 1n);
  const fails = (share: number): boolean => mayFail && !isFirst && below(share) === 0;
  const document: BookDocument = {
    // Some ids are those of other records.
    id: below(8) === 0 ? '1' : String(index + 1),
    number: String(100 + below(30)),
    ...{ type, kind, state, fiscalId, name },
    open: fails(12) ? 'unreadable' : maybe(10, isFirst ? 100n : cents()),
    paid: maybe(4, cents()),
    total: maybe(10, cents()),
    due: fails(12) ? 'unreadable' : maybe(8, below(300) - 200),
    date: -below(300),
    currency: maybe(10, ['CLP', 'CLP', 'USD'][below(3)]!),
  };
  return { document, status };
}

function recordOf(
  { document, status, place }: PlacedDocument,
  columns: Readonly<Record<Field, string>>,
  below: (limit: number) => number,
): string {
  const nothing = (): string | undefined => [undefined, 'null', '""'][below(3)];
  const amount = (cents: bigint | undefined | 'unreadable'): string | undefined => {
    if (cents === 'unreadable') return below(2) === 0 ? '"N/A"' : 'true';
    if (cents === undefined) return nothing();
    const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
    const sign = cents < 0n ? '-' : '';
    if (below(10) === 0) return `${sign}${Number(digits)}e-2`;
    return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  };
  const day = (days: number): string => new Date((TODAY + days) * 86_400_000).toISOString().slice(0, 10);
  const { due } = document;
  const text = (value: string | undefined): string | undefined =>
    value === undefined ? nothing() : JSON.stringify(value);
  const cells: Readonly<Record<Field, string | undefined>> = {
    open: amount(document.open),
    paid: amount(document.paid),
    total: amount(document.total),
    due:
      due === 'unreadable'
        ? ['"15/10/2024"', '1790000000'][below(2)]
        : due === undefined
          ? nothing()
          : JSON.stringify(day(due) + (below(3) === 0 ? 'T23:00:00-03:00' : '')),
    date: JSON.stringify(day(document.date)),
    currency: text(place % 5 === 3 ? document.currency?.toLowerCase() : document.currency),
    type: document.type,
    status: text(status),
    name: undefined,
    fiscalId: text(document.fiscalId),
  };
  const members = [`"place":${place}`, `"id":${document.id}`, `"number":${document.number}`];
  for (const [field, literal] of Object.entries(cells)) {
    if (literal !== undefined) members.push(`${JSON.stringify(columns[field as Field])}:${literal}`);
  }
  const [object = '', member = ''] = columns.name.split('.');
  const name = text(document.name);
  if (name !== undefined) members.push(`"${object}":{"${member}":${name}}`);
  return `{${members.join(',')}}`;
}
