import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORBIDDEN } from '../output/hostile-text.ts';
import { countFigure } from '../support/random-runs.ts';
import type { HttpService } from '../support/servers.ts';
import { needingTerminal, runInTerminal, terminalsForTests } from '../support/in-terminal.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { HOSTILE_TEXTS, startHostileService } from './hostile-service.ts';

/** What folio's own styles and its spinner send: colours, and the line that is drawn anew, each time at once. */
const OWN = /\u001b\[(?:[\d;]*m|\?(?:25|2026)[hl]|2K|1G|1A|0?K)/g;

/** The line ends and tabs of the formats; the terminal itself adds a carriage return before each line feed. */
const LAYOUT = /\r{1,2}\n|\t/g;

/** The forbidden characters on a screen, by their numbers. */
function forbiddenOn(screen: string): string[] {
  const codes = Array.from(screen, (character) => character.codePointAt(0)!);
  const wrong = codes.filter((code) => FORBIDDEN.some(([first, last]) => code >= first && code <= last));
  return [...new Set(wrong)].map((code) => `U+${code.toString(16).padStart(4, '0')}`);
}

let service: HttpService;
let shown = 0;
let leaked = 0;
beforeAll(async () => {
  service = await startHostileService();
});
afterAll(() => countFigure({ what: 'escape sequences brought to a terminal', ran: shown, leaked }));

/** Command lines and what their texts are shown by: a mark for a control, of which there is one on the screen. */
const SHOWING = [
  ['issued', '--all', '--format', 'table', '--wide'],
  ['issued', '--all', '--format', 'table', '--columns', 'number,customer.name'],
  ['issued', '--all', '--format', 'csv'],
  ['received', '--all', '--delimiter', 'tab', '--columns', 'id,number'],
  ['customers', '--all', '--format', 'jsonl'],
  ['customers', '--format', 'json'],
  ['customers', '--all', '--format', 'csv', '--excel'],
  ['received', '--all', '--output', '/dev/tty', '--format', 'csv'],
  ['get', '/invoices/issued'],
  ['get', '/customers', '--paginate'],
  ['customers', 'get', 'x'],
  ['customers', 'portal-link', 'x', '--format', 'table'],
  ['issued', '--debug', '-v', '--limit', '1'],
  ['issued', '--param', 'a=refused/400'],
  ['received', '--param', 'a=refused/403', '--debug'],
  ['customers', 'get', 'refused/404'],
  ['customers', '--retries', '0', '--param', 'a=refused/500', '-v'],
];

describe('a terminal', needingTerminal, () => {
  const show = terminalsForTests();

  it.each(SHOWING.map((args) => [args.join(' '), args] as const))('is safe from: %s', async (_, args) => {
    const env = { NO_COLOR: '1', FOLIO_BASE_URL: service.baseUrl };
    // A process that has no terminal of its own has no /dev/tty.
    const run = args.includes('/dev/tty') ? runInTerminal : show;
    const { screen } = await run([...args, '--no-progress'], { env });
    const wrong = forbiddenOn(screen.replace(LAYOUT, ''));
    shown += HOSTILE_TEXTS.length;
    leaked += wrong.length;
    expect(wrong).toEqual([]);
    // The texts are there, with marks in their places.
    expect(screen).toMatch(/␛|\\u\{?001b|\\u\{?9b/);
  });

  it('is given nothing but colours and the spinner in style, too', async () => {
    const env = { FOLIO_BASE_URL: service.baseUrl, FORCE_COLOR: '1' };
    const { screen } = await show(['issued', '--all', '--wide', '-v'], { env });
    const wrong = forbiddenOn(screen.replace(OWN, '').replace(LAYOUT, ''));
    shown += HOSTILE_TEXTS.length;
    leaked += wrong.length;
    expect(wrong).toEqual([]);
  });

  it('is safe from names of files, of profiles and of a store that somebody else wrote', async () => {
    const folder = temporaryFolder();
    const text = 'x\u001b]0;t\u0007\u202e\u009b2J';
    const config = join(folder, text);
    mkdirSync(config, { mode: 0o700 });
    const profile = { baseUrl: service.baseUrl, token: `x${text}`, settings: { format: text } };
    const store = {
      currentProfile: text,
      profiles: { [text]: profile, ok: profile },
      settings: { [text]: text },
    };
    writeFileSync(join(config, 'config.json'), JSON.stringify(store), { mode: 0o600 });
    writeFileSync(join(folder, `${text}.csv`), 'a\n');
    const env = { NO_COLOR: '1', FOLIO_CONFIG_DIR: config, FOLIO_TOKEN: undefined };
    const runs = [
      ['auth', 'list'],
      ['auth', 'list', '--format', 'json'],
      ['auth', 'status'],
      ['auth', 'status', '--profile', 'ok'],
      ['auth', 'status', '--all-profiles', '--format', 'json', '--check'],
      ['config', 'list'],
      ['config', 'list', '--profile', 'ok'],
      ['config', 'list', '--format', 'json'],
      ['config', 'get', 'format', '--profile', 'ok'],
      ['config', 'path'],
      ['doctor'],
      ['doctor', '--profile', 'ok'],
      ['verify', join(folder, `${text}.csv`)],
      ['verify', join(folder, `${text}.gone`)],
      ['issued', '--profile', 'ok'],
      ['issued', '--output', join(folder, text, text, text)],
      ['issued', text],
      ['issued', `--${text}`],
      ['auth', 'use', text],
      [text],
    ];
    const screens = await Promise.all(runs.map((args) => show(args, { env, cwd: folder })));
    shown += 4 * runs.length;
    const wrong = screens.flatMap(({ screen }, at) => {
      const found = forbiddenOn(screen.replace(LAYOUT, ''));
      return found.length === 0 ? [] : [`${runs[at]!.join(' ')}: ${found.join(' ')}: ${screen}`];
    });
    leaked += wrong.length;
    expect(wrong).toEqual([]);
  });
});

describe('what is piped', () => {
  it('is the service’s text, byte for byte', async () => {
    const env = { FOLIO_BASE_URL: service.baseUrl };
    const { stdout } = await runHere(['customers', '--format', 'jsonl', '--limit', '80'], { env });
    const numbers = stdout
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { number: string }).number);
    expect(numbers).toEqual(HOSTILE_TEXTS.slice(0, 80));
    const csv = await runHere(['customers', '--format', 'csv', '--columns', 'number', '--no-header'], {
      env,
    });
    const quoted = (text: string): string =>
      /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    const rows = [0, 1, 2].flatMap(() => HOSTILE_TEXTS.map((text) => `${quoted(text)}\n`));
    expect(csv.stdout.toString()).toBe(rows.join(''));
  });
});
