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

type Page = readonly [name: string, args: readonly string[], size: number, body: (size: number) => string];

const dotted = (at: number): string => `{${split('a.b.c.d.e.f.g.h.i.j.k.l.m.n', at)}}`;
const noted = (text: string): string => JSON.stringify({ id: 1, a: text });
// Each name is a backslash longer than the one before, twice as many in JSON: so many make n bytes.
const escaped = (bytes: number): string => {
  const name = (at: number): string => `${JSON.stringify(`a${'\\'.repeat(at)}.b`)}:1`;
  return `{"a":{"b":1},${numbered(Math.floor(Math.sqrt(bytes)), name).join(',')},"a.b":1}`;
};
const empties = (count: number): string => numbered(count, () => '"a":{}').join(',');
const errors = (count: number): string => numbered(count, (at) => `{"message":"http://${at}"}`).join(',');

/** Pages, and the commands that meet them. */
const PAGES: readonly Page[] = [
  ['equal records without an id', JSONL, 60_000, (n) => page('{"a":1}', n)],
  ['equal records that have one id', JSONL, 60_000, (n) => page('{"id":1,"a":1}', n)],
  ['columns of one name, by dots', CSV, 1_500, (n) => records(numbered(n, dotted))],
  ['columns of one name, by backslashes', CSV, 1_000_000, (n) => page(escaped(n), 1)],
  ['a column name of 300 KB', TABLE, 300_000, (n) => page(`{"id":1,"${'x'.repeat(n)}":1}`, 3)],
  ['a column name of amounts', TABLE, 300_000, (n) => page(`{"id":1,"${'amount'.repeat(n / 6)}!":1}`, 1)],
  ['a cell of emoji sequences', TABLE, 20_000, (n) => page(noted('👩‍👩‍👧‍👦'.repeat(n)), 3)],
  ['a cell of combining marks', TABLE, 100_000, (n) => page(noted(`e${'\u0301\u0323'.repeat(n)}ᄀ`), 3)],
  ['1,000 columns in many rows', TABLE, 30, (n) => page(`{${columns(1_000)}}`, n)],
  ['an object again and again', CSV, 25_000, (n) => page(`{"a":{${columns(200)}},${empties(n)}}`, 1)],
  ['a deep record', CSV, 10_000, (n) => page(`{"a":${'{"a":'.repeat(60)}1${'}'.repeat(60)}}`, n)],
  ['a text of backslashes', CSV, 500_000, (n) => page(`{"a":"${'\\\\'.repeat(n)}"}`, 1)],
  ['a link', JSONL, 3_000_000, (n) => page(noted(`https://a.example/?${'sig'.repeat(n / 3)}`), 1)],
  ['partial errors', JSONL, 30_000, (n) => page('{"id":1}', 1).replace('[]', `[${errors(n)}]`)],
];

/** What the message of a refused query repeats, and how many characters it has. */
const MESSAGES: readonly (readonly [name: string, text: string, size: number])[] = [
  ['http://', 'http://', 480_000],
  ['-eyJaaaa', '-eyJaaaa', 480_000],
  ['eyJaaaa.eyJ.', 'eyJaaaa.eyJ.', 480_000],
  ['escapes', '%25', 480_000],
  ['blanks', ' \t', 320_000],
];

export const HEAVY_BODIES: readonly HeavyBody[] = [
  ...PAGES.map(([name, args, size, body]) => ({ name, args, size, body })),
  {
    name: 'pages that almost meet',
    ...{ args: JSONL, code: 6, size: 40_000 },
    // The service sends the same page again: it ends with what the page behind it has from its second record on.
    body: (n) => page('{"id":1}', n).replace('null', '"again"').replace('{"id":1}', '{"id":2}'),
  },
  ...MESSAGES.map(([name, text, size]) => ({
    name: `an error of ${name}`,
    ...{ args: JSONL, status: 400, code: 2, size },
    body: (n: number) => JSON.stringify({ message: text.repeat(Math.ceil(n / text.length)) }),
  })),
  {
    name: 'unknown fiscal IDs',
    args: ['issued', '--format', 'csv', '--customer-fiscal-id', '1-9'],
    ...{ status: 400, code: 4, size: 14_000 },
    body: (n) => {
      const ids = numbered(n, (at) => `"requestParams":{"fiscalId":"${at}"}`);
      return `{"errors":[${ids.map((id) => `{"_type":"EmptyResponseError",${id}}`).join(',')}]}`;
    },
  },
];

export function numbered(count: number, make: (at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

/** The members of a record with so many columns. */
export function columns(count: number): string {
  return numbered(count, (at) => `"c${at}":${at}`).join(',');
}

/** A page that has a record so many times. */
export function page(record: string, count: number): string {
  return records(Array.from({ length: count }, () => record));
}

/** A page of these records. */
export function records(all: readonly string[]): string {
  return `{"nextToken":null,"errors":[],"data":[${all.join(',')}]}`;
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
