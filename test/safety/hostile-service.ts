import { startHttpService, type HttpService } from '../support/servers.ts';

/** Characters of C0 but for those that JSON text or a line of ours may hold, DEL, and C1. */
const CONTROLS = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
].map((code) => String.fromCodePoint(code));

/** What turns, hides or separates text. */
const INVISIBLE = [
  '\u061c',
  '\u200b',
  '\u200e',
  '\u200f',
  '\u2028',
  '\u2029',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
];

/** Sequences that terminals act upon: windows titles, links, the clipboard, queries that they answer by typing, modes. */
const SEQUENCES = [
  '\u001b]0;title\u0007',
  '\u009d2;title\u009c',
  '\u001b]8;;https://evil.example/\u001b\\link\u001b]8;;\u001b\\',
  '\u001b]52;c;ZWNobyBoaQ==\u0007',
  '\u001b[2J\u001b[H',
  '\u009b6n',
  '\u001b[c',
  '\u001bP$q"p\u001b\\',
  '\u001b[?1049h',
  '\u001bc',
  '\r\u001b[K',
  '\ufeff\u2060\ufff9',
  '\u{e0041}\u{e0042}',
];

/** Each of them in a text that a person might read. */
export const HOSTILE_TEXTS = [...SEQUENCES, ...INVISIBLE, ...CONTROLS].map((text) => `ab${text}cd`);

/** Pages of records that are hostile in every value and in the names of their fields; enough that writers flush within. */
const PAGES = 3;
const RECORDS = HOSTILE_TEXTS.map((text, id) => ({
  id,
  number: text,
  status: text,
  dueBy: text,
  customer: { name: text },
  [`field ${text}`]: [text, { [text]: text }],
  padding: text.repeat(5),
}));

/**
 * A service all of whose texts are hostile to terminals: records, names of fields, partial errors. Below `/refused` it
 * answers with an error of that status, as in `/refused/400`.
 */
export function startHostileService(): Promise<HttpService> {
  return startHttpService((_, response, { url }) => {
    const refused = /refused\/(\d+)/.exec(decodeURIComponent(url.href))?.[1];
    response.writeHead(Number(refused ?? 200), { 'content-type': 'application/json' });
    const text = HOSTILE_TEXTS.join('');
    response.end(JSON.stringify(refused === undefined ? bodyOf(url) : { error: text, message: text }));
  });
}

function bodyOf({ pathname, searchParams }: URL): unknown {
  const errors = HOSTILE_TEXTS.map((text) => ({ _type: text, requestParams: { [text]: text } }));
  const cursor = Number(searchParams.get('options_nextToken') ?? 0);
  const page = Number(searchParams.get('options_page') ?? cursor);
  const pageSize = RECORDS.length;
  const records = RECORDS.map((record) => ({ ...record, id: record.id + page * pageSize }));
  if (pathname.endsWith('/customers')) {
    return { data: records, nextToken: cursor + 1 < PAGES ? String(cursor + 1) : null, errors };
  }
  if (pathname.endsWith('/invoices/issued') || pathname.endsWith('/invoices/received')) {
    return { total: PAGES * pageSize, page, pageSize, pageResults: page < PAGES ? records : [], errors };
  }
  return { ...RECORDS[3], link: HOSTILE_TEXTS.join(' ') };
}
