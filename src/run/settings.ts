import { LIST_ENCODINGS, type ListEncoding } from '../api/address.ts';
import { UsageError } from '../errors.ts';
import type { ChosenColumns } from '../output/chosen-columns.ts';
import { formatOf, formats, type Format } from '../output/formats.ts';
import type { ParquetType } from '../output/parquet/column-type.ts';
import type { ConfigStore } from '../profiles/profile.ts';
import { brokenStore, kindOf } from '../profiles/store-document.ts';
import { FIELD_NAMES } from '../invoices/fields.ts';
import { resources } from '../resources/index.ts';
import { oneWordName, type Resource } from '../resources/resource.ts';
import type { RequestFlags } from './flags.ts';
import {
  delimiter,
  columnList,
  columnType,
  flagNamed,
  formatWord,
  nameList,
  oneOf,
  requestParsers,
  wholeNumber,
} from './parse-values.ts';

/** A default for a flag. The user sets it for all profiles or for one. */
interface Setting<Value> {
  readonly about: string;
  /** The type of its value in the file. */
  readonly stored: 'number' | 'string';
  /** Parses the value as the flag does. Throws UsageError that says what is allowed. */
  readonly parse: (text: string) => Value;
}

/** The formats that can be a setting. With a binary format, every listing without -o would be refused. */
const printable = formats.filter((format) => formatOf(format).binary !== true);

/** All settings, by name. */
const settings = new Map<string, Setting<unknown>>([
  ['format', textSetting('--format of listings', formatWord('format', printable))],
  ['delimiter', textSetting('--delimiter of csv', delimiter('delimiter'))],
  [
    'listEncoding',
    textSetting(
      `how lists of fiscal IDs are sent: ${LIST_ENCODINGS.join(', ')}`,
      oneOf('listEncoding', LIST_ENCODINGS),
    ),
  ],
  ...(['concurrency', 'retries', 'retryDelay', 'timeout'] as const).map(
    (name) => [name, numberSetting(flagNamed(name), requestParsers[name](name))] as const,
  ),
  ...resources.map((resource) => {
    const { records, paging } = resource;
    const name = pageSizeSetting(resource);
    const most = paging.kind === 'numbered' ? paging.maxSize : undefined;
    const parse = wholeNumber(name, 1, most ?? 1_000_000);
    return [name, numberSetting(`--page-size for ${records}`, parse)] as const;
  }),
  ['limit', numberSetting('records that a table on a terminal shows, 50 otherwise', wholeNumber('limit', 1))],
  ...resources.map((resource) => {
    const name = columnsSetting(resource);
    return [name, textSetting(`--columns of ${resource.records}`, columnList(name))] as const;
  }),
  ...resources.map((resource) => {
    const name = keySetting(resource);
    return [name, textSetting(`the columns that tell ${resource.records} apart`, nameList(name))] as const;
  }),
  ...FIELD_NAMES.map((field) => {
    const name = `fields.${field}`;
    const about =
      field === 'sharedIds'
        ? 'fiscal IDs that many share: there ID and name together are a counterparty'
        : `the column that holds the ${field}, wherever that counts`;
    return [name, textSetting(about, columnName(name))] as const;
  }),
]);

function textSetting<Value>(about: string, parse: (text: string) => Value): Setting<Value> {
  return { about, stored: 'string', parse };
}

function numberSetting(about: string, parse: (text: string) => number): Setting<number> {
  return { about, stored: 'number', parse };
}

/** Parses the name of a column: any text without control characters. */
function columnName(setting: string) {
  return (text: string): string => {
    if (text !== '' && !/\p{C}/u.test(text)) return text;
    throw new UsageError(`${setting} ${JSON.stringify(text)}: expected the name of a column`);
  };
}

/** The name of the setting for a resource's page size: `pageSize.fundDocuments`. */
function pageSizeSetting(resource: Pick<Resource, 'name'>): string {
  return `pageSize.${camel(oneWordName(resource, '-'))}`;
}

/** The name of the setting for a resource's columns: `columns.issued`. */
function columnsSetting(resource: Pick<Resource, 'name'>): string {
  return `columns.${camel(oneWordName(resource, '-'))}`;
}

/** The name of the setting for the columns that tell a resource's records apart: `key.issued`. */
function keySetting(resource: Pick<Resource, 'name'>): string {
  return `key.${camel(oneWordName(resource, '-'))}`;
}

/** What the names of the settings for the types of columns begin with: `types.totalAmount`. */
export const TYPES = 'types.';

function typeSetting(name: string): Setting<ParquetType> {
  return textSetting('the type of a column in parquet', columnType(name));
}

/** The names of all settings, each with what it is a default for. */
export const settingNames: readonly (readonly [name: string, about: string])[] = [...settings].map(
  ([name, { about }]) => [name, about],
);

/**
 * The setting that a user means; `retry-delay` is `retryDelay`.
 *
 * @throws UsageError that lists those that there are
 */
export function findSetting(given: string): { readonly name: string; readonly setting: Setting<unknown> } {
  if (given.startsWith(TYPES) && given !== TYPES) return { name: given, setting: typeSetting(given) };
  const name = camel(given);
  const setting = settings.get(name);
  if (setting) return { name, setting };
  throw new UsageError(`there is no setting ${JSON.stringify(given)}`, {
    hint: `The settings are ${[...settings.keys()].join(', ')}, types.<column>; with --profile also baseUrl.`,
  });
}

/**
 * The value of a setting for a run: the profile's own, else that of all profiles, else undefined. It is the value that the
 * flag's parser returns (`timeout` in milliseconds).
 *
 * @throws UsageError naming file and setting when the value in the file is not allowed
 */
function settingFor(store: ConfigStore, name: string, profile: string | undefined): unknown {
  for (const owner of profile === undefined ? [undefined] : [profile, undefined]) {
    const value = store.settings(owner)[name];
    if (value !== undefined) return checkedValue(store, { name, value, profile: owner });
  }
  return undefined;
}

interface StoredSetting {
  readonly name: string;
  readonly value: unknown;
  readonly profile: string | undefined;
}

function checkedValue(store: ConfigStore, { name, value, profile }: StoredSetting): unknown {
  const { setting } = findSetting(name);
  const place = `${profile === undefined ? '' : `profiles.${profile}.`}settings.${name}`;
  if (typeof value !== setting.stored) {
    throw brokenStore(store.file!, `${place} is ${kindOf(value)}, expected a ${setting.stored}`);
  }
  try {
    return setting.parse(String(value));
  } catch (error) {
    throw error instanceof UsageError ? brokenStore(store.file!, `${place}: ${error.message}`) : error;
  }
}

function camel(name: string): string {
  return name.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}

/** The store's defaults for flags that are not given; empty where it has none. */
export interface FlagDefaults extends RequestFlags {
  readonly format?: Format;
  readonly delimiter?: string;
  readonly listEncoding?: ListEncoding;
  readonly pageSize?: number;
  readonly columns?: ChosenColumns;
  /** The columns that tell records apart. */
  readonly key?: readonly string[];
  /** Of a table on a terminal. */
  readonly limit?: number;
  /** The types of columns of Parquet, by name. */
  readonly types?: ReadonlyMap<string, ParquetType>;
}

/**
 * The defaults of a listing's flags: the profile's settings, else those of all profiles. The values that apply are
 * `{...defaults, ...flags}`.
 *
 * @throws UsageError naming file and setting when a value in the file is not allowed
 */
export function flagDefaults(
  store: ConfigStore,
  profile: string | undefined,
  resource: Pick<Resource, 'name'> | undefined,
): FlagDefaults {
  const shared = [
    'format',
    'delimiter',
    'listEncoding',
    'concurrency',
    'retries',
    'retryDelay',
    'timeout',
    'limit',
  ];
  const pairs = shared.map((name) => [name, settingFor(store, name, profile)] as const);
  const pageSize = resource && settingFor(store, pageSizeSetting(resource), profile);
  const columns = resource && settingFor(store, columnsSetting(resource), profile);
  const key = resource && keyOf(store, profile, resource);
  const types = typesOfColumns(store, profile);
  // The parse function of each setting returns the type of its flag.
  return Object.fromEntries(
    [...pairs, ['pageSize', pageSize], ['columns', columns], ['key', key], ['types', types]].filter(
      ([, value]) => value !== undefined,
    ),
  );
}

function typesOfColumns(
  store: ConfigStore,
  profile: string | undefined,
): ReadonlyMap<string, ParquetType> | undefined {
  const owners = profile === undefined ? [undefined] : [undefined, profile];
  const names = owners.flatMap((owner) => Object.keys(store.settings(owner)));
  const types = new Map<string, ParquetType>();
  for (const name of names.filter((one) => one.startsWith(TYPES))) {
    const type = settingFor(store, name, profile);
    // The parse function of the setting returns such a type.
    if (type !== undefined) types.set(name.slice(TYPES.length), type as ParquetType);
  }
  return types.size === 0 ? undefined : types;
}

/** The columns that the user has set for fields, by field, as with `folio config set fields.due <column>`. */
export function fieldMap(store: ConfigStore, profile: string | undefined): Readonly<Record<string, string>> {
  const pairs = FIELD_NAMES.map((field) => [field, settingFor(store, `fields.${field}`, profile)] as const);
  return Object.fromEntries(
    pairs.flatMap(([field, column]) => (typeof column === 'string' ? [[field, column]] : [])),
  );
}

/** The columns that tell the records of a resource apart, as the user has set them. */
export function keyOf(
  store: ConfigStore,
  profile: string | undefined,
  resource: Pick<Resource, 'name'>,
): readonly string[] | undefined {
  // The parse function of the setting returns a list of names.
  return settingFor(store, keySetting(resource), profile) as readonly string[] | undefined;
}
