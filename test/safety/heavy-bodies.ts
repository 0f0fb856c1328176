/** A body that takes a careless program a time that grows with the square of its size, and the command that meets it. */
export interface HeavyBody {
  readonly name: string;
  readonly args: readonly string[];
  readonly status?: number;
  /** The exit code; by default 0. */
  readonly code?: number;
  /** The size, in whatever counts here: enough that careless work takes far longer than a run may, and careful work less than a second. */
  readonly size: number;
  readonly body: (size: number) => string;
}

const CSV = ['customers', '--format', 'csv'];
const JSONL = ['customers', '--format', 'jsonl'];
const TABLE = ['customers', '--format', 'table', '--all'];

export const HEAVY_BODIES: readonly HeavyBody[] = [
  { name: 'equal records without an id', args: JSONL, size: 60_000, body: (n) => page('{"a":1}', n) },
  {
    name: 'equal records that have one id',
    args: JSONL,
    size: 60_000,
    body: (n) => page('{"id":1,"a":1}', n),
  },
  {
    name: 'pages that almost meet',
    args: JSONL,
    code: 6,
    size: 40_000,
    // The service sends the same page again: it ends with what the page behind it has from its second record on.
    body: (n) => page('{"id":1}', n).replace('null', '"again"').replace('{"id":1}', '{"id":2}'),
  },
  {
    name: 'an error of http://',
    args: JSONL,
    status: 400,
    code: 2,
    size: 480_000,
    body: (n) => said('http://', n),
  },
  {
    name: 'an error of -eyJaaaa',
    args: JSONL,
    status: 400,
    code: 2,
    size: 480_000,
    body: (n) => said('-eyJaaaa', n),
  },
  {
    name: 'an error of eyJaaaa.eyJ.',
    args: JSONL,
    status: 400,
    code: 2,
    size: 480_000,
    body: (n) => said('eyJaaaa.eyJ.', n),
  },
  {
    name: 'an error of escapes',
    args: JSONL,
    status: 400,
    code: 2,
    size: 480_000,
    body: (n) => said('%25', n),
  },
  {
    name: 'an error of blanks',
    args: JSONL,
    status: 400,
    code: 2,
    size: 320_000,
    body: (n) => said(' \t', n),
  },
  {
    name: 'columns of one name, by dots',
    args: CSV,
    size: 1_500,
    body: (n) =>
      records(Array.from({ length: n }, (_, at) => `{${split('a.b.c.d.e.f.g.h.i.j.k.l.m.n', at)}}`)),
  },
  {
    name: 'columns of one name, by backslashes',
    args: CSV,
    size: 1_000_000,
    body: (n) =>
      record([
        '"a":{"b":1}',
        // Each name is a backslash longer than the one before, twice as many in JSON: so many make n bytes.
        ...Array.from(
          { length: Math.floor(Math.sqrt(n)) },
          (_, at) => `${JSON.stringify(`a${'\\'.repeat(at)}.b`)}:1`,
        ),
        '"a.b":1',
      ]),
  },
  {
    name: 'a column name of 300 KB',
    args: TABLE,
    size: 300_000,
    body: (n) => page(`{"id":1,"${'x'.repeat(n)}":1}`, 3),
  },
  {
    name: 'a column name of amounts',
    args: TABLE,
    size: 300_000,
    body: (n) => page(`{"id":1,"${'amount'.repeat(n / 6)}!":1}`, 1),
  },
  {
    name: 'a cell of emoji sequences',
    args: TABLE,
    size: 20_000,
    body: (n) => page(JSON.stringify({ id: 1, a: '👩‍👩‍👧‍👦'.repeat(n) }), 3),
  },
  {
    name: 'a cell of combining marks',
    args: TABLE,
    size: 100_000,
    body: (n) => page(JSON.stringify({ id: 1, a: `e${'\u0301\u0323'.repeat(n)}ᄀ` }), 3),
  },
  {
    name: '1,000 columns in many rows',
    args: TABLE,
    size: 30,
    body: (n) => page(`{${Array.from({ length: 1_000 }, (_, at) => `"c${at}":${at}`).join(',')}}`, n),
  },
  {
    name: 'an object that comes again and again',
    args: CSV,
    size: 25_000,
    body: (n) =>
      record([
        `"a":{${Array.from({ length: 200 }, (_, at) => `"c${at}":1`).join(',')}}`,
        ...Array.from({ length: n }, () => '"a":{}'),
      ]),
  },
  { name: 'a deep record', args: CSV, size: 10_000, body: (n) => page(`{"a":${nested(60)}}`, n) },
  {
    name: 'a text of backslashes',
    args: CSV,
    size: 500_000,
    body: (n) => page(`{"a":"${'\\\\'.repeat(n)}"}`, 1),
  },
  {
    name: 'partial errors',
    args: JSONL,
    size: 30_000,
    body: (n) =>
      `{"nextToken":null,"data":[{"id":1}],"errors":[${Array.from({ length: n }, (_, at) => `{"message":"http://${at}"}`).join(',')}]}`,
  },
  {
    name: 'unknown fiscal IDs',
    args: ['issued', '--format', 'csv', '--customer-fiscal-id', '1-9'],
    status: 400,
    code: 4,
    size: 14_000,
    body: (n) =>
      `{"errors":[${Array.from({ length: n }, (_, at) => `{"_type":"EmptyResponseError","requestParams":{"fiscalId":"${at}"}}`).join(',')}]}`,
  },
];

/** A page that has a record so many times. */
export function page(record: string, count: number): string {
  return records(Array.from({ length: count }, () => record));
}

/** A page of these records. */
export function records(all: readonly string[]): string {
  return `{"nextToken":null,"errors":[],"data":[${all.join(',')}]}`;
}

function record(members: readonly string[]): string {
  return page(`{${members.join(',')}}`, 1);
}

/** The member whose path, joined with dots, is this name: where a bit of the number is set, an object within. */
function split(name: string, number: number): string {
  let [json, open] = ['', 0];
  for (const [at, part] of name.split('.').entries()) {
    if (at === 0) json = `"${part}`;
    else if ((number >> (at - 1)) & 1) {
      json += `":{"${part}`;
      open++;
    } else json += `.${part}`;
  }
  return `${json}":1${'}'.repeat(open)}`;
}

function said(text: string, size: number): string {
  return JSON.stringify({ message: text.repeat(Math.ceil(size / text.length)) });
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}
