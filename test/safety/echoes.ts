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

/** Everywhere that a service can put a text, in every form of spec 7 and in none of them. */
export const ECHOES: readonly Echo[] = [
  { name: 'error and message', answer: (t) => json(500, { error: t, message: `bad ${t}` }) },
  {
    name: 'errors as a string',
    answer: (t) => json(400, { errors: `Authorization: ${encodeURIComponent(t)}` }),
  },
  { name: 'errors as an array', answer: (t) => json(400, { errors: [{ _type: t, detail: { header: t } }] }) },
  {
    name: 'the fiscal ID of a 400',
    answer: (t) => json(400, { errors: [{ _type: 'EmptyResponseError', requestParams: { fiscalId: t } }] }),
  },
  {
    name: 'the message of a 403',
    answer: (t) => json(403, { Message: `User ${t} is not authorized`.repeat(40) }),
  },
  {
    name: 'the message of an unknown address',
    answer: (t) =>
      json(403, { message: `Authorization header requires Credential parameter. Signature ${t}` }),
  },
  {
    name: 'base64 in a 401',
    answer: (t) => json(401, { message: `Basic ${Buffer.from(`me:${t}`).toString('base64')}` }),
  },
  { name: 'a 404 of HTML', answer: (t) => httpResponse(404, `<h1>${t}</h1>`, 'Content-Type: text/html') },
  { name: 'a 502 of plain text', answer: (t) => httpResponse(502, `upstream said ${t}`) },
  { name: 'the reason phrase', answer: (t) => Buffer.from(`HTTP/1.1 503 ${t}\r\nContent-Length: 0\r\n\r\n`) },
  { name: 'what is not HTTP', answer: (t) => Buffer.from(`SSH-2.0-${t}\r\n${t}\r\n\r\n`) },
  {
    name: 'a broken header',
    answer: (t) => Buffer.from(`HTTP/1.1 200 OK\r\n${t}\u0000: ${t}\r\n\r\n`, 'latin1'),
  },
  ...[404, 429].map((status): Echo => ({
    name: `the words of a ${status}`,
    answer: (t) => json(status, { message: t, errors: [t] }),
  })),
  { name: 'Retry-After', answer: (t) => httpResponse(429, '', `Retry-After: ${t}`) },
  { name: 'Content-Encoding', answer: (t) => httpResponse(200, '{}', `Content-Encoding: ${t}`) },
  {
    name: 'a redirect',
    answer: (t) =>
      httpResponse(302, '', `Location: https://${letters(t)}.evil.example/${t}?t=${encodeURIComponent(t)}`),
  },
  { name: 'a redirect to nowhere', answer: (t) => httpResponse(301, t, `Location: ht!tp://${t}`) },
  { name: 'JSON cut short', isData: true, answer: (t) => httpResponse(200, `{"pageResults":[{"id":"${t}`) },
  { name: 'HTML instead of JSON', isData: true, answer: (t) => httpResponse(200, `<p title="${t}">`) },
  { name: 'the wrong envelope', isData: true, answer: (t) => json(200, { [t]: t }) },
  { name: 'an array', isData: true, answer: (t) => json(200, [t]) },
  {
    name: 'partial errors',
    isData: true,
    answer: (t) => page(t, { errors: [t, { _type: t, requestName: t }] }),
  },
  {
    name: 'a missing fiscal ID',
    isData: true,
    answer: (t) => page(t, { errors: [{ _type: 'EmptyResponseError', requestParams: { fiscalId: t } }] }),
  },
  { name: 'a total', isData: true, answer: (t) => page(t, { total: t, pageSize: t }) },
  { name: 'cursors', isData: true, answer: (t) => page(t, { data: [{ id: 1 }], nextToken: t }) },
  {
    name: 'a record too deep',
    isData: true,
    answer: (t) => page(t, { data: [deep(t)], pageResults: [deep(t)], total: 1 }),
  },
  ...FORMS.map(([name, form]): Echo => ({ name, answer: (t) => json(400, { message: form(t) }) })),
  {
    name: 'the name of a member',
    isData: true,
    answer: (t) => json(200, { [t]: 1, [`a name of some length and ${t}`]: 2 }),
  },
  {
    name: 'a part as the kind of an error',
    isData: true,
    answer: (t) => json(200, { data: [], nextToken: null, errors: [{ _type: t.slice(3) }] }),
  },
  {
    name: 'partial errors of a listing that then fails',
    answer: (t, head) => {
      const errors = [t.repeat(20), { _type: 'EmptyResponseError', requestParams: { fiscalId: t } }];
      if (!head.includes('options_page=0')) return json(404, {});
      return json(200, { pageResults: [{ id: 1 }], data: [], total: 9, page: 0, pageSize: 1, errors });
    },
  },
];

/** A record that no row can show, with the text as all its keys. */
function deep(key: string): unknown {
  let value: unknown = key;
  for (let level = 0; level < 70; level++) value = { [key]: value };
  return value;
}

/** The part of a text that a host name may hold. */
function letters(text: string): string {
  return text.replaceAll(/[^a-z0-9]/gi, '-');
}

/** Answers a request as the echo says, and ends the connection. */
export function repeat({ answer }: Echo, socket: Socket, head: string): void {
  socket.end(answer(/^authorization: (.*)$/im.exec(head)?.[1] ?? '', head));
}
