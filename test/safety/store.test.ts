import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { always, silence } from '../support/faults.ts';
import { startFaultServer } from '../support/run-against.ts';
import { runFolio, startFolio } from '../support/run-folio.ts';
import { runHere } from '../support/run-here.ts';
import { modeOf, temporaryFolder } from '../support/temporary-folder.ts';
import { HOSTILE_TOKEN, leakIn } from './token-forms.ts';

/** A store of this text in a private folder, and the environment of its owner. */
function privateStore(text: string) {
  const folder = join(temporaryFolder(), 'config');
  const file = join(folder, 'config.json');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
  return { folder, file, env: { FOLIO_CONFIG_DIR: folder, FOLIO_TOKEN: undefined } };
}

/** Runs a listing against a server that serves one record, with a store of that text; `BASE` in it is the server. */
async function runWith(store: string, args = ['issued', '--format', 'jsonl'], modes = [0o600, 0o700]) {
  const { baseUrl, requests } = await startFaultServer({ issued: ['{"id":1}'] });
  const text = store.replaceAll('BASE', baseUrl);
  const { folder, file, env } = privateStore(text);
  chmodSync(file, modes[0]!);
  chmodSync(folder, modes[1]!);
  const { code, stdout, stderr } = await runHere(args, { env });
  expect(leakIn(stderr)).toBeUndefined();
  const after = readFileSync(file, 'utf8');
  return { code, stdout: stdout.toString(), stderr, requests: requests.length, file, folder, text, after };
}

const GOOD = `{"currentProfile":"main","profiles":{"main":{"baseUrl":"BASE","token":${JSON.stringify(HOSTILE_TOKEN)}}}}`;
/** A store with so many bytes more. */
const large = (bytes: number): string => GOOD.replace('"baseUrl"', `"note":"${'x'.repeat(bytes)}","baseUrl"`);

describe.concurrent('the store', () => {
  it.each(['000', '022', '077'])('is 0600 in 0700 under umask %s', async (mask) => {
    const folder = join(temporaryFolder(), 'new', 'config');
    const args = ['auth', 'login', '--base-url', 'https://api.example.com', '--no-verify'];
    const env = { FOLIO_CONFIG_DIR: folder, FOLIO_TOKEN: undefined };
    const shell = `umask ${mask}; exec "$@"`;
    const run = startFolio(args, { env, shell, stdio: ['pipe', 'pipe', 'pipe'] });
    run.process.stdin?.end(HOSTILE_TOKEN);
    expect((await run.exit).code).toBe(0);
    expect([modeOf(folder), modeOf(join(folder, 'config.json'))]).toEqual(['700', '600']);
  });

  it.each([
    [0o644, 0o700, 'chmod 600 FILE'],
    [0o640, 0o700, 'chmod 600 FILE'],
    [0o602, 0o700, 'chmod 600 FILE'],
    [0o600, 0o755, 'chmod 700 FOLDER'],
    [0o600, 0o770, 'chmod 700 FOLDER'],
  ])(
    'that others can open (%o in %o) is refused with the line that mends it, and nothing is sent',
    async (fileMode, folderMode, line) => {
      const run = await runWith(GOOD, ['issued'], [fileMode, folderMode]);
      expect(run).toMatchObject({ code: 2, stdout: '', requests: 0 });
      const mending = line.replace('FILE', run.file).replace('FOLDER', run.folder);
      expect(run.stderr).toContain(`Run \`${mending}\`.\n`);
      // It is for its owner to close the door, who knows who may have looked.
      expect(modeOf(run.file)).toBe(fileMode.toString(8));
    },
  );

  it('is the old one or the new one when its writer is killed, and the next one clears up', async () => {
    // Large enough to be seen half-written.
    const text = large(700_000);
    const { folder, file, env } = privateStore(text);
    const { profiles } = JSON.parse(text) as { profiles: object };
    let left = 0;
    // A busy machine may let the writer finish before the kill: until one fell into the writing, which leaves something.
    for (let kill = 0; kill < 8 || left === 0; kill++) {
      const { process, exit } = startFolio(['config', 'set', 'format', 'csv'], { env });
      const end = { isThere: false };
      void exit.then(() => (end.isThere = true));
      while (!end.isThere && !readdirSync(folder).some((name) => name.includes('.tmp-')))
        await new Promise((resolve) => setImmediate(resolve));
      process.kill('SIGKILL');
      await exit;
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ profiles });
      expect(modeOf(file)).toBe('600');
      if (readdirSync(folder).length > 1) left++;
    }
    expect((await runHere(['config', 'set', 'format', 'jsonl'], { env })).code).toBe(0);
    expect(readdirSync(folder)).toEqual(['config.json']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ profiles, settings: { format: 'jsonl' } });
  });

  it('leaves signals to folio: a run with a stored token is stopped like any other', async () => {
    // The hook on signals of what conf writes files with would send each a second time: it is not shipped.
    const dist = join(import.meta.dirname, '../../dist');
    const names = readdirSync(dist).filter((name) => name.endsWith('.js'));
    const conf = names
      .map((name) => readFileSync(join(dist, name), 'utf8'))
      .filter((text) => text.includes('clearInvalidConfig'));
    expect([conf.length > 0, conf.some((text) => text.includes('SIGVTALRM'))]).toEqual([true, false]);
    const server = await startFaultServer({ issued: ['{"id":1}'] }, always(silence));
    const { env } = privateStore(GOOD.replace('BASE', server.baseUrl));
    const { process, exit } = startFolio(['issued'], { env });
    await server.received(1);
    process.kill('SIGINT');
    expect(await exit).toMatchObject({ code: 130, signal: null, stderr: 'folio: stopped by SIGINT\n' });
  });

  it('behind a symbolic link must lie in a private folder too', async () => {
    const { folder: elsewhere, file } = privateStore(GOOD);
    const folder = temporaryFolder();
    symlinkSync(file, join(folder, 'config.json'));
    chmodSync(elsewhere, 0o755);
    const exit = await runHere(['issued'], { env: { FOLIO_CONFIG_DIR: folder, FOLIO_TOKEN: undefined } });
    const line = `Run \`chmod 700 ${elsewhere}\`.\n`;
    expect(exit).toMatchObject({ code: 2, stderr: expect.stringContaining(line) });
  });

  it('is no safer than a token file: one that others can read is refused, and nothing is sent', async () => {
    const tokenFile = join(temporaryFolder(), 'token.txt');
    writeFileSync(tokenFile, HOSTILE_TOKEN);
    chmodSync(tokenFile, 0o640);
    const run = await runWith(GOOD, ['issued', '--token-file', tokenFile]);
    expect(run).toMatchObject({ code: 2, stdout: '', requests: 0 });
    expect(run.stderr).toContain(`Run \`chmod 600 ${tokenFile}\``);
  });

  it('keeps what it does not know', async () => {
    const later = '"later":{"__proto__":{"x":1}}';
    const store = GOOD.replace('{', `{${later},`).replace('"baseUrl"', '"tags":[1.50],"baseUrl"');
    const { code, after, text } = await runWith(store, ['config', 'set', 'format', 'csv']);
    expect([code, after.replaceAll(/\s/g, '')]).toEqual([0, expect.stringContaining(later)]);
    const { profiles } = JSON.parse(text) as { profiles: object };
    expect(JSON.parse(after)).toMatchObject({ profiles });
  });
});

describe('the working folder', () => {
  it('is not read: settings and plug-ins that lie there do nothing', async () => {
    const folder = temporaryFolder();
    const ran = join(folder, 'ran');
    const script = `require('fs').writeFileSync(${JSON.stringify(ran)}, '')`;
    const settings = GOOD.replace('BASE', 'https://evil.example');
    const names = '.folio .foliorc .folio.json folio.json config.json .npmrc .env package.json';
    for (const name of names.split(' ')) writeFileSync(join(folder, name), settings, { mode: 0o600 });
    for (const name of '.folio.js folio.config.js folio.config.mjs .foliorc.cjs index.js'.split(' '))
      writeFileSync(join(folder, name), script);
    for (const name of ['commander', 'conf', 'undici', 'cli-table3']) {
      mkdirSync(join(folder, 'node_modules', name), { recursive: true });
      writeFileSync(join(folder, 'node_modules', name, 'index.js'), script);
    }
    const own = { HOME: join(folder, 'home'), XDG_CONFIG_HOME: '.' };
    const env = { FOLIO_TOKEN: undefined, FOLIO_CONFIG_DIR: undefined, ...own };
    const run = (line: string) => runFolio(line.split(' '), { env, cwd: folder });
    const none = expect.stringMatching(/^folio: there is no token\n/) as string;
    expect(await run('issued')).toMatchObject({ code: 3, stderr: none });
    const path = (await run('config path')).stdout.toString();
    expect(path).toBe(`${join(folder, 'home/.config/folio/config.json')}\n`);
    expect((await run('--sandbox issued --limit 1')).code).toBe(0);
    expect(existsSync(ran)).toBe(false);
  });
});
