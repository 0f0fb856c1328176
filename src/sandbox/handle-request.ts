import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway } from './gateway.ts';
import { errorReply, type Reply } from './endpoints/reply.ts';
import { sendReply } from './send-reply.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly gateway: Gateway;
  /** Takes the line that tells of the request. */
  readonly log: (line: string) => void;
}

/** Answers one request and logs it. Never rejects: what fails within is a 500, and what the client breaks off is over. */
export async function handleRequest({ request, response, gateway, log }: Exchange): Promise<void> {
  const started = performance.now();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let outcome: string;
  try {
    const reply = await gateway.answer(request, gone.signal);
    outcome = describe(reply);
    await sendReply(response, reply);
  } catch (error) {
    outcome = gone.signal.aborted ? 'client gone' : `500 ${String(error)}`;
    if (!gone.signal.aborted && !response.headersSent) {
      await sendReply(response, errorReply('message', 500, 'Internal error'));
    } else response.destroy();
  }
  log(
    `${request.method} ${describeTarget(request.url ?? '')} ${outcome} ${Math.round(performance.now() - started)} ms`,
  );
}

function describe({ status, breaks }: Reply): string {
  if (breaks === 'at once') return 'connection reset';
  return breaks === 'halfway' ? `${status} cut short` : String(status);
}

/** A signed link is a secret as long as it lasts: its query stays out of the log. */
function describeTarget(url: string): string {
  return url.startsWith('/v1/') ? url : url.replace(/\?.*/, '?…');
}
