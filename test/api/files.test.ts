import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FileClient } from '../../src/api/files.ts';
import type { TransportResponse } from '../../src/api/transport.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import { fakeContext } from '../support/fake-context.ts';
import { answeringTransport, type PartialResponse } from '../support/fake-transport.ts';
import { pageOf } from '../support/scripted-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Answer = PartialResponse | Error;

const PDF = '%PDF-invoice';
const whole = (body: string | Buffer = PDF, headers: object = { 'content-length': '1' }): Answer => {
  return { headers: { ...headers }, body };
};
const coded = (coding: string, body: string | Buffer = PDF): Answer =>
  whole(body, { 'transfer-encoding': 'chunked', 'content-encoding': coding });
const redirect = (location: string, status = 302): Answer => ({ status, headers: { location } });
const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** Downloads the file of an invoice with this link, from stores that give these answers one after the other, the last one for ever. */
async function download(
  answers: readonly Answer[],
  link = 'https://files.example/1',
  origin = 'https://api.example',
) {
  const folder = temporaryFolder();
  const page = pageOf([`{"id":1,"number":1,"files":[{"fileUrl":"${link}"}]}`]);
  let number = 0;
  const isListing = ({ url }: { url: URL }): boolean =>
    url.origin === origin && url.pathname.startsWith('/v1/');
  const transport = answeringTransport((request) =>
    isListing(request) ? { body: page } : answers[Math.min(number++, answers.length - 1)]!,
  );
  const argv = ['issued', 'download', folder, '--retries', '2', '--timeout', '7', '--no-header'];
  const env = { FOLIO_TOKEN: 'a-token-for-tests', FOLIO_BASE_URL: origin };
  const context = fakeContext({ argv, env, openTransport: async () => transport });
  const code = await runCommandLine(context);
  const sent = transport.requests.filter((request) => !isListing(request));
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  const urls = sent.map(({ url }) => url.href);
  return { code, stderr: context.stderr.text, files, sent, urls, sleeps: context.clock.sleeps };
}

describe('a file', () => {
  it('is fetched from where its link leads, without credentials', async () => {
    const file = whole('<xml/>', { 'content-length': '6', 'content-type': 'text/xml' });
    const { code, files, sent } = await download([
      ...[redirect('/2?sig=x', 307), redirect('https://b.example:8443/3#part', 301), file],
    ]);
    expect([code, files]).toEqual([0, [[expect.stringMatching(/\.xml$/), '<xml/>']]]);
    const agent = expect.stringMatching(/^folio\/[\d.]+$/) as string;
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': agent };
    expect(sent.map(({ url, ...more }) => ({ ...more, url: url.href, signal: undefined }))).toEqual(
      ['files.example/1', 'files.example/2?sig=x', 'b.example:8443/3'].map((place) => {
        return { url: `https://${place}`, headers, timeout: 7_000, signal: undefined };
      }),
    );
  });

  it.each([
    ['identity', coded(' Identity ')],
    ['gzip, as some stores keep it', coded('gzip', gzipSync(PDF))],
  ])('is kept that comes in %s', async (_, answer) => {
    expect(await download([answer])).toMatchObject({ code: 0, files: [[expect.any(String), PDF]] });
  });

  const LENGTH = 'does not say how long the file is, so folio could not tell whether it is whole';
  const CODING = 'sent the file with an encoding that folio did not request';
  it.each([
    ['404', { status: 404 }, 'has no such file (404)'],
    ['410', { status: 410 }, 'has no such file (410)'],
    ['a redirect to nowhere', { status: 302 }, 'does not hand over the file (302)'],
    ['304', redirect('/2', 304), 'does not hand over the file (304)'],
    ['nothing of its length', whole(PDF, {}), LENGTH],
    ['another coding', coded('br'), CODING],
    ['gzip within another coding', coded('br,gzip', gzipSync(PDF)), CODING],
  ])('is asked for once where the answer is %s', async (_, answer, says) => {
    const { code, stderr, files, urls } = await download([answer]);
    expect([code, files, urls.length]).toEqual([6, [], 1]);
    expect(stderr).toContain(`(files.example ${says})`);
  });

  const packed = gzipSync('invoice'.repeat(100));
  const flipped = Buffer.from(packed);
  flipped[flipped.length - 6]! ^= 1;
  it.each([
    ['500', { status: 500 }, 'does not hand over the file (500)'],
    ['503', { status: 503 }, 'does not hand over the file (503)'],
    ['a reset connection', reset, 'the connection was reset (ECONNRESET)'],
    ['an empty file', whole(''), 'files.example sent an empty file'],
    ['cut gzip', coded('gzip', packed.subarray(0, -9)), 'the file from files.example came damaged'],
    ['damaged gzip', coded('gzip', flipped), 'the file from files.example came damaged'],
  ])('is asked for again from its link on after %s', async (_, fault, says) => {
    const { code, urls, sleeps } = await download([redirect('/2'), fault, whole()]);
    expect([code, urls, sleeps]).toEqual([0, [1, 2, 1].map((at) => `https://files.example/${at}`), [250]]);
    const always = await download([fault]);
    expect([always.code, always.files, always.urls.length]).toEqual([6, [], 3]);
    expect(always.stderr).toContain(`${says}; gave up after 3 tries)`);
  });

  it('is waited for as long as the store says', async () => {
    const busy = { status: 429, headers: { 'retry-after': '7' } };
    expect(await download([busy, whole()])).toMatchObject({ code: 0, sleeps: [7_000] });
  });
});

describe('a link', () => {
  it.each([
    ['https://files.example:8443/a?x=y#part', 'https://files.example:8443/a?x=y'],
    ['https://128.0.0.1/a', 'https://128.0.0.1/a'],
    ['https://[::ffff:128.0.0.1]/a', 'https://[::ffff:8000:1]/a'],
    ['https://[2001:db8::1]/a', 'https://[2001:db8::1]/a'],
    ['https://localhost.example/a', 'https://localhost.example/a'],
  ])('%s is followed to %s', async (link, url) => {
    expect(await download([whole()], link)).toMatchObject({ code: 0, urls: [url] });
  });

  it.each(['https://:secret@files.example/a', 'https://user@files.example/a', '/a', 'data:text/plain,x'])(
    '%s is not followed',
    async (link) => expect(await download([whole()], link)).toMatchObject({ code: 6, urls: [] }),
  );

  const LOCAL = ['http://127.0.0.1:8080/a', 'http://localhost/a', 'http://[::1]/a', 'https://127.0.0.1/a'];
  it.each(LOCAL)('%s is followed for a service on this machine', async (link) => {
    expect(await download([whole()], link, 'http://127.0.0.1:9')).toMatchObject({ code: 0, urls: [link] });
  });
});

describe('a body without an end', () => {
  let read = 0;
  async function* body() {
    for (const chunk = Buffer.alloc(2 ** 20); ; read++) yield chunk;
  }
  const fetchOf = (first: Partial<TransportResponse>) => {
    const answers = [first, { status: 404, body: body() }];
    const open = async () => ({
      status: 200,
      headers: {},
      body: body(),
      discard: () => {},
      ...answers.shift(),
    });
    const { clock, signal } = fakeContext();
    const client = new FileClient({
      ...{ transport: { open, close: async () => {} }, retry: { retries: 0, delay: 0 }, timeout: 1, clock },
      ...{ concurrency: 1, onLoopback: false, version: '0' },
    });
    const take = async (_: unknown, bytes: AsyncIterable<Buffer>) => {
      for await (const _chunk of bytes);
    };
    return client.fetch('https://files.example/1', take, signal);
  };

  it('is not a file, and is not read behind a redirect', async () => {
    const large = 'the file is larger than 256 MiB, the most that is fetched';
    await expect(fetchOf({ headers: { 'content-length': '1' } })).rejects.toThrow(large);
    expect(read).toBe(256);
    await expect(fetchOf({ status: 302, headers: { location: '/2' } })).rejects.toThrow(
      'has no such file (404)',
    );
    expect(read).toBe(256);
  });
});
