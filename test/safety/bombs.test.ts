import { join } from 'node:path';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { runFolio } from '../support/run-folio.ts';
import { runHere } from '../support/run-here.ts';
import { startHttpService, type HttpService } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { watchPeak } from './peak.ts';

const MIB = 2 ** 20;
/** Kilobytes that the process of a run may have had in memory at its fullest. */
const MOST = 300 * 1024;

/** An answer that means harm by its size: chunks that are sent one after the other. */
interface Bomb {
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks: Iterable<Buffer>;
}

const GZIP = { 'content-encoding': 'gzip' };

function bodyOf(text: string | Buffer, headers: Bomb['headers'] = {}): Bomb {
  return { headers, chunks: [Buffer.from(text)] };
}

/** A page with these records, for invoices and customers alike. */
function pageOf(records: string, errors = '[]'): Bomb {
  return bodyOf(
    `{"total":1,"page":0,"errors":${errors},"nextToken":null,"data":[${records}],"pageResults":[${records}]}`,
  );
}

/**
 * So many megabytes of zeros as one gzip member: about a thousandth of that. Each megabyte is the same block; the checksum at
 * the end, to which nobody who is careful gets, is none.
 */
function zerosInGzip(megabytes: number): Bomb {
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  const block = deflateRawSync(Buffer.alloc(MIB), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const end = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  end.writeUInt32LE(megabytes * MIB, 6);
  return bodyOf(Buffer.concat([header, ...times(megabytes, () => block), end]), GZIP);
}

/** So many megabytes, without an end in sight. */
function stream(megabytes: number, headers: Bomb['headers'] = {}): Bomb {
  const chunk = Buffer.alloc(MIB, ' ');
  return { headers, chunks: times(megabytes, () => chunk) };
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const deepObject = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
/** A record with so many fields. */
const wide = (columns: number, from = 0): string =>
  `{${times(columns, (at) => `"c${from + at}":1`).join(',')}}`;
/** So many megabytes of empty values, which take many times that as objects. */
const manyEmpty = (megabytes: number, value = '{}'): string =>
  `[${`${value},`.repeat(Math.floor((megabytes * MIB) / (value.length + 1)))}${value}]`;
/** So many megabytes of members, no two of one name. */
const names = (megabytes: number): string =>
  times((megabytes * MIB) / 13, (at) => `"${String(at).padStart(8, '0')}":1`).join(',');

/** Starts a service whose every answer is the bomb. */
function startWith({ headers, chunks }: Bomb, status = 200): Promise<HttpService> {
  return startHttpService((_, response) => {
    response.writeHead(status, headers);
    response.on('error', () => {});
    const left = chunks[Symbol.iterator]();
    const send = (): void => {
      const { value, done } = left.next();
      if (done === true) response.end();
      else response.write(value, (error) => error ?? send());
    };
    send();
  });
}

const ONE_RETRY = ['--retries', '1', '--retry-delay', '1'];
const JSONL = 'customers --format jsonl';
const CSV = 'customers --format csv';
const DOWNLOAD = `issued download ${join(temporaryFolder(), 'files')}`;

/** Runs the program in a process of its own, whose memory is measured. */
async function detonate(bomb: Bomb, line: string, status?: number) {
  const service = await startWith(bomb, status);
  const { env, peakOf } = watchPeak(join(temporaryFolder(), 'peak'));
  const args = [...line.split(' '), ...ONE_RETRY];
  const { code, stdout, stderr } = await runFolio(args, { env: { FOLIO_BASE_URL: service.origin, ...env } });
  await service.close();
  return { code, stdout: stdout.length, stderr, peak: peakOf() };
}

/** What comes, what was asked for, and how the sentence begins that says no. */
type Row = readonly [what: string, bomb: () => Bomb, line: string, says: RegExp];

const TOO_DEEP = /more than 1000 levels of nesting/;
const TOO_WIDE = /more than 10000 different fields/;
const NOT_SMALL = /expected a small value/;
const emptyAs = (member: string): Bomb => bodyOf(`{"pageResults":[],"data":[],"${member}":${manyEmpty(12)}}`);
const files = `{"total":1,"pageResults":[{"id":1,"files":${manyEmpty(12)}}]}`;
const longText = (): string => `{"data":[{"a":"${'x'.repeat(20 * MIB)}"}]}`;
const announced = { 'content-length': String(600 * MIB) };

/** Bombs by what they weigh, or would. */
const HEAVY: readonly Row[] = [
  ['600 MB of zeros in 0.6 MB', () => zerosInGzip(600), JSONL, /inflates to more than 64 MiB/],
  ['600 MB without an end', () => stream(600), JSONL, /is larger than/],
  ['600 MB announced', () => stream(600, announced), JSONL, /is larger than/],
  ['a text of 20 MB', () => bodyOf(longText()), CSV, /is longer than 16777216 bytes/],
  ['12 MB of errors', () => pageOf('{"id":1}', manyEmpty(12)), JSONL, /at most 4 MiB of "errors"/],
  ['12 MB as a total', () => emptyAs('total'), 'issued', NOT_SMALL],
  ['12 MB as a cursor', () => emptyAs('nextToken'), JSONL, NOT_SMALL],
  ['12 MB of names', () => bodyOf(`{"data":[],${names(12)}}`), JSONL, /more than 10000 members/],
  ['12 MB of files', () => bodyOf(files), DOWNLOAD, /longer than 1 MiB/],
];

const twice = (): Bomb => bodyOf(gzipSync(gzipSync('{}')), { 'content-encoding': 'gzip, gzip' });
const inTwo = [wide(5_000), wide(5_001, 5_000)].join(',');

/** Bombs by their shape: none is as large as 2 MB. */
const TWISTED: readonly Row[] = [
  ['gzip within gzip', twice, JSONL, /an encoding that folio did not request \(gzip, gzip\)/],
  ['a record of 100,000 levels', () => pageOf(`{"a":${deep(100_000)}}`), CSV, TOO_DEEP],
  ['a record of 100,000 levels, untouched', () => pageOf(`{"a":${deep(100_000)}}`), JSONL, TOO_DEEP],
  ['a record of 100,000 objects', () => pageOf(deepObject(100_000)), CSV, TOO_DEEP],
  ['a record of 65 levels', () => pageOf(deepObject(70)), CSV, /64/],
  ['errors of 100,000 levels', () => pageOf('{"id":1}', deep(100_000)), JSONL, TOO_DEEP],
  ['a body of 100,000 levels', () => bodyOf(deep(100_000)), 'get /x', TOO_DEEP],
  ['10,001 columns', () => pageOf(wide(10_001)), CSV, TOO_WIDE],
  ['10,001 columns, one after the other', () => pageOf(inTwo), CSV, TOO_WIDE],
  ['10,001 columns on a screen', () => pageOf(wide(10_001)), 'customers --format table', TOO_WIDE],
];

const manyRecords = (): Bomb => {
  const records = times(20_000, (id) => `{"id":${id},"note":"${'x'.repeat(1_980)}"}`);
  return bodyOf(`{"nextToken":null,"data":[${records.join(',')}]}`);
};

describe('a bomb', () => {
  it.each([
    ['under each limit is taken: 40 MB of records', manyRecords, JSONL, 200, 0, /^$/],
    [
      'in an error is not taken for words',
      () => bodyOf(`{"errors":${manyEmpty(12)}}`),
      ...([JSONL, 400, 2, /refuses the query \(400\)\n/] as const),
    ],
    ['of empty values is handed on by `get`', () => bodyOf(manyEmpty(12, '[]')), 'get /x', 200, 0, /^$/],
  ] as const)('%s', async (_, bomb, line, status, code, stderr) => {
    const run = await detonate(bomb(), line, status);
    expect([run.code, run.stderr]).toEqual([code, expect.stringMatching(stderr)]);
    if (code !== 0) expect(run.stdout).toBe(0);
    expect(run.peak).toBeLessThan(MOST);
  });

  it.each(HEAVY)('of %s: exit 5, a sentence, less than 300 MiB', async (_, bomb, line, says) => {
    const { code, stdout, stderr, peak } = await detonate(bomb(), line);
    expect({ code, stdout }).toEqual({ code: 5, stdout: 0 });
    expect(stderr.split('\n')[0]).toMatch(says);
    expect(peak).toBeLessThan(MOST);
  });

  it.each(TWISTED)('of %s: exit 5, a sentence', async (_, bomb, line, says) => {
    const env = { FOLIO_BASE_URL: (await startWith(bomb())).origin };
    const { code, stdout, stderr } = await runHere([...line.split(' '), ...ONE_RETRY], { env });
    expect({ code, stdout: stdout.length }).toEqual({ code: 5, stdout: 0 });
    expect(stderr.split('\n')[0]).toMatch(says);
  });
});
