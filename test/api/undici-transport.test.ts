import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiClient, type ClientOptions } from '../../src/api/client.ts';
import { openUndiciTransport } from '../../src/api/undici-transport.ts';
import { Interrupted, ServiceError } from '../../src/errors.ts';
import { startHttpService, listenOnLoopback, httpResponse, loopbackServer } from '../support/servers.ts';
import { FakeClock } from '../support/fake-clock.ts';

const token = 's3cret-token';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function ask(base: string, env: Record<string, string> = {}, options: Partial<ClientOptions> = {}) {
  const baseUrl = new URL(`${base}/v1`);
  const transport = await openUndiciTransport({
    origin: baseUrl.origin,
    connections: 4,
    env,
  });
  const client = new ApiClient({
    baseUrl,
    token,
    redact: (text) => text,
    version: '0',
    transport,
    retry: { retries: 1, delay: 500 },
    timeout: 60_000,
    concurrency: 4,
    clock: new FakeClock({ now: 0 }),
    signal: new AbortController().signal,
    ...options,
  });
  closing.push(() => client.close());
  return client.get({
    path: '/customers',
    query: [],
    parse: (body) => JSON.parse(body.toString()) as unknown,
  });
}

const body = gzipSync(
  JSON.stringify({ data: Array.from({ length: 2000 }, (_, id) => ({ id, name: `é${id * 7}` })) }),
);
const gzip = 'Content-Encoding: gzip';

describe('the transport', () => {
  it('sends one GET and brings the whole body back', async () => {
    const server = await loopbackServer((socket) => socket.write(httpResponse(200, body, gzip)));
    expect(await ask(`http://${server.host}`)).toMatchObject({ data: { length: 2000 } });
    expect(server.heads[0]!.split('\r\n')).toEqual([
      'GET /v1/customers HTTP/1.1',
      `host: ${server.host}`,
      'connection: keep-alive',
      `authorization: ${token}`,
      'accept: application/json',
      'accept-encoding: gzip',
      'user-agent: folio/0',
    ]);
  });

  it('takes a chunked body, and an early hint before it', async () => {
    const server = await loopbackServer((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n');
    });
    expect(await ask(`http://${server.host}`)).toEqual({ a: 1 });
  });

  it.each<[string, (socket: Parameters<Parameters<typeof loopbackServer>[0]>[0]) => void, RegExp]>([
    [
      'a close without a word',
      (socket) => socket.end(),
      /the connection was closed before .* \(UND_ERR_SOCKET\)/,
    ],
    [
      'a chunked body without its end',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n'),
      /could not reach .*/,
    ],
    ['what is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), /its answer is not HTTP \(HPE/],
  ])('has %s asked again', async (_, fault, reason) => {
    const first = await loopbackServer((socket, _head, number) =>
      number === 0 ? fault(socket) : void socket.write(httpResponse(200, body, gzip)),
    );
    expect(await ask(`http://${first.host}`)).toMatchObject({ data: { length: 2000 } });

    const always = await loopbackServer(fault);
    const error = await ask(`http://${always.host}`).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ServiceError);
    expect((error as Error).message).toMatch(reason);
    expect((error as Error).message).toMatch(/; gave up after 2 tries$/);
    expect(always.heads).toHaveLength(2);
  });

  it('stops at once, in the middle of a body', async () => {
    const controller = new AbortController();
    const reason = new Interrupted('SIGINT');
    const server = await loopbackServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{');
      controller.abort(reason);
    });
    await expect(ask(`http://${server.host}`, {}, { signal: controller.signal })).rejects.toBe(reason);
  });

  it('takes a time limit longer than timers go, and headers that come twice', async () => {
    const server = await loopbackServer((socket) =>
      socket.write(httpResponse(200, '{}', 'Via: a\r\nVia: b')),
    );
    expect(await ask(`http://${server.host}`, {}, { timeout: 2 ** 40 })).toEqual({});
    const transport = await openUndiciTransport({ connections: 1, env: {} });
    closing.push(() => transport.close());
    const { signal } = new AbortController();
    const url = new URL(`http://${server.host}/`);
    const response = await transport.open({ url, headers: {}, signal, timeout: 60_000 });
    response.discard();
    expect(response).toMatchObject({ status: 200, headers: { via: 'a, b', 'content-length': '2' } });
    expect(Object.getPrototypeOf(response.headers)).toBe(null);
  });

  it('does not wait for a connection that hangs, where the run is stopped', async () => {
    const silent = await loopbackServer(() => {});
    const controller = new AbortController();
    const stopped = ask(`https://${silent.host}`, {}, { signal: controller.signal });
    await vi.waitFor(() => expect(silent.connections).toBe(1));
    controller.abort(new Interrupted('SIGINT'));
    await expect(stopped).rejects.toThrow('stopped by SIGINT');
  });

  it('asks its one origin only', async () => {
    const server = await loopbackServer(() => {});
    const transport = await openUndiciTransport({
      origin: 'http://127.0.0.1:1',
      connections: 1,
      env: {},
    });
    closing.push(() => transport.close());
    const { signal } = new AbortController();
    const sent = transport.open({ url: new URL(`http://${server.host}/`), headers: {}, signal, timeout: 1 });
    await expect(sent).rejects.toThrow(/^refused to send a request to/);
    expect(server.connections).toBe(0);
  });
});

describe('closing', () => {
  it.each(['the service', 'a proxy'])('ends a connection to %s that is only being made', async (peer) => {
    let ended: () => void = () => {};
    const end = new Promise<void>((resolve) => (ended = resolve));
    let reached: () => void = () => {};
    const reach = new Promise<void>((resolve) => (reached = resolve));
    // Takes the connection (as a proxy also the tunnel), and never answers the handshake.
    const silent = createServer((socket) => {
      socket.on('error', () => {}).on('close', ended);
      socket.on('data', (chunk) => {
        if (chunk.toString('latin1').startsWith('CONNECT')) socket.write('HTTP/1.1 200 OK\r\n\r\n');
        else reached();
      });
    });
    const origin = `https://${(await listenOnLoopback(silent)).host}`;
    const proxied = peer === 'a proxy' ? { HTTPS_PROXY: origin.replace('https', 'http') } : {};
    const transport = await openUndiciTransport({
      origin,
      connections: 1,
      env: proxied,
    });
    const { signal } = new AbortController();
    const sent = transport.open({ url: new URL(origin), headers: {}, signal, timeout: 60_000 });
    const rejected = expect(sent).rejects.toThrow();
    await reach;
    await transport.close();
    await rejected;
    await end;
  });
});

describe('closing after requests were given up', () => {
  it('ends the requests that wait, and makes no connection for them', async () => {
    const server = await loopbackServer((socket, head) => {
      if (head.startsWith('GET /last')) socket.end(httpResponse(200));
    });
    const origin = `http://${server.host}`;
    const transport = await openUndiciTransport({ origin, connections: 2, env: {} });
    const givenUp = new AbortController();
    const { signal } = new AbortController();
    const signals = [givenUp.signal, givenUp.signal, signal, signal, signal, signal];
    const sent = signals.map((of) =>
      expect(
        transport.open({ url: new URL(origin), headers: {}, signal: of, timeout: 60_000 }),
      ).rejects.toThrow(),
    );
    await vi.waitFor(() => expect(server.heads).toHaveLength(2));
    // All connections end with these requests; the next two are sent over others.
    givenUp.abort(new Error('given up'));
    await vi.waitFor(() => expect(server.heads).toHaveLength(4));
    await transport.close();
    await Promise.all(sent);
    // Connections are taken in turn: one that was made before this one has been counted by now.
    await fetch(`${origin}/last`);
    expect(server.connections).toBe(5);
  });
});

describe('TLS', () => {
  it('is not tried with a server that speaks plain HTTP', async () => {
    // It answers 400 to what it cannot read.
    const { host, requests } = await startHttpService(() => {});
    await expect(ask(`https://${host}`)).rejects.toThrow(/^no safe connection to/);
    expect(requests).toEqual([]);
  });
});
