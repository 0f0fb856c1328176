import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFaultServer } from '../support/fault-server.ts';
import { ModelService, modelRecords } from '../support/model-service.ts';
import { withServer } from '../support/run-against.ts';
import { runFolio } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Run by Node before the program: at the end, says which files and which parts of the runtime were loaded. */
const SPY = `
  const { basename } = require('node:path');
  process.on('exit', () => {
    const files = Object.keys(require.cache).filter((path) => path !== __filename).map((path) => basename(path));
    const parts = process.moduleLoadList.filter((name) => name.startsWith('NativeModule '));
    process.stderr.write(JSON.stringify({ files, parts: parts.map((name) => name.slice(13)) }));
  });`;

interface Loaded {
  /** Of the program, without folders. */
  readonly files: readonly string[];
  /** Of the runtime: `crypto`, `http2`. */
  readonly parts: readonly string[];
}

async function loadedBy(args: readonly string[], env: Record<string, string> = {}): Promise<Loaded> {
  const spy = join(temporaryFolder(), 'spy.cjs');
  writeFileSync(spy, SPY);
  const { code, stderr } = await runFolio(args, { env: { ...env, NODE_OPTIONS: `--require ${spy}` } });
  expect(code).toBe(0);
  return JSON.parse(stderr) as Loaded;
}

describe('what a command loads of the built program', () => {
  it('is next to nothing for --version', async () => {
    const { files } = await loadedBy(['--version']);
    expect(files.slice(0, 3)).toEqual(['folio.js', 'load.js', 'main.js']);
    expect(files.filter((file) => !/^(folio|load|main|chunk-\w+)\.js$/.test(file))).toEqual([]);
    expect(files.length).toBeLessThan(7);
  });

  it.each([['--help'], ['issued --help'], ['received --help'], ['auth login --help']])(
    'is the command line alone for %s',
    async (line) => {
      const { files, parts } = await loadedBy(line.split(' '));
      expect(files).toContain('pack-start.js');
      expect(files.filter((file) => /^(pack-listing|undici|open-store)/.test(file))).toEqual([]);
      for (const part of ['child_process', 'crypto', 'http', 'zlib']) expect(parts).not.toContain(part);
    },
  );

  it('is in a few files for a listing, without what only other runs use', async () => {
    const server = await startFaultServer(new ModelService({ issued: modelRecords(30) }));
    await withServer(server, async () => {
      const env = { FOLIO_BASE_URL: server.baseUrl };
      const { files, parts } = await loadedBy(['issued', '--limit', '5', '--format', 'csv'], env);
      expect(files).toContain('pack-listing.js');
      expect(files.some((file) => file.startsWith('undici-transport'))).toBe(true);
      expect(files.length).toBeLessThan(15);
      const others = /^(source|table|dialect-rows|resume|whole-file|write-store|server|xlsx|certificate)-/;
      expect(files.filter((file) => others.test(file))).toEqual([]);
      for (const part of ['child_process', 'crypto', 'http', 'http2', 'tls', 'zlib']) {
        expect(parts).not.toContain(part);
      }
    });
  });

  it('is compiled already, and compiles where what was made of it is of no use', async () => {
    const folder = temporaryFolder();
    for (const name of ['bin', 'dist', 'package.json']) {
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    }
    const accepted = `
      const { load, scripts } = require(${JSON.stringify(join(folder, 'bin/load.js'))});
      load('pack-start.js');
      console.log([...scripts.values()].every((script) => script.cachedDataRejected === false));`;
    const check = (): string => execFileSync(process.execPath, ['-e', accepted], { encoding: 'utf8' }).trim();
    const help = (): string =>
      execFileSync(process.execPath, [join(folder, 'bin/folio.js'), '--help'], { encoding: 'utf8' });
    const text = help();
    expect(check()).toBe('true');
    const caches = readdirSync(join(folder, 'dist')).filter((name) => name.endsWith('.cache'));
    for (const name of caches) truncateSync(join(folder, 'dist', name), 100);
    expect(check()).toBe('false');
    expect(help()).toBe(text);
    for (const name of caches) rmSync(join(folder, 'dist', name));
    expect(help()).toBe(text);
  });
});
