import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/profiles/store.ts';
import type { ConfigStore } from '../../src/profiles/config-store.ts';
import { Interrupted } from '../../src/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function open(
  folder: string,
  signal = new AbortController().signal,
  clock = new FakeClock(),
): Promise<ConfigStore> {
  return openStore({ env: { FOLIO_CONFIG_DIR: folder }, clock, signal, uid: process.getuid?.() });
}

function settingsIn(folder: string): Record<string, unknown> {
  const document = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as {
    settings: Record<string, unknown>;
  };
  return document.settings;
}

describe('writers at the same time', () => {
  it('each keep what the others wrote', async () => {
    const folder = temporaryFolder();
    const writers = await Promise.all(Array.from({ length: 20 }, () => open(folder)));
    await Promise.all(
      writers.map((store, n) =>
        store.update((document) => {
          document.settings[`key${n}`] = n;
        }),
      ),
    );
    expect(Object.keys(settingsIn(folder))).toHaveLength(20);
    expect(readdirSync(folder)).toEqual(['config.json']);
  });

  it('do so as processes', async () => {
    const folder = temporaryFolder();
    const script = join(temporaryFolder(), 'writer.mjs');
    buildSync({
      stdin: {
        contents: `
          import { openStore } from './src/profiles/store.ts';
          const realClock = { now: Date.now, random: Math.random, sleep: (ms) => new Promise((done) => setTimeout(done, ms)) };
          const { signal } = new AbortController();
          const [folder, name] = process.argv.slice(2);
          for (let n = 0; n < 10; n++) {
            const store = await openStore({ env: { FOLIO_CONFIG_DIR: folder }, clock: realClock, signal, uid: process.getuid?.() });
            await store.update((document) => { document.settings[name + n] = n; });
          }`,
        resolveDir: process.cwd(),
      },
      outfile: script,
      bundle: true,
      format: 'esm',
      platform: 'node',
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    const run = promisify(execFile);
    await Promise.all(['a', 'b', 'c'].map((name) => run(process.execPath, [script, folder, name])));
    expect(Object.keys(settingsIn(folder))).toHaveLength(30);
    expect(readdirSync(folder)).toEqual(['config.json']);
  });
});

describe('the lock of a run that died', () => {
  it('is taken over, with the half-written file in it', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'config.json.lock'));
    writeFileSync(join(folder, 'config.json.lock', 'config.json.tmp-1'), '{"half":');
    const clock = new FakeClock();
    const store = await open(folder, undefined, clock);
    await store.update((document) => {
      document.settings['format'] = 'csv';
    });
    expect(settingsIn(folder)).toEqual({ format: 'csv' });
    expect(readdirSync(folder)).toEqual(['config.json']);
    expect(clock.sleeps).toHaveLength(200);
  });

  it('is waited for no longer than the user wants', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'config.json.lock'));
    const stop = new AbortController();
    const store = await open(folder, stop.signal);
    const update = store.update(() => {});
    stop.abort(new Interrupted('SIGINT'));
    await expect(update).rejects.toBeInstanceOf(Interrupted);
    expect(readdirSync(folder)).toEqual(['config.json.lock']);
  });
});

it('begins again when another run took it for dead and wrote meanwhile', async () => {
  const folder = temporaryFolder();
  const store = await open(folder);
  const attempts: unknown[] = [];
  await store.update((document) => {
    attempts.push(document.settings['other']);
    if (attempts.length === 1) {
      renameSync(join(folder, 'config.json.lock'), join(folder, 'taken'));
      writeFileSync(join(folder, 'config.json'), '{"settings":{"other":1}}', { mode: 0o600 });
    }
    document.settings['own'] = 2;
  });
  expect(attempts).toEqual([undefined, 1]);
  expect(settingsIn(folder)).toEqual({ other: 1, own: 2 });
});
