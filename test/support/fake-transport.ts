import { networkFailure } from '../../src/api/network-failure.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../src/api/transport.ts';

/** A response in part: 200 without headers unless it says so. A body that is not bytes or text is sent as JSON. */
export type PartialResponse = Partial<Omit<TransportResponse, 'body'>> & { readonly body?: unknown };

/** A transport without a network, and the requests that it was given. */
export interface FakeTransport extends Transport {
  readonly requests: readonly TransportRequest[];
}

/** Answers each request as `answer` does; an error is thrown as the network would. */
export function answeringTransport(
  answer: (request: TransportRequest, number: number) => PartialResponse | Error | Promise<PartialResponse>,
): FakeTransport {
  const requests: TransportRequest[] = [];
  return {
    requests,
    async open(request) {
      request.signal.throwIfAborted();
      const number = requests.push(request) - 1;
      const answered = await (async () => answer(request, number))().catch((error: Error) => error);
      const to = { host: request.url.host, proxyHost: undefined };
      if (answered instanceof Error) throw networkFailure(answered, to) ?? answered;
      const body = (async function* () {
        yield bytesOf(answered.body ?? '');
      })();
      return { status: 200, headers: {}, discard: () => {}, ...answered, body };
    },
    close: async () => {},
  };
}

/** Gives the answers one after the other, the last one for ever. */
export function fakeTransport(...answers: readonly (PartialResponse | Error)[]): FakeTransport {
  return answeringTransport((_, number) => answers[Math.min(number, answers.length - 1)]!);
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
