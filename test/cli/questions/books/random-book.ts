import * as fc from 'fast-check';

/** What an amount is counted in: far smaller than any that a book holds. */
const SCALE = 24;

/** A cell: how it is written, nothing where the record lacks it, and what it says. */
export interface Written<T> {
  readonly literal: string | undefined;
  readonly value: T | undefined | 'unreadable';
}

/** One document, as whoever made it knows it. Days are counted from the day on which the book was read. */
export interface BookDocument {
  readonly type: Written<string>;
  readonly kind: 'plain' | 'credit' | 'no money';
  readonly status: Written<string>;
  readonly state: 'valid' | 'cancelled' | 'void';
  readonly fiscalId: string | undefined;
  readonly name: string | undefined;
  readonly currency: Written<string>;
  readonly open: Written<bigint>;
  readonly total: Written<bigint>;
  readonly paid: Written<bigint>;
  readonly due: Written<number>;
  readonly date: Written<number>;
  readonly payments: readonly Payment[] | undefined;
  /** What a column says that means cancelled in some books, and nothing in others. */
  readonly isMarked: boolean | undefined;
  /** Whether its id is also that of others. */
  readonly isTwin: boolean;
}

interface Payment {
  readonly date: Written<number>;
  readonly amount: Written<bigint>;
}

/** The documents of one organization, and the columns that they are in. */
export interface Book {
  readonly documents: readonly BookDocument[];
  readonly columns: 'usual' | 'known' | 'own';
}

/** 2026-11-20, the day on which all books are read, in days since 1970-01-01. */
export const TODAY = Date.UTC(2026, 10, 20) / 86_400_000;

export function dayText(days: number): string {
  return new Date((TODAY + days) * 86_400_000).toISOString().slice(0, 10);
}

/** An amount of text as a number of the smallest units: `1190.10`, `1E2`; nothing is none. */
export function unitsOf(text: string): bigint {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === '') throw new Error(`no amount: ${text}`);
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const shift = SCALE + Number(exponent) - fraction.length;
  if (shift < 0) throw new Error(`too small an amount: ${text}`);
  return digits * 10n ** BigInt(shift);
}

const KINDS: Readonly<Record<BookDocument['kind'], readonly string[]>> = {
  plain: [
    ...['"INVOICE"', '33', '"034"', '"EXEMPT_INVOICE"', '39'],
    ...['"RECEIPT"', '914', '"SOMETHING"', '999', 'null'],
    ...['"Invoice of order"', '"Factura exenta"', '"DEBIT_NOTE"', '56', '"Nota de débito"', '""'],
  ],
  credit: [
    ...['"CREDIT_NOTE"', '61', '"Export-Credit-Note"', '"CreditNote"', '"exportCreditNote"', '"061"'],
    ...['"Nota de crédito"', '"NOTA DE CRÉDITO"', '"notaDeCredito"', '60', '112'],
  ],
  'no money': [
    ...['52', '"DELIVERY_GUIDE"', '"QUOTE"', '"deliveryNote"', '"SalesOrder/2"', '"PURCHASE_ORDER"'],
    ...['"Guía de despacho"', '"COTIZACIÓN"', '"Orden de compra"', '50'],
  ],
};
const STATES: Readonly<Record<BookDocument['state'], readonly string[]>> = {
  valid: ['PENDING', 'OVERDUE', 'PAID', 'CANCELADA', ''],
  cancelled: ['NULLIFIED', 'anulada', 'ANULADO', 'Annulled', 'Cancelled', 'CANCELED'],
  void: ['VOID', 'voided'],
};
/** Valid RUTs with zeros before them or not, IDs that are none, shared ones, and such as are only punctuation. */
const FISCAL_IDS = [
  ...['5.126.663-3', '05126663-3', '005.126.663-3 ', '1-9', '01-9'],
  ...['2-7', '2 7', '12.345.670-k', '12345670-K'],
  ...['0512666-4', '512666-4', '00US-12', 'US-12', '55555555-5', '55.555.555-5', '055555555-5', '66666666-6'],
  ...['-', '.', ' ', ''],
];
const NAMES = ['Roble', 'Roble Ltda', 'Lago', 'Sol', 'Luz', ''];

const nothing = fc.constantFrom(undefined, 'null', '""').map((literal) => ({ literal, value: undefined }));
const written = <T>(arbitrary: fc.Arbitrary<Written<T>>, unreadable: readonly string[]) =>
  fc.oneof(
    { weight: 12, arbitrary },
    { weight: 2, arbitrary: nothing },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...unreadable)
        .map((literal): Written<T> => ({ literal, value: 'unreadable' })),
    },
  );

/** Whole ones, cents, long ones, long fractions, with exponents; some below zero, some zero. */
const amount: fc.Arbitrary<Written<bigint>> = fc
  .tuple(
    fc.oneof(fc.bigInt(-500n, 5_000n), fc.bigInt(0n, 10n ** 9n), fc.bigInt(-(10n ** 20n), 10n ** 25n)),
    fc.constantFrom(0, 0, 2, 2, 3, 18),
    fc.constantFrom('plain', 'plain', 'exponent'),
  )
  .map(([digits, scale, form]) => {
    const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
    const sign = digits < 0n ? '-' : '';
    const places = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
    const literal = form === 'plain' ? sign + places : `${digits}E-${scale}`;
    return { literal, value: unitsOf(literal) };
  });
const day = (of: fc.Arbitrary<number>): fc.Arbitrary<Written<number>> =>
  fc
    .tuple(of, fc.constantFrom('', '', 'T23:00:00-03:00', 'T09:30:00'))
    .map(([value, time]) => ({ literal: JSON.stringify(dayText(value) + time), value }));
/** Any day, but as often one at which an age begins or ends. */
const dueDay = day(
  fc.oneof(fc.integer({ min: -200, max: 100 }), fc.constantFrom(0, 1, -1, -30, -31, -60, -61, -90, -91)),
);

const kinds = Object.entries(KINDS) as [BookDocument['kind'], readonly string[]][];
const states = Object.entries(STATES) as [BookDocument['state'], readonly string[]][];
const oneOf = <T>(weight: number, of: readonly T[]) => ({ weight, arbitrary: fc.constantFrom(...of) });

const amounts = written(amount, ['"N/A"', 'true']);
const document: fc.Arbitrary<BookDocument> = fc
  .record({
    ofKind: fc.oneof(
      ...kinds.map(([kind, literals]) =>
        oneOf(
          kind === 'plain' ? 4 : kind === 'credit' ? 2 : 1,
          literals.map((literal) => ({ kind, type: { literal, value: literal } })),
        ),
      ),
    ),
    ofState: fc.oneof(
      ...states.map(([state, values]) =>
        oneOf(
          state === 'valid' ? 5 : 1,
          values.map((value) => ({ state, status: { literal: JSON.stringify(value), value } })),
        ),
      ),
    ),
    fiscalId: fc.constantFrom(...FISCAL_IDS, undefined),
    name: fc.constantFrom(...NAMES, undefined),
    currency: fc
      .constantFrom('CLP', 'CLP', 'clp', ' CLP', 'USD', 'usd', ' ', '', undefined)
      .map((value) => ({ literal: JSON.stringify(value), value: value?.trim().toUpperCase() || undefined })),
    open: amounts,
    total: amounts,
    paid: amounts,
    due: written(dueDay, ['"15/10/2024"', '1790000000', '"2026-02-30"']),
    date: written(day(fc.integer({ min: -300, max: 0 })), ['"soon"', '20261101']),
    isMarked: fc.constantFrom(undefined, false, true),
    payments: fc.option(
      fc.array(
        fc.record({ date: day(fc.integer({ min: -90, max: 0 })), amount: fc.oneof(amount, nothing) }),
        { maxLength: 3 },
      ),
      { nil: undefined },
    ),
    isTwin: fc.constantFrom(false, false, true),
  })
  .map(({ ofKind, ofState, ...rest }) => ({ ...ofKind, ...ofState, ...rest }));

/** The first of each book, so that each column is there. */
const FIRST: BookDocument = {
  ...{ kind: 'plain', type: { literal: '"INVOICE"', value: '"INVOICE"' } },
  ...{ state: 'valid', status: { literal: '"PENDING"', value: 'PENDING' } },
  ...{ fiscalId: '2-7', name: 'Lago', currency: { literal: '"CLP"', value: 'CLP' } },
  ...{ open: { literal: '1', value: unitsOf('1') }, total: { literal: '2', value: unitsOf('2') } },
  ...{ paid: { literal: '1', value: unitsOf('1') }, due: { literal: `"${dayText(-10)}"`, value: -10 } },
  ...{ date: { literal: `"${dayText(-40)}"`, value: -40 }, isTwin: false, isMarked: undefined },
  payments: [
    { date: { literal: `"${dayText(-5)}"`, value: -5 }, amount: { literal: '1', value: unitsOf('1') } },
  ],
};

export const randomBook: fc.Arbitrary<Book> = fc
  .record({
    documents: fc.array(document, { maxLength: 11 }).map((others) => [FIRST, ...others]),
    columns: fc.constantFrom('usual', 'known', 'own'),
  })
  .map(({ documents, columns }) => ({
    documents: columns === 'own' ? documents.map(cancelledIfMarked) : documents,
    columns,
  }));

function cancelledIfMarked(document: BookDocument): BookDocument {
  const { state, isMarked = false } = document;
  return { ...document, state: isMarked && state === 'valid' ? 'cancelled' : state };
}

/** Books of what an organization issued, or of what it received. */
export type Listing = 'issued' | 'received';

type Field =
  | 'open'
  | 'paid'
  | 'total'
  | 'due'
  | 'date'
  | 'currency'
  | 'type'
  | 'status'
  | 'name'
  | 'fiscalId';

const USUAL: Readonly<Record<Field, string>> = {
  ...{ open: 'amountToBePaid', paid: 'paidAmount', total: 'totalAmount', due: 'dueBy', date: 'date' },
  ...{ currency: 'currency', type: 'documentType', status: 'status' },
  ...{ name: 'PARTY.name', fiscalId: 'PARTYFiscalId' },
};
const KNOWN: Readonly<Record<Field, string>> = {
  ...USUAL,
  ...{ open: 'amountDue', paid: 'conciliatedAmount', due: 'dueDate', currency: 'currencyCode' },
  ...{ type: 'type', status: 'state' },
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
const MARK = 'nula';
const COLUMNS = { usual: USUAL, known: KNOWN, own: OWN };

/** The settings of whoever has the book. No two of its records are one, whatever their ids. */
export function settingsOf({ columns }: Book, listing: Listing): Readonly<Record<string, string>> {
  const own = Object.entries(SETTINGS).map(([field, name]) => [`fields.${name}`, OWN[field as Field]]);
  const all = [...own, ['fields.cancelled', MARK]];
  return { ...(columns === 'own' ? Object.fromEntries(all) : {}), [`key.${listing}`]: 'number' };
}

/** The records that the service has of a book; a document is known by its number. */
export function recordsOf({ documents, columns }: Book, listing: Listing, firstNumber: number): string[] {
  const names = COLUMNS[columns];
  const [object = '', member = ''] = names.name
    .replace('PARTY', listing === 'issued' ? 'customer' : 'issuer')
    .split('.');
  const fiscalId = names.fiscalId.replace('PARTY', listing === 'issued' ? 'receiver' : 'issuer');
  return documents.map((document, at) => {
    const { type, status, currency, open, total, paid, due, date, payments, isTwin } = document;
    const cells: [name: string, literal: string | undefined][] = [
      ['id', String(isTwin ? 1 : at + 2)],
      ['number', String(firstNumber + at)],
      ...Object.entries({ type, status, currency, open, total, paid, due, date }).map(
        ([field, { literal }]): [string, string | undefined] => [names[field as Field], literal],
      ),
      [fiscalId, JSON.stringify(document.fiscalId)],
      [object, document.name === undefined ? undefined : JSON.stringify({ [member]: document.name })],
      [MARK, JSON.stringify(document.isMarked)],
      ['payments', payments && `[${payments.map(paymentText).join(',')}]`],
    ];
    return objectText(cells);
  });
}

function paymentText({ date, amount }: Payment): string {
  return objectText([
    ['date', date.literal],
    ['amount', amount.literal],
  ]);
}

function objectText(cells: readonly (readonly [name: string, literal: string | undefined])[]): string {
  const members = cells.filter(([, literal]) => literal !== undefined);
  return `{${members.map(([name, literal]) => `${JSON.stringify(name)}:${literal}`).join(',')}}`;
}
