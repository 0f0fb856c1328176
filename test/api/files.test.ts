import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkLink, fileBody, FileFailure } from '../../src/api/files.ts';
import { ServiceError } from '../../src/errors.ts';

describe('a link to a file', () => {
  it.each([
    ['https://files.example.com/a?signature=x#part', 'https://files.example.com/a?signature=x'],
    ['https://files.example.com:8443/a', 'https://files.example.com:8443/a'],
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

  it('never shows more of a refused link than its host', () => {
    expect(() => checkLink('http://host.example/path?signature=s3cret', { onLoopback: false })).toThrow(
      'the link to host.example is http:// and not https://: it is not followed',
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

function failureOf(promise: Promise<unknown>): Promise<FileFailure> {
  return promise.then(
    () => Promise.reject(new Error('it was taken')),
    (error: unknown) => {
      expect(error).toBeInstanceOf(FileFailure);
      return error as FileFailure;
    },
  );
}

describe('the body of a file', () => {
  it('is handed on as it comes', async () => {
    expect(await read(responseOf([Buffer.from('ab'), Buffer.from('c')]), to)).toBe('abc');
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
