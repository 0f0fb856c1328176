import type { Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Context } from '../../context.ts';
import { errorCode, systemReason, UsageError } from '../../errors.ts';
import { recordBytes, wholeRecords, type RecordBatch } from '../../json/records.ts';
import { catalogText, memberOf, parseCatalog, parseObject, parseState } from '../../output/singer/catalog.ts';
import type { CatalogStream, DiscoveredStream } from '../../output/singer/catalog.ts';
import { RecordShape } from '../../output/singer/record-shape.ts';
import type { ColumnRole } from '../../output/column-roles.ts';
import { KeyRefused, ListingKeys } from '../../database/spooled-listing.ts';
import { TerminalGate } from '../../output/terminal/terminal-text.ts';
import type { Sink } from '../../output/writer.ts';
import { openFileWarning } from '../../profiles/private-file.ts';
import { nearestNames } from '../../query/nearest-names.ts';
import {
  checkPart,
  hasRecords,
  recordsOf,
  tryPart,
  type Part,
  type PartResult,
  type ServiceSource,
} from '../part.ts';
import type { RequestFlags } from '../parse-values.ts';
import { inRun, type GlobalFlags, type Run } from '../run.ts';
import { syncResources, type SyncResource } from '../sync/sync-resources.ts';
import { checkResults } from './outcome.ts';
import { forEachPart, BufferedParts } from './buffered-parts.ts';

/** What Singer's runners give a tap. */
export interface TapFlags {
  readonly config?: string;
  readonly discover?: boolean;
  readonly catalog?: string;
  /** The name that older runners use for the catalog. */
  readonly properties?: string;
  readonly state?: string;
}

interface TapRun {
  readonly globals: GlobalFlags;
  readonly request: RequestFlags;
  readonly tap: TapFlags;
}

/** One stream: a listing, and what is wanted of it. */
interface Stream {
  readonly name: string;
  readonly source: ServiceSource;
  /** What its records are, for messages: `issued invoices`. */
  readonly records: string;
  /** Empty where the catalog says that nothing tells them apart. */
  readonly key: readonly string[];
  readonly shape: RecordShape;
  readonly leftOut: CatalogStream['leftOut'];
}

/**
 * Writes Singer messages on standard output: of each stream SCHEMA, its RECORDs, ACTIVATE_VERSION, STATE. A stream is put aside
 * until it is known to be whole. One that is in doubt is written and not activated; one that failed is left out: nothing is
 * deleted downstream, and the run ends in IncompleteError.
 */
export async function runTap(given: Context, { globals, request, tap }: TapRun): Promise<void> {
  const config = await readConfig(given, tap.config);
  const { context, pageSize } = config;
  const asking = { ...globals, ...config.globals };
  const catalogFile = tap.catalog ?? tap.properties;
  const catalog = await readOptional(catalogFile, parseCatalog);
  const versions = await readOptional(tap.state, parseState);
  const streams = syncResources.flatMap((resource) =>
    streamOf(resource, { catalog, catalogFile, key: config.key, pageSize }),
  );
  const options = {
    globals: asking,
    request,
    name: 'tap',
    records: 'records',
    parts: streams.map(({ name }) => name),
    partKind: 'listings' as const,
  };
  await inRun(context, options, async (run) => {
    if (config.unknown.length > 0) {
      const names = config.unknown.join(', ');
      run.notices.warn(`${tap.config} has names that folio tap leaves alone: ${names}. ${MEMBERS_HINT}`);
    }
    if (config.warning !== undefined) run.notices.warn(config.warning);
    const { stdout } = context;
    const gate = stdout.isTerminal ? new TerminalGate(stdout) : undefined;
    try {
      if (tap.discover) await discover(run, streams, gate ?? stdout);
      else await writeStreams(run, streams, { before: versions ?? new Map(), sink: gate ?? stdout });
    } finally {
      await gate?.end();
    }
  });
}

function streamOf(
  { table, records, source }: SyncResource,
  asked: {
    readonly catalog: ReadonlyMap<string, CatalogStream> | undefined;
    readonly catalogFile: string | undefined;
    readonly key: ReadonlyMap<string, readonly string[]>;
    readonly pageSize: number | undefined;
  },
): Stream[] {
  const wish = asked.catalog?.get(table);
  // What a catalog does not name is not wanted.
  if (asked.catalog !== undefined && wish?.isSelected !== true) return [];
  const named = asked.key.get(table) ?? wish?.key;
  const key = named ?? (table === 'fund_documents' ? ['fundId', 'id'] : ['id']);
  const lost = wish?.leftOut.find(([name, ...inner]) => inner.length === 0 && key.includes(name!));
  if (lost !== undefined) {
    throw new UsageError(
      `${asked.catalogFile} leaves out ${lost[0]} of ${table}, which tells its records apart`,
      {
        hint: 'Select it, or name other columns as the key in the configuration.',
      },
    );
  }
  return [
    {
      name: table,
      records,
      source: source(named?.length === 0 ? undefined : named, asked.pageSize),
      key,
      shape: new RecordShape(),
      leftOut: wish?.leftOut ?? [],
    },
  ];
}

async function discover(run: Run, streams: readonly Stream[], sink: Sink): Promise<void> {
  const found: DiscoveredStream[] = [];
  const results: PartResult[] = [];
  const all = forEachPart(run, streams, async (stream, signal) => {
    const result = await tryPart(run, { ...stream, signal }, async (part) => {
      // The first page tells the members; those that come later are in the schema of the run.
      for await (const { records } of part.read(SAMPLE)) survey(stream.shape, wholeRecords(records));
    });
    return { stream, result };
  });
  for await (const { stream, result } of all) {
    results.push(result);
    if (!hasRecords(result)) continue;
    await fillEmpty(run, stream);
    found.push({ ...stream, key: keyOf(stream) });
  }
  if (found.length === 0) checkStreams(results);
  await sink.write(catalogText(found));
  checkStreams(results);
}

/** Records that a stream's schema is discovered from. */
const SAMPLE = 100;

async function writeStreams(
  run: Run,
  streams: readonly Stream[],
  { before, sink }: { readonly before: ReadonlyMap<string, number>; readonly sink: Sink },
): Promise<void> {
  const { context } = run;
  const state = new Map(before);
  const extracted = new Date(context.clock.now()).toISOString();
  const byName = new Map(streams.map((stream) => [stream.name, stream]));
  const buffered = new BufferedParts(run, streams, (part) => surveyed(part, byName.get(part.name ?? '')!));
  for await (const { options: stream, result, records } of buffered.read()) {
    if (!hasRecords(result)) continue;
    const { name, shape } = stream;
    await fillEmpty(run, stream);
    const version = Math.max(context.clock.now(), (before.get(name) ?? 0) + 1);
    shape.leaveOut(stream.leftOut);
    const schema = { type: 'SCHEMA', stream: name, schema: shape.schema(), key_properties: keyOf(stream) };
    await sink.write(`${JSON.stringify(schema)}\n`);
    const tail = `,"version":${version},"time_extracted":"${extracted}"}\n`;
    const head = `{"type":"RECORD","stream":${JSON.stringify(name)},"record":`;
    for await (const batch of run.receipt.section(name).counted(records))
      await sink.write(messagesOf(batch, { shape, head, tail }));
    if (result.failure !== undefined) continue;
    await sink.write(`${JSON.stringify({ type: 'ACTIVATE_VERSION', stream: name, version })}\n`);
    state.set(name, version);
    await sink.write(`${JSON.stringify({ type: 'STATE', value: stateOf(state) })}\n`);
  }
  checkStreams(buffered.results);
}

function messagesOf(
  batch: RecordBatch,
  { shape, head, tail }: { readonly shape: RecordShape; readonly head: string; readonly tail: string },
): string {
  const lines: string[] = [];
  for (let index = 0; index < batch.count; index++) {
    lines.push(head, shape.write(recordBytes(batch, index).toString('utf8')), tail);
  }
  return lines.join('');
}

/** Notes what the records look like. Throws KeyRefused where the key does not tell them apart: a target would keep one of two. */
async function* surveyed(
  part: Part,
  { name, records: what, key, shape }: Stream,
): AsyncGenerator<RecordBatch> {
  const hint = `Name the columns that tell records apart in the configuration: "key": {"${name}": "number,documentType"}.`;
  const keys = new ListingKeys({ records: what, key, hint });
  for await (const batch of recordsOf(part)) {
    const records = wholeRecords(batch);
    survey(shape, records);
    if (key.length > 0) for (let at = 0; at < records.count; at++) keys.add(records, at);
    yield records;
  }
  checkPart(part);
}

/** Gives a stream without records the members that its listing usually has: targets make a table of them. */
async function fillEmpty({ context, globals }: Run, { source, key, shape }: Stream): Promise<void> {
  if (!shape.isEmpty) return;
  const settings = { profile: globals.profile, sandbox: globals.sandbox === true };
  const { shownColumnsOf } = await import('../open-questions.ts');
  const { resource } = source;
  const columns = await shownColumnsOf(context, { resource, settings, field: undefined });
  const record: Record<string, unknown> = {};
  for (const name of key) record[name] = '';
  for (const { names, role } of columns) {
    const path = names[0]!.split('.');
    let object = record;
    for (const name of path.slice(0, -1)) object = (object[name] ??= {}) as Record<string, unknown>;
    object[path.at(-1)!] ??= EXAMPLES[role] ?? '';
  }
  shape.add(JSON.stringify(record));
}

/** Values of the kinds that such columns hold. */
const EXAMPLES: Readonly<Partial<Record<ColumnRole, unknown>>> = {
  amount: 0.5,
  open: 0.5,
  date: '2000-01-01T00:00:00Z',
  due: '2000-01-01T00:00:00Z',
};

function survey(shape: RecordShape, batch: RecordBatch): void {
  for (let index = 0; index < batch.count; index++) shape.add(recordBytes(batch, index).toString('utf8'));
}

/** Records without the key have none: a target then appends. */
function keyOf({ key, shape }: Stream): readonly string[] {
  return shape.hasMembers(key) ? key : [];
}

function stateOf(versions: ReadonlyMap<string, number>): object {
  return { bookmarks: Object.fromEntries([...versions].map(([name, version]) => [name, { version }])) };
}

function checkStreams(results: readonly PartResult[]): void {
  const leading = results.find(({ failure }) => failure instanceof KeyRefused)?.failure;
  const lack = leading === undefined ? 'not whole, and not activated' : 'not written';
  checkResults(results, { what: 'streams', lack, leading });
}

interface TapConfig {
  /** With the token and the address of the file, where it has them. */
  readonly context: Context;
  readonly globals: Pick<GlobalFlags, 'profile'>;
  readonly pageSize: number | undefined;
  readonly key: ReadonlyMap<string, readonly string[]>;
  /** The names of what it has beside that. */
  readonly unknown: readonly string[];
  /** What is to be said of the file. */
  readonly warning?: string | undefined;
}

/** The members that a configuration may have. */
const MEMBERS = ['base_url', 'token', 'profile', 'page_size', 'key'];
const MEMBERS_HINT = 'A configuration has base_url, token or profile, page_size and key.';

/** Reads Singer's configuration: base_url, token or profile, page_size, key. Throws UsageError, also for a misspelt name. */
async function readConfig(context: Context, file: string | undefined): Promise<TapConfig> {
  if (file === undefined) return { context, globals: {}, pageSize: undefined, key: new Map(), unknown: [] };
  const { text, stats } = await readSmall(file, MAX_CONFIG);
  const config = parseObject(text, file);
  const unknown = unknownMembers(config, file);
  const textOf = (name: string): string | undefined => {
    const value = memberOf(config, name);
    if (value === undefined || typeof value === 'string') return value;
    throw badMember(file, name, 'a text');
  };
  // What is empty counts as none, as in the environment: runners write settings that are not given so.
  const [token, baseUrl, profile] = ['token', 'base_url', 'profile'].map((name) => textOf(name) || undefined);
  const beside = token === undefined && baseUrl ? 'base_url' : token === undefined ? undefined : 'token';
  if (profile !== undefined && beside !== undefined) {
    throw new UsageError(`${file} has both a ${beside} and a profile`, {
      hint: 'Leave one of them out: a profile brings its own token and address.',
    });
  }
  if (token !== undefined) context.secrets.hide([token]);
  const env = {
    ...context.env,
    ...(token !== undefined && { FOLIO_TOKEN: token }),
    ...(baseUrl !== undefined && { FOLIO_BASE_URL: baseUrl }),
  };
  const pageSize = memberOf(config, 'page_size');
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && Number(pageSize) > 0)) {
    throw badMember(file, 'page_size', 'a whole number above 0');
  }
  return {
    context: { ...context, env, ...(token !== undefined && { tokenOrigin: file }) },
    // Runners write the file anew each time, as all may read it: to refuse it would help nobody.
    warning: token === undefined ? undefined : openFileWarning(file, stats),
    globals: profile === undefined ? {} : { profile },
    pageSize: pageSize === undefined ? undefined : Number(pageSize),
    key: keysOf(memberOf(config, 'key'), file),
    unknown,
  };
}

/**
 * The names in a configuration that are none of ours. A misspelt `profile` would have the tap read another organization, so what
 * looks like one of ours is refused. Others may be a runner's, such as start_date or stream_maps, which any tap may be given; those
 * that begin with `_` or `$` are comments and schemas.
 */
function unknownMembers(config: object, file: string): readonly string[] {
  const unknown = Object.keys(config).filter((name) => !MEMBERS.includes(name) && !/^[_$]/.test(name));
  for (const name of unknown) {
    const near = nearestNames(name, MEMBERS);
    if (near.length === 0) continue;
    throw new UsageError(`${file} has ${JSON.stringify(name)}, which folio tap does not know`, {
      hint: `Did you mean ${near.join(' or ')}? ${MEMBERS_HINT}`,
    });
  }
  return unknown;
}

/** `{"issued": "number,documentType"}` or `{"issued": ["number"]}`. */
function keysOf(key: unknown, file: string): ReadonlyMap<string, readonly string[]> {
  if (key === undefined) return new Map();
  if (typeof key !== 'object' || key === null || Array.isArray(key))
    throw badMember(file, 'key', 'an object');
  return new Map(
    Object.entries(key).map(([stream, columns]: [string, unknown]) => {
      const names = typeof columns === 'string' ? columns.split(',') : columns;
      const isKnown = syncResources.some(({ table }) => table === stream);
      if (
        !isKnown ||
        !Array.isArray(names) ||
        names.length === 0 ||
        !names.every((name) => typeof name === 'string')
      ) {
        throw badMember(
          file,
          `key.${stream}`,
          `the columns of ${syncResources.map(({ table }) => table).join(', ')}`,
        );
      }
      return [stream, names.map(String)];
    }),
  );
}

function badMember(file: string, name: string, expected: string): UsageError {
  return new UsageError(`${name} in ${file}: expected ${expected}`, {
    hint: MEMBERS_HINT,
  });
}

async function readOptional<Value>(
  file: string | undefined,
  parse: (text: string, file: string) => Value,
): Promise<Value | undefined> {
  return file === undefined ? undefined : parse((await readSmall(file)).text, file);
}

/** Bytes that a configuration may have, and a catalog or a state. */
const MAX_CONFIG = 1024 * 1024;
const MAX_BYTES = 16 * 1024 * 1024;

async function readSmall(file: string, most = MAX_BYTES): Promise<{ text: string; stats: Stats }> {
  try {
    const handle = await open(file, 'r');
    try {
      const stats = await handle.stat();
      return { text: (await readUpTo(handle, file, most)).toString('utf8'), stats };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new UsageError(`${file} cannot be read: ${systemReason(error)}`, {
      hint: 'Check the path, and that you may read it.',
      cause: error,
    });
  }
}

/** A device or a pipe does not say how long it is, and may never end. */
async function readUpTo(handle: FileHandle, file: string, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let size = 0; size <= most;) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(64 * 1024) });
    if (bytesRead === 0) return Buffer.concat(parts);
    parts.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
  throw new UsageError(`${file} is larger than ${most / 1024 / 1024} MB`, {
    hint: 'Check that it is the file you meant.',
  });
}
