import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ResponseCollector } from '../../src/api/undici-transport.ts';
import { TransportTimeout } from '../../src/api/transport.ts';
import { ServiceError } from '../../src/errors.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function setUp(options: { signal?: AbortSignal; timeout?: number } = {}) {
  const aborted: Error[] = [];
  const exchange = {
    abort: (reason: Error) => void aborted.push(reason),
    pause: () => undefined,
    resume: () => undefined,
  };
  const { signal = new AbortController().signal, timeout = 1000 } = options;
  return { aborted, exchange, collector: new ResponseCollector({ signal, timeout, maxBytes: 10 }) };
}

describe('ResponseCollector', () => {
  it.each([{ 'content-length': '6' }, {}])('puts the body together: %j', async (length) => {
    const { collector, exchange, aborted } = setUp();
    collector.onRequestStart(exchange);
    collector.onResponseStart(exchange, 103, { link: 'early' });
    collector.onResponseStart(exchange, 200, { ...length, via: ['a', 'b'], none: undefined });
    collector.onResponseData(exchange, Buffer.from('abc'));
    collector.onResponseData(exchange, Buffer.from('def'));
    collector.onResponseEnd();
    expect(await collector.response).toEqual({
      status: 200,
      headers: Object.assign(Object.create(null), length, { via: 'a, b' }),
      body: Buffer.from('abcdef'),
    });
    expect(aborted).toEqual([]);
  });

  it('gives up on silence, and tells it from a slow body', async () => {
    const silent = setUp();
    silent.collector.onRequestStart(silent.exchange);
    silent.collector.onResponseStart(silent.exchange, 103, { link: 'early' });
    vi.advanceTimersByTime(1000);
    await expect(silent.collector.response).rejects.toMatchObject({ begun: false });

    const slow = setUp();
    slow.collector.onRequestStart(slow.exchange);
    slow.collector.onResponseStart(slow.exchange, 200, {});
    for (let byte = 0; byte < 9; byte++) {
      vi.advanceTimersByTime(100);
      slow.collector.onResponseData(slow.exchange, Buffer.from('x'));
    }
    vi.advanceTimersByTime(100);
    await expect(slow.collector.response).rejects.toMatchObject({ begun: true });
    expect(slow.aborted).toEqual([expect.any(TransportTimeout)]);
  });

  it('does not wait for a connection that hangs, and stops the request should it still begin', async () => {
    const { collector, exchange, aborted } = setUp();
    vi.advanceTimersByTime(1000);
    await expect(collector.response).rejects.toBeInstanceOf(TransportTimeout);
    collector.onRequestStart(exchange);
    expect(aborted).toEqual([expect.any(TransportTimeout)]);
  });

  it('stops with the reason of the signal', async () => {
    const reason = new Error('stopped');
    const controller = new AbortController();
    const { collector, exchange, aborted } = setUp({ signal: controller.signal });
    collector.onRequestStart(exchange);
    controller.abort(reason);
    await expect(collector.response).rejects.toBe(reason);
    expect(aborted).toEqual([reason]);
    await expect(setUp({ signal: controller.signal }).collector.response).rejects.toBe(reason);
  });

  it.each([{ 'content-length': '11' }, { 'content-length': '99999999999999999999' }, {}])(
    'takes no more than it may: %j',
    async (length) => {
      const { collector, exchange, aborted } = setUp();
      collector.onRequestStart(exchange);
      collector.onResponseStart(exchange, 200, length);
      collector.onResponseData(exchange, Buffer.from('abcdef'));
      collector.onResponseData(exchange, Buffer.from('ghijkl'));
      await expect(collector.response).rejects.toThrow('the response is larger than 10 bytes');
      expect(aborted[0]).toBeInstanceOf(ServiceError);
    },
  );

  it('passes the error of the network on', async () => {
    const { collector, exchange } = setUp();
    const error = new Error('reset');
    collector.onResponseError(exchange, error);
    await expect(collector.response).rejects.toBe(error);
  });

  it('takes a time limit longer than timers go', async () => {
    const { collector } = setUp({ timeout: 2 ** 40 });
    vi.advanceTimersByTime(1000);
    collector.onResponseEnd();
    await expect(collector.response).resolves.toMatchObject({ status: 0 });
  });
});
