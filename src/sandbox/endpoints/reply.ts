/** What an endpoint answers, before it goes on the wire. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whole, or in pieces when it is too large to be held. */
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

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  500: 'Internal Server Error',
};

/** A refusal or failure in one of the three forms. */
export function errorReply(form: BodyForm, status: 400 | 404 | 500, text: string): Reply {
  const bodies = {
    array: { errors: [{ _type: status === 400 ? 'ValidationError' : 'ServiceError', message: text }] },
    string: { errors: text },
    message: { error: titles[status], message: text },
  };
  return jsonReply(status, JSON.stringify(bodies[form]));
}

/** What the gateway in front of the service says itself: 401, 403, 429, 502, 503. */
export function gatewayReply(status: number, message: string, headers: Record<string, string> = {}): Reply {
  const reply = jsonReply(status, JSON.stringify({ message }));
  return { ...reply, headers: { ...reply.headers, ...headers } };
}
