import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFaultServer, withServer } from '../support/run-against.ts';
import { always, status } from '../support/faults.ts';
import { needingTerminal, runInTerminal } from '../support/in-terminal.ts';
import { ModelService } from '../support/model-service.ts';
import { startFolio } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

describe.concurrent('auth login', () => {
  interface Login {
    readonly args?: readonly string[];
    readonly stdin?: string;
    readonly answer?: number;
  }

  /** Logs in at a server that knows customers, or answers with a status. */
  async function login({ args = [], stdin = '', answer = 200 }: Login) {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'config'), { mode: 0o700 });
    writeFileSync(join(folder, 'token'), `Bearer ${HOSTILE_TOKEN}\n`, { mode: 0o600 });
    const script = answer === 200 ? () => undefined : always(status(answer));
    const server = await startFaultServer(new ModelService({ customers: ['{"id":1}'] }), script);
    return withServer(server, async ({ baseUrl, requests }) => {
      const env = { FOLIO_CONFIG_DIR: join(folder, 'config'), FOLIO_TOKEN: undefined };
      const command = ['auth', 'login', '--base-url', baseUrl, ...args];
      const run = startFolio(command, { env, cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
      run.process.stdin?.end(stdin);
      const { code, stdout, stderr } = await run.exit;
      const said = stdout.toString() + stderr;
      const stored = readdirSync(join(folder, 'config')).map((name) => {
        return readFileSync(join(folder, 'config', name), 'utf8');
      });
      return {
        code,
        said,
        stored: stored.join(''),
        asked: requests.map(({ headers }) => headers['authorization']),
      };
    });
  }

  it.each([
    ['standard input', { stdin: `${HOSTILE_TOKEN}\n` }],
    ['a file', { args: ['--token-file', 'token'] }],
    ['a file that is standard input', { args: ['--token-file', '-'], stdin: HOSTILE_TOKEN }],
  ])('takes the token from %s, tries it, stores it, shows it nowhere', async (_, options) => {
    const { code, said, stored, asked } = await login(options);
    expect({ code, asked }).toEqual({ code: 0, asked: [HOSTILE_TOKEN] });
    expect(stored).toContain(JSON.stringify(HOSTILE_TOKEN));
    expect(leakIn(said)).toBeUndefined();
  });

  it('takes off a pasted "Bearer ", and says so', async () => {
    const { said, stored, asked } = await login({ stdin: `  bearer  ${HOSTILE_TOKEN}\n\n` });
    expect(asked).toEqual([HOSTILE_TOKEN]);
    expect(stored).not.toMatch(/bearer/i);
    expect(said).toContain('was taken off');
  });

  it.each([401, 403])('does not store a token that is refused (%i)', async (answer) => {
    const { code, said, stored } = await login({ stdin: HOSTILE_TOKEN, answer });
    expect({ code, stored }).toEqual({ code: 3, stored: '' });
    expect(said).toContain('the token was not stored');
    expect(leakIn(said)).toBeUndefined();
  });

  it('stores it untried with --no-verify', async () => {
    const { code, stored, asked } = await login({ stdin: HOSTILE_TOKEN, args: ['--no-verify'], answer: 403 });
    expect({ code, asked }).toEqual({ code: 0, asked: [] });
    expect(stored).toContain(JSON.stringify(HOSTILE_TOKEN));
  });

  it.each([
    ['--token T', ['--token', HOSTILE_TOKEN]],
    ['--token=T', [`--token=${HOSTILE_TOKEN}`]],
    ['--tokn=T', [`--tokn=${HOSTILE_TOKEN}`]],
    ['T', [HOSTILE_TOKEN]],
    ['--token-file T', ['--token-file', HOSTILE_TOKEN]],
  ])('refuses a token on the command line (%s), without repeating it', async (_, args) => {
    const { code, said, stored, asked } = await login({ args });
    expect({ code, stored, asked }).toEqual({ code: 2, stored: '', asked: [] });
    expect(leakIn(said)).toBeUndefined();
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
});
