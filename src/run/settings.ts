import { LIST_ENCODINGS } from '../api/address.ts';
import { UsageError } from '../errors.ts';
import {
  FIELD_NAMES,
  fieldOf,
  fieldsOfColumns,
  mapFields,
  ROLES,
  withColumns,
  withKnown,
  type Fields,
  type FieldsOf,
  type Meanings,
  type Role,
} from '../invoices/fields.ts';
import { columnOf } from '../output/chosen-columns.ts';
import { formatOf, formats, meantFormat } from '../output/formats.ts';
import type { ParquetType } from '../output/parquet/stored-column.ts';
import { brokenStore, type ConfigStore } from '../profiles/profile.ts';
import type { DeliveredFile } from '../query/exports/read-receipt.ts';
import { resources } from '../resources/listings.ts';
import type { Resource } from '../resources/resource.ts';
import {
  columnList,
  columnType,
  delimiter,
  nameList,
  parseValue,
  type Parsed,
  type ValueOf,
} from './flag.ts';
import { langFlag, requestFlags, type OutputFlags } from './flags.ts';

/** A setting is parsed like its flag. */
interface Setting extends Parsed {
  readonly about: string;
  readonly isNumber?: boolean;
}

/** The one setting that is not inherited: each profile has its own. */
export const ORGANIZATION = 'organization';

/** The settings that do not depend on a listing. */
function plainSettings() {
  return {
    // With a binary format, every listing without -o would be refused.
    format: {
      about: '--format of listings',
      choices: formats.filter((format) => formatOf(format).binary !== true),
      hint: meantFormat,
    },
    delimiter: { about: '--delimiter of csv', parse: delimiter },
    listEncoding: {
      about: `how lists of fiscal IDs are sent: ${LIST_ENCODINGS.join(', ')}`,
      choices: LIST_ENCODINGS,
    },
    concurrency: { ...requestFlags.concurrency, about: '--concurrency', isNumber: true },
    retries: { ...requestFlags.retries, about: '--retries', isNumber: true },
    retryDelay: { ...requestFlags.retryDelay, about: '--retry-delay', isNumber: true },
    timeout: { ...requestFlags.timeout, about: '--timeout', isNumber: true },
    lang: { about: '--lang of pages', choices: langFlag.choices },
    limit: { about: 'records that a table on a terminal shows, 50 otherwise', range: [1], isNumber: true },
  } as const satisfies Readonly<Record<string, Setting>>;
}

/** The settings that each listing has. */
function listingSettings({ records, paging }: Pick<Resource, 'records' | 'paging'>) {
  return {
    pageSize: {
      about: `--page-size for ${records}`,
      range: [1, (paging.kind === 'numbered' ? paging.maxSize : undefined) ?? 1_000_000],
      isNumber: true,
    },
    columns: { about: `--columns of ${records}`, parse: columnList },
    key: { about: `the columns that tell ${records} apart`, parse: nameList },
    known: { about: `columns that ${records} may lack without an error`, parse: nameList },
  } as const satisfies Readonly<Record<string, Setting>>;
}

type ListingSettings = ReturnType<typeof listingSettings>;

/** All settings by their names, but for the types of columns. */
function allSettings(): ReadonlyMap<string, Setting> {
  const ofListings = resources.flatMap((resource) =>
    Object.entries<Setting>(listingSettings(resource)).map(
      ([kind, setting]) => [settingOf(kind as keyof ListingSettings, resource), setting] as const,
    ),
  );
  const ofFields = FIELD_NAMES.map((field) => {
    const about =
      field === 'sharedIds'
        ? 'fiscal IDs that many share: there ID and name together are a counterparty'
        : `the column that holds the ${field}, wherever that counts`;
    return [`fields.${field}`, { about, parse: plainName }] as const;
  });
  const organization = { about: 'the name of the organization on its pages; of a profile', parse: plainName };
  return new Map<string, Setting>([
    ...Object.entries(plainSettings()),
    [ORGANIZATION, organization],
    ...ofListings,
    ...ofFields,
  ]);
}

/** Parses the name of a column or of an organization: any text without control characters. */
function plainName(text: string, setting: string): string {
  if (text !== '' && !/\p{C}/u.test(text)) return text;
  const what = setting === ORGANIZATION ? 'an organization' : 'a column';
  throw new UsageError(`${setting} ${JSON.stringify(text)}: expected the name of ${what}`);
}

/** The name of a setting that each resource has: `pageSize.fundDocuments`. */
export function settingOf(kind: keyof ListingSettings, resource: Pick<Resource, 'name'>): string {
  return `${kind}.${camel(resource.name)}`;
}

/** The prefix of the settings for the types of columns: `types.totalAmount`. */
export const TYPES = 'types.';

/** The names of all settings, each with its description. */
export function settingNames(): readonly (readonly [name: string, about: string])[] {
  return [...allSettings()].map(([name, { about }]) => [name, about]);
}

/** The setting that a user means; `retry-delay` is `retryDelay`. Throws UsageError that lists all settings. */
export function findSetting(typed: string): { readonly name: string; readonly setting: Setting } {
  if (typed.startsWith(TYPES) && typed !== TYPES)
    return { name: typed, setting: { about: 'the type of a column in parquet', parse: columnType } };
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
    const kind = setting.isNumber ? 'number' : 'string';
    if (typeof value !== kind) throw brokenStore(store.file!, `${place} has to be a ${kind}`);
    try {
      return parseValue(setting, String(value), name);
    } catch (error) {
      throw error instanceof UsageError ? brokenStore(store.file!, `${place}: ${error.message}`) : error;
    }
  }
  return undefined;
}

function camel(name: string): string {
  return name.replace(/[- ]([a-z])/g, (_joint, letter: string) => letter.toUpperCase());
}

type SettingValues<Of> = { readonly [Name in keyof Of]?: ValueOf<Of[Name]> | undefined };

/** The settings for flags that are not set; empty where there are none. */
export type FlagDefaults = SettingValues<ReturnType<typeof plainSettings>> &
  SettingValues<ListingSettings> & { readonly types?: ReadonlyMap<string, ParquetType> | undefined };

/**
 * The defaults of a listing's flags: the profile's settings, else those of all. `store` is undefined for the sandbox. Throws
 * UsageError naming file and setting for a value that is not allowed.
 */
export function flagDefaults(
  store: ConfigStore | undefined,
  profile: string | undefined,
  resource: Resource | undefined,
): FlagDefaults {
  if (store === undefined) return {};
  const names = Object.keys(plainSettings()).map((name) => [name, name]);
  const kinds =
    resource === undefined ? [] : (Object.keys(listingSettings(resource)) as (keyof ListingSettings)[]);
  for (const kind of kinds) names.push([kind, settingOf(kind, resource!)]);
  const values = names.map(([name = '', setting = '']) => [name, settingFor(store, setting, profile)]);
  // The parse function of each setting returns the type of its flag.
  return { ...Object.fromEntries(values), types: typesOfColumns(store, profile) } as FlagDefaults;
}

/** The name of a profile's organization on its pages, where no flag has it. Throws UsageError as `flagDefaults` does. */
export function organizationSet(
  store: ConfigStore | undefined,
  profile: string | undefined,
): string | undefined {
  if (store === undefined || profile === undefined) return undefined;
  return settingFor(store, ORGANIZATION, profile) as string | undefined;
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
  /** Whether the records have a profile column: then the settings of each record's profile apply. */
  readonly isSeveral?: boolean | undefined;
  readonly field?: readonly (readonly [field: string, column: string])[] | undefined;
}

/**
 * What the columns mean: by the flags, else by the settings of the record's profile, else as declared. `store` is undefined for
 * the sandbox. Throws UsageError for a setting with a wrong value.
 */
export function fieldsOf(
  store: ConfigStore | undefined,
  { resource, profile, isSeveral = false, field = [] }: FieldsOptions,
): FieldsOf {
  const declared = fieldsOfColumns(resource?.columns ?? []);
  const ofProfile = (name: string | undefined): Fields => {
    const columns: Record<string, string> = {};
    for (const one of store === undefined ? [] : FIELD_NAMES) {
      const column = settingFor(store!, `fields.${one}`, name);
      if (typeof column === 'string') columns[one] = column;
    }
    const known = store && resource && settingFor(store, settingOf('known', resource), name);
    return withKnown(
      mapFields(declared, { ...columns, ...Object.fromEntries(field) }),
      known as readonly string[],
    );
  };
  const usual = ofProfile(profile);
  if (!isSeveral) return { usual };
  return { usual, byProfile: new Map((store?.profileNames ?? []).map((name) => [name, ofProfile(name)])) };
}

interface MeaningsOptions extends FieldsOptions, Pick<OutputFlags, 'columns'> {
  readonly resource: Resource | undefined;
  /** The receipt of the export that is read. */
  readonly delivered: DeliveredFile | undefined;
}

/** What the columns of records mean: by the flags and the settings, and by the receipt of an export. */
export function meaningsOf(store: ConfigStore | undefined, options: MeaningsOptions): Meanings {
  const { resource, field, columns, delivered } = options;
  const fields = fieldsOf(store, options);
  return {
    fields: delivered === undefined ? fields : fieldsOfExport(delivered, { fields, field }),
    headings: new Map(resource?.shown?.map(({ word, in: place }) => [word, place])),
    byHeading: new Map([...(delivered?.headings ?? []), ...(columns?.headings ?? [])]),
    known: resource && settingOf('known', resource),
    isChosen: delivered?.chosen !== undefined,
  };
}

/** The fields where a column that was chosen by the name of its role has that name. Others that it has keep their meaning. */
function fieldsOfExport(
  { headings, chosen = [] }: DeliveredFile,
  { fields, field = [] }: { readonly fields: FieldsOf; readonly field: FieldsOptions['field'] },
): FieldsOf {
  // A copy has no headings.
  const names = [...chosen.map(columnOf), ...headings.values()];
  const isMapped = (role: Role): boolean => field.some(([name]) => name === role || name === fieldOf(role));
  const asRoles = ROLES.filter((role) => names.includes(role) && !isMapped(role));
  return withColumns(fields, Object.fromEntries(asRoles.map((role) => [role, [role]])));
}
