import { UsageError } from '../../errors.ts';
import { parseJsonObject } from '../../json/json-object.ts';
import type { RecordShape, SingerSchema } from './record-shape.ts';

/** One stream of a catalog that `--discover` printed and somebody may have edited. */
export interface CatalogStream {
  readonly isSelected: boolean;
  /** Paths of the members that are not wanted. */
  readonly leftOut: readonly (readonly string[])[];
  /** What tells records apart: nothing where it is empty; undefined where the catalog does not say. */
  readonly key: readonly string[] | undefined;
}

export interface DiscoveredStream {
  readonly name: string;
  readonly key: readonly string[];
  readonly shape: RecordShape;
}

/** The catalog of these streams, as Singer writes it. */
export function catalogText(streams: readonly DiscoveredStream[]): string {
  return `${JSON.stringify({ streams: streams.map(catalogEntry) }, undefined, 2)}\n`;
}

function catalogEntry({ name, key, shape }: DiscoveredStream): object {
  const ofStream = {
    'selected-by-default': true,
    inclusion: 'available',
    'forced-replication-method': 'FULL_TABLE',
    'table-key-properties': key,
  };
  const members = [...shape.paths()].map((path) => {
    const isKey = path.length === 1 && key.includes(path[0]!);
    return {
      breadcrumb: path.flatMap((part) => ['properties', part]),
      metadata: isKey ? { inclusion: 'automatic' } : { inclusion: 'available', 'selected-by-default': true },
    };
  });
  const schema: SingerSchema = shape.schema();
  return {
    tap_stream_id: name,
    stream: name,
    key_properties: key,
    schema,
    metadata: [{ breadcrumb: [], metadata: ofStream }, ...members],
  };
}

/** Reads a catalog: its streams by name. Throws UsageError, naming the file, for what is none. */
export function parseCatalog(text: string, file: string): ReadonlyMap<string, CatalogStream> {
  const streams = memberOf(parseObject(text, file), 'streams');
  if (!Array.isArray(streams)) throw noCatalog(file);
  return new Map(
    streams.map((stream: unknown) => {
      const name = memberOf(stream, 'tap_stream_id') ?? memberOf(stream, 'stream');
      if (typeof name !== 'string') throw noCatalog(file);
      return [name, streamOf(stream)];
    }),
  );
}

function streamOf(stream: unknown): CatalogStream {
  const metadata = memberOf(stream, 'metadata');
  const entries: readonly unknown[] = Array.isArray(metadata) ? metadata : [];
  const key = memberOf(stream, 'key_properties');
  const schema = memberOf(stream, 'schema');
  let isSelected = memberOf(schema, 'selected') !== false;
  /** By the path of the member, as JSON; the newer way to say it goes before the older one, which stands in the schema. */
  const isWantedAt = new Map(deselectedIn(schema).map((path) => [JSON.stringify(path), false]));
  for (const entry of entries) {
    const breadcrumb = memberOf(entry, 'breadcrumb');
    if (!Array.isArray(breadcrumb)) continue;
    const metadata = memberOf(entry, 'metadata');
    if (breadcrumb.length === 0) {
      isSelected = isWanted(metadata) ?? isSelected;
      continue;
    }
    const path = JSON.stringify(breadcrumb.filter((_, index) => index % 2 === 1).map(String));
    const wanted = isWanted(metadata) ?? (isWantedAt.get(path) === false ? false : undefined);
    isWantedAt.set(path, wanted ?? memberOf(metadata, 'selected-by-default') !== false);
  }
  const leftOut = [...isWantedAt].flatMap(([path, wanted]) => (wanted ? [] : [JSON.parse(path) as string[]]));
  return { isSelected, leftOut, key: Array.isArray(key) ? key.map(String) : undefined };
}

/** The paths of the members that a schema itself deselects, as older catalogs do. */
function deselectedIn(schema: unknown, before: readonly string[] = []): string[][] {
  const properties = memberOf(schema, 'properties');
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).flatMap(([name, member]: [string, unknown]) => {
    const path = [...before, name];
    return memberOf(member, 'selected') === false ? [path] : deselectedIn(member, path);
  });
}

/** What the metadata say; undefined where they leave it to a default. */
function isWanted(metadata: unknown): boolean | undefined {
  const inclusion = memberOf(metadata, 'inclusion');
  if (inclusion === 'automatic') return true;
  if (inclusion === 'unsupported') return false;
  const selected = memberOf(metadata, 'selected');
  return selected === undefined || selected === null ? undefined : selected !== false;
}

/** The versions of streams that a state tells, by name. Throws UsageError for what is no state. */
export function parseState(text: string, file: string): ReadonlyMap<string, number> {
  const bookmarks = memberOf(parseObject(text, file), 'bookmarks') ?? {};
  const versions = new Map<string, number>();
  for (const [name, bookmark] of Object.entries(bookmarks)) {
    const version = memberOf(bookmark, 'version');
    if (typeof version === 'number' && Number.isSafeInteger(version)) versions.set(name, version);
  }
  return versions;
}

/** An object of JSON. Throws UsageError naming the file. */
export function parseObject(text: string, file: string): object {
  const value = parseJsonObject(text);
  if (value !== undefined) return value;
  throw new UsageError(`${file} is not an object of JSON`, {
    hint: 'Singer’s configuration, catalog and state are one JSON object each.',
  });
}

/** An own member of an object, or undefined. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value as unknown;
}

function noCatalog(file: string): UsageError {
  return new UsageError(`${file} is no catalog: it has no list of streams with names`, {
    hint: 'Make one with `folio tap --discover > catalog.json`.',
  });
}
