import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { listings, resources } from '../../../src/resources/index.ts';
import { oneWordName } from '../../../src/resources/resource.ts';
import { runHere } from '../../support/run-here.ts';
import { customersOf, pageOf, runStub, type Answer, type ScriptedExit } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Message {
  readonly type: string;
  readonly stream?: string;
  readonly record?: Readonly<Record<string, unknown>>;
  readonly schema?: Schema;
  readonly key_properties?: readonly string[];
  readonly version?: number;
  readonly value?: unknown;
}

interface Schema {
  readonly type: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly format?: string;
}

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  SCHEMA: ['type', 'stream', 'schema', 'key_properties'],
  RECORD: ['type', 'stream', 'record', 'version', 'time_extracted'],
  STATE: ['type', 'value'],
  ACTIVATE_VERSION: ['type', 'stream', 'version'],
};

/**
 * Reads messages and holds them against Singer's specification: a line each, of a known type with its members; the schema of
 * a stream before its records; records with what the schema says; the key in each record.
 */
function readMessages(stdout: string): readonly Message[] {
  const schemas = new Map<string, Message>();
  const messages = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Message);
  expect(stdout.endsWith('\n') || stdout === '').toBe(true);
  for (const message of messages) {
    expect(Object.keys(message).toSorted()).toEqual(MEMBERS[message.type]?.toSorted());
    if (message.type === 'SCHEMA') schemas.set(message.stream!, message);
    if (message.type === 'STATE') continue;
    const schema = schemas.get(message.stream!);
    expect(schema, `a schema before the first message of ${message.stream}`).toBeDefined();
    if (message.type !== 'RECORD') continue;
    expect(faultsOf(message.record, schema!.schema!, message.stream!)).toEqual([]);
    for (const key of schema!.key_properties!) expect(message.record).toHaveProperty([key]);
  }
  return messages;
}

function faultsOf(value: unknown, schema: Schema, path: string): string[] {
  const type = typeOf(value);
  if (!schema.type.includes(type)) return [`${path} is ${type}, not ${schema.type.join(' or ')}`];
  if (
    schema.format === 'singer.decimal' &&
    value !== null &&
    !/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(String(value))
  ) {
    return [`${path} is no decimal: ${String(value)}`];
  }
  if (Array.isArray(value))
    return value.flatMap((one, index) => faultsOf(one, schema.items!, `${path}[${index}]`));
  if (type !== 'object') return [];
  return Object.entries(value as object).flatMap(([name, inner]) => {
    const member = schema.properties?.[name];
    return member === undefined
      ? [`${path}.${name} is in no schema`]
      : faultsOf(inner, member, `${path}.${name}`);
  });
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const RECORD = '{"id":1,"number":7,"totalAmount":119.10,"customer":{"name":"Roble","rank":2}}';

/** The last parts of the listings' paths, and the names of all streams. */
const PATHS = listings.map(({ path }) => path.split('/').at(-1)!);
const STREAMS = resources.map((resource) => oneWordName(resource, '_'));

/** Runs the tap against a service that answers each listing alike however often it is asked. */
function tap(
  flags: readonly string[],
  answers: Readonly<Record<string, Answer>> = {},
  env = {},
): Promise<ScriptedExit> {
  const all: Readonly<Record<string, Answer>> = {
    ...Object.fromEntries(PATHS.map((path) => [path, pageOf([])])),
    issued: pageOf([RECORD]),
    customers: customersOf(['{"id":"c"}']),
    'prepaid-expenses': pageOf(['{"id":"f","balance":10.5}']),
    f: '{"id":"f","assignedDocuments":[{"id":1,"amount":2.50}]}',
    ...answers,
  };
  return runStub(['tap', '--retries', '0', ...flags], all, { env });
}

const linesOf = (messages: readonly Message[]): string[] =>
  messages.map(({ type, stream = '' }) => `${type} ${stream}`.trim());

function fileOf(value: unknown, mode = 0o600): string {
  const path = join(temporaryFolder(), 'given.json');
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value), { mode });
  chmodSync(path, mode);
  return path;
}

describe('folio tap', () => {
  it('writes each stream: its schema, its records, its version, the state', async () => {
    const { code, stdout, stderr } = await tap([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const messages = readMessages(stdout);
    const withRecord = ['issued', 'customers', 'funds', 'fund_documents'];
    expect(linesOf(messages)).toEqual(
      STREAMS.flatMap((stream) => [
        `SCHEMA ${stream}`,
        ...(withRecord.includes(stream) ? [`RECORD ${stream}`] : []),
        `ACTIVATE_VERSION ${stream}`,
        'STATE',
      ]),
    );
    expect(messages[1]!.record).toEqual({
      id: 1,
      number: 7,
      totalAmount: '119.10',
      customer: { name: 'Roble', rank: 2 },
    });
    expect(messages[0]!.key_properties).toEqual(['id']);
    expect(messages.at(-3)!.record).toEqual({ fundId: 'f', id: 1, amount: '2.50' });
    const versions = new Set(messages.flatMap(({ version }) => version ?? []));
    expect(versions.size).toBe(1);
  });

  it('says the fund of a document in fundId, also where a document has a member of that name', async () => {
    const f = '{"id":"f","assignedDocuments":[{"id":1,"fundId":"other"}]}';
    const { code, stdout } = await tap([], { f });
    expect(code).toBe(0);
    const { record } = readMessages(stdout).find(
      ({ type, stream }) => type === 'RECORD' && stream === 'fund_documents',
    )!;
    expect(record).toEqual({ fundId: 'f', id: 1, '\\fundId': 'other' });
  });

  it('keeps every digit of the sandbox’s records, and passes the specification', async () => {
    const exported = join(temporaryFolder(), 'issued.jsonl');
    const env = { FOLIO_TOKEN: undefined };
    const tapped = await runHere(['--sandbox', 'tap'], { env });
    const listed = await runHere(['--sandbox', 'issued', '-o', exported], { env });
    for (const run of [tapped, listed]) expect(run).toMatchObject({ code: 0, stderr: '' });
    const stdout = tapped.stdout.toString();
    const messages = readMessages(stdout);
    const records = stdout
      .split('\n')
      .filter((line) => line.startsWith('{"type":"RECORD","stream":"issued"'))
      .map((line) => parse(line) as Message);
    const sent = readFileSync(exported, 'utf8').trimEnd().split('\n');
    expect(records).toHaveLength(sent.length);
    for (const [index, line] of sent.entries()) {
      const record = parse(line) as Record<string, { toString: () => string }>;
      const written = records[index]!.record!;
      for (const name of ['totalAmount', 'netAmount', 'exchangeRate', 'amountToBePaid', 'trackingId']) {
        expect(String(written[name] ?? null)).toBe(String(record[name] ?? null));
      }
    }
    expect(linesOf(messages).filter((line) => line.startsWith('ACTIVATE'))).toHaveLength(STREAMS.length);
  });

  it('prints a catalog, which selects streams and fields when it is edited', async () => {
    const { code, stdout } = await tap(['--discover']);
    expect(code).toBe(0);
    interface Entry {
      tap_stream_id: string;
      key_properties: string[];
      schema: Schema;
      metadata: { breadcrumb: string[]; metadata: Record<string, unknown> }[];
    }
    const catalog = JSON.parse(stdout) as { streams: Entry[] };
    const keys = new Map<string, readonly string[]>([
      ...['issued', 'customers', 'funds'].map((stream) => [stream, ['id']] as const),
      ['fund_documents', ['fundId', 'id']],
    ]);
    expect(
      catalog.streams.map(({ tap_stream_id, key_properties }) => [tap_stream_id, key_properties]),
    ).toEqual(STREAMS.map((stream) => [stream, keys.get(stream) ?? ['id']]));
    for (const { metadata } of catalog.streams) {
      expect(metadata[0]!.metadata).toMatchObject({ 'selected-by-default': true });
    }
    const [issued, , customers] = catalog.streams;
    for (const one of catalog.streams) one.metadata[0]!.metadata['selected'] = one === issued;
    customers!.metadata[0]!.metadata['selected'] = false;
    const left = issued!.metadata.filter(({ breadcrumb }) => /number|rank/.test(breadcrumb.join()));
    for (const { metadata } of left) metadata['selected'] = false;
    for (const flag of ['--catalog', '--properties']) {
      const messages = readMessages((await tap([flag, fileOf(catalog)])).stdout);
      expect(linesOf(messages)).toEqual([
        'SCHEMA issued',
        'RECORD issued',
        'ACTIVATE_VERSION issued',
        'STATE',
      ]);
      expect(messages[1]!.record).toEqual({ id: 1, totalAmount: '119.10', customer: { name: 'Roble' } });
    }
  });

  it('gives a version that is later than that of the state', async () => {
    const before = 99_999_999_999_999;
    const state = fileOf({ bookmarks: { issued: { version: before } } });
    const messages = readMessages((await tap(['--state', state])).stdout);
    expect(messages.find(({ type }) => type === 'ACTIVATE_VERSION')!.version).toBe(before + 1);
    expect(messages.at(-1)!.value).toMatchObject({ bookmarks: { issued: { version: before + 1 } } });
  });

  it('does not activate a stream that fails, writes the others, and ends in exit 6', async () => {
    const { code, stdout, stderr } = await tap([], { received: [500, '{"error":"x","message":"down"}'] });
    expect(code).toBe(6);
    expect(stderr).toContain(`1 of ${STREAMS.length} streams not whole, and not activated: received: `);
    const lines = linesOf(readMessages(stdout));
    expect(lines.filter((line) => line.endsWith('received'))).toEqual([]);
    expect(lines).toContain('ACTIVATE_VERSION fund_documents');
  });

  it('ends as any run does where the token is refused, and writes nothing', async () => {
    const refused: Answer = [403, '{"Message":"User is not authorized to access this resource"}'];
    const answers = Object.fromEntries(PATHS.map((path) => [path, refused]));
    expect(await tap([], answers)).toMatchObject({ code: 3, stdout: '' });
  });

  it('takes address, token, page size and keys from the configuration', async () => {
    const token = 'a-token-of-the-configuration-file';
    const config = fileOf({
      base_url: 'https://api.example.com',
      token,
      page_size: 50,
      key: { issued: 'number' },
    });
    const { code, stdout, stderr } = await tap(['--config', config], {}, { FOLIO_TOKEN: undefined });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain(token);
    expect(readMessages(stdout)[0]!.key_properties).toEqual(['number']);
  });

  it.each([
    [['--config', '/nonexistent/config.json'], '/nonexistent/config.json cannot be read: '],
    [['--config', contentOfFile('[1]')], 'is not an object of JSON'],
    [['--config', contentOfFile('{"page_size":0}')], 'page_size in '],
    [['--config', contentOfFile('{"key":{"invoices":"id"}}')], 'key.invoices in '],
    [['--config', contentOfFile('{"token":"t","profile":"p"}')], 'has both a token and a profile'],
    [
      ['--config', contentOfFile('{"base_url":"https://a.example","profile":"p"}')],
      'has both a base_url and a profile',
    ],
    [
      ['--config', contentOfFile('{"profil":"p"}')],
      'has "profil", which folio tap does not know\n  Did you mean profile? ',
    ],
    [
      ['--config', contentOfFile('{"start_date":1,"baseUrl":"x"}')],
      'Did you mean base_url? A configuration has base_url, ',
    ],
    [['--config', contentOfFile('{"pagesize":100}')], 'Did you mean page_size? '],
    [['--config', contentOfFile('{"Token":"t"}')], 'Did you mean token? '],
    [['--catalog', contentOfFile('{}')], 'is no catalog'],
  ])('refuses %j', async (flags, message) => {
    const given = flags.map((flag) => (flag.startsWith('content:') ? fileOf(flag.slice(8)) : flag));
    const { code, stdout, stderr } = await tap(given);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('tells of what a runner has put into the configuration, and goes on', async () => {
    const names = [
      'start_date',
      'stream_maps',
      'flattening_enabled',
      'batch_config',
      'api_key',
      'disable_collection',
    ];
    const ignored = { _comment: 'of ours', $schema: 'https://example.com/tap.json' };
    const config = fileOf({ ...Object.fromEntries(names.map((name) => [name, null])), ...ignored });
    const { code, stderr } = await tap(['--config', config]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        `warning: ${config} has names that folio tap leaves alone: ${names.join(', ')}. ` +
        'A configuration has base_url, token or profile, page_size and key.\n',
    });
  });

  it('reads a configuration with a token that others can read, and warns once', async () => {
    const config = fileOf({ token: 'a-token-for-tests' }, 0o644);
    const { code, stderr } = await tap(['--config', config], {}, { FOLIO_TOKEN: undefined });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: ${config} holds a token and is open to other users (mode 0644)\n`,
    });
    expect((await tap(['--config', fileOf({ page_size: 50 }, 0o644)])).stderr).toBe('');
  });

  it('takes an empty token for none', async () => {
    const config = fileOf({ token: '', base_url: '', profile: '' });
    expect(await tap(['--config', config])).toMatchObject({ code: 0, stderr: '' });
  });

  it('names the file that holds a token which the service refuses, or which is none', async () => {
    const refused: Answer = [401, '{"message":"Unauthorized"}'];
    const answers = Object.fromEntries(PATHS.map((path) => [path, refused]));
    const config = fileOf({ token: 'a-token-for-tests' });
    const { code, stderr } = await tap(['--config', config], answers, { FOLIO_TOKEN: undefined });
    expect([code, stderr]).toEqual([3, expect.stringContaining(`Put a new one into ${config}.`)]);
    expect(stderr).not.toContain('FOLIO_TOKEN');
    const bad = fileOf({ token: 'two words' });
    const malformed = await tap(['--config', bad], {}, { FOLIO_TOKEN: undefined });
    expect([malformed.code, malformed.stderr]).toEqual([
      3,
      expect.stringContaining(`the token (${bad}) has a space`),
    ]);
  });

  it.each([
    [
      'has another’s id',
      ['{"id":7}', '{"id":8}', '{"id":7}'],
      'the records 1 and 3 of the issued invoices have the same id: 7',
    ],
    [
      'has null for its id',
      ['{"id":7}', '{"id":null}'],
      'record 2 of the issued invoices has no id: {"id":null}…',
    ],
    ['has no id', ['{"number":7}'], 'record 1 of the issued invoices has no id: {"number":7}…'],
  ])('does not write a stream in which a record %s, as sync does not', async (_, records, reason) => {
    const { code, stdout, stderr } = await tap([], { issued: pageOf(records) });
    expect(code).toBe(2);
    expect(stderr).toContain(`1 of ${STREAMS.length} streams not written: issued: ${reason}`);
    expect(stderr).toContain('in the configuration: "key": {"issued": "number,documentType"}');
    expect(linesOf(readMessages(stdout)).filter((line) => line.endsWith('issued'))).toEqual([]);
  });

  it('tells records apart by the key of the configuration', async () => {
    const records = ['{"id":7,"number":1,"type":"A"}', '{"id":7,"number":1,"type":"B"}'];
    const config = fileOf({ key: { issued: 'number,type' } });
    const { code, stdout } = await tap(['--config', config], { issued: pageOf(records) });
    expect(code).toBe(0);
    expect(readMessages(stdout)[0]!.key_properties).toEqual(['number', 'type']);
  });

  it('writes streams without a key where the catalog says that there is none', async () => {
    const catalog = fileOf({ streams: [{ tap_stream_id: 'issued', key_properties: [], schema: {} }] });
    const { code, stdout } = await tap(['--catalog', catalog], {
      issued: pageOf(['{"id":7}', '{"id":7}']),
    });
    expect(code).toBe(0);
    const messages = readMessages(stdout);
    expect(messages[0]!.key_properties).toEqual([]);
    expect(linesOf(messages).filter((line) => line === 'RECORD issued')).toHaveLength(2);
  });

  it('gives an empty stream the members that its listing usually has', async () => {
    const { code, stdout } = await tap([], { issued: pageOf([]) });
    expect(code).toBe(0);
    const [first] = readMessages(stdout);
    expect(first).toMatchObject({ type: 'SCHEMA', stream: 'issued', key_properties: ['id'] });
    expect(first!.schema!.properties).toMatchObject({
      id: { type: ['null', 'string'] },
      totalAmount: { type: ['null', 'string'], format: 'singer.decimal' },
      dueBy: { type: ['null', 'string'], format: 'date-time' },
      customer: { type: ['null', 'object'], properties: { name: { type: ['null', 'string'] } } },
    });
  });

  it('leaves out a member that an older catalog deselects in its schema, and refuses that for the key', async () => {
    const stream = (properties: object, metadata: object[] = []) =>
      fileOf({ streams: [{ tap_stream_id: 'issued', schema: { properties }, metadata }] });
    const older = stream({
      number: { selected: false },
      customer: { properties: { rank: { selected: false } } },
    });
    const messages = readMessages((await tap(['--catalog', older])).stdout);
    expect(messages[1]!.record).toEqual({ id: 1, totalAmount: '119.10', customer: { name: 'Roble' } });
    const newer = stream({ number: { selected: false } }, [
      { breadcrumb: ['properties', 'number'], metadata: { selected: true } },
    ]);
    expect(readMessages((await tap(['--catalog', newer])).stdout)[1]!.record).toHaveProperty('number');
    const withoutKey = stream({ id: { selected: false } });
    const { code, stdout, stderr } = await tap(['--catalog', withoutKey]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${withoutKey} leaves out id of issued, which tells its records apart`);
  });

  it('shows what a terminal must not be given as marks, and leaves pipes the text as it is', async () => {
    const hostile = '{"id":1,"name":"a\u0085b\u202ec\u200bd"}';
    const answers = Object.fromEntries(PATHS.map((path) => [path, pageOf([])]));
    const given = { ...answers, customers: customersOf([]), issued: pageOf([hostile]) };
    const { stdout } = await runStub(['tap'], given, { terminal: true });
    expect(stdout).toContain('a\\u{85}b\\u{202e}c\\u{200b}d');
    expect((await runStub(['tap'], given)).stdout).toContain('a\u0085b\u202ec\u200bd');
  });

  it('ends where a configuration does not', async () => {
    const { code, stdout, stderr } = await tap(['--config', '/dev/zero']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('/dev/zero is larger than 1 MB');
  });
});

/** Stands for a file of this content, which the test itself makes. */
function contentOfFile(content: string): string {
  return `content:${content}`;
}
