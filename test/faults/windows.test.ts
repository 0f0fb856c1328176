import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFolio, type FolioExit } from '../support/run-folio.ts';
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
    const args = ['--sandbox', 'issued', '--limit', '3', '--columns', 'number', '-o', 'out.csv', '--resume'];
    expect(await runOnWindows(args, { folder, env: { HELD: '2' } })).toMatchObject({ code: 0, signal: null });
    expect(readFileSync(join(folder, 'out.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(4);
    expect(readdirSync(folder)).toEqual(['out.csv']);
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
    expect({ code, stderr }).toEqual({ code: 130, stderr: 'folio: stopped by SIGINT\n' });
    expect(readdirSync(folder)).toEqual([]);
  });
});
