import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { from, silence, status, type Fault } from '../support/faults.ts';
import { modelRecords } from '../support/model-service.ts';
import { quickly, startFaultServer } from '../support/run-against.ts';
import { startFolio } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Milliseconds after a signal until a program that hangs is killed, and its code is none. Promised are 2 s where nothing else runs. */
const HUNG = 20_000;

/** Runs an export into a file and sends it signals at its fourth request, from which on there is this fault. */
async function interrupted(fault: Fault, ...signals: readonly NodeJS.Signals[]) {
  const folder = temporaryFolder();
  const file = join(folder, 'out.csv');
  writeFileSync(file, 'old\n');
  const server = await startFaultServer({ issued: modelRecords(200) }, from(3, fault));
  const { process, exit } = startFolio(quickly(['issued', '--page-size', '10', '-o', file], server));
  await server.received(4);
  for (const signal of signals) process.kill(signal);
  const timer = setTimeout(() => process.kill('SIGKILL'), HUNG);
  const { code, signal, stderr } = await exit;
  clearTimeout(timer);
  const [files, text] = [readdirSync(folder), readFileSync(file, 'utf8')];
  return { code, signal, stderr: stderr.replaceAll(file, 'FILE'), files, text };
}

describe.concurrent('a run that is told to stop', () => {
  it.each([
    ['SIGINT', 130, 'while the service is silent', silence],
    ['SIGTERM', 143, 'while the service is silent', silence],
    ['SIGINT', 130, 'between two tries', status(503, { 'retry-after': '100' })],
    ['SIGTERM', 143, 'between two tries', status(429, { 'retry-after': '100' })],
  ] as const)('by %s ends with %i %s, the old file in its place', async (signal, code, _, fault) => {
    expect(await interrupted(fault, signal)).toEqual({
      ...{ code, signal: null, stderr: `folio: stopped by ${signal}\n` },
      ...{ files: ['out.csv'], text: 'old\n' },
    });
  });

  it('twice ends at once', async () => {
    const { code, signal, text } = await interrupted(silence, 'SIGINT', 'SIGINT');
    // Ended by the signal itself, or just before it: a shell sees 130 for both.
    expect(code ?? signal).toBeOneOf([130, 'SIGINT']);
    expect(text).toBe('old\n');
  });
});
