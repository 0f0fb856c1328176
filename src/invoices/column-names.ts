import {
  declaredType,
  fieldsOfColumns,
  mapProfiles,
  ofAny,
  roleOfColumn,
  ROLE_TYPES,
  ROLES,
  type Fields,
  type FieldsOf,
  type Role,
} from './fields.ts';

/** What the names of columns stand for besides themselves: what a column means, and what a table prints above it. */
export interface ColumnNames {
  readonly fields: FieldsOf;
  /** For each heading the role of its column; or, where it has none, the columns that it may be in. */
  readonly headings?: ReadonlyMap<string, Role | readonly string[]>;
  /** The headings of --columns and of the export that is read, each with its column. They name columns of a file, not of records. */
  readonly byHeading?: ReadonlyMap<string, string> | undefined;
  /** The setting that declares more columns of the listing: `known.issued`. */
  readonly known?: string | undefined;
}

/** Where names stand for themselves alone. */
export const PLAIN_NAMES: ColumnNames = { fields: { usual: fieldsOfColumns([]) } };

function meaningOfName(name: string, { headings }: ColumnNames): Role | readonly string[] | undefined {
  return ROLES.find((one) => one === name) ?? headings?.get(name);
}

/** The columns that a name stands for in records of some fields; undefined for a name that stands for itself alone. */
export function columnsNamed(
  name: string,
  names: ColumnNames,
  fields: Fields,
): readonly string[] | undefined {
  const meant = meaningOfName(name, names);
  const columns = typeof meant === 'string' ? fields.columns[meant] : meant;
  return columns?.length === 1 && columns[0] === name ? undefined : columns;
}

/** The names besides their own that stand for some of these columns. */
export function namesMeaning(columns: readonly string[], names: ColumnNames): readonly string[] {
  const hasColumn = (name: string): boolean =>
    ofAny(names.fields).some((fields) =>
      columnsNamed(name, names, fields)?.some((column) => columns.includes(column)),
    );
  return [...ROLES, ...(names.headings?.keys() ?? [])].filter(hasColumn);
}

/** The role of a column by any of its names; undefined for a column without a meaning. */
export function roleNamed(name: string, names: ColumnNames, fields: Fields): Role | undefined {
  const meant = ROLES.find((one) => one === name) ?? roleOfColumn(fields, name) ?? names.headings?.get(name);
  return typeof meant === 'string' ? meant : undefined;
}

export function isCurrency(name: string, names: ColumnNames): boolean {
  return roleNamed(name, names, names.fields.usual) === 'currency';
}

/** Whether the cells of a column, by any of its names, are money in the records of any profile. */
export function isMoney(name: string, names: ColumnNames): boolean {
  const roles = ofAny(names.fields).map((fields) => roleNamed(name, names, fields));
  const isOfRole = roles.some((role) => role !== undefined && ROLE_TYPES.get(role) === 'money');
  return isOfRole || declaredType(names.fields, name) === 'money';
}

const FISCAL_ID_COLUMN = /(?:^|\.)\w*(?:fiscal_?id|rut|tax_?id)$/i;

/** Whether the cells of a column, by any of its names, are fiscal IDs: of the counterparty, or by what the column is called. */
export function holdsFiscalIds(name: string, names: ColumnNames): boolean {
  const roles = ofAny(names.fields).map((fields) => roleNamed(name, names, fields));
  return roles.includes('counterpartyFiscalId') || FISCAL_ID_COLUMN.test(name);
}

/** Whether a column has no declared type and no role in the records of any profile: it may be money. */
export function isUndeclared(name: string, names: ColumnNames): boolean {
  const isOfRole = ofAny(names.fields).some((fields) => roleNamed(name, names, fields) !== undefined);
  return !isOfRole && declaredType(names.fields, name) === undefined;
}

/** The names for rows of the objects in a list, which may have a currency of their own. */
export function withCurrencyOf(list: string, names: ColumnNames): ColumnNames {
  const own = ['currency', 'currencyCode'].map((column) => `${list}.${column}`);
  const of = ({ columns, ...rest }: Fields): Fields => ({
    ...rest,
    columns: { ...columns, currency: [...own, ...columns.currency] },
  });
  return { ...names, fields: mapProfiles(names.fields, of) };
}
