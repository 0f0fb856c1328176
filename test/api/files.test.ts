import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkLink } from '../../src/api/address.ts';
import { FileClient, fileBody, LinkRefused } from '../../src/api/files.ts';
import { FailedTry } from '../../src/api/retry.ts';
import type { TransportRequest } from '../../src/api/transport.ts';
import { Interrupted, ServiceError } from '../../src/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';

describe('a link to a file', () => {
  it.each([
    ['https://files.example.com/a?signature=x#part', 'https://files.example.com/a?signature=x'],
    ['https://files.example.com:8443/a', 'https://files.example.com:8443/a'],
    ['https://128.0.0.1/a', 'https://128.0.0.1/a'],
    ['https://[::ffff:128.0.0.1]/a', 'https://[::ffff:8000:1]/a'],
    ['https://[2001:db8::1]/a', 'https://[2001:db8::1]/a'],
    ['https://localhost.example/a', 'https://localhost.example/a'],
  ])('%s is followed to %s', (link, url) => {
    expect(checkLink(link, { onLoopback: false }).href).toBe(url);
  });

  it.each([
    'http://files.example.com/a',
    'http://127.0.0.1/a',
    'https://127.0.0.1/a',
    'http://[::1]/a',
    'http://127.1/a',
    'http://2130706433/a',
    'https://localhost/a',
    'ftp://files.example.com/a',
    'javascript:alert(1)',
    'data:text/plain,x',
    'https://user@files.example.com/a',
    '/a',
    '',
  ])('%s is not followed for a service elsewhere', (link) => {
    expect(() => checkLink(link, { onLoopback: false })).toThrow(ServiceError);
  });

  it.each(['http://127.0.0.1:8080/a', 'http://localhost/a', 'http://[::1]/a', 'https://127.0.0.1/a'])(
    '%s is followed for a service on this machine',
    (link) => {
      expect(checkLink(link, { onLoopback: true }).href).toBe(link);
    },
  );

  it('takes a redirect relative to where it stands, and not off to http', () => {
    const from = new URL('https://files.example.com/a/b?x');
    expect(checkLink('../c', { onLoopback: false, from }).href).toBe('https://files.example.com/c');
    expect(checkLink('//other.example.com/c', { onLoopback: false, from }).protocol).toBe('https:');
    expect(() => checkLink('http://files.example.com/c', { onLoopback: false, from })).toThrow(
      /files\.example\.com is http/,
    );
  });
});

const to = { host: 'files.example.com', proxyHost: undefined, timeout: 1000 };

function responseOf(chunks: readonly Buffer[], headers: Record<string, string> = { 'content-length': '1' }) {
  // oxlint-disable-next-line require-yield -- a body may be empty
  async function* body(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  return { status: 200, headers, body: body(), discard: () => {} };
}

async function read(...args: Parameters<typeof fileBody>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of fileBody(...args)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function failureOf(promise: Promise<unknown>): Promise<FailedTry> {
  return promise.then(
    () => Promise.reject(new Error('it was taken')),
    (error: unknown) => {
      expect(error).toBeInstanceOf(FailedTry);
      return error as FailedTry;
    },
  );
}

describe('the body of a file', () => {
  it('is handed on as it comes', async () => {
    expect(await read(responseOf([Buffer.from('ab'), Buffer.from('c')]), to)).toBe('abc');
    const headers = { 'content-length': '3', 'content-encoding': ' Identity ' };
    expect(await read(responseOf([Buffer.from('abc')], headers), to)).toBe('abc');
  });

  it('is unpacked where the store keeps it in gzip', async () => {
    const headers = { 'transfer-encoding': 'chunked', 'content-encoding': 'gzip' };
    expect(await read(responseOf([gzipSync('invoice')], headers), to)).toBe('invoice');
  });

  it('is asked for again when its gzip is cut or damaged', async () => {
    const headers = { 'content-length': '1', 'content-encoding': 'gzip' };
    const whole = gzipSync('invoice'.repeat(100));
    const flipped = Buffer.from(whole);
    flipped[flipped.length - 6]! ^= 1;
    for (const bytes of [whole.subarray(0, -9), flipped]) {
      expect((await failureOf(read(responseOf([bytes], headers), to))).retryable).toBe(true);
    }
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['says nothing of its length', {}, /does not say how long/],
    ['is in another coding', { 'content-length': '1', 'content-encoding': 'br' }, /coding/],
    ['is in gzip within another coding', { 'content-length': '1', 'content-encoding': 'br,gzip' }, /coding/],
  ])('is refused when it %s', async (_, headers, message) => {
    const failed = await failureOf(read(responseOf([Buffer.from('x')], headers), to));
    expect(failed.message).toMatch(message);
    expect(failed.retryable).toBe(false);
  });

  it('is refused with a sentence when it is too large, also once unpacked', async () => {
    const headers = { 'content-length': '1', 'content-encoding': 'gzip' };
    const large = responseOf([gzipSync(Buffer.alloc(2 ** 21))], headers);
    const failed = await failureOf(read(large, to, 2 ** 20));
    expect(failed.message).toBe('the file is larger than 1 MiB, the most that is fetched');
  });

  it('is asked for again when it is empty', async () => {
    const failed = await failureOf(read(responseOf([]), to));
    expect(failed).toMatchObject({ retryable: true, message: 'files.example.com sent an empty file' });
  });
});

type Answer = Partial<ReturnType<typeof responseOf>> | Error;

/** A client of files before a store that gives these answers one after the other, the last one for ever. */
function storeOf(...answers: readonly Answer[]) {
  const requests: TransportRequest[] = [];
  const discarded: number[] = [];
  const clock = new FakeClock();
  const client = new FileClient({
    transport: {
      open: async (request) => {
        const number = requests.push(request) - 1;
        const answer = answers[Math.min(number, answers.length - 1)]!;
        if (answer instanceof Error) throw answer;
        return { ...responseOf([]), ...answer, discard: () => void discarded.push(number) };
      },
      close: async () => {},
    },
    ...{ retry: { retries: 2, delay: 500 }, timeout: 1_000, concurrency: 2, clock },
    ...{ onLoopback: false, version: '1.2.3' },
  });
  const take = async (link = 'https://files.example.com/1', signal = new AbortController().signal) =>
    client.fetch(
      link,
      async (head, body) => {
        const chunks: Buffer[] = [];
        for await (const chunk of body) chunks.push(chunk);
        return { ...head, text: Buffer.concat(chunks).toString() };
      },
      signal,
    );
  return { take, client, requests, discarded, clock, urls: () => requests.map(({ url }) => url.href) };
}

const whole = (text = 'invoice'): Answer => responseOf([Buffer.from(text)]);
const redirect = (location: string, status = 302): Answer => ({ status, headers: { location } });
const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

describe('a file', () => {
  it('is fetched from where its link leads, without credentials', async () => {
    const file = responseOf([Buffer.from('invoice')], { 'content-length': '7', 'content-type': 'text/xml' });
    const { take, requests, discarded } = storeOf(
      redirect('/2?sig=x', 307),
      redirect('https://b.example:8443/3.xml#part', 301),
      file,
    );
    expect(await take()).toEqual({ contentType: 'text/xml', path: '/3.xml', text: 'invoice' });
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'folio/1.2.3' };
    expect(requests.map(({ url, headers, timeout }) => ({ url: url.href, headers, timeout }))).toEqual([
      { url: 'https://files.example.com/1', headers, timeout: 1_000 },
      { url: 'https://files.example.com/2?sig=x', headers, timeout: 1_000 },
      { url: 'https://b.example:8443/3.xml', headers, timeout: 1_000 },
    ]);
    expect(discarded).toEqual([2]);
  });

  it.each([
    [{ status: 404 }, 'files.example.com has no such file (404)'],
    [{ status: 410 }, 'files.example.com has no such file (410)'],
    [{ status: 302 }, 'files.example.com does not hand over the file (302)'],
    [{ status: 304, headers: { location: '/2' } }, 'files.example.com does not hand over the file (304)'],
  ])('is asked for once where the answer is %j', async (answer, message) => {
    const { take, requests } = storeOf(answer);
    const refused = take();
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow(LinkRefused);
    expect(requests).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['a reset connection', reset],
    ['an empty file', responseOf([])],
  ])('is asked for again from its link on after %s', async (_, fault) => {
    const { take, urls, clock } = storeOf(redirect('/2'), fault, whole());
    expect((await take()).text).toBe('invoice');
    expect(urls()).toEqual([1, 2, 1].map((path) => `https://files.example.com/${path}`));
    expect(clock.sleeps).toEqual([250]);
    const always = storeOf(fault);
    await expect(always.take()).rejects.toThrow(/; gave up after 3 tries$/);
    expect(always.requests).toHaveLength(3);
  });

  it('is waited for as long as the store says', async () => {
    const { take, clock } = storeOf({ status: 429, headers: { 'retry-after': '7' } }, whole());
    expect((await take()).text).toBe('invoice');
    expect(clock.sleeps).toEqual([7_000]);
  });

  it('is given up with the reason of the signal, and with what the reader throws', async () => {
    const reason = new Interrupted('SIGINT');
    const controller = new AbortController();
    const { client, requests, discarded } = storeOf(whole());
    const stopped = client.fetch(
      'https://files.example.com/1',
      async () => {
        controller.abort(reason);
        throw reset;
      },
      controller.signal,
    );
    await expect(stopped).rejects.toBe(reason);
    const full = new Error('the disk is full');
    const failed = client.fetch(
      'https://files.example.com/1',
      () => Promise.reject(full),
      new AbortController().signal,
    );
    await expect(failed).rejects.toBe(full);
    expect([requests.length, discarded]).toEqual([2, [0, 1]]);
  });

  it('has what stands behind a redirect read to its end, unless that is long', async () => {
    let read = 0;
    const body = async function* (chunks: number) {
      for (; chunks > 0; chunks--) {
        read++;
        yield Buffer.alloc(10_000);
      }
    };
    await storeOf({ ...redirect('/2'), body: body(3) }, whole()).take();
    expect(read).toBe(3);
    await storeOf({ ...redirect('/2'), body: body(100) }, whole()).take();
    expect(read).toBe(3 + 7);
  });
});
