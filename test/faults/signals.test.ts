import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFaultServer, quickly, withServer } from '../support/run-against.ts';
import type { HttpService } from '../support/servers.ts';
import { from, silence, status } from '../support/faults.ts';
import { ModelService, modelRecords } from '../support/model-service.ts';
import { startFolio } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const issued = modelRecords(200);
/** Milliseconds after a signal until a program that hangs is killed, and its code is none. Promised are 2 s where nothing else runs. */
const HUNG = 20_000;

/** Runs an export into a file and sends it signals once the server has been asked so often. */
async function interrupted(server: HttpService, signals: readonly NodeJS.Signals[], requests: number) {
  const folder = temporaryFolder();
  const file = join(folder, 'out.csv');
  await writeFile(file, 'old\n');
  const { process, exit } = startFolio(quickly(['issued', '--page-size', '10', '-o', file], server));
  await server.asked(requests);
  for (const signal of signals) process.kill(signal);
  const timer = setTimeout(() => process.kill('SIGKILL'), HUNG);
  const { code, signal, stderr } = await exit;
  clearTimeout(timer);
  const left = { files: await readdir(folder), text: await readFile(file, 'utf8') };
  return { code, signal, stderr: stderr.replaceAll(file, 'FILE'), left };
}

const UNTOUCHED = { files: ['out.csv'], text: 'old\n' };

describe.concurrent('a run that is told to stop', () => {
  it.each([
    ['SIGINT', 130, 'while the service is silent', silence],
    ['SIGTERM', 143, 'while the service is silent', silence],
    ['SIGINT', 130, 'between two tries', status(503, { 'retry-after': '100' })],
    ['SIGTERM', 143, 'between two tries', status(429, { 'retry-after': '100' })],
  ] as const)('by %s ends with %i %s, the old file in its place', async (signal, code, _, fault) => {
    const server = await startFaultServer(new ModelService({ issued }), from(3, fault));
    const ended = await withServer(server, () => interrupted(server, [signal], 4));
    const stderr = `folio: stopped by ${signal}\n  FILE is as it was before.\n`;
    expect(ended).toEqual({ code, signal: null, stderr, left: UNTOUCHED });
  });

  it('twice ends at once', async () => {
    const server = await startFaultServer(new ModelService({ issued }), from(3, silence));
    const { code, signal, left } = await withServer(server, () =>
      interrupted(server, ['SIGINT', 'SIGINT'], 4),
    );
    // Ended by the signal itself, or just before it: a shell sees 130 for both.
    expect(code ?? signal).toBeOneOf([130, 'SIGINT']);
    expect(left.text).toBe('old\n');
  });
});
