import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startHttpService, type HttpService } from '../support/servers.ts';
import { runFolio } from '../support/run-folio.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  bodyOf,
  deep,
  deepObject,
  manyEmpty,
  names,
  pageOf,
  stream,
  wide,
  zerosInGzip,
  type Bomb,
} from './bombs.ts';
import { watchPeak } from './peak.ts';

/** Kilobytes that the process of a run may have had in memory at its fullest. */
const MOST = 300 * 1024;
/** The same where a large answer is taken. */
const MAX_LARGE = 400 * 1024;

/** Starts a service whose every answer is the bomb. */
function startWith(bomb: Bomb, status = 200): Promise<HttpService> {
  return startHttpService((_, response) => {
    response.writeHead(status, bomb.headers);
    response.on('error', () => {});
    const chunks = bomb.chunks()[Symbol.iterator]();
    const send = (): void => {
      const { value, done } = chunks.next();
      if (done === true) response.end();
      else response.write(value, (error) => error ?? send());
    };
    send();
  });
}

const ONE_RETRY = ['--retries', '1', '--retry-delay', '1'];

/** Runs the program in a process of its own, whose memory is measured. */
async function detonate(bomb: Bomb, args: readonly string[], status?: number) {
  const service = await startWith(bomb, status);
  const watched = watchPeak(join(temporaryFolder(), 'peak'));
  try {
    const env = { FOLIO_BASE_URL: service.origin, ...watched.env };
    const { code, stdout, stderr } = await runFolio([...args, ...ONE_RETRY], { env });
    return { code, stdout: stdout.length, stderr, peak: watched.peakOf() };
  } finally {
    await service.close();
  }
}

const GZIP = { 'content-encoding': 'gzip' };
const CSV = ['customers', '--format', 'csv'];
const DOWNLOAD = ['issued', 'download', join(temporaryFolder(), 'files')];
const JSONL = ['customers', '--format', 'jsonl'];

/** What comes, what was asked for, and how the sentence begins that says no. */
type Row = readonly [what: string, bomb: () => Bomb, args: readonly string[], says: RegExp];

const TOO_DEEP = /more than 1000 levels of nesting/;
const TOO_WIDE = /more than 10000 different fields/;
const NOT_SMALL = /expected a small value/;
const emptyAs = (member: string): Bomb => bodyOf(`{"pageResults":[],"data":[],"${member}":${manyEmpty(12)}}`);
const files = `{"total":1,"pageResults":[{"id":1,"files":${manyEmpty(12)}}]}`;
const announced = { 'content-length': String(600 * 2 ** 20) };

/** Bombs by what they weigh, or would. */
const HEAVY: readonly Row[] = [
  ['600 MB of zeros in 0.6 MB', () => bodyOf(zerosInGzip(600), GZIP), JSONL, /inflates to more than 64 MiB/],
  ['600 MB without an end', () => stream(600), JSONL, /is larger than/],
  ['600 MB announced', () => stream(600, announced), JSONL, /is larger than/],
  [
    'a text of 20 MB',
    () => pageOf(`{"a":"${'x'.repeat(20 * 2 ** 20)}"}`),
    CSV,
    /is longer than 16777216 bytes/,
  ],
  ['12 MB of errors', () => pageOf('{"id":1}', manyEmpty(12)), JSONL, /at most 4 MiB of "errors"/],
  ['12 MB as a total', () => emptyAs('total'), ['issued'], NOT_SMALL],
  ['12 MB as a cursor', () => emptyAs('nextToken'), JSONL, NOT_SMALL],
  ['12 MB of names', () => bodyOf(`{"data":[],${names(12)}}`), JSONL, /more than 10000 members/],
  ['12 MB of files', () => bodyOf(files), DOWNLOAD, /longer than 1 MiB/],
];

const twice = (): Bomb => bodyOf(gzipSync(gzipSync('{}')), { 'content-encoding': 'gzip, gzip' });
const inTwo = [wide(5_000), wide(5_001, 5_000)].join(',');

/** Bombs by their shape: none is as large as 2 MB. */
const TWISTED: readonly Row[] = [
  ['gzip within gzip', twice, JSONL, /an encoding that folio did not ask for \(gzip, gzip\)/],
  ['a record of 100,000 levels', () => pageOf(`{"a":${deep(100_000)}}`), CSV, TOO_DEEP],
  ['a record of 100,000 levels, untouched', () => pageOf(`{"a":${deep(100_000)}}`), JSONL, TOO_DEEP],
  ['a record of 100,000 objects', () => pageOf(deepObject(100_000)), CSV, TOO_DEEP],
  ['a record of 65 levels', () => pageOf(deepObject(70)), CSV, /64/],
  ['errors of 100,000 levels', () => pageOf('{"id":1}', deep(100_000)), JSONL, TOO_DEEP],
  ['a body of 100,000 levels', () => bodyOf(deep(100_000)), ['get', '/x'], TOO_DEEP],
  ['10,001 columns', () => pageOf(wide(10_001)), CSV, TOO_WIDE],
  ['10,001 columns, one after the other', () => pageOf(inTwo), CSV, TOO_WIDE],
  ['10,001 columns on a screen', () => pageOf(wide(10_001)), ['customers', '--format', 'table'], TOO_WIDE],
];

describe('a bomb', () => {
  it('that is under each limit is taken: 40 MB of records, in less than 400 MiB', async () => {
    const records = Array.from({ length: 400_000 }, (_, id) => `{"id":${id},"note":"${'x'.repeat(80)}"}`);
    const run = await detonate(bodyOf(`{"nextToken":null,"data":[${records.join(',')}]}`), JSONL);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.peak).toBeLessThan(MAX_LARGE);
  });

  it('of 12 MB in an error is not taken for words', async () => {
    const run = await detonate(bodyOf(`{"errors":${manyEmpty(12)}}`), JSONL, 400);
    expect(run).toMatchObject({ code: 2, stdout: 0 });
    expect(run.stderr).toMatch(/refuses the query \(400\)\n/);
    expect(run.peak).toBeLessThan(MOST);
  });

  it('of 12 MB of empty values is handed on as it is by `get`', async () => {
    const run = await detonate(bodyOf(manyEmpty(12, '[]')), ['get', '/x']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.peak).toBeLessThan(MOST);
  });

  it.each(HEAVY)('of %s: exit 5, a sentence, less than 300 MiB', async (_, bomb, args, says) => {
    const run = await detonate(bomb(), args);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 5, stdout: 0 });
    expect(run.stderr.split('\n')[0]).toMatch(says);
    expect(run.peak).toBeLessThan(MOST);
  });

  it.each(TWISTED)('of %s: exit 5, a sentence', async (_, bomb, args, says) => {
    const { origin } = await startWith(bomb());
    const env = { FOLIO_BASE_URL: origin };
    const { code, stdout, stderr } = await runHere([...args, ...ONE_RETRY], { env });
    expect({ code, stdout: stdout.length }).toEqual({ code: 5, stdout: 0 });
    expect(stderr.split('\n')[0]).toMatch(says);
  });
});
