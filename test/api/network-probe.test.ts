import { describe, expect, it, vi } from 'vitest';
import { nodeNetworkProbe } from '../../src/api/network-probe.ts';
import type { Proxy } from '../../src/api/transport.ts';
import { makeCertificate } from '../support/certificate.ts';
import { httpResponse, loopbackServer, startProxy, type Listening } from '../support/servers.ts';

const signal = new AbortController().signal;

function placeOf({ port }: Listening): { host: string; port: number } {
  return { host: '127.0.0.1', port };
}

/** A proxy, with a password. */
async function proxyWith(status?: number) {
  const { host, asked } = await startProxy(status);
  const proxy: Proxy = { url: `http://us%40er:pa%3Ass@${host}/`, host, secrets: [] };
  return { proxy, asked };
}

describe('the steps of a connection', () => {
  it('finds the addresses of a name', async () => {
    expect(await nodeNetworkProbe.lookup('localhost', signal)).toContain('127.0.0.1');
  });

  it('connects, and says when nobody is there', async () => {
    const server = await loopbackServer((socket) => socket.end());
    await nodeNetworkProbe.connect(placeOf(server), signal);
    // The client may know that it is connected before the server does.
    await vi.waitFor(() => expect(server.connections).toBe(1), { timeout: 60_000 });
    await server.close();
    await expect(nodeNetworkProbe.connect(placeOf(server), signal)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  it('refuses a certificate that nobody vouches for, through a proxy too', async () => {
    const names: string[] = [];
    const SNICallback = (name: string, done: (error: null) => void) => (names.push(name), done(null));
    const certificate = { ...(await makeCertificate()), SNICallback };
    const server = await loopbackServer((socket) => socket.write(httpResponse(200)), certificate);
    const refused = { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
    await expect(nodeNetworkProbe.handshake(placeOf(server), undefined, signal)).rejects.toMatchObject(
      refused,
    );
    const { proxy, asked } = await proxyWith();
    await expect(nodeNetworkProbe.handshake(placeOf(server), proxy, signal)).rejects.toMatchObject(refused);
    const credentials = `Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`;
    const tunnels = asked.map(({ url, headers }) => [url, headers['proxy-authorization']]);
    expect(tunnels).toEqual([[server.host, credentials]]);
    // A server of many names has a certificate for each.
    const named = { ...placeOf(server), host: 'localhost' };
    await expect(nodeNetworkProbe.handshake(named, undefined, signal)).rejects.toMatchObject(refused);
    expect(names).toEqual(['localhost']);
  });

  it('says so when the proxy does not let it through', async () => {
    const { proxy } = await proxyWith(407);
    await expect(nodeNetworkProbe.handshake({ host: '127.0.0.1', port: 9 }, proxy, signal)).rejects.toThrow(
      'Proxy response (407)',
    );
  });

  it('ends when the run is stopped', async () => {
    const silent = await loopbackServer(() => {});
    const stop = new AbortController();
    const shaking = nodeNetworkProbe.handshake(placeOf(silent), undefined, stop.signal);
    setImmediate(() => stop.abort(new Error('stopped')));
    await expect(shaking).rejects.toThrow('stopped');
  });
});
