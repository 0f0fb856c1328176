import type { DestinationContext } from '../../src/output/files/destination.ts';
import type { Processes } from '../../src/context.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeOutput } from '../support/fake-streams.ts';

/** Numbers that no process of Linux can have, so that what /proc says cannot get into a test. */
export const OUR_PID = 5_000_001;

/** A machine on which just the given processes run. */
export function fakeProcesses(pid = OUR_PID, alive: Iterable<number> = [pid], host = 'desk'): Processes {
  const running = new Set(alive);
  return { pid, host, stateOf: (pid) => Promise.resolve({ alive: running.has(pid) }) };
}

interface FakeDestinationContext extends DestinationContext {
  readonly stdout: FakeOutput;
}

/** A context whose clock begins at 2026-11-02T08:00:00Z. */
export function destinationContext(parts: Partial<FakeDestinationContext> = {}): FakeDestinationContext {
  return {
    stdout: new FakeOutput(),
    stderr: new FakeOutput(),
    signal: new AbortController().signal,
    processes: fakeProcesses(),
    clock: new FakeClock({ now: Date.UTC(2026, 10, 2, 8), random: [0.62, 0.24, 0.85, 0.47, 0.09, 0.71] }),
    ...parts,
  };
}
