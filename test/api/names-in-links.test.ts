import type { LookupFunction } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { openUndiciTransport } from '../../src/api/undici-transport.ts';
import { ServiceError } from '../../src/errors.ts';
import { startHttpService, type HttpService } from '../support/servers.ts';

let service: HttpService;

beforeAll(async () => {
  service = await startHttpService((_, response) => {
    response.setHeader('connection', 'close').end('file');
  });
});

/** What a name server answers: these addresses, the nth time the nth of them. */
function answering(...answers: string[]): LookupFunction {
  return (_name, options, done) => {
    const address = answers.length > 1 ? answers.shift()! : answers[0]!;
    const family = address.includes(':') ? 6 : 4;
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

async function get(lookup: LookupFunction): Promise<number> {
  service.requests.length = 0;
  const transport = await openUndiciTransport({
    connections: 1,
    env: {},
    refusesThisMachine: true,
    lookup,
  });
  const url = new URL(`http://files.example:${service.port}/1.pdf`);
  const { signal } = new AbortController();
  try {
    const response = await transport.open({ url, headers: {}, signal, timeout: 60_000 });
    response.discard();
    return response.status;
  } finally {
    await transport.close();
  }
}

describe('a name in a link', () => {
  it.each(['127.0.0.1', '127.8.9.10', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1', '::1%lo'])(
    'that leads to this machine by %s is not followed',
    async (address) => {
      await expect(get(answering(address))).rejects.toThrow(
        new ServiceError(
          'the link to files.example leads to this machine, where the service is not: it is not followed',
        ),
      );
      expect(service.requests).toEqual([]);
    },
  );

  it('that leads elsewhere when it is asked for first, and then here, is not followed here', async () => {
    // Nobody is at the first address: a connection to it fails, and none is made to the second.
    const lookup = answering('192.0.2.1', '127.0.0.1');
    const first: string[] = [];
    lookup('files.example', {}, (_error, address) => first.push(String(address)));
    expect(first).toEqual(['192.0.2.1']);
    await expect(get(lookup)).rejects.toThrow(/leads to this machine/);
    expect(service.requests).toEqual([]);
  });

  it('that is unknown is the error of the look-up', async () => {
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const failing: LookupFunction = (_name, _options, done) => done(unknown, '127.0.0.1', 4);
    await expect(get(failing)).rejects.toBe(unknown);
  });
});
