import { describe, expect, it } from 'vitest';
import { jsonReply } from '../../src/sandbox/endpoints/reply.ts';
import { LinkSigner } from '../../src/sandbox/endpoints/signed-link.ts';
import { chooseFault } from '../../src/sandbox/fault.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { httpGet } from '../support/http-get.ts';

const proper = jsonReply(200, '{}');
const faults = (seed: number, rate: number): string[] =>
  Array.from({ length: 2000 }, (_, call) => {
    const reply = chooseFault({ seed, rate, call, now: 0 })?.(proper);
    return reply === undefined
      ? ''
      : [reply.status, reply.breaks ?? (reply.body as Buffer).toString(), reply.headers['retry-after']].join(
          ' ',
        );
  });

describe('faults', () => {
  it('hit the share that is asked for, by the seed', () => {
    expect(faults(1, 0).filter(Boolean).length).toBe(0);
    expect(faults(1, 1).filter(Boolean).length).toBe(2000);
    const some = faults(1, 0.2);
    expect(some.filter(Boolean).length / 2000).toBeCloseTo(0.2, 1);
    expect(faults(1, 0.2)).toEqual(some);
    expect(faults(2, 0.2)).not.toEqual(some);
  });

  it('are of all the kinds that a service shows', () => {
    expect([...new Set(faults(1, 1))].toSorted()).toEqual([
      '200 at once ',
      '200 halfway ',
      '429 {"message":"Too Many Requests"} 1',
      '429 {"message":"Too Many Requests"} Thu, 01 Jan 1970 00:00:01 GMT',
      '500 {"error":"Internal Server Error","message":"Internal error"} ',
      '500 {"errors":"Internal error"} ',
      '500 {"errors":[{"_type":"ServiceError","message":"Internal error"}]} ',
      '502 {"message":"Internal server error"} ',
      '503 {"message":"Service Unavailable"} ',
    ]);
  });

  it('reach the client, and the same request succeeds later', async () => {
    const log: string[] = [];
    const sandbox = await startSandbox({ failRate: 0.5, log: (line) => log.push(line) });
    const outcomes = new Set<unknown>();
    for (let call = 0; call < 60; call++) {
      const answer = httpGet(`${sandbox.baseUrl}/customers`, {
        headers: { authorization: sandbox.tokens[0] },
      });
      outcomes.add(
        await answer.then(({ status }) => status).catch((error: NodeJS.ErrnoException) => error.code),
      );
    }
    await sandbox.close();
    expect(outcomes).toEqual(new Set([200, 429, 500, 502, 503, 'ECONNRESET']));
    expect(log.some((line) => line.includes('200 cut short'))).toBe(true);
    expect(log.some((line) => line.includes('connection reset'))).toBe(true);
  });

  it('reach the signed links too, whose redirect has no body to cut', async () => {
    const sandbox = await startSandbox({ failRate: 0.9 });
    const origin = new URL(sandbox.baseUrl).origin;
    const path = `/files/1/${'0'.repeat(24)}/0`;
    const link = origin + new LinkSigner(1, Date.now).sign(path, Math.ceil(Date.now() / 1000) + 60);
    const outcomes = new Set<unknown>();
    for (let call = 0; call < 60; call++) {
      outcomes.add(
        await httpGet(link)
          .then(({ status }) => status)
          .catch((error: NodeJS.ErrnoException) => error.code),
      );
    }
    await sandbox.close();
    expect(outcomes).toEqual(new Set([302, 429, 500, 502, 503, 'ECONNRESET']));
  });
});
