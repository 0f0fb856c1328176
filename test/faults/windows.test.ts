import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFolio, type FolioExit } from '../support/run-folio.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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

/** Windows has Ctrl-Break beside Ctrl-C. Here it is pressed as soon as somebody listens. */
const WITH_BREAK = `${AS_WINDOWS}
  let pressed = false;
  process.on('newListener', (name) => {
    if (name !== 'SIGBREAK' || pressed) return;
    pressed = true;
    setImmediate(() => process.emit('SIGBREAK'));
  });
`;

interface WindowsRun {
  readonly folder: string;
  readonly pretence?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function runOnWindows(args: readonly string[], { folder, pretence, env }: WindowsRun): Promise<FolioExit> {
  const preload = join(temporaryFolder(), 'windows.cjs');
  writeFileSync(preload, pretence ?? AS_WINDOWS);
  const given = { FOLIO_TOKEN: undefined, NODE_OPTIONS: `--require ${preload}`, ...env };
  return runFolio(args, { env: given, cwd: folder });
}

describe.concurrent('on Windows', () => {
  it('a file appears, though another program has the old one open for a moment', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'out.csv'), 'old');
    const args = ['--sandbox', 'issued', '--limit', '3', '--columns', 'number', '-o', 'out.csv'];
    expect(await runOnWindows(args, { folder, env: { HELD: '2' } })).toMatchObject({ code: 0, signal: null });
    expect(readFileSync(join(folder, 'out.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(4);
    expect(readdirSync(folder)).toEqual(['out.csv']);
  });

  it('a file and a folder of downloads appear on a drive that does not tell its real path', async () => {
    const folder = temporaryFolder();
    const pretence = `${AS_WINDOWS}
      fs.realpath = async () => {
        throw Object.assign(new Error('UNKNOWN: unknown error, realpath'), { code: 'UNKNOWN' });
      };`;
    for (const args of [
      ['issued', '--limit', '1', '-o', 'out.csv'],
      ['issued', 'download', 'files', '--limit', '1'],
    ])
      expect(await runOnWindows(['--sandbox', ...args], { folder, pretence })).toMatchObject({ code: 0 });
    expect(readdirSync(folder).toSorted()).toEqual(['files', 'out.csv']);
  });

  it('a file that stays open stays as it was, and the program says who has it', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'out.csv'), 'old');
    const args = ['--sandbox', 'issued', '--limit', '3', '-o', 'out.csv'];
    const { code, stderr } = await runOnWindows(args, { folder, env: { HELD: '99' } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        'folio: cannot write out.csv: another program has it open, or it may not be replaced\n',
      ),
    });
    expect(readFileSync(join(folder, 'out.csv'), 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['out.csv']);
  });

  it('a device is no file', async () => {
    const folder = temporaryFolder();
    const args = ['--sandbox', 'issued', '--limit', '3', '--format', 'csv', '-o', 'NUL'];
    const { code, stderr } = await runOnWindows(args, { folder });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('folio: cannot write NUL: Windows takes NUL for a device\n'),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('profiles are kept and read where there are no user numbers and no modes', async () => {
    const folder = temporaryFolder();
    const store = join(folder, 'config');
    mkdirSync(store);
    const env = { FOLIO_CONFIG_DIR: store };
    expect(await runOnWindows(['config', 'set', 'format', 'csv'], { folder, env })).toMatchObject({
      code: 0,
    });
    chmodSync(store, 0o777);
    chmodSync(join(store, 'config.json'), 0o666);
    const { code, stdout } = await runOnWindows(['config', 'get', 'format'], { folder, env });
    expect([code, stdout.toString()]).toEqual([0, 'csv\n']);
    const doctor = await runOnWindows(['doctor'], { folder, env });
    expect(doctor.stdout.toString()).toContain(
      `${join(store, 'config.json')}: as private as your other files; 0 profiles`,
    );
  });

  it('Ctrl-Break stops a run as Ctrl-C does', async () => {
    const folder = temporaryFolder();
    const args = ['--sandbox', 'issued', '-o', 'out.csv'];
    const { code, stderr } = await runOnWindows(args, { folder, pretence: WITH_BREAK });
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: 'folio: stopped by SIGINT\n  out.csv was not written.\n',
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a list as programs of Windows write it', () => {
  const text = '60155445-3\r\n60155520-4\r\n';
  it.each([
    ['ends lines in two characters', Buffer.from(text)],
    ['begins with the mark of UTF-8', Buffer.from(`\ufeff${text}`)],
    ['is in UTF-16, as `>` of PowerShell 5.1 makes it', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['is in UTF-16 the other way round', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('%s', async (_, bytes) => {
    const list = join(temporaryFolder(), 'ids.txt');
    writeFileSync(list, bytes);
    const asked = ['--sandbox', 'issued', '--columns', 'customer.fiscalId', '--customer-fiscal-id'];
    const { code, stdout, stderr } = await runHere([...asked, `@${list}`], { awkward: false });
    const inArgument = await runHere([...asked, '60155445-3,60155520-4'], { awkward: false });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(new Set(stdout.toString().trimEnd().split('\n').slice(1)).size).toBe(2);
    expect(stdout.toString()).toBe(inArgument.stdout.toString());
    const piped = await runHere([...asked, '@-'], { awkward: false, input: text });
    expect(piped.stdout.toString()).toBe(inArgument.stdout.toString());
  });

  it('a token file in UTF-16 holds a token', async () => {
    const file = join(temporaryFolder(), 'token.txt');
    writeFileSync(file, Buffer.from('\ufeffa-token\r\n', 'utf16le'), { mode: 0o600 });
    const args = ['issued', '--base-url', 'http://127.0.0.1:9/v1', '--retries', '0', '--token-file', file];
    const { code, stderr } = await runHere(args, { env: { FOLIO_TOKEN: undefined } });
    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('could not reach 127.0.0.1:9'),
    });
  });
});

describe('an export that a program of Windows saved anew', () => {
  const asked = (bytes: Uint8Array) => {
    const file = join(temporaryFolder(), 'old.jsonl');
    writeFileSync(file, bytes);
    return runHere(['issued', '--from', file, '--where', 'name~Viña 😀', '--count'], {
      env: { FOLIO_TOKEN: undefined },
    });
  };
  const record = '{"name":"Viña 😀"}';

  it.each([
    ['in the code page of Windows', Buffer.from('{"name":"Viña"}\r\n', 'latin1')],
    ['cut within a letter', Buffer.from('{"name":"x"}\n{"name":"Viñ').subarray(0, -1)],
    ['in UTF-16', Buffer.from(`\ufeff${record}\r\n`, 'utf16le')],
  ])('is refused: %s', async (_, bytes) => {
    const { code, stdout, stderr } = await asked(bytes);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('old.jsonl');
  });

  it('is read with the mark of UTF-8 and lines that end in two characters', async () => {
    const { stdout, stderr } = await asked(Buffer.from(`\ufeff${`${record}\r\n`.repeat(30)}`));
    expect([stdout.toString(), stderr]).toEqual(['30\n', '']);
  });
});
