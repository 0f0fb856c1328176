import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFolio } from '../support/run-folio.ts';
import { runHere } from '../support/run-here.ts';
import { fileOf, temporaryFolder } from '../support/temporary-folder.ts';

/** What the program sees of Windows, as far as another system can pretend to it: its name, no user numbers, renames that wait. */
const AS_WINDOWS = `
  const fs = require('node:fs/promises');
  Object.defineProperty(process, 'platform', { value: 'win32' });
  process.getuid = undefined;
  const rename = fs.rename;
  let held = Number(process.env.HELD ?? 0);
  fs.rename = async (from, to) => {
    if (held-- > 0) throw Object.assign(new Error('EPERM: operation not permitted, rename'), { code: 'EPERM' });
    return rename(from, to);
  };
  require('node:module').syncBuiltinESMExports();
`;

/** Ctrl-Break, pressed as soon as somebody listens. The program does not kill itself, however long it takes to load. */
const WITH_BREAK = `
  process.kill = () => true;
  let pressed = false;
  process.on('newListener', (name) => {
    if (name !== 'SIGBREAK' || pressed) return;
    pressed = true;
    setImmediate(() => process.emit('SIGBREAK'));
  });
`;

const WITHOUT_REAL_PATHS = `
  fs.realpath = async () => {
    throw Object.assign(new Error('UNKNOWN: unknown error, realpath'), { code: 'UNKNOWN' });
  };
`;

/** Runs the program in the folder, as on Windows and with what a script does besides. */
async function runOnWindows(line: string, folder: string, env: Record<string, string> = {}, script = '') {
  const preload = fileOf(AS_WINDOWS + script, 'windows.cjs');
  const { code, stdout, stderr } = await runFolio(line.split(' '), {
    env: { FOLIO_TOKEN: undefined, NODE_OPTIONS: `--require ${preload}`, ...env },
    cwd: folder,
  });
  return { code, stdout: stdout.toString(), stderr };
}

describe.concurrent('on Windows', () => {
  it('a file appears, though another program has the old one open for a moment', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'out.csv'), 'old');
    const line = '--sandbox issued --limit 3 --columns number -o out.csv';
    expect(await runOnWindows(line, folder, { HELD: '2' })).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'out.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(4);
    expect(readdirSync(folder)).toEqual(['out.csv']);
  });

  it('a file and a folder of downloads appear on a drive that does not tell its real path', async () => {
    const folder = temporaryFolder();
    for (const what of ['-o out.csv', 'download files']) {
      const exit = await runOnWindows(`--sandbox issued ${what} --limit 1`, folder, {}, WITHOUT_REAL_PATHS);
      expect(exit).toMatchObject({ code: 0 });
    }
    expect(readdirSync(folder).toSorted()).toEqual(['files', 'out.csv']);
  });

  it.each([
    ['a file that stays open stays as it was, and the program says who has it', 'out.csv', '99', ['out.csv']],
    ['a device is not a file', 'NUL', '0', []],
  ])('%s', async (_, output, HELD, files) => {
    const folder = temporaryFolder();
    for (const file of files) writeFileSync(join(folder, file), 'old');
    const line = `--sandbox issued --limit 3 --format csv -o ${output}`;
    const { code, stderr } = await runOnWindows(line, folder, { HELD });
    const says =
      output === 'NUL'
        ? 'folio: cannot write NUL: Windows takes NUL for a device\n'
        : 'folio: cannot write out.csv: another program has it open, or it may not be replaced\n';
    expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
    expect(readdirSync(folder)).toEqual(files);
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).toBe('old');
  });

  it('profiles are kept and read where there are no user numbers and no modes', async () => {
    const folder = temporaryFolder();
    const store = join(folder, 'config');
    mkdirSync(store);
    const env = { FOLIO_CONFIG_DIR: store };
    expect(await runOnWindows('config set format csv', folder, env)).toMatchObject({ code: 0 });
    chmodSync(store, 0o777);
    chmodSync(join(store, 'config.json'), 0o666);
    expect(await runOnWindows('config get format', folder, env)).toMatchObject({ code: 0, stdout: 'csv\n' });
    const says = `${join(store, 'config.json')}: as private as your other files; 0 profiles`;
    expect((await runOnWindows('doctor', folder, env)).stdout).toContain(says);
  });

  it('Ctrl-Break stops a run as Ctrl-C does', async () => {
    const folder = temporaryFolder();
    const exit = await runOnWindows('--sandbox issued -o out.csv', folder, {}, WITH_BREAK);
    expect(exit).toMatchObject({ code: 130, stderr: 'folio: stopped by SIGINT\n' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a list as programs of Windows write it', () => {
  const text = '60155445-3\r\n60155520-4\r\n';
  const request = ['--sandbox', 'issued', '--columns', 'customer.fiscalId', '--customer-fiscal-id'];
  const listed = (ids: string, input = '') => runHere([...request, ids], { awkward: false, input });
  it.each([
    ['ends lines in two characters', Buffer.from(text)],
    ['begins with the mark of UTF-8', Buffer.from(`\ufeff${text}`)],
    ['is in UTF-16, as `>` of PowerShell 5.1 makes it', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['is in UTF-16 the other way round', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('%s', async (_, bytes) => {
    const list = fileOf(bytes, 'ids.txt');
    const inArgument = await listed('60155445-3,60155520-4');
    expect(new Set(inArgument.stdout.toString().trimEnd().split('\n').slice(1)).size).toBe(2);
    expect(await listed(`@${list}`)).toEqual({ ...inArgument, code: 0, stderr: '' });
    expect(await listed('@-', text)).toEqual(inArgument);
  });

  it('a token file in UTF-16 holds a token', async () => {
    const file = fileOf(Buffer.from('\ufeffa-token\r\n', 'utf16le'), 'token.txt');
    const args = ['issued', '--base-url', 'http://127.0.0.1:9/v1', '--retries', '0', '--token-file', file];
    const { code, stderr } = await runHere(args, { env: { FOLIO_TOKEN: undefined } });
    expect([code, stderr]).toEqual([5, expect.stringContaining('could not reach 127.0.0.1:9')]);
  });
});

describe('an export that a program of Windows saved anew', () => {
  const count = (bytes: Uint8Array) => {
    const file = fileOf(bytes, 'old.jsonl');
    const args = ['issued', '--from', file, '--where', 'name~Viña 😀', '--count'];
    return runHere(args, { env: { FOLIO_TOKEN: undefined } });
  };
  const record = '{"name":"Viña 😀"}';

  it.each([
    ['in the code page of Windows', Buffer.from('{"name":"Viña"}\r\n', 'latin1')],
    ['cut within a letter', Buffer.from('{"name":"x"}\n{"name":"Viñ').subarray(0, -1)],
    ['in UTF-16', Buffer.from(`\ufeff${record}\r\n`, 'utf16le')],
  ])('is refused: %s', async (_, bytes) => {
    const { code, stdout, stderr } = await count(bytes);
    expect([code, stdout.toString(), stderr]).toEqual([2, '', expect.stringContaining('old.jsonl')]);
  });

  it('is read with the mark of UTF-8 and lines that end in two characters', async () => {
    const { stdout, stderr } = await count(Buffer.from(`\ufeff${`${record}\r\n`.repeat(30)}`));
    expect([stdout.toString(), stderr]).toEqual(['30\n', '']);
  });
});
