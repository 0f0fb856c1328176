import { basename } from 'node:path';
import { UsageError } from '../../errors.ts';
import { fixedValue } from '../../invoices/fields.ts';
import { readBegunPeriod, type Period } from '../../invoices/periods.ts';
import { nearestHint } from '../nearest-names.ts';

/** Which listing of the service a list is compared with. */
export type Against = 'issued' | 'received';

/** The decimal mark of a list's amounts; the other mark separates thousands. */
export const DECIMAL_MARKS = ['comma', 'point'] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

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

/** The fields that every row has its own value of. Other fields may have one value for all rows. */
const OF_ROWS: readonly ListField[] = ['number', 'total', 'net', 'exempt', 'tax'];

export type Match = ReadonlyMap<ListField, string>;

/** Reads `number=Invoice,total=Amount`, and adds it to what an earlier --match had. Throws UsageError. */
export function parseMatch(text: string, before: Match = new Map()): Match {
  const match = new Map(before);
  // A heading may have a comma, unless a field and a = follow.
  for (const part of text.split(/,(?=\s*[A-Za-z]+\s*=)/)) {
    const [, name, rest = ''] = /^\s*([A-Za-z]*)\s*=(.*)$/s.exec(part) ?? [];
    const [field, heading] = [LIST_FIELDS.find((one) => one === name), rest.trim()];
    if (field === undefined || heading === '') {
      throw new UsageError(`--match ${JSON.stringify(part.trim())}: expected field=heading`, {
        hint: `The fields are ${LIST_FIELDS.join(', ')}.`,
      });
    }
    if (match.has(field))
      throw new UsageError(`--match names ${field} twice`, { hint: 'Name one heading for each field.' });
    if (OF_ROWS.includes(field) && fixedValue(heading) !== undefined)
      throw new UsageError(`--match ${part.trim()}: each row has its own ${field}`, {
        hint: `Name its heading: ${field}=<heading>.`,
      });
    match.set(field, heading);
  }
  return match;
}

/** The error for a list that cannot be read as it is. Lines count from 1. */
export function badList(path: string, line: number, what: string, hint?: string): UsageError {
  return new UsageError(`${path}, line ${line}: ${what}`, {
    hint: hint ?? 'Download the list again, or correct that line. Nothing was written.',
  });
}

export interface ListLayout {
  /** Which register of the tax authority it is; `other` for any other list. */
  readonly kind: 'purchases' | 'pending' | 'sales' | 'other';
  readonly headings: readonly string[];
  /** The indexes of each field's cells (several amounts are added up), or one text for all rows. */
  readonly fields: ReadonlyMap<ListField, readonly number[] | string>;
  /** The listing that a register is about. */
  readonly against?: Against;
  /** The index of the row number, if rows have one: a row without it continues the row before. */
  readonly row?: number;
  /** A tax besides the value added tax. Where its columns are the last, more such taxes may follow, three cells each. */
  readonly otherTax?: {
    readonly amount: number;
    /** Those of code, amount and rate. */
    readonly indexes: readonly number[];
    readonly isLast: boolean;
  };
}

/** The headings that both registers of the tax authority have, as it writes them. */
const OF_BOTH = {
  number: ['Folio'],
  documentType: ['Tipo Doc'],
  counterpartyName: ['Razon Social'],
  date: ['Fecha Docto'],
  exempt: ['Monto Exento'],
  net: ['Monto Neto'],
};
const REGISTERS = [
  {
    against: 'received',
    knownBy: ['Tipo Compra', 'RUT Proveedor'],
    fields: {
      ...OF_BOTH,
      counterpartyFiscalId: ['RUT Proveedor'],
      // The tax on fixed assets is part of these.
      tax: ['Monto IVA Recuperable', 'Monto Iva No Recuperable', 'IVA uso Comun'],
      total: ['Monto Total'],
    },
    otherTax: { code: 'Codigo Otro Impuesto', amount: 'Valor Otro Impuesto', rate: 'Tasa Otro Impuesto' },
  },
  {
    against: 'issued',
    knownBy: ['Tipo Venta', 'Rut cliente'],
    fields: {
      ...OF_BOTH,
      counterpartyFiscalId: ['Rut cliente'],
      tax: ['Monto IVA'],
      total: ['Monto total'],
    },
    otherTax: { code: 'Codigo Otro Imp.', amount: 'Valor Otro Imp.', rate: 'Tasa Otro Imp.' },
  },
] as const;
const ROW = 'Nro';

/** The currency of a register, whatever currency the document was written in. */
export const PESOS = 'CLP';

const REGISTER_CUT =
  'The register has it: take the file as the tax authority gives it, or say which column is which with --match.';
const MATCH_HINT =
  'Say which column is which, as in --against received --match number=Invoice,total=Amount,counterpartyFiscalId=VAT.';

/** Finds the fields in the headings of a list. Throws UsageError for a list of no known kind, or without one of the columns. */
export function layoutOf(path: string, headings: readonly string[], match: Match | undefined): ListLayout {
  const names = headings.map(fold);
  const has = (heading: string): boolean => names.includes(fold(heading));
  const indexOf = (heading: string): number => {
    const index = names.indexOf(fold(heading));
    if (index < 0) {
      const known = headings.filter((one) => one.trim() !== '');
      // The headings of a register are fixed: the user cannot have misspelt one.
      const hint = match === undefined ? REGISTER_CUT : nearestHint(heading, known);
      throw badList(path, 1, `there is no column ${heading}`, hint);
    }
    if (names.includes(names[index]!, index + 1))
      throw badList(path, 1, `there are two columns ${heading}`, 'Leave one of them out.');
    return index;
  };
  const fields = new Map<ListField, readonly number[] | string>();
  if (match !== undefined) {
    for (const [field, heading] of match) fields.set(field, fixedValue(heading) ?? [indexOf(heading)]);
    return { kind: 'other', headings, fields };
  }
  const register = REGISTERS.find(({ knownBy }) => knownBy.every(has));
  if (register === undefined) throw badList(path, 1, 'folio does not know these headings', MATCH_HINT);
  const { against, otherTax } = register;
  for (const [field, own] of Object.entries(register.fields))
    fields.set(field as ListField, own.map(indexOf));
  const taxIndexes = Object.values(otherTax).map(indexOf);
  // Purchases that are not pending have the day of the answer.
  const isAnswered = has('Fecha Acuse') || has('Fecha Reclamo');
  return {
    kind: against === 'issued' ? 'sales' : isAnswered ? 'purchases' : 'pending',
    against,
    headings,
    fields: fields.set('currency', PESOS),
    row: indexOf(ROW),
    otherTax: {
      amount: indexOf(otherTax.amount),
      indexes: taxIndexes,
      isLast: taxIndexes.every((index, at) => index === names.length - 3 + at),
    },
  };
}

/** A heading without case, accents and superfluous blanks. */
function fold(heading: string): string {
  return heading.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** Reads the name of a list: `RCV_COMPRA_REGISTRO_76123456-7_202610.csv`. A second download may end with ` (1)`. */
export function readName(path: string): { fiscalId: string | undefined; month: Period | undefined } {
  const stem = basename(path)
    .replace(/(?:\.[A-Za-z]+)+$/, '')
    .replace(/\s*\(\d+\)$/, '');
  const [, fiscalId] = /(?:^|_)(\d{1,3}(?:\.?\d{3}){1,2}-[\dkK])(?=_|$)/.exec(stem) ?? [];
  const [, year, month] = /_(20\d\d)(0[1-9]|1[0-2])$/.exec(stem) ?? [];
  return {
    fiscalId,
    month: year === undefined ? undefined : readBegunPeriod(`${year}-${month}`, Infinity),
  };
}
