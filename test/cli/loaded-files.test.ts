import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFaultServer } from '../support/run-against.ts';
import { modelRecords } from '../support/model-service.ts';
import { runFolio } from '../support/run-folio.ts';
import { fileOf } from '../support/temporary-folder.ts';

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

async function loadedBy(
  args: readonly string[],
  env: Record<string, string> = {},
  expectedCode = 0,
): Promise<Loaded> {
  const spy = fileOf(SPY, 'spy.cjs');
  const { code, stderr } = await runFolio(args, { env: { ...env, NODE_OPTIONS: `--require ${spy}` } });
  expect(code).toBe(expectedCode);
  return JSON.parse(stderr.slice(stderr.indexOf('{"files"'))) as Loaded;
}

describe('what a command loads of the built program', () => {
  it('is next to nothing for --version', async () => {
    const { files } = await loadedBy(['--version']);
    expect(files.slice(0, 2)).toEqual(['folio.js', 'main.js']);
    expect(files.filter((file) => !/^(folio|main|version|rolldown-runtime)\.js$/.test(file))).toEqual([]);
  });

  const HELPS = [['--help'], ['issued --help'], ['received --help'], ['auth login --help']];
  it.each(HELPS)('is the command line alone for %s', async (line) => {
    const { files, parts } = await loadedBy(line.split(' '));
    expect(files.filter((file) => /^(listing|undici-transport)\.js$/.test(file))).toEqual([]);
    for (const part of ['crypto', 'http2', 'tls', 'zlib']) expect(parts).not.toContain(part);
  });

  it('is for a listing without what only other runs use', async () => {
    const server = await startFaultServer({ issued: modelRecords(30) });
    const env = { FOLIO_BASE_URL: server.baseUrl };
    const { files, parts } = await loadedBy(['issued', '--limit', '5', '--format', 'csv'], env);
    expect(files.some((file) => file.startsWith('undici-transport'))).toBe(true);
    const others = /^(source|serve-assistant|table|csv-dialect|whole-file|server|xlsx|certificate)\.js$/;
    expect(files.filter((file) => others.test(file))).toEqual([]);
    // Not crypto, which the identity of records loads: a service is asked over TLS, which loads it in any case.
    for (const part of ['fs/promises', 'http2', 'perf_hooks', 'tls', 'zlib'])
      expect(parts).not.toContain(part);
  });

  it('is TLS, for a service behind it, before a flag is set that has Node 20 compile what it loads afterwards', async () => {
    const env = { FOLIO_BASE_URL: 'https://127.0.0.1:1/v1' };
    const { parts } = await loadedBy(['issued', '--limit', '5', '--retries', '0'], env, 5);
    const flag = parts.indexOf('v8');
    expect(flag === -1 ? parts : parts.slice(0, flag)).toContain('tls');
  });
});

describe('what ships', () => {
  const dist = join(ROOT, 'dist');
  const names = readdirSync(dist).filter((name) => name.endsWith('.js'));

  it('is text that Node itself loads, each file by its name', () => {
    const bin = readdirSync(join(ROOT, 'bin'));
    expect(bin.toSorted()).toEqual(['folio.js', 'package.json']);
    const others = readdirSync(dist).filter((name) => !names.includes(name));
    expect(others.toSorted()).toEqual(['NOTICES.txt', 'man', 'package.json']);
    for (const name of names) {
      const text = readFileSync(join(dist, name), 'utf8');
      const required = [...text.matchAll(/\brequire\("(\.[^"]+)"\)/g)].map(([, path]) => path!.slice(2));
      expect(required.filter((path) => !names.includes(path))).toEqual([]);
    }
  });
});
