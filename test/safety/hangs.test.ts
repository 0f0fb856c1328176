import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startFolio } from '../support/run-folio.ts';
import { HEAVY_BODIES } from './heavy-bodies.ts';

/** Milliseconds after a signal within which the program must be gone: then it is killed, and its code is none. */
const PROMISED = 2_000;
/** How many times the size with which the figures begin: enough that careless work would take minutes. */
const TIMES = 4;

describe('a body that is made to take time', () => {
  it.each(HEAVY_BODIES)('($name) does not keep a signal from ending the run', async ({ args, ...heavy }) => {
    const body = Buffer.from(heavy.body(heavy.size * TIMES));
    const server = createServer((_, response) => {
      response.writeHead(heavy.status ?? 200, { 'content-length': body.length });
      response.end(body, () => folio.process.kill('SIGINT'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const folio = startFolio([...args, '--retries', '0'], { env: { FOLIO_BASE_URL: baseUrl } });
    let timer: NodeJS.Timeout | undefined;
    server.on('request', () => (timer ??= setTimeout(() => folio.process.kill('SIGKILL'), PROMISED)));
    const { code, stderr } = await folio.exit;
    clearTimeout(timer);
    server.close();
    // Or it was done before the signal came.
    expect([0, 2, 4, 5, 130]).toContain(code);
    expect(stderr).not.toContain("fault of folio's own");
  });
});
