import { TransportTimeout } from '../../src/api/transport.ts';
import type { OpenTransport, TransportRequest } from '../../src/api/transport.ts';
import { answeringTransport, type PartialResponse } from './fake-transport.ts';
import type { FakeClock } from './fake-clock.ts';
import type { Fault } from './faults.ts';
import { faultless, type FaultScript, type SeenRequest } from './fault-script.ts';
import { NO_PAGE, NOT_THERE, respond, type ModelService } from './model-service.ts';

interface ModelTransport {
  readonly open: OpenTransport;
  readonly requests: readonly SeenRequest[];
}

export interface ModelTransportOptions {
  readonly service: ModelService;
  readonly script?: FaultScript;
  /** Moved on by as much as a response is said to take, and by the whole time limit where none comes. */
  readonly clock: () => FakeClock;
  /** Turns of the event loop that a request takes, so that several in flight end in another order; by default one. */
  readonly turns?: (request: SeenRequest) => number;
  /** What a request waits for before it is answered, where it waits for something. */
  readonly until?: (request: SeenRequest) => Promise<unknown> | undefined;
}

/** The listings of a model without a network and without time: what the fault server sends, as a transport. */
export function modelTransport(options: ModelTransportOptions): ModelTransport {
  const { service, script = faultless, clock, turns = () => 1, until } = options;
  const requests: SeenRequest[] = [];
  let open = 0;
  const send = async (request: TransportRequest): Promise<PartialResponse> => {
    const { url, headers } = request;
    const seen = { number: requests.length, url, beside: open++, headers };
    requests.push(seen);
    return answer(seen, request).finally(() => open--);
  };
  const answer = async (
    seen: SeenRequest,
    { url, signal, timeout }: TransportRequest,
  ): Promise<PartialResponse> => {
    const page = service.page(url);
    const fault = script(seen, page ?? NO_PAGE);
    for (let left = turns(seen); left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
    if (until !== undefined) await until(seen);
    signal.throwIfAborted();
    if (fault === undefined) return page === undefined ? NOT_THERE : respond(page);
    if (fault.kind !== 'answer') return fail(fault.kind, clock(), timeout);
    clock().advance(fault.milliseconds ?? 0);
    return fault.of(page ?? NO_PAGE);
  };
  return { requests, open: async () => answeringTransport(send) };
}

function fail(kind: Exclude<Fault['kind'], 'answer'>, clock: FakeClock, timeout: number): never {
  if (kind === 'reset') throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  if (kind === 'cut') throw Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  clock.advance(timeout);
  throw new TransportTimeout(timeout, kind === 'drip');
}
