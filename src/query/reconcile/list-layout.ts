import { basename } from 'node:path';
import { UsageError } from '../../errors.ts';
import { fixedValue } from '../../invoices/fields.ts';
import { parsePeriod, type Period } from '../../invoices/periods.ts';
import { nearestHint } from '../nearest-names.ts';

/** Which listing of the service a list is held against. */
export type Against = 'issued' | 'received';

/** What can be known of a document in a list. */
const LIST_FIELDS = [
  'number',
  'total',
  'documentType',
  'counterpartyFiscalId',
  'counterpartyName',
  'date',
  'currency',
  'net',
  'exempt',
  'tax',
] as const;
export type ListField = (typeof LIST_FIELDS)[number];

/** The headings of --match, by field. */
export type Match = ReadonlyMap<ListField, string>;

/** Reads `number=Invoice,total=Amount`; repeated, all of them count. Throws UsageError. */
export function parseMatch(text: string, before: Match = new Map()): Match {
  const match = new Map(before);
  // A heading may have a comma, but none that a field and a = follow.
  for (const part of text.split(/,(?=\s*[A-Za-z]+\s*=)/)) {
    const [, name = '', heading = ''] = /^\s*([A-Za-z]*)\s*=(.*)$/s.exec(part) ?? [];
    const field = LIST_FIELDS.find((one) => one === name);
    if (field === undefined || heading.trim() === '') {
      throw new UsageError(`--match ${JSON.stringify(part.trim())}: expected field=heading`, {
        hint: `The fields are ${LIST_FIELDS.join(', ')}.`,
      });
    }
    if (match.has(field)) {
      throw new UsageError(`--match names ${field} twice`, { hint: 'Name one heading for each field.' });
    }
    match.set(field, heading.trim());
  }
  return match;
}

/** Throws UsageError where --match leaves out what every document needs. */
export function checkMatch(match: Match): void {
  for (const field of ['number', 'total'] as const) {
    if (match.has(field)) continue;
    throw new UsageError(`--match does not say which column is the ${field}`, {
      hint: `Add ${field}=<heading>: number and total are needed.`,
    });
  }
}

/** The error for a list that cannot be read as it is. Lines count from 1. */
export function badList(path: string, line: number, what: string, hint?: string): UsageError {
  return new UsageError(`${path}, line ${line}: ${what}`, {
    hint: hint ?? 'Download the list again, or correct that line. Nothing was written.',
  });
}

/** Where the fields of a list are. */
export interface ListLayout {
  /** Which register of the tax authority it is; `other` for any other list. */
  readonly kind: 'purchases' | 'pending' | 'sales' | 'other';
  readonly headings: readonly string[];
  /** The indexes of each field's cells, which are added where there are several; or a text that all rows have. */
  readonly columns: ReadonlyMap<ListField, readonly number[] | string>;
  /** What a register is about. */
  readonly against?: Against;
  /** The index of the number of the row, where rows have one: rows without it go on the row before. */
  readonly row?: number;
  /** A tax besides the value added tax. Where its columns are the last, more of them may follow, three cells each. */
  readonly furtherTax?: {
    readonly amount: number;
    /** Those of code, amount and rate. */
    readonly indexes: readonly number[];
    readonly isLast: boolean;
  };
}

/** The headings of a register of the tax authority, as it writes them. */
interface Register {
  readonly against: Against;
  /** By which two it is told from any other list: the first is the fiscal ID of the counterparty. */
  readonly toldBy: readonly [string, string];
  readonly tax: readonly string[];
  readonly total: string;
  /** Code, amount and rate. */
  readonly furtherTax: readonly [string, string, string];
}

const ROW = 'Nro';

const REGISTERS: readonly Register[] = [
  {
    against: 'received',
    toldBy: ['RUT Proveedor', 'Tipo Compra'],
    // The tax on fixed assets is part of these.
    tax: ['Monto IVA Recuperable', 'Monto Iva No Recuperable', 'IVA uso Comun'],
    total: 'Monto Total',
    furtherTax: ['Codigo Otro Impuesto', 'Valor Otro Impuesto', 'Tasa Otro Impuesto'],
  },
  {
    against: 'issued',
    toldBy: ['Rut cliente', 'Tipo Venta'],
    tax: ['Monto IVA'],
    total: 'Monto total',
    furtherTax: ['Codigo Otro Imp.', 'Valor Otro Imp.', 'Tasa Otro Imp.'],
  },
];

/** The other headings, which both registers have. */
const REGISTER_FIELDS = {
  number: ['Folio'],
  documentType: ['Tipo Doc'],
  counterpartyName: ['Razon Social'],
  date: ['Fecha Docto'],
  exempt: ['Monto Exento'],
  net: ['Monto Neto'],
} as const;

/** The currency of a register, whatever the document was written in. */
const REGISTER_CURRENCY = 'CLP';

const REGISTER_CUT =
  'The register has it: take the file as the tax authority gives it, or say which column is which with --match.';

/** Finds the fields in the headings of a list. Throws UsageError where it is none that is known, or a column is not there. */
export function layoutOf(path: string, headings: readonly string[], match: Match | undefined): ListLayout {
  const names = headings.map(folded);
  const has = (heading: string): boolean => names.includes(folded(heading));
  const indexOf = (heading: string): number => {
    const index = names.indexOf(folded(heading));
    if (index < 0) {
      const known = headings.filter((one) => one.trim() !== '');
      // The headings of a register are folio's to know, and no name that the user could have misspelt.
      const hint = match === undefined ? REGISTER_CUT : nearestHint(heading, known);
      throw badList(path, 1, `there is no column ${heading}`, hint);
    }
    if (names.includes(names[index]!, index + 1))
      throw badList(path, 1, `there are two columns ${heading}`, 'Leave one of them out.');
    return index;
  };
  if (match !== undefined) {
    const columns = [...match].map(
      ([field, heading]) => [field, fixedValue(heading) ?? [indexOf(heading)]] as const,
    );
    return { kind: 'other', headings, columns: new Map(columns) };
  }
  const register = REGISTERS.find(({ toldBy }) => toldBy.every(has));
  if (register === undefined) {
    throw badList(
      path,
      1,
      'these headings are of no register that folio knows',
      'Say which column is which, as in --against received --match number=Invoice,total=Amount,counterpartyFiscalId=VAT.',
    );
  }
  const columns = new Map<ListField, readonly number[] | string>([['currency', REGISTER_CURRENCY]]);
  const { toldBy, tax, total } = register;
  const fields = { ...REGISTER_FIELDS, counterpartyFiscalId: [toldBy[0]], tax, total: [total] };
  for (const field of LIST_FIELDS) if (field !== 'currency') columns.set(field, fields[field].map(indexOf));
  const isSales = register.against === 'issued';
  const further = register.furtherTax.map(indexOf);
  const isLast = further.every((index, at) => index === names.length - 3 + at);
  return {
    // Of purchases, all but those that are pending say when they were answered.
    kind: isSales ? 'sales' : has('Fecha Acuse') || has('Fecha Reclamo') ? 'purchases' : 'pending',
    against: register.against,
    headings,
    columns,
    row: indexOf(ROW),
    furtherTax: { amount: further[1]!, indexes: further, isLast },
  };
}

/** A heading without case, accents and superfluous blanks. */
function folded(heading: string): string {
  return heading.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** What the name of a list says: `RCV_COMPRA_REGISTRO_76123456-7_202610.csv`. A second download may have ` (1)` behind it. */
export function readName(path: string): { fiscalId: string | undefined; month: Period | undefined } {
  const stem = basename(path)
    .replace(/(?:\.[A-Za-z]+)+$/, '')
    .replace(/\s*\(\d+\)$/, '');
  const [, fiscalId] = /(?:^|_)(\d{1,3}(?:\.?\d{3}){1,2}-[\dkK])(?=_|$)/.exec(stem) ?? [];
  const [, year, month] = /_(20\d\d)(0[1-9]|1[0-2])$/.exec(stem) ?? [];
  return {
    fiscalId,
    month: year === undefined ? undefined : parsePeriod(`${year}-${month}`, Infinity),
  };
}
