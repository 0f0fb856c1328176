import type { Destination } from './files/destination.ts';
import type { Tally } from './tally.ts';
import { TerminalGate } from './terminal-gate.ts';
import type { Sink } from './writer.ts';

/** A sink that cannot take anything back: a stream, a device, a pipe. */
export interface StraightSink extends Sink {
  readonly isTerminal: boolean;
  /** Waits until all is out, and lets go. */
  close?(): Promise<void>;
  /** Lets go at once. */
  abandon?(): void;
}

export interface StraightOptions {
  readonly tally: Tally;
  /** Whether what is written is made for terminals, with styles of its own; else a terminal gets it gated. */
  readonly styled: boolean;
}

/** A destination whose bytes are out as soon as they are written: committing ends it, discarding takes nothing back. */
export function writeStraight(sink: StraightSink, { tally, styled }: StraightOptions): Destination {
  const gate = sink.isTerminal && !styled ? new TerminalGate(sink) : undefined;
  let ended = false;
  return {
    get bytes() {
      return tally.bytes;
    },
    sha256: () => tally.sha256(),
    write: (chunk) => (gate ?? sink).write(tally.add(chunk)),
    commit: async () => {
      ended = true;
      await gate?.end();
      await sink.close?.();
    },
    discard: async () => {
      if (!ended) sink.abandon?.();
      ended = true;
    },
  };
}
