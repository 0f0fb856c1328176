import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

/** The answer of an endpoint, before it is sent. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** True when the body is to be gzip-compressed. */
  readonly compress?: boolean;
  /** When the connection is to break: before anything is sent, or after half of the body. */
  readonly breaks?: 'at once' | 'halfway';
}

/** The forms of 400 and 500 bodies (spec 7): an array of errors, a string of errors, error and message. */
export const bodyForms = ['array', 'string', 'message'] as const;
export type BodyForm = (typeof bodyForms)[number];

/** An answer of JSON text. */
export function jsonReply(status: number, text: string): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) };
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  500: 'Internal Server Error',
};

/** A refusal or failure in one of the three forms. */
export function errorReply(form: BodyForm, status: 400 | 404 | 500, text: string): Reply {
  const bodies = {
    array: { errors: [{ _type: status === 400 ? 'ValidationError' : 'ServiceError', message: text }] },
    string: { errors: text },
    message: { error: TITLES[status], message: text },
  };
  return jsonReply(status, JSON.stringify(bodies[form]));
}

/** An answer of the gateway in front of the service: 401, 403, 429, 502, 503. */
export function gatewayReply(status: number, message: string, headers: Record<string, string> = {}): Reply {
  const reply = jsonReply(status, JSON.stringify({ message }));
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

const compressBuffer = promisify(gzip);
const COMPRESSION = { level: constants.Z_BEST_SPEED, chunkSize: 1 << 18 };

/** The answer with its body compressed, off the main thread, if it is to be compressed. */
export async function compressReply(reply: Reply): Promise<Reply> {
  if (reply.compress !== true) return reply;
  const body = await compressBuffer(reply.body, COMPRESSION);
  const headers = { ...reply.headers, 'content-encoding': 'gzip', vary: 'accept-encoding' };
  return { status: reply.status, headers, body };
}

/** Sends the answer, or breaks the connection as `breaks` says. */
export function sendReply(response: ServerResponse, { status, headers, body, breaks }: Reply): void {
  // An empty body has no half: writing it would wait for ever.
  if (breaks === 'at once' || (breaks === 'halfway' && body.length === 0)) return reset(response);
  response.writeHead(status, { ...headers, 'content-length': body.length });
  if (breaks === 'halfway') response.write(body.subarray(0, body.length >> 1), () => response.destroy());
  else response.end(body);
}

/** Breaks the connection before anything is sent. */
function reset({ socket }: ServerResponse): void {
  // A connection with TLS can only be closed.
  if (socket !== null && 'encrypted' in socket) socket.destroy();
  else socket?.resetAndDestroy();
}
