import { gzipSync } from 'node:zlib';
import { endingsOf, formatOf, formats } from '../../src/output/formats.ts';
import type { ModelResponse } from '../support/model-service.ts';
import { randomFrom } from '../support/random-runs.ts';
import { HOSTILE_TOKEN } from './token-forms.ts';

/** One hostile service, and the command line that meets it. */
export interface FuzzCase {
  readonly seed: number;
  /** `OUT` stands for a folder of its own. */
  readonly args: readonly string[];
  /** The answer to the nth request, from 0. */
  readonly answer: (path: string, nth: number) => ModelResponse;
}

type Random = (below: number) => number;

const COMMANDS = [
  ...['issued', 'received', 'customers', 'funds', 'funds get 7', 'funds documents 7'],
  ...['customers get 7', 'customers portal-link 7'],
];

/** The case of a number: the same for the same number. */
export function fuzzCase(seed: number): FuzzCase {
  const random = randomFrom(seed * 7919 + 13);
  const args = commandLine(random);
  // A service that never ends is another matter: this one has nothing more to say in the end.
  const last = 1 + random(8);
  const answers = new Map<number, ModelResponse>();
  return {
    seed,
    args,
    answer: (path, nth) => {
      if (path.startsWith('/file/')) return fileAnswer(randomFrom(seed + nth));
      if (nth > last) return { status: 200, headers: {}, body: Buffer.from(END) };
      const known = answers.get(nth) ?? listingAnswer(randomFrom(seed * 31 + nth));
      answers.set(nth, known);
      return known;
    },
  };
}

const END = '{"total":0,"page":0,"pageResults":[],"data":[],"nextToken":null,"errors":[]}';

function commandLine(random: Random): string[] {
  const patience = `--retries ${random(2)} --retry-delay 1 --timeout 3`;
  const line =
    random(12) === 0 ? 'issued download OUT/files --receipt OUT/receipt.json' : listingLine(random);
  return `${line} ${patience}`.split(' ');
}

function listingLine(random: Random): string {
  if (random(15) === 0) return 'get /customers';
  const command = one(random, COMMANDS);
  const format = one(random, formats);
  const isText = formatOf(format).binary !== true;
  const output = !isText || random(2) === 0 ? ` --output OUT/out.${endingsOf(format)[0]!}` : '';
  const isListing = !command.includes(' ');
  const more = [
    ...(format === 'csv' ? ['--excel'] : []),
    ...(isListing && isText ? ['--sort id', '--where id!=zz', '--group-by status --count'] : []),
    ...(isListing ? ['--receipt OUT/receipt.json'] : []),
    ...['--columns id,customer.name,a.b', '--debug', '-v'],
  ];
  return `${command} --format ${format}${output}${random(2) === 0 ? ` ${one(random, more)}` : ''}`;
}

function one<T>(random: Random, all: readonly T[]): T {
  return all[random(all.length)]!;
}

const STATUSES = [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 204, 206, 301, 302, 418, 599];

const HEADERS: readonly (readonly [string, string])[] = [
  ['retry-after', '0'],
  ['retry-after', '999999999'],
  ['retry-after', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ['retry-after', 'x'.repeat(2_000)],
  ['content-type', 'text/html'],
  ['content-type', `application/json; charset=${HOSTILE_TOKEN}`],
  ['location', `https://evil.example/${encodeURIComponent(HOSTILE_TOKEN)}?sig=${HOSTILE_TOKEN}`],
  ['location', 'http://[::1'],
  ['content-encoding', 'br'],
  ['content-encoding', 'gzip'],
  ['date', 'not a date'],
  ['x-request-id', HOSTILE_TOKEN],
];

function listingAnswer(random: Random): ModelResponse {
  const status = random(4) === 0 ? one(random, STATUSES) : 200;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (random(4) === 0) {
    const [name, value] = one(random, HEADERS);
    headers[name] = value;
  }
  let body: Buffer = Buffer.from(status === 200 || random(2) === 0 ? envelope(random) : refusal(random));
  if (random(8) === 0) body = damaged(body, random);
  if (random(6) === 0) {
    headers['content-encoding'] = 'gzip';
    body = gzipSync(body, { level: 1 });
    if (random(4) === 0) body = damaged(body, random);
  }
  return { status, headers, body };
}

/** A page of any listing, with what is hostile in every place of it. */
function envelope(random: Random): string {
  const records = recordsOf(random);
  const list = random(20) === 0 ? value(random, 3) : `[${records.join(',')}]`;
  const total = [String(records.length), String(records.length), '999999999', '-1', 'null', text(random)];
  const members = [
    `"total":${one(random, total)}`,
    `"page":${random(3) === 0 ? value(random, 1) : '0'}`,
    `"pageSize":${random(4) === 0 ? String(one(random, [0, 1, 7, 999_983, 2 ** 31])) : String(records.length || 1)}`,
    `"pageResults":${list}`,
    `"data":${list}`,
    `"assignedDocuments":${list}`,
    `"nextToken":${random(4) === 0 ? text(random) : 'null'}`,
    `"errors":${random(4) === 0 ? errors(random) : '[]'}`,
    `"id":${value(random, 1)}`,
    ...(random(6) === 0 ? [`${text(random)}:${value(random, 3)}`] : []),
  ];
  if (random(30) === 0) return value(random, 4);
  return `{${members.join(',')}}`;
}

/** Most are a few, some are as many as make the body a few megabytes, at most about 8. */
function recordsOf(random: Random): string[] {
  const few = Array.from({ length: random(6) }, () => record(random));
  const kind = random(24);
  // A body has the list three times.
  const bytes = Math.floor(2 ** (14 + random(10)) / 3);
  if (kind === 0 && few.length > 0) {
    const size = few.reduce((sum, each) => sum + each.length + 1, 0);
    return Array.from({ length: Math.max(1, Math.floor(bytes / size)) }, () => few).flat();
  }
  if (kind === 1)
    return [
      `{"id":1,"a":${JSON.stringify(one(random, PIECES).repeat(bytes >> 4))
        .slice(0, bytes - 1)
        .replace(/\\+$|\\u?[0-9a-f]{0,3}$/, '')}"}`,
    ];
  if (kind === 2)
    return [`{"id":1,${Array.from({ length: bytes >> 7 }, (_, at) => `"c${at}":1`).join(',')}}`];
  if (kind === 3) return [`{${JSON.stringify('n'.repeat(bytes >> 2))}:1}`];
  if (kind === 4) return Array.from({ length: bytes >> 3 }, () => '{"a":1}');
  if (kind === 5) return [`{"a":${'['.repeat(1 + random(1_200))}${']'.repeat(1 + random(1_200))}}`];
  return few;
}

const NAMES = [
  ...'id number status dueBy totalAmount customer name a b a.b files'.split(' '),
  ...['__proto__', 'constructor', 'toString', ''],
];

function record(random: Random): string {
  const members = Array.from({ length: random(8) }, () => {
    const name = random(5) === 0 ? text(random) : JSON.stringify(one(random, NAMES));
    return `${name}:${random(12) === 0 ? '[{"fileUrl":"LINK"}]' : value(random, 3)}`;
  });
  return `{${[`"id":${random(3) === 0 ? value(random, 1) : String(random(9))}`, ...members].join(',')}}`;
}

const NUMBERS = [
  ...['0', '-0', '1190.10', '12345678901234567890', '1e999', '-1E-400', '0.1e+2', `1${'0'.repeat(400)}`],
];

function value(random: Random, depth: number): string {
  const kind = random(depth > 0 ? 8 : 5);
  if (kind < 2) return text(random);
  if (kind === 2) return one(random, NUMBERS);
  if (kind === 3) return one(random, ['true', 'false', 'null']);
  if (kind === 4) return String(random(1_000_000));
  const inner = Array.from({ length: random(4) }, () => value(random, depth - 1));
  return kind < 6 ? `[${inner.join(',')}]` : `{${inner.map((each) => `${text(random)}:${each}`).join(',')}}`;
}

const PIECES = [
  ...[HOSTILE_TOKEN, HOSTILE_TOKEN.slice(0, 17), encodeURIComponent(HOSTILE_TOKEN)],
  ...['base64', 'hex'].map((encoding) => Buffer.from(HOSTILE_TOKEN).toString(encoding as 'hex')),
  ...['\u001b]0;title\u0007\u001b[2J', '\u202e\u200b\u2066', '=cmd|calc', '＝1+1', '@SUM(1)'],
  ...['../../../etc/passwd', 'C:\\con.pdf', '2024-13-45T99:99:99Z', '2024-10-15', '👩‍👩‍👧‍👦'],
  ...['e\u0301\u0323\u0301\u0323', 'http://a?sig=', '-eyJaaaa', '"\\\n\r\t,;|', '\ud800', 'ñ漢字', 'x', ' '],
];

function text(random: Random): string {
  const parts = Array.from({ length: random(4) }, () =>
    one(random, PIECES).repeat(random(20) === 0 ? 500 : 1),
  );
  return JSON.stringify(parts.join(''));
}

function errors(random: Random): string {
  const element = (): string =>
    random(2) === 0
      ? `{"_type":"EmptyResponseError","requestParams":{"fiscalId":${value(random, 1)}}}`
      : value(random, 2);
  return random(3) === 0 ? value(random, 2) : `[${Array.from({ length: random(40) }, element).join(',')}]`;
}

function refusal(random: Random): string {
  const forms = [
    () => `{"errors":${errors(random)}}`,
    () => `{"error":${text(random)},"message":${text(random)}}`,
    () => `{"Message":${text(random)}}`,
    () => `<html>${HOSTILE_TOKEN}</html>`,
    () => one(random, PIECES).repeat(2 ** random(16)),
    () => `{"message":${JSON.stringify(one(random, PIECES).repeat(2 ** random(15)))}}`,
    () => '',
  ];
  return one(random, forms)();
}

/** Cut, or with a byte changed, or with bytes put in. */
function damaged(body: Buffer, random: Random): Buffer {
  if (body.length === 0) return body;
  const at = random(body.length);
  if (random(3) === 0) return body.subarray(0, at);
  if (random(2) === 0) {
    const copy = Buffer.from(body);
    copy[at] = random(256);
    return copy;
  }
  return Buffer.concat([body.subarray(0, at), Buffer.from([random(256), random(256)]), body.subarray(at)]);
}

function fileAnswer(random: Random): ModelResponse {
  const type = one(random, ['application/pdf', 'text/html', 'text/xml', '../../x', 'application/x-sh']);
  const headers = { 'content-type': type, 'content-disposition': 'attachment; filename="../../../evil.sh"' };
  const bodies = ['%PDF-1.4', '<html>', '<?xml?>', HOSTILE_TOKEN, 'x'.repeat(2 ** random(22))];
  return { status: random(4) === 0 ? 403 : 200, headers, body: Buffer.from(one(random, bodies)) };
}
