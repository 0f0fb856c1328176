import type { Transport, TransportRequest, TransportResponse } from '../../src/api/transport.ts';

type Answer = Partial<Omit<TransportResponse, 'body'>> & { readonly body?: unknown };

/**
 * Gives the answers one after the other, and an error where one is an error; the last one for ever. A body that is
 * not bytes or text is sent as JSON. Notes every request.
 */
export function fakeTransport(
  ...answers: readonly (Answer | Error)[]
): Transport & { readonly asked: TransportRequest[] } {
  const asked: TransportRequest[] = [];
  return {
    asked,
    async send(request) {
      request.signal.throwIfAborted();
      const answer = answers[Math.min(asked.length, answers.length - 1)]!;
      asked.push(request);
      await Promise.resolve();
      if (answer instanceof Error) throw answer;
      return { status: 200, headers: {}, ...answer, body: bytes(answer.body ?? '') };
    },
    close: async () => {},
  };
}

function bytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
