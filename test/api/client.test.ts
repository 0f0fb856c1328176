import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ApiClient, type ClientOptions, type RequestEvent } from '../../src/api/client.ts';
import { TransportTimeout } from '../../src/api/transport.ts';
import {
  AuthError,
  Interrupted,
  NotFoundError,
  ServiceError,
  UsageError,
  BadBody,
} from '../../src/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTransport } from '../support/fake-transport.ts';

const token = 'eyJ.s3cret-token.x';
const ok = { body: 'fine' };
const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const parse = (body: Buffer) => {
  if (body.toString() !== 'fine') throw new BadBody('expected "fine"', 0);
  return body.toString();
};

function setUp(transport: ReturnType<typeof fakeTransport>, options: Partial<ClientOptions> = {}) {
  const clock = new FakeClock({ now: Date.UTC(2026, 10, 21, 10) });
  const events: RequestEvent[] = [];
  const client = new ApiClient({
    baseUrl: new URL('https://api.example.com/v1'),
    token,
    redact: (text) => text,
    version: '1.2.3',
    transport,
    retry: { retries: 5, delay: 500 },
    timeout: 60_000,
    concurrency: 4,
    clock,
    signal: new AbortController().signal,
    observe: (event) => events.push(event),
    ...options,
  });
  const get = (more: object = {}) =>
    client.get({ path: '/customers', query: [['a', 'b c']], parse, ...more });
  return { client, clock, events, get, requests: transport.requests };
}

describe('a request', () => {
  it('goes to the base address with the token alone', async () => {
    const { get, requests, client } = setUp(fakeTransport({ body: 'fine' }));
    expect(await get()).toBe('fine');
    expect(requests.map(({ url, headers, timeout }) => ({ url: url.href, headers, timeout }))).toEqual([
      {
        url: 'https://api.example.com/v1/customers?a=b%20c',
        headers: {
          authorization: token,
          accept: 'application/json',
          'accept-encoding': 'gzip',
          'user-agent': 'folio/1.2.3',
        },
        timeout: 60_000,
      },
    ]);
    expect(client.stats).toEqual({ requests: 1, retries: 0, bytes: 4 });
  });

  it('inflates what comes compressed, and counts it as it came', async () => {
    const body = gzipSync('fine');
    const { get, client } = setUp(fakeTransport({ body, headers: { 'content-encoding': 'gzip' } }));
    expect(await get()).toBe('fine');
    expect(client.stats.bytes).toBe(body.length);
  });
});

describe('retries', () => {
  it.each([
    ['a reset connection', reset],
    ['a time-out', new TransportTimeout(60_000, true)],
    ['408', { status: 408 }],
    ['425', { status: 425 }],
    ['429', { status: 429 }],
    ['500', { status: 500, body: { error: 'Internal', message: 'oops' } }],
    ['502', { status: 502 }],
    ['503', { status: 503 }],
    ['504', { status: 504 }],
    ['a body that is not what was asked for', { body: 'fi' }],
    ['a cut gzip body', { body: gzipSync('fine').subarray(0, 15), headers: { 'content-encoding': 'gzip' } }],
  ])('after %s', async (_, fault) => {
    const { get, requests, clock, client } = setUp(fakeTransport(fault, fault, ok));
    expect(await get()).toBe('fine');
    expect(requests).toHaveLength(3);
    expect(clock.sleeps.slice(0, 2)).toEqual([250, 500]);
    expect(client.stats).toMatchObject({ requests: 3, retries: 2 });
  });

  it.each([
    [{ status: 400 }, UsageError],
    [{ status: 401 }, AuthError],
    [{ status: 403 }, AuthError],
    [{ status: 404 }, NotFoundError],
    [{ status: 302, headers: { location: 'https://evil.example' } }, ServiceError],
    [{ status: 204 }, ServiceError],
    [{ status: 410 }, ServiceError],
    [{ headers: { 'content-encoding': 'br' } }, ServiceError],
    [Object.assign(new Error('self-signed'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), ServiceError],
    [new ServiceError('refused by the transport'), ServiceError],
  ])('never after %j', async (fault, kind) => {
    const { get, requests } = setUp(fakeTransport(fault));
    await expect(get()).rejects.toThrow(kind);
    expect(requests).toHaveLength(1);
  });

  it('cost nothing in the end where they succeed', async () => {
    const answers = Array.from({ length: 60 }, () => [reset, ok]).flat();
    const { get, client } = setUp(fakeTransport(...answers));
    for (let request = 0; request < 60; request++) expect(await get()).toBe('fine');
    expect(client.stats.retries).toBe(60);
  });

  it('leave faults of our own alone', async () => {
    const { get, requests } = setUp(fakeTransport(new TypeError('x is undefined')));
    await expect(get()).rejects.toThrow(TypeError);
    await expect(
      get({
        parse: () => {
          throw new RangeError('y');
        },
      }),
    ).rejects.toThrow(TypeError);
    expect(requests).toHaveLength(2);
  });
});

describe('stopping', () => {
  it('rejects with the reason, before, during and between tries', async () => {
    const reason = new Interrupted('SIGINT');
    const before = setUp(fakeTransport(ok), { signal: AbortSignal.abort(reason) });
    await expect(before.get()).rejects.toBe(reason);
    expect(before.requests).toHaveLength(0);

    const controller = new AbortController();
    const { get, requests } = setUp(fakeTransport(reset), {
      signal: controller.signal,
      observe: ({ kind }) => kind === 'retry' && controller.abort(reason),
    });
    await expect(get()).rejects.toBe(reason);
    expect(requests).toHaveLength(1);

    const own = new AbortController();
    const during = setUp(fakeTransport(reset), { observe: () => own.abort(reason) });
    await expect(during.get({ signal: own.signal })).rejects.toBe(reason);

    const late = new AbortController();
    const torn = fakeTransport(reset);
    const open = async () => {
      late.abort(reason);
      throw reset;
    };
    const retry = { retries: 0, delay: 0 };
    await expect(setUp({ ...torn, open }, { signal: late.signal, retry }).get()).rejects.toBe(reason);
  });
});

describe('many requests', () => {
  it('listen to one signal without the runtime taking it for a leak', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const { signal } = new AbortController();
    const { get } = setUp(fakeTransport(ok), { concurrency: 1 });
    await Promise.all(Array.from({ length: 30 }, (_, index) => get(index % 2 === 0 ? { signal } : {})));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('events', () => {
  it('tell what happened, in order', async () => {
    const { get, events } = setUp(fakeTransport({ status: 503 }, ok));
    await get();
    const common = { request: 1, target: '/v1/customers?a=b%20c' };
    const reason = expect.stringMatching(/\(503\)$/);
    expect(events).toEqual([
      { kind: 'request', ...common, attempt: 0 },
      { kind: 'response', ...common, attempt: 0, status: 503, milliseconds: 0, bytes: 0 },
      { kind: 'retry', ...common, attempt: 0, wait: 250, reason },
      { kind: 'request', ...common, attempt: 1 },
      { kind: 'response', ...common, attempt: 1, status: 200, milliseconds: 250 - 250, bytes: 4 },
    ]);
  });
});
