import { AGING_FIELDS, type AgingField } from '../analysis/aging-fields.ts';
import type { ConfigStore } from '../config/store.ts';
import type { Format } from '../output/formats.ts';
import type { ListEncoding } from '../api/query-string.ts';
import type { Resource } from '../resources/resource.ts';
import { pageSizeSetting, settingFor } from './config-settings.ts';
import type { RequestFlags } from './request-flags.ts';

/** What the store says for flags that are not given; nothing where it says nothing. */
export interface FlagDefaults extends RequestFlags {
  readonly format?: Format;
  readonly delimiter?: string;
  readonly listEncoding?: ListEncoding;
  readonly pageSize?: number;
}

/**
 * The defaults of a listing's flags, from the profile's settings and then from those for all profiles: `{...defaults,
 * ...flags}` is what holds.
 *
 * @throws UsageError naming file and setting when a value in the file is not allowed
 */
export function flagDefaults(
  store: ConfigStore,
  profile: string | undefined,
  resource: Pick<Resource, 'name'>,
): FlagDefaults {
  const names = ['format', 'delimiter', 'listEncoding', 'concurrency', 'retries', 'retryDelay', 'timeout'];
  const pairs = names.map((name) => [name, settingFor(store, name, profile)] as const);
  const pageSize = settingFor(store, pageSizeSetting(resource), profile);
  // The table of settings gives each the type that its flag has.
  return Object.fromEntries([...pairs, ['pageSize', pageSize]].filter(([, value]) => value !== undefined));
}

/** The columns that the user has mapped for aging, by field; see `folio config set fields.due <column>`. */
export function fieldMap(store: ConfigStore, profile: string | undefined): Readonly<Record<string, string>> {
  const pairs = AGING_FIELDS.map((field) => [field, settingFor(store, `fields.${field}`, profile)] as const);
  return Object.fromEntries(
    pairs.filter((pair): pair is readonly [AgingField, string] => pair[1] !== undefined),
  );
}
