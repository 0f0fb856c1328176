import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORBIDDEN } from '../output/hostile-text.ts';
import { needingTerminal, runInTerminal, terminalsForTests } from '../support/in-terminal.ts';
import { countFigure } from '../support/random-runs.ts';
import { startHttpService, type HttpService } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Characters of C0 but for those that JSON text or a line of ours may hold, DEL, and C1. */
const CONTROLS = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
].map((code) => String.fromCodePoint(code));

/** What turns, hides or separates text. */
const INVISIBLE = [...'\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069'];

/** Sequences that terminals act upon: window titles, links, the clipboard, queries that they answer by typing, modes. */
const SEQUENCES = [
  ...['\u001b]0;title\u0007', '\u009d2;title\u009c', '\u001b]52;c;ZWNobyBoaQ==\u0007', '\u001b[2J\u001b[H'],
  ...['\u001b]8;;https://evil.example/\u001b\\link\u001b]8;;\u001b\\', '\u009b6n', '\u001b[c'],
  ...['\u001bP$q"p\u001b\\', '\u001b[?1049h', '\u001bc', '\r\u001b[K', '\ufeff\u2060\ufff9'],
  '\u{e0041}\u{e0042}',
];

/** Each of them in a text that a person might read. */
const TEXTS = [...SEQUENCES, ...INVISIBLE, ...CONTROLS].map((text) => `ab${text}cd`);

/** Pages of records that are hostile in every value and in the names of their fields; enough that writers flush within. */
const PAGES = 3;
const RECORDS = TEXTS.map((text, id) => ({
  ...{ id, number: text, status: text, dueBy: text, customer: { name: text } },
  [`field ${text}`]: [text, { [text]: text }],
  padding: text.repeat(5),
}));

/** What the hostile service answers: every text of it means harm, also in its partial errors. */
function answerTo({ pathname, searchParams }: URL): unknown {
  const errors = TEXTS.map((text) => ({ _type: text, requestParams: { [text]: text } }));
  const cursor = Number(searchParams.get('options_nextToken') ?? 0);
  const page = Number(searchParams.get('options_page') ?? cursor);
  const pageSize = RECORDS.length;
  const records = RECORDS.map((record) => ({ ...record, id: record.id + page * pageSize }));
  if (pathname.endsWith('/customers'))
    return { data: records, nextToken: cursor + 1 < PAGES ? String(cursor + 1) : null, errors };
  if (/\/invoices\/(issued|received)$/.test(pathname))
    return { total: PAGES * pageSize, page, pageSize, pageResults: page < PAGES ? records : [], errors };
  return { ...RECORDS[3], link: TEXTS.join(' ') };
}

let service: HttpService;
let shown = 0;
let leaked = 0;
beforeAll(async () => {
  service = await startHttpService((_, response, { url }) => {
    const refused = /refused\/(\d+)/.exec(decodeURIComponent(url.href))?.[1];
    response.writeHead(Number(refused ?? 200), { 'content-type': 'application/json' });
    const text = TEXTS.join('');
    response.end(JSON.stringify(refused === undefined ? answerTo(url) : { error: text, message: text }));
  });
});
afterAll(() => countFigure({ what: 'escape sequences brought to a terminal', ran: shown, leaked }));

/** What folio's own styles and its spinner send: colours, and the line that is drawn anew, each time at once. */
const OWN = /\u001b\[(?:[\d;]*m|\?(?:25|2026)[hl]|2K|1G|1A|0?K)/g;

/** The line ends and tabs of the formats; the terminal itself adds a carriage return before each line feed. */
const LAYOUT = /\r{1,2}\n|\t/g;

/** The forbidden characters on a screen, by their numbers; they are counted. */
function forbiddenOn(screen: string, texts: number): string[] {
  const codes = Array.from(screen.replace(LAYOUT, ''), (character) => character.codePointAt(0)!);
  const wrong = codes.filter((code) => FORBIDDEN.some(([first, last]) => code >= first && code <= last));
  const found = [...new Set(wrong)].map((code) => `U+${code.toString(16).padStart(4, '0')}`);
  shown += texts;
  leaked += found.length;
  return found;
}

describe('a terminal', needingTerminal, () => {
  const show = terminalsForTests();

  it.each([
    'issued --all --format table --wide',
    'issued --all --format table --columns number,customer.name',
    'issued --all --format csv',
    'received --all --delimiter tab --columns id,number',
    'customers --all --format jsonl',
    'customers --format json',
    'customers --all --format csv --excel',
    'received --all --output /dev/tty --format csv',
    'get /invoices/issued',
    'get /customers --paginate',
    'customers get x',
    'customers portal-link x --format table',
    'issued --debug -v --limit 1',
    'issued --param a=refused/400',
    'received --param a=refused/403 --debug',
    'customers get refused/404',
    'customers --retries 0 --param a=refused/500 -v',
  ])('is safe from: %s', async (line) => {
    const env = { NO_COLOR: '1', FOLIO_BASE_URL: service.baseUrl };
    // A process that has no terminal of its own has no /dev/tty.
    const run = line.includes('/dev/tty') ? runInTerminal : show;
    const { screen } = await run([...line.split(' '), '--no-progress'], { env });
    expect(forbiddenOn(screen, TEXTS.length)).toEqual([]);
    // The texts are there, with a mark for each control.
    expect(screen).toMatch(/␛|\\u\{?001b|\\u\{?9b/);
  });

  it('is given nothing but colours and the spinner in style, too', async () => {
    const env = { FOLIO_BASE_URL: service.baseUrl, FORCE_COLOR: '1' };
    const { screen } = await show(['issued', '--all', '--wide', '-v'], { env });
    expect(forbiddenOn(screen.replace(OWN, ''), TEXTS.length)).toEqual([]);
  });

  it('is safe from names of files, of profiles and of a store that somebody else wrote', async () => {
    const folder = temporaryFolder();
    const text = 'x\u001b]0;t\u0007\u202e\u009b2J';
    const config = join(folder, text);
    mkdirSync(config, { mode: 0o700 });
    const profile = { baseUrl: service.baseUrl, token: `x${text}`, settings: { format: text } };
    const profiles = { [text]: profile, ok: profile };
    const store = { currentProfile: text, profiles, settings: { [text]: text } };
    writeFileSync(join(config, 'config.json'), JSON.stringify(store), { mode: 0o600 });
    writeFileSync(join(folder, `${text}.csv`), 'a\n');
    const env = { NO_COLOR: '1', FOLIO_CONFIG_DIR: config, FOLIO_TOKEN: undefined };
    const lines = [
      ...['auth list', 'auth list --format json', 'auth status', 'auth status --profile ok'],
      'auth status --all-profiles --format json --check',
      ...['config list', 'config list --profile ok', 'config list --format json'],
      ...['config get format --profile ok', 'config path', 'doctor', 'doctor --profile ok'],
      ...['verify FOLDER/TEXT.csv', 'verify FOLDER/TEXT.gone', 'issued --profile ok'],
      ...['issued --output FOLDER/TEXT/TEXT/TEXT', 'issued TEXT', 'issued --TEXT', 'auth use TEXT', 'TEXT'],
    ];
    for (const line of lines) {
      const args = line.split(' ').map((word) => word.replace('FOLDER', folder).replaceAll('TEXT', text));
      const { screen } = await show(args, { env, cwd: folder });
      expect({ line, found: forbiddenOn(screen, 4) }).toEqual({ line, found: [] });
    }
  });
});
