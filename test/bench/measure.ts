import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The built program, run by this Node. The bundle of these files is one folder below the root of the project. */
export function folio(...args: string[]): string[] {
  return [process.execPath, join(import.meta.dirname, '../bin/folio.js'), ...args];
}

export interface Candidate {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it may end with an error. */
  readonly mayFail?: boolean;
}

export interface Measured {
  /** From the start of the process to its end. */
  readonly seconds: number;
  /** Seconds that the processors worked for it and for all that it ran, in the program and in the system; NaN where the system does not say. */
  readonly cpu: number;
  /** MiB that were in memory at once, of the process itself; 0 where the system does not say. */
  readonly peak: number;
}

/** Milliseconds between two readings of the memory of a process. What it had at most, the system remembers by itself. */
const INTERVAL = 20;

/** Runs a command to its end, its output read from a pipe and thrown away. Throws an Error when it fails. */
export async function runOnce({ name, command, env = {}, mayFail = false }: Candidate): Promise<Measured> {
  const started = performance.now();
  const before = cpuOfEnded();
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing of the outer environment: with NODE_EXTRA_CA_CERTS, Node 20 takes three times as long to start.
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', LANG: 'C.UTF-8', ...env },
  });
  let peak = 0;
  const reading = setInterval(() => (peak = Math.max(peak, residentPeak(child.pid!))), INTERVAL);
  child.stdout.resume();
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(reading);
  if (code !== 0 && !(mayFail && code !== null)) throw new Error(`${name} ended with ${code}: ${complaint}`);
  return { seconds: (performance.now() - started) / 1000, cpu: cpuOfEnded() - before, peak };
}

/** Seconds of processors that all processes took which this one started and which have ended. Linux counts in hundredths. */
function cpuOfEnded(): number {
  const fields = /.*\) (.*)/s.exec(readProcess('self/stat'))?.[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function residentPeak(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readProcess(`${pid}/status`))?.[1] ?? 0) / 1024;
}

function readProcess(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return '';
  }
}

/** Runs the candidates in turn, round after round, so that all meet the machine in the same moods. One round is not counted. */
export async function measureInTurn(
  candidates: readonly Candidate[],
  rounds: number,
): Promise<Map<string, Measured[]>> {
  const results = new Map<string, Measured[]>(candidates.map(({ name }) => [name, []]));
  for (const candidate of candidates) await runOnce(candidate);
  for (let round = 0; round < rounds; round++) {
    for (const candidate of candidates) results.get(candidate.name)!.push(await runOnce(candidate));
  }
  return results;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** How many times as much of a figure `of` took as `than`: the median over the rounds. */
export function ratio(
  of: readonly Measured[],
  than: readonly Measured[],
  figure: 'seconds' | 'cpu' = 'seconds',
): string {
  const value = median(of.map((run, round) => run[figure] / than[round]![figure]));
  return value.toFixed(value < 10 ? 2 : 1);
}

/** The median of a figure, with its unit. */
export function figureOf(runs: readonly Measured[], figure: keyof Measured): string {
  const value = median(runs.map((run) => run[figure]));
  if (figure === 'peak') return `${Math.round(value)} MiB`;
  return `${value < 1 && figure === 'seconds' ? value.toFixed(3) : value.toFixed(2)} s`;
}

/** Prints a table that Markdown reads as one too. */
export function printTable(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]!.length)),
  );
  process.stdout.write(`\n${title}\n\n`);
  for (const row of [heads, widths.map((width) => '-'.repeat(width)), ...rows])
    process.stdout.write(`| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`);
}

/** The service that is measured against, in a process of its own. */
interface Service {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** The environment in which folio asks it. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the service of issued invoices, and stops it when the work is done. The work begins when all pages of that size are ready. */
export async function withService(
  [records, pageSize]: readonly [records: number, pageSize: number],
  work: (service: Service) => Promise<void>,
): Promise<void> {
  const script = join(import.meta.dirname, 'page-server.mjs');
  const child = spawn(process.execPath, [script, String(records), String(pageSize)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const baseUrl = `http://127.0.0.1:${String(port).trim()}/v1`;
    const env = {
      FOLIO_BASE_URL: baseUrl,
      FOLIO_TOKEN: 'token-of-nobody',
      FOLIO_CONFIG_DIR: '/proc/nonexistent',
    };
    await work({ baseUrl, env });
  } finally {
    child.kill();
  }
}
