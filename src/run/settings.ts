import { LIST_ENCODINGS, type ListEncoding } from '../api/address.ts';
import { UsageError } from '../errors.ts';
import {
  FIELD_NAMES,
  fieldsOfColumns,
  mapFields,
  withKnown,
  type Fields,
  type FieldsOf,
} from '../invoices/fields.ts';
import type { ChosenColumns } from '../output/chosen-columns.ts';
import { formatOf, formats, type Format } from '../output/formats.ts';
import type { ParquetType } from '../output/parquet/stored-column.ts';
import { brokenStore, type ConfigStore, kindOf } from '../profiles/profile.ts';
import { resources } from '../resources/index.ts';
import { oneWordName, type Resource } from '../resources/resource.ts';
import {
  delimiter,
  columnList,
  columnType,
  flagNamed,
  nameList,
  oneOf,
  requestParsers,
  type RequestLimits,
  wholeNumber,
} from './flag.ts';

interface Setting {
  readonly about: string;
  readonly stored: 'number' | 'string';
  /** Parses the value as the flag does. Throws UsageError that names what is allowed. */
  readonly parse: (text: string) => unknown;
}

/** The formats that can be a setting. With a binary format, every listing without -o would be refused. */
const printable = formats.filter((format) => formatOf(format).binary !== true);

/** The one setting that is not inherited: each profile has its own. */
export const ORGANIZATION = 'organization';

const allSettings = (): ReadonlyMap<string, Setting> =>
  new Map<string, Setting>([
    setting('format', '--format of listings', oneOf(printable)),
    setting('delimiter', '--delimiter of csv', delimiter),
    setting(
      'listEncoding',
      `how lists of fiscal IDs are sent: ${LIST_ENCODINGS.join(', ')}`,
      oneOf(LIST_ENCODINGS),
    ),
    ...Object.entries(requestParsers).map(([name, parse]) => setting(name, flagNamed(name), parse, 'number')),
    ...resources.map((resource) => {
      const { records, paging } = resource;
      const size = wholeNumber(1, (paging.kind === 'numbered' ? paging.maxSize : undefined) ?? 1_000_000);
      return setting(settingOf('pageSize', resource), `--page-size for ${records}`, size, 'number');
    }),
    setting('lang', '--lang of pages', oneOf(['en', 'es'])),
    setting(ORGANIZATION, 'the name of the organization on its pages; of a profile', plainName),
    setting('limit', 'records that a table on a terminal shows, 50 otherwise', wholeNumber(1), 'number'),
    ...ofResources('columns', (records) => `--columns of ${records}`, columnList),
    ...ofResources('key', (records) => `the columns that tell ${records} apart`, nameList),
    ...ofResources('known', (records) => `columns that ${records} may lack without an error`, nameList),
    ...FIELD_NAMES.map((field) => {
      const about =
        field === 'sharedIds'
          ? 'fiscal IDs that many share: there ID and name together are a counterparty'
          : `the column that holds the ${field}, wherever that counts`;
      return setting(`fields.${field}`, about, plainName);
    }),
  ]);

function ofResources(
  kind: 'columns' | 'key' | 'known',
  about: (records: string) => string,
  parser: Parameters<typeof setting>[2],
) {
  return resources.map((resource) => setting(settingOf(kind, resource), about(resource.records), parser));
}

/** @param parser makes the parse function; the name is for its messages */
function setting(
  name: string,
  about: string,
  parser: (name: string) => Setting['parse'],
  stored: Setting['stored'] = 'string',
): readonly [string, Setting] {
  return [name, { about, stored, parse: parser(name) }];
}

/** Parses the name of a column or of an organization: any text without control characters. */
function plainName(setting: string) {
  return (text: string): string => {
    if (text !== '' && !/\p{C}/u.test(text)) return text;
    const what = setting === ORGANIZATION ? 'an organization' : 'a column';
    throw new UsageError(`${setting} ${JSON.stringify(text)}: expected the name of ${what}`);
  };
}

/** The name of a setting that each resource has: `pageSize.fundDocuments`. */
export function settingOf(
  kind: 'pageSize' | 'columns' | 'key' | 'known',
  resource: Pick<Resource, 'name'>,
): string {
  return `${kind}.${camel(oneWordName(resource, '-'))}`;
}

/** The prefix of the settings for the types of columns: `types.totalAmount`. */
export const TYPES = 'types.';

/** The names of all settings, each with its description. */
export function settingNames(): readonly (readonly [name: string, about: string])[] {
  return [...allSettings()].map(([name, { about }]) => [name, about]);
}

/** The setting that a user means; `retry-delay` is `retryDelay`. Throws UsageError that lists those that there are. */
export function findSetting(typed: string): { readonly name: string; readonly setting: Setting } {
  if (typed.startsWith(TYPES) && typed !== TYPES) {
    const [name, found] = setting(typed, 'the type of a column in parquet', columnType);
    return { name, setting: found };
  }
  const name = camel(typed);
  const settings = allSettings();
  const found = settings.get(name);
  if (found) return { name, setting: found };
  throw new UsageError(`there is no setting ${JSON.stringify(typed)}`, {
    hint: `The settings are ${[...settings.keys()].join(', ')}, types.<column>.`,
  });
}

/**
 * A profile's own value, else that of all profiles, as the flag's parser returns it (`timeout` in milliseconds); else undefined.
 * Throws UsageError naming file and setting for a value that is not allowed.
 */
function settingFor(store: ConfigStore, name: string, profile: string | undefined): unknown {
  for (const owner of profile === undefined ? [undefined] : [profile, undefined]) {
    const value = store.settings(owner)[name];
    if (value === undefined) continue;
    const { setting } = findSetting(name);
    const place = `${owner === undefined ? '' : `profiles.${owner}.`}settings.${name}`;
    if (typeof value !== setting.stored) {
      throw brokenStore(store.file!, `${place} is ${kindOf(value)}, expected a ${setting.stored}`);
    }
    try {
      return setting.parse(String(value));
    } catch (error) {
      throw error instanceof UsageError ? brokenStore(store.file!, `${place}: ${error.message}`) : error;
    }
  }
  return undefined;
}

function camel(name: string): string {
  return name.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}

/** The settings for flags that are not set; empty where there are none. */
export interface FlagDefaults extends Partial<RequestLimits> {
  readonly format?: Format;
  readonly delimiter?: string;
  readonly listEncoding?: ListEncoding;
  readonly pageSize?: number;
  readonly columns?: ChosenColumns;
  readonly key?: readonly string[];
  readonly limit?: number;
  readonly types?: ReadonlyMap<string, ParquetType>;
}

const OF_ALL_LISTINGS = ['format', 'delimiter', 'listEncoding', 'limit'] as const;
const OF_ONE_LISTING = ['pageSize', 'columns', 'key'] as const;

/**
 * The defaults of a listing's flags: the profile's settings, else those of all. What applies is `{...defaults, ...flags}`. `store` is
 * undefined for the sandbox. Throws UsageError naming file and setting for a value that is not allowed.
 */
export function flagDefaults(
  store: ConfigStore | undefined,
  profile: string | undefined,
  resource: Pick<Resource, 'name'> | undefined,
): FlagDefaults {
  if (store === undefined) return {};
  const shared = [...OF_ALL_LISTINGS, ...Object.keys(requestParsers)].map((name) => [name, name] as const);
  const own = OF_ONE_LISTING.flatMap((name) =>
    resource === undefined ? [] : [[name, settingOf(name, resource)] as const],
  );
  const values = [...shared, ...own].map(([name, full]) => [name, settingFor(store, full, profile)] as const);
  const types = ['types', typesOfColumns(store, profile)] as const;
  // The parse function of each setting returns the type of its flag.
  return Object.fromEntries([...values, types].filter(([, value]) => value !== undefined));
}

/**
 * The language of pages about a profile (without one, of the current profile), and the organization's name on them, where no flag has
 * them. Throws UsageError naming file and setting for a value that is not allowed.
 */
export function pageDefaults(
  store: ConfigStore | undefined,
  profile: string | undefined,
): { readonly lang?: 'en' | 'es'; readonly organization?: string } {
  if (store === undefined) return {};
  return {
    lang: settingFor(store, 'lang', profile ?? store.currentProfile),
    organization: profile === undefined ? undefined : settingFor(store, ORGANIZATION, profile),
  } as ReturnType<typeof pageDefaults>;
}

function typesOfColumns(
  store: ConfigStore,
  profile: string | undefined,
): ReadonlyMap<string, ParquetType> | undefined {
  const own = profile === undefined ? {} : store.settings(profile);
  const names = Object.keys({ ...store.settings(undefined), ...own }).filter((name) =>
    name.startsWith(TYPES),
  );
  if (names.length === 0) return undefined;
  const typeOf = (name: string): ParquetType => settingFor(store, name, profile) as ParquetType;
  return new Map(names.map((name) => [name.slice(TYPES.length), typeOf(name)]));
}

interface FieldsOptions {
  readonly resource: Pick<Resource, 'name' | 'columns'> | undefined;
  /** Undefined for the settings that are for all profiles. */
  readonly profile: string | undefined;
  /** Whether each record has its profile: then the settings of that one count. */
  readonly isSeveral?: boolean | undefined;
  readonly field?: readonly (readonly [field: string, column: string])[] | undefined;
}

/**
 * What the columns mean: by the flags, else by the settings of the record's profile, else as declared. `store` is undefined for the
 * sandbox. Throws UsageError for a setting with a wrong value.
 */
export function fieldsOf(
  store: ConfigStore | undefined,
  { resource, profile, isSeveral = false, field = [] }: FieldsOptions,
): FieldsOf {
  const declared = fieldsOfColumns(resource?.columns ?? []);
  const ofProfile = (name: string | undefined): Fields => {
    const set = FIELD_NAMES.map((one) => [one, store && settingFor(store, `fields.${one}`, name)] as const);
    const columns = set.flatMap(([one, column]) => (typeof column === 'string' ? [[one, column]] : []));
    const known = store && resource && settingFor(store, settingOf('known', resource), name);
    return withKnown(
      mapFields(declared, Object.fromEntries([...columns, ...field])),
      known as readonly string[],
    );
  };
  const usual = ofProfile(profile);
  if (!isSeveral) return { usual };
  return { usual, byProfile: new Map((store?.profileNames ?? []).map((name) => [name, ofProfile(name)])) };
}
