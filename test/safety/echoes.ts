import type { Socket } from 'node:net';
import { httpResponse } from '../support/servers.ts';

/** A service that repeats the token; `token` is what it was sent. */
interface Echo {
  readonly name: string;
  /** Whether it is repeated in a good answer, as data. */
  readonly isData?: boolean;
  readonly answer: (token: string, head: string) => Buffer;
}

const json = (status: number, value: unknown, ...headers: string[]): Buffer =>
  httpResponse(status, JSON.stringify(value), 'Content-Type: application/json', ...headers);

const page = (token: string, members: Readonly<Record<string, unknown>>): Buffer =>
  json(200, { pageResults: [], data: [], nextToken: null, total: 0, page: 0, errors: [], ...members, token });

const hex = (token: string): string => Buffer.from(token).toString('hex');

/** The forms and cuts in which a service may repeat the token. */
const FORMS: readonly (readonly [name: string, form: (token: string) => string])[] = [
  ['a backslash before each slash', (t) => JSON.stringify(t).replaceAll('/', '\\/')],
  ['percent-encoding, twice', (t) => encodeURIComponent(encodeURIComponent(t))],
  [
    'percent-encoding of every character, twice',
    (t) => t.replace(/./gs, (c) => `%25${c.charCodeAt(0).toString(16)}`),
  ],
  ['hexadecimal', hex],
  ['hexadecimal in large letters', (t) => hex(t).toUpperCase()],
  ['a part', (t) => `begins with ${t.slice(0, 20)}…`],
  ['a text cut where it is shown', (t) => `${'word '.repeat(97)}${t}`],
  ['a text cut where it is read', (t) => `${'x'.repeat(9_990)}${t}`],
];

type Row = readonly [name: string, answer: Echo['answer']];

const unknown = (fiscalId: string) => ({ _type: 'EmptyResponseError', requestParams: { fiscalId } });

/** Where a service can put a text in a refusal, in every form of spec 7 and in none of them. */
const REFUSALS: readonly Row[] = [
  ['error and message', (t) => json(500, { error: t, message: `bad ${t}` })],
  ['errors as a string', (t) => json(400, { errors: `Authorization: ${encodeURIComponent(t)}` })],
  ['errors as an array', (t) => json(400, { errors: [{ _type: t, detail: { header: t } }] })],
  ['the fiscal ID of a 400', (t) => json(400, { errors: [unknown(t)] })],
  ['the message of a 403', (t) => json(403, { Message: `User ${t} is not authorized`.repeat(40) })],
  [
    'the message of an unknown address',
    (t) => json(403, { message: `Authorization header requires Credential parameter. Signature ${t}` }),
  ],
  ['base64 in a 401', (t) => json(401, { message: `Basic ${Buffer.from(`me:${t}`).toString('base64')}` })],
  ['the words of a 404', (t) => json(404, { message: t, errors: [t] })],
  ['the words of a 429', (t) => json(429, { message: t, errors: [t] })],
  ['a 404 of HTML', (t) => httpResponse(404, `<h1>${t}</h1>`, 'Content-Type: text/html')],
  ['a 502 of plain text', (t) => httpResponse(502, `upstream said ${t}`)],
  ['the reason phrase', (t) => Buffer.from(`HTTP/1.1 503 ${t}\r\nContent-Length: 0\r\n\r\n`)],
  ['what is not HTTP', (t) => Buffer.from(`SSH-2.0-${t}\r\n${t}\r\n\r\n`)],
  ['a broken header', (t) => Buffer.from(`HTTP/1.1 200 OK\r\n${t}\u0000: ${t}\r\n\r\n`, 'latin1')],
  ['Retry-After', (t) => httpResponse(429, '', `Retry-After: ${t}`)],
  ['Content-Encoding', (t) => httpResponse(200, '{}', `Content-Encoding: ${t}`)],
  ['a redirect', (t) => httpResponse(302, '', `Location: ${addressOf(t)}?t=${encodeURIComponent(t)}`)],
  ['a redirect to nowhere', (t) => httpResponse(301, t, `Location: ht!tp://${t}`)],
  ...FORMS.map(([name, form]): Row => [name, (t) => json(400, { message: form(t) })]),
  [
    'partial errors of a listing that then fails',
    (t, head) => {
      if (!head.includes('options_page=0')) return json(404, {});
      const errors = [t.repeat(20), unknown(t)];
      return json(200, { pageResults: [{ id: 1 }], data: [], total: 9, page: 0, pageSize: 1, errors });
    },
  ],
];

/** The same in an answer that has data. */
const DATA: readonly Row[] = [
  ['JSON cut short', (t) => httpResponse(200, `{"pageResults":[{"id":"${t}`)],
  ['HTML instead of JSON', (t) => httpResponse(200, `<p title="${t}">`)],
  ['the wrong envelope', (t) => json(200, { [t]: t })],
  ['an array', (t) => json(200, [t])],
  ['partial errors', (t) => page(t, { errors: [t, { _type: t, requestName: t }] })],
  ['a missing fiscal ID', (t) => page(t, { errors: [unknown(t)] })],
  ['a total', (t) => page(t, { total: t, pageSize: t })],
  ['cursors', (t) => page(t, { data: [{ id: 1 }], nextToken: t })],
  ['a record too deep', (t) => page(t, { data: [deep(t)], pageResults: [deep(t)], total: 1 })],
  ['the name of a member', (t) => json(200, { [t]: 1, [`a name of some length and ${t}`]: 2 })],
  [
    'a part as the kind of an error',
    (t) => json(200, { data: [], nextToken: null, errors: [{ _type: t.slice(3) }] }),
  ],
];

export const ECHOES: readonly Echo[] = [
  ...REFUSALS.map(([name, answer]) => ({ name, answer })),
  ...DATA.map(([name, answer]) => ({ name, answer, isData: true })),
];

/** A record that no row can show, with the text as all its keys. */
function deep(key: string): unknown {
  let value: unknown = key;
  for (let level = 0; level < 70; level++) value = { [key]: value };
  return value;
}

/** An address whose host and path hold the text, as far as they can. */
function addressOf(text: string): string {
  return `https://${text.replaceAll(/[^a-z0-9]/gi, '-')}.evil.example/${text}`;
}

/** Answers a request as the echo says, and ends the connection. */
export function repeat({ answer }: Echo, socket: Socket, head: string): void {
  socket.end(answer(/^authorization: (.*)$/im.exec(head)?.[1] ?? '', head));
}
