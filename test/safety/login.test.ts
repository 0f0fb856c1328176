import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { needingTerminal, runInTerminal } from '../support/in-terminal.ts';
import { startFaultServer } from '../support/run-against.ts';
import { runHere, runWith, type Streams } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

/** Logs in at a server that knows customers. */
async function login(args: readonly string[], input = '') {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'token'), `Bearer ${HOSTILE_TOKEN}\n`, { mode: 0o600 });
  const { baseUrl, requests } = await startFaultServer({ customers: ['{"id":1}'] });
  const env = { FOLIO_CONFIG_DIR: join(folder, 'config'), FOLIO_TOKEN: undefined };
  const command = ['auth', 'login', '--base-url', baseUrl, ...args].map((word) =>
    word.replace('FOLDER', folder),
  );
  const { code, stdout, stderr } = await runHere(command, { env, input });
  const printed = stdout.toString() + stderr;
  expect(leakIn(printed)).toBeUndefined();
  const file = join(folder, 'config/config.json');
  const stored = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return { code, printed, stored, tried: requests.map(({ headers }) => headers['authorization']) };
}

describe('auth login', () => {
  it.each([
    ['standard input', [], `${HOSTILE_TOKEN}\n`],
    ['standard input, with a pasted Bearer, which it takes off', [], `  bearer  ${HOSTILE_TOKEN}\n\n`],
    ['a file', ['--token-file', 'FOLDER/token'], ''],
    ['a file that is standard input', ['--token-file', '-'], HOSTILE_TOKEN],
  ])('takes the token from %s, tries it, stores it, shows it nowhere', async (_, args, input) => {
    const { code, printed, stored, tried } = await login(args, input);
    expect({ code, tried }).toEqual({ code: 0, tried: [HOSTILE_TOKEN] });
    expect(stored).toContain(JSON.stringify(HOSTILE_TOKEN));
    expect(stored).not.toMatch(/bearer/i);
    const isPasted = input.includes('bearer') || args.includes('FOLDER/token');
    expect(printed.includes('the token began with "Bearer", which was removed')).toBe(isPasted);
  });

  it.each([
    ['--token T', ['--token', HOSTILE_TOKEN]],
    ['--token=T', [`--token=${HOSTILE_TOKEN}`]],
    ['--tokn=T', [`--tokn=${HOSTILE_TOKEN}`]],
    ['T', [HOSTILE_TOKEN]],
    ['--token-file T', ['--token-file', HOSTILE_TOKEN]],
  ])('refuses a token on the command line (%s), without repeating it', async (_, args) => {
    expect(await login(args)).toMatchObject({ code: 2, stored: '', tried: [] });
  });

  it('asks at a terminal without showing what is typed', needingTerminal, async () => {
    const folder = temporaryFolder();
    const env = { FOLIO_CONFIG_DIR: folder, FOLIO_TOKEN: undefined };
    const args = ['auth', 'login', '--base-url', 'https://api.example.com', '--no-verify'];
    // With a slip of the finger, rubbed out.
    const typed = [['not shown', `${HOSTILE_TOKEN}x\u007f\r`]] as const;
    const { code, screen } = await runInTerminal(args, { env, typed });
    expect(code).toBe(0);
    expect(screen).toContain('Token of profile default (not shown): ');
    expect(leakIn(screen)).toBeUndefined();
    expect(readFileSync(join(folder, 'config.json'), 'utf8')).toContain(JSON.stringify(HOSTILE_TOKEN));
  });

  it('gives the terminal back where a signal ends it at the prompt', async () => {
    const [modes, stderr]: [boolean[], PassThrough] = [[], new PassThrough()];
    const setRawMode = (isRaw: boolean): void => void modes.push(isRaw);
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
    const streams = { stdin: () => stdin, stdout: () => stderr, stderr: () => stderr } as unknown as Streams;
    let stop: (() => void) | undefined;
    const once: Streams['once'] = (signal, listener) => signal === 'SIGTERM' && (stop ??= listener);
    const own = { ...streams, descriptors: { stdout: -1, stderr: -1 }, once };
    const code = runWith(['login', '--base-url', 'https://api.example.com'], {}, own);
    stderr.once('data', () => stop!());
    expect([await code, modes]).toEqual([143, [true, false]]);
  });
});
