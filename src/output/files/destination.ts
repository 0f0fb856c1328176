import type { Sink } from '../writer.ts';

/** Where a run's result goes, with an end: it is either committed, or given up. */
export interface Destination extends Sink {
  /** Bytes taken so far. */
  readonly bytes: number;
  /** SHA-256 of the bytes so far, in hex. Only of a destination opened with `digest`; else a TypeError. */
  sha256(): string;
  /** Completes the result; a file appears under its name now. Rejects with OutputError, and then nothing changed. */
  commit(): Promise<void>;
  /** Leaves a file as it was before, and nothing beside it. May be called at any time and repeatedly; never rejects. */
  discard(): Promise<void>;
}
