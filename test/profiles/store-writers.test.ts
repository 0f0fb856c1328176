import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockTarget } from '../../src/output/files/lock.ts';
import { processTable } from '../../src/output/files/processes.ts';
import { openStore } from '../../src/profiles/store.ts';
import type { ConfigStore } from '../../src/profiles/profile.ts';
import { Interrupted } from '../../src/errors.ts';
import { bundleProgram } from '../support/bundle-program.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function open(
  folder: string,
  signal = new AbortController().signal,
  clock = new FakeClock(),
): Promise<ConfigStore> {
  return openStore({
    env: { FOLIO_CONFIG_DIR: folder },
    clock,
    processes: processTable(process),
    signal,
    uid: process.getuid?.(),
  });
}

function settingsIn(folder: string): Record<string, unknown> {
  const document = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as {
    settings: Record<string, unknown>;
  };
  return document.settings;
}

describe('writers at the same time', () => {
  it('do so as processes', async () => {
    const folder = temporaryFolder();
    const script = await bundleProgram(`
          import { processTable } from './src/output/files/processes.ts';
          import { openStore } from './src/profiles/store.ts';
          const realClock = { now: Date.now, random: Math.random, sleep: (ms) => new Promise((done) => setTimeout(done, ms)) };
          const { signal } = new AbortController();
          const [folder, name] = process.argv.slice(2);
          for (let n = 0; n < 10; n++) {
            const store = await openStore({ env: { FOLIO_CONFIG_DIR: folder }, clock: realClock, processes: processTable(process), signal, uid: process.getuid?.() });
            await store.update((document) => { document.settings[name + n] = n; });
          }`);
    const writers = ['a', 'b', 'c'].map((name) => startProgram('node', [script, folder, name]));
    const exits = await Promise.all(writers.map((writer) => once(writer, 'exit')));
    expect(exits).toEqual([0, 0, 0].map((code) => [code, null]));
    expect(Object.keys(settingsIn(folder))).toHaveLength(30);
    expect(readdirSync(folder)).toEqual(['config.json']);
  });
});

/** The lock of a process that is no more. */
const { host, namespace } = processTable(process);
const staleLock = JSON.stringify({ pid: 2 ** 30, host, namespace, startedAt: '2026-01-01' });

describe('what a run that died left behind', () => {
  it('is taken over: its lock and the half-written file', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.config.json.folio-lock'), staleLock);
    writeFileSync(join(folder, 'config.json.tmp-1234567890abcdef'), '{"half":');
    writeFileSync(join(folder, 'config.json.tmp-notes'), 'of the user');
    const clock = new FakeClock();
    const store = await open(folder, undefined, clock);
    await store.update((document) => {
      document.settings['format'] = 'csv';
    });
    expect(settingsIn(folder)).toEqual({ format: 'csv' });
    expect(readdirSync(folder)).toEqual(['config.json', 'config.json.tmp-notes']);
    expect(clock.sleeps).toEqual([]);
  });
});

describe('a run that writes', () => {
  const holdLock = (folder: string): ReturnType<typeof lockTarget> =>
    lockTarget(
      { folder, name: 'config.json', shown: 'config.json' },
      { clock: new FakeClock(), processes: processTable(process), signal: new AbortController().signal },
    );

  it('is waited for no longer than the user wants', async () => {
    const folder = temporaryFolder();
    const lock = await holdLock(folder);
    const stop = new AbortController();
    const store = await open(folder, stop.signal);
    const update = store.update(() => {});
    stop.abort(new Interrupted('SIGINT'));
    await expect(update).rejects.toBeInstanceOf(Interrupted);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is waited for ten seconds, and then named', async () => {
    const folder = temporaryFolder();
    const lock = await holdLock(folder);
    const clock = new FakeClock();
    const store = await open(folder, undefined, clock);
    await expect(store.update(() => {})).rejects.toMatchObject({
      name: 'OutputError',
      message: expect.stringContaining(`is writing ${join(folder, 'config.json')}`) as string,
    });
    expect(clock.sleeps.reduce((sum, sleep) => sum + sleep, 0)).toBe(10_000);
    await lock.release();
  });

  it('begins again when another took its lock over and wrote meanwhile', async () => {
    const folder = temporaryFolder();
    const store = await open(folder);
    const attempts: unknown[] = [];
    await store.update((document) => {
      attempts.push(document.settings['other']);
      if (attempts.length === 1) {
        writeFileSync(join(folder, '.config.json.folio-lock'), staleLock);
        writeFileSync(join(folder, 'config.json'), '{"settings":{"other":1}}', { mode: 0o600 });
      }
      document.settings['own'] = 2;
    });
    expect(attempts).toEqual([undefined, 1]);
    expect(settingsIn(folder)).toEqual({ other: 1, own: 2 });
    expect(readdirSync(folder)).toEqual(['config.json']);
  });
});
