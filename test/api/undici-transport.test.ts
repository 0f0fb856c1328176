import { createServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import type { TransportOptions, TransportRequest } from '../../src/api/transport.ts';
import { openUndiciTransport } from '../../src/api/undici-transport.ts';
import { Interrupted } from '../../src/errors.ts';
import { runHere } from '../support/run-here.ts';
import { startHttpService, listenOnLoopback, httpResponse, loopbackServer } from '../support/servers.ts';

/** Runs the program for one page of a service at this host. */
async function ask(origin: string) {
  const args = ['get', '/customers', '--base-url', origin, '--retries', '1', '--retry-delay', '1'];
  const { code, stdout, stderr } = await runHere(args);
  return { code, stdout: stdout.toString(), stderr };
}

const { signal } = new AbortController();

/** A transport of one origin, and what sends requests by it. */
async function open(origin: string, more: Partial<TransportOptions> = {}) {
  const transport = await openUndiciTransport({ origin, connections: 1, env: {}, ...more });
  const send = (request: Partial<TransportRequest> = {}) =>
    transport.open({ url: new URL(origin), headers: {}, signal, timeout: 60_000, ...request });
  return { send, close: () => transport.close() };
}

describe('the transport', () => {
  it('takes a chunked body, and an early hint before it', async () => {
    const server = await loopbackServer((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n');
    });
    expect(await ask(`http://${server.host}`)).toEqual({ code: 0, stdout: '{"a":1}', stderr: '' });
  });

  it.each<[string, (socket: Parameters<Parameters<typeof loopbackServer>[0]>[0]) => void, RegExp]>([
    ['a close without a word', (socket) => socket.end(), /was closed before .* \(UND_ERR_SOCKET\)/],
    [
      'a chunked body without its end',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n'),
      /could not reach .*/,
    ],
    ['what is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), /its answer is not HTTP \(HPE/],
  ])('has %s asked again', async (_, fault, reason) => {
    const first = await loopbackServer((socket, _head, number) =>
      number === 0 ? fault(socket) : void socket.write(httpResponse(200, '{}')),
    );
    expect(await ask(`http://${first.host}`)).toEqual({ code: 0, stdout: '{}', stderr: '' });
    const always = await loopbackServer(fault);
    const { code, stderr } = await ask(`http://${always.host}`);
    expect([code, stderr, always.heads.length]).toEqual([5, expect.stringMatching(reason), 2]);
    expect(stderr).toMatch(/; gave up after 2 tries\n/);
  });

  it('does not wait for a connection that hangs, where the run is stopped', async () => {
    const silent = await loopbackServer(() => {});
    const [transport, stop] = [await open(`https://${silent.host}`), new AbortController()];
    const sent = transport.send({ signal: stop.signal });
    await vi.waitFor(() => expect(silent.connections).toBe(1));
    stop.abort(new Interrupted('SIGINT'));
    await expect(sent).rejects.toThrow('stopped by SIGINT');
    await transport.close();
  });

  it('asks its one origin only', async () => {
    const [server, transport] = [await loopbackServer(() => {}), await open('http://127.0.0.1:1')];
    const sent = transport.send({ url: new URL(`http://${server.host}/`) });
    await expect(sent).rejects.toThrow(/^refused to send a request to/);
    expect(server.connections).toBe(0);
  });

  it('joins headers that come twice, in an object without a prototype', async () => {
    const body = httpResponse(200, '{}', 'Via: a', 'Via: b');
    const server = await loopbackServer((socket) => socket.write(body));
    const transport = await open(`http://${server.host}`);
    const { headers, discard } = await transport.send();
    discard();
    expect(headers).toMatchObject({ via: 'a, b', 'content-length': '2' });
    expect(Object.getPrototypeOf(headers)).toBe(null);
    await transport.close();
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
    const transport = await open(origin, { env: proxied });
    const rejected = expect(transport.send()).rejects.toThrow();
    await reach;
    await transport.close();
    await rejected;
    await end;
  });
});

describe('closing after requests were given up', () => {
  it('ends the requests that wait, and sends none of them', async () => {
    const server = await loopbackServer((socket, head) => {
      if (head.startsWith('GET /last')) socket.end(httpResponse(200));
    });
    const origin = `http://${server.host}`;
    const transport = await open(origin, { connections: 2 });
    const givenUp = new AbortController();
    const signals = [givenUp.signal, givenUp.signal, signal, signal, signal, signal];
    const sent = signals.map((of) => expect(transport.send({ signal: of })).rejects.toThrow());
    await vi.waitFor(() => expect(server.heads).toHaveLength(2));
    // All connections end with these requests; the next two are sent over others.
    givenUp.abort(new Error('given up'));
    await vi.waitFor(() => expect(server.heads).toHaveLength(4));
    await transport.close();
    await Promise.all(sent);
    // What is sent in turn after these has come when this one has.
    await fetch(`${origin}/last`);
    expect(server.heads).toHaveLength(5);
  });
});

it('TLS is not tried with a server that speaks plain HTTP', async () => {
  // It answers 400 to what it cannot read.
  const { host, requests } = await startHttpService(() => {});
  const { code, stderr } = await ask(`https://${host}`);
  expect([code, stderr, requests]).toEqual([5, expect.stringMatching(/^folio: no safe connection to/), []]);
});
