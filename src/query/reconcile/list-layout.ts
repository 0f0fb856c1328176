import { basename } from 'node:path';
import { fixedValue } from '../../invoices/fields.ts';
import { parsePeriod, type Period } from '../../invoices/periods.ts';
import { nearestHint } from '../nearest-names.ts';
import { badList } from './list-file.ts';
import { LIST_FIELDS, type Against, type ListField, type Match } from './list-match.ts';

/** Where the fields of a list are. */
export interface ListLayout {
  /** Which register of the tax authority it is; `other` for any other list. */
  readonly kind: 'purchases' | 'pending' | 'sales' | 'other';
  /** What the list itself says that it is about. */
  readonly against: Against | undefined;
  /** The places of the cells of each field, which are added where there are several; or a text that all rows have. */
  readonly places: ReadonlyMap<ListField, readonly number[] | string>;
  /** The place of the number of the row: rows without one go on the row before. Undefined where rows have none. */
  readonly row: number | undefined;
  /** Where a further tax is; undefined where there is none. */
  readonly furtherTax: FurtherTax | undefined;
  readonly headings: readonly string[];
}

/** A tax besides the value added tax. Where its places are the last, more of them may follow, three cells each. */
interface FurtherTax {
  readonly amount: number;
  /** Those of code, amount and rate. */
  readonly places: readonly number[];
  readonly isLast: boolean;
}

/** The headings of a register of the tax authority, as it writes them. */
interface Register {
  readonly against: Against;
  /** By which two it is told from any other list. */
  readonly toldBy: readonly [string, string];
  readonly fields: Readonly<Partial<Record<ListField, readonly string[]>>>;
  /** Code, amount and rate. */
  readonly furtherTax: readonly [string, string, string];
}

const ROW = 'Nro';

const REGISTERS: readonly Register[] = [
  {
    against: 'received',
    toldBy: ['RUT Proveedor', 'Tipo Compra'],
    fields: {
      number: ['Folio'],
      documentType: ['Tipo Doc'],
      counterpartyFiscalId: ['RUT Proveedor'],
      counterpartyName: ['Razon Social'],
      date: ['Fecha Docto'],
      exempt: ['Monto Exento'],
      net: ['Monto Neto'],
      // The tax on fixed assets is part of these.
      tax: ['Monto IVA Recuperable', 'Monto Iva No Recuperable', 'IVA uso Comun'],
      total: ['Monto Total'],
    },
    furtherTax: ['Codigo Otro Impuesto', 'Valor Otro Impuesto', 'Tasa Otro Impuesto'],
  },
  {
    against: 'issued',
    toldBy: ['Rut cliente', 'Tipo Venta'],
    fields: {
      number: ['Folio'],
      documentType: ['Tipo Doc'],
      counterpartyFiscalId: ['Rut cliente'],
      counterpartyName: ['Razon Social'],
      date: ['Fecha Docto'],
      exempt: ['Monto Exento'],
      net: ['Monto Neto'],
      tax: ['Monto IVA'],
      total: ['Monto total'],
    },
    furtherTax: ['Codigo Otro Imp.', 'Valor Otro Imp.', 'Tasa Otro Imp.'],
  },
];

/** The currency of a register, whatever the document was written in. */
const CURRENCY: readonly [ListField, string] = ['currency', 'CLP'];

const REGISTER_CUT =
  'The register has it: take the file as the tax authority gives it, or say which column is which with --match.';

/** Finds the fields in the headings of a list. Throws UsageError where it is none that is known, or a column is not there. */
export function layoutOf(path: string, headings: readonly string[], match: Match | undefined): ListLayout {
  const names = headings.map(folded);
  const placeOf = (heading: string): number => {
    const name = folded(heading);
    const place = names.indexOf(name);
    if (place < 0) {
      const known = headings.filter((one) => one.trim() !== '');
      // The headings of a register are folio's to know, and no name that the user could have misspelt.
      const hint = match === undefined ? REGISTER_CUT : nearestHint(heading, known);
      throw badList(path, 1, `there is no column ${heading}`, hint);
    }
    if (names.includes(name, place + 1)) {
      throw badList(path, 1, `there are two columns ${heading}`, 'Leave one of them out.');
    }
    return place;
  };
  if (match !== undefined) {
    const places = [...match].map(
      ([field, heading]) => [field, fixedValue(heading) ?? [placeOf(heading)]] as const,
    );
    return {
      kind: 'other',
      against: undefined,
      places: new Map(places),
      row: undefined,
      furtherTax: undefined,
      headings,
    };
  }
  const has = (heading: string): boolean => names.includes(folded(heading));
  const register = REGISTERS.find(({ toldBy }) => toldBy.every(has));
  if (register === undefined) {
    throw badList(
      path,
      1,
      'these headings are of no register that folio knows',
      'Say which column is which, as in --against received --match number=Invoice,total=Amount,counterpartyFiscalId=VAT.',
    );
  }
  const places = LIST_FIELDS.flatMap((field) => {
    const own = register.fields[field];
    return own === undefined ? [] : [[field, own.map(placeOf)] as const];
  });
  const further = register.furtherTax.map(placeOf);
  return {
    kind: kindOf(register, has),
    against: register.against,
    places: new Map<ListField, readonly number[] | string>([...places, CURRENCY]),
    row: placeOf(ROW),
    furtherTax: {
      amount: further[1]!,
      places: further,
      isLast: further.every((place, at) => place === names.length - 3 + at),
    },
    headings,
  };
}

/** Which register it is: of purchases, all but that of pending ones say when they were answered. */
function kindOf({ against }: Register, has: (heading: string) => boolean): ListLayout['kind'] {
  if (against === 'issued') return 'sales';
  return has('Fecha Acuse') || has('Fecha Reclamo') ? 'purchases' : 'pending';
}

/** A heading without case, accents and superfluous blanks. */
function folded(heading: string): string {
  return heading.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** What the name of a list says: `RCV_COMPRA_REGISTRO_76123456-7_202610.csv`. */
interface NameOfList {
  readonly fiscalId: string | undefined;
  readonly month: Period | undefined;
}

/** Reads the name of a list. A second download may have ` (1)` behind it. */
export function readName(path: string): NameOfList {
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
