import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';

/** What an endpoint answers, before it goes on the wire. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whole, or in pieces when it is too large for memory. */
  readonly body: Buffer | Iterable<Buffer>;
  /** True when the body is to be gzip-compressed. */
  readonly compress?: boolean;
  /** When the connection is to break: before anything is sent, or after half of the body. */
  readonly breaks?: 'at once' | 'halfway';
}

/** The forms of 400 and 500 bodies (spec 7): an array of errors, a string of errors, error and message. */
export const bodyForms = ['array', 'string', 'message'] as const;
export type BodyForm = (typeof bodyForms)[number];

/** An answer of JSON text. */
export function jsonReply(status: number, body: string | Buffer | Iterable<Buffer>): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? Buffer.from(body) : body,
  };
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

/** The answer with its body compressed, off the main thread, if it is to be compressed and not in pieces. */
export async function compressReply(reply: Reply): Promise<Reply> {
  if (reply.compress !== true || !Buffer.isBuffer(reply.body)) return reply;
  const body = await compressBuffer(reply.body, COMPRESSION);
  return { status: reply.status, headers: { ...reply.headers, ...GZIP_HEADERS }, body };
}

const GZIP_HEADERS = { 'content-encoding': 'gzip', vary: 'accept-encoding' };

/** Sends the answer, or breaks the connection where the answer is to break. Rejects when the client goes away before the end. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.breaks === 'at once') reset(response);
  else if (reply.breaks === 'halfway') sendHalf(response, reply);
  else if (Buffer.isBuffer(reply.body)) {
    response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length });
    response.end(reply.body);
  } else await stream(response, reply, reply.body);
}

async function stream(response: ServerResponse, reply: Reply, body: Iterable<Buffer>): Promise<void> {
  const pieces = Readable.from(body, { objectMode: false });
  response.writeHead(reply.status, { ...reply.headers, ...(reply.compress === true ? GZIP_HEADERS : {}) });
  if (reply.compress === true) await pipeline(pieces, createGzip(COMPRESSION), response);
  else await pipeline(pieces, response);
}

/** Breaks the connection before anything is sent. */
function reset({ socket }: ServerResponse): void {
  // A connection with TLS can only be closed.
  if (socket !== null && 'encrypted' in socket) socket.destroy();
  else socket?.resetAndDestroy();
}

/** Announces the length of the whole body, sends half of it, and breaks the connection. */
function sendHalf(response: ServerResponse, { status, headers, body }: Reply): void {
  const whole = Buffer.isBuffer(body) ? body : Buffer.concat([...body].slice(0, 2));
  response.writeHead(status, { ...headers, 'content-length': whole.length });
  // An empty body has no half: writing it would wait for ever.
  if (whole.length === 0) reset(response);
  else response.write(whole.subarray(0, whole.length >> 1), () => response.destroy());
}
