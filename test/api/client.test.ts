import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ApiClient, type ClientOptions, type RequestEvent } from '../../src/api/client.ts';
import { StatusError } from '../../src/api/status-failure.ts';
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
  return { client, clock, events, get, asked: transport.asked };
}

function mostInFlight(events: readonly RequestEvent[]): number {
  let most = 0;
  const inFlight = new Set<number>();
  for (const event of events) {
    if (event.kind === 'request') most = Math.max(most, inFlight.add(event.request).size);
    if (event.kind === 'response') inFlight.delete(event.request);
  }
  return most;
}

describe('a request', () => {
  it('goes to the base address with the token alone', async () => {
    const { get, asked, client } = setUp(fakeTransport({ body: 'fine' }));
    expect(await get()).toBe('fine');
    expect(asked.map(({ url, headers, timeout }) => ({ url: url.href, headers, timeout }))).toEqual([
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

  it('is not made for a path that leads elsewhere', async () => {
    const { get, asked } = setUp(fakeTransport(ok));
    await expect(get({ path: '/../admin' })).rejects.toThrow(UsageError);
    expect(asked).toHaveLength(0);
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
    const { get, asked, clock, client } = setUp(fakeTransport(fault, fault, ok));
    expect(await get()).toBe('fine');
    expect(asked).toHaveLength(3);
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
    const { get, asked } = setUp(fakeTransport(fault));
    await expect(get()).rejects.toThrow(kind);
    expect(asked).toHaveLength(1);
  });

  it('end with the number of tries and the last reason', async () => {
    const { get, asked, clock } = setUp(fakeTransport(reset));
    await expect(get()).rejects.toThrow(
      'could not reach api.example.com: the connection was reset (ECONNRESET); gave up after 6 tries',
    );
    expect(asked).toHaveLength(6);
    expect(clock.sleeps).toEqual([250, 500, 1000, 2000, 4000]);
  });

  it('do not happen where none are wanted', async () => {
    const { get, asked } = setUp(fakeTransport({ status: 503 }), { retry: { retries: 0, delay: 500 } });
    await expect(get()).rejects.toThrow(/\(503\)$/);
    expect(asked).toHaveLength(1);
  });

  it('name the path and what was expected where the body stays bad', async () => {
    const { get } = setUp(fakeTransport({ body: 'fi' }));
    await expect(get()).rejects.toThrow(
      'api.example.com answered /v1/customers with an unusable body: expected "fine" (byte 0); gave up after 6 tries',
    );
    const html = setUp(
      fakeTransport({ body: '<html>', headers: { 'content-type': 'text/html; charset=utf-8' } }),
    );
    await expect(html.get()).rejects.toMatchObject({
      message: expect.stringContaining('with an HTML page, where JSON was expected'),
      hint: 'Check the base address, and any proxy on the way to it.',
    });
  });

  it('obey Retry-After', async () => {
    const { get, clock } = setUp(fakeTransport({ status: 503, headers: { 'retry-after': '7' } }, ok));
    await get();
    expect(clock.sleeps).toEqual([7000]);
  });

  it('stop at once where Retry-After is too long, and say when to come back', async () => {
    const { get, asked, clock } = setUp(fakeTransport({ status: 503, headers: { 'retry-after': '3600' } }));
    await expect(get()).rejects.toThrow(
      /\(503\); the service wants no more requests before 2026-11-21T11:00:00Z$/,
    );
    expect([asked.length, clock.sleeps.length]).toEqual([1, 0]);
  });

  it('share one quota, so that an outage is not answered by a storm', async () => {
    const { get, asked } = setUp(fakeTransport(reset), { retry: { retries: 1000, delay: 1 } });
    await expect(get()).rejects.toThrow('; gave up, because too many requests of this run have failed');
    expect(asked).toHaveLength(36);
    await expect(get()).rejects.toThrow(ServiceError);
    expect(asked).toHaveLength(37);
  });

  it('cost nothing in the end where they succeed', async () => {
    const answers = Array.from({ length: 60 }, () => [reset, ok]).flat();
    const { get, client } = setUp(fakeTransport(...answers));
    for (let request = 0; request < 60; request++) expect(await get()).toBe('fine');
    expect(client.stats.retries).toBe(60);
  });

  it('leave faults of our own alone', async () => {
    const { get, asked } = setUp(fakeTransport(new TypeError('x is undefined')));
    await expect(get()).rejects.toThrow(TypeError);
    await expect(
      get({
        parse: () => {
          throw new RangeError('y');
        },
      }),
    ).rejects.toThrow(TypeError);
    expect(asked).toHaveLength(2);
  });
});

describe('a status that is to pass', () => {
  it('is thrown at once, with the body and the time it took', async () => {
    const { get, asked } = setUp(fakeTransport({ status: 502, body: { message: 'too large' } }));
    const error = await get({ passes: [502, 504] }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({
      status: 502,
      milliseconds: 0,
      message: expect.stringMatching(/\(502\): too large$/),
    });
    expect((error as StatusError).body.toString()).toBe('{"message":"too large"}');
    expect(asked).toHaveLength(1);
  });
});

describe('429', () => {
  it('has the others wait, and lets one at a time go on', async () => {
    const limit = { status: 429, headers: { 'retry-after': '30' } };
    const { client, clock, events, get } = setUp(fakeTransport(ok, limit, ok), { concurrency: 2 });
    await Promise.all(Array.from({ length: 6 }, () => get()));
    expect(clock.sleeps).toEqual([30_000, 30_000]);
    expect(client.stats).toMatchObject({ requests: 7, retries: 1 });
    const throttled = events.findIndex(({ kind }) => kind === 'throttled');
    expect(events[throttled]).toEqual({ kind: 'throttled', wait: 30_000 });
    expect(mostInFlight(events.slice(throttled + 2))).toBe(1);
  });
});

describe('503', () => {
  it('has nobody else wait', async () => {
    const { get, events } = setUp(fakeTransport({ status: 503 }, ok), { concurrency: 3 });
    await get();
    await Promise.all(Array.from({ length: 5 }, () => get()));
    expect(mostInFlight(events)).toBe(3);
  });
});

describe('after a 429', () => {
  it('all goes on where nobody watches, too', async () => {
    const { get, clock } = setUp(fakeTransport({ status: 429 }, ok), { observe: undefined });
    expect([await get(), clock.sleeps]).toEqual(['fine', [250]]);
  });

  it('the number in flight comes back', async () => {
    const { get, events } = setUp(fakeTransport({ status: 429 }, ok), { concurrency: 3 });
    await get();
    for (let request = 0; request < 20; request++) await get();
    const before = events.length;
    await Promise.all([get(), get(), get(), get(), get()]);
    expect(mostInFlight(events.slice(before))).toBe(3);
  });
});

describe('stopping', () => {
  it('rejects with the reason, before, during and between tries', async () => {
    const reason = new Interrupted('SIGINT');
    const before = setUp(fakeTransport(ok), { signal: AbortSignal.abort(reason) });
    await expect(before.get()).rejects.toBe(reason);
    expect(before.asked).toHaveLength(0);

    const controller = new AbortController();
    const { get, asked } = setUp(fakeTransport(reset), {
      signal: controller.signal,
      observe: ({ kind }) => kind === 'retry' && controller.abort(reason),
    });
    await expect(get()).rejects.toBe(reason);
    expect(asked).toHaveLength(1);

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

describe('the token', () => {
  it('is in no event and no message, also when the service repeats it', async () => {
    const echo = { status: 500, body: { error: token, message: `you sent ${encodeURIComponent(token)}` } };
    const { get, events } = setUp(fakeTransport(echo));
    const error = await get({ query: [['x', token]] }).catch((reason: unknown) => reason);
    const shown = JSON.stringify([events, String(error), (error as ServiceError).hint]);
    expect(shown).toContain('[hidden]');
    expect(shown).not.toContain('s3cret');
    const echoed = () => {
      throw new BadBody(`found ${token}`, 0);
    };
    const unusable = await setUp(fakeTransport(ok))
      .get({ parse: echoed })
      .catch((reason: unknown) => reason);
    expect(String(unusable)).toContain('found [hidden] (byte 0)');
    expect(inspect(unusable)).toContain('BadBody: found [hidden]');
    expect(inspect(unusable)).not.toContain('s3cret');
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

describe('the Authorization header', () => {
  it.each([
    '',
    's3cret token',
    's3cret\n',
    's3\r\nX: cret',
    's3cret\u0000',
    's3crét',
    'Bearer s3cret',
    'bearer\ts3cret',
    '\u{1f511}',
  ])('refuses %j without showing it', (token) => {
    const refuse = () => setUp(fakeTransport(ok), { token });
    expect(refuse).toThrow(AuthError);
    expect(refuse).toThrow(/^(?!.*s3)/);
  });
});
