import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fileBody } from '../../src/api/file-body.ts';
import { FileFailure } from '../../src/api/file-failure.ts';

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
