import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

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

/** Milliseconds between two looks at the memory of a process. What it had at most, the system remembers by itself. */
const LOOK = 20;

/** Runs a command to its end, its output read from a pipe and thrown away. Throws an Error when it fails. */
export function runOnce({ name, command, env = {}, mayFail = false }: Candidate): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const before = cpuOfEnded();
    const child = spawn(command[0]!, command.slice(1), {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Nothing of the outer environment: with NODE_EXTRA_CA_CERTS, Node 20 takes three times as long to start.
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', LANG: 'C.UTF-8', ...env },
    });
    let peak = 0;
    const look = setInterval(() => (peak = Math.max(peak, residentPeak(child.pid!))), LOOK);
    child.stdout.resume();
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint += String(chunk)));
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(look);
      if (code === 0 || (mayFail && code !== null))
        resolve({ seconds: (performance.now() - started) / 1000, cpu: cpuOfEnded() - before, peak });
      else reject(new Error(`${name} ended with ${code}: ${complaint}`));
    });
  });
}

/** Seconds of processors that all processes took which this one started and which have ended. Linux counts in hundredths. */
function cpuOfEnded(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return Number.NaN;
  }
}

function residentPeak(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/**
 * Runs the candidates in turn, round after round, so that all meet the machine in the same moods. One round is not counted.
 *
 * @param seconds after which no other round begins
 */
export async function measureInTurn(
  candidates: readonly Candidate[],
  rounds: number,
  seconds = Infinity,
): Promise<Map<string, Measured[]>> {
  const results = new Map<string, Measured[]>(candidates.map(({ name }) => [name, []]));
  const end = performance.now() + 1000 * seconds;
  for (const candidate of candidates) await runOnce(candidate);
  for (let round = 0; round === 0 || (round < rounds && performance.now() < end); round++) {
    for (const candidate of candidates) results.get(candidate.name)!.push(await runOnce(candidate));
  }
  return results;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** How many times as long `of` took as `than`: the median over the rounds. */
export function ratio(of: readonly Measured[], than: readonly Measured[]): number {
  return median(of.map(({ seconds }, round) => seconds / than[round]!.seconds));
}
