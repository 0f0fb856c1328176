import { describe, expect, it } from 'vitest';
import type { Fault } from '../support/faults.ts';
import { status } from '../support/faults.ts';
import type { FaultScript } from '../support/fault-script.ts';
import { runAgainst } from '../support/run-against.ts';

const CUSTOMER = '{"id":"7","name":"Ñandú"}';

function answer(code: number, text: string, headers: Readonly<Record<string, string>> = {}): Fault {
  return { kind: 'answer', of: () => ({ status: code, headers, body: Buffer.from(text) }) };
}

/** The listing answers as it is told; everything else gets the faults in turn, and then the last one again. */
function service(listing: Fault | undefined, ...faults: readonly [Fault, ...Fault[]]): FaultScript {
  let asked = 0;
  return ({ url }) =>
    url.pathname === '/v1/customers' ? listing : faults[Math.min(asked++, faults.length - 1)];
}

const run = (script: FaultScript, ...args: string[]) => runAgainst({ records: {}, script, args });

describe.each([[['customers', 'get', '7', '--format', 'jsonl']], [['get', '/customers/7']]])('%j', (args) => {
  it('gives the customer after as many 500s as there are retries', async () => {
    const script = service(status(500), status(500), status(500), status(500), answer(200, CUSTOMER));
    const exit = await run(script, ...args, '--retries', '3');
    expect({ code: exit.code, text: exit.text.trim(), asked: exit.requests.length }).toEqual({
      code: 0,
      text: CUSTOMER,
      asked: 4,
    });
  });

  it('asks as often as --retries allows, then whether the service lists customers: exit 4', async () => {
    const exit = await run(service(undefined, status(500)), ...args, '--retries', '2');
    expect(exit.requests.map(({ url }) => url.pathname)).toEqual([
      '/v1/customers/7',
      '/v1/customers/7',
      '/v1/customers/7',
      '/v1/customers',
    ]);
    expect(exit.code).toBe(4);
    expect(exit.stderr).toContain('customer 7');
  });

  it('is exit 5 where the listing fails too: then it is the service', async () => {
    const exit = await run(service(status(500), status(500)), ...args, '--retries', '1');
    expect({ code: exit.code, asked: exit.requests.length }).toEqual({ code: 5, asked: 3 });
  });

  it('obeys Retry-After: a time that is too long ends the run at once', async () => {
    const exit = await run(service(undefined, status(500, { 'retry-after': '3600' })), ...args);
    expect({ code: exit.code, asked: exit.requests.length }).toEqual({ code: 5, asked: 1 });
    expect(exit.stderr).toContain('the service wants no more requests before');
  });
});
