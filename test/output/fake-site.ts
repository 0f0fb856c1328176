import type { OutputStream } from '../../src/context.ts';
import type { DestinationContext } from '../../src/output/files/open-destination.ts';
import type { Processes } from '../../src/output/files/processes.ts';

/** Numbers that no process of Linux can have, so that what /proc says cannot get into a test. */
export const OUR_PID = 5_000_001;

/** A machine on which just the given processes run. */
export function fakeProcesses(pid = OUR_PID, alive: Iterable<number> = [pid], host = 'desk'): Processes {
  const running = new Set(alive);
  return { pid, host, look: (pid) => Promise.resolve({ alive: running.has(pid) }) };
}

interface CapturedStream extends OutputStream {
  readonly text: () => string;
}

export function capturedStream(isTerminal = false): CapturedStream {
  const chunks: Buffer[] = [];
  return {
    isTerminal,
    columns: isTerminal ? 80 : undefined,
    write: (bytes) => Promise.resolve(void chunks.push(Buffer.from(bytes))),
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

interface FakeSite extends DestinationContext {
  readonly stdout: CapturedStream;
}

/** A site whose clock stands still at 2026-11-02T08:00:00Z and whose sleeps last one turn of the event loop. */
export function fakeSite(parts: Partial<FakeSite> = {}): FakeSite {
  let seed = 0;
  return {
    stdout: capturedStream(),
    stderr: capturedStream(),
    signal: new AbortController().signal,
    processes: fakeProcesses(),
    clock: {
      now: () => Date.UTC(2026, 10, 2, 8),
      random: () => (seed = (seed + 0.618_033_988_75) % 1),
      sleep: (_milliseconds, signal) =>
        new Promise((resolve, reject) => {
          setImmediate(() => (signal.aborted ? reject(signal.reason as Error) : resolve()));
        }),
    },
    ...parts,
  };
}
