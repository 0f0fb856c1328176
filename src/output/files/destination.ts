import type { Sink } from '../writer.ts';
import { bytesOf } from './file-bytes.ts';

export interface Destination extends Sink {
  /** False for a stream, a device or a pipe. */
  readonly isFile: boolean;
  readonly bytes: number;
  /** SHA-256 of the bytes so far, in hex. Only of a destination with a receipt; else a TypeError. */
  sha256(): string;
  /** A file appears now. Rejects with OutputError, and then nothing changed. */
  commit(): Promise<void>;
  /** Leaves a file as it was. May be called at any time and repeatedly; never rejects. */
  discard(): Promise<void>;
}

export interface DirectSink extends Sink {
  readonly isTerminal: boolean;
  close?(): Promise<void>;
  abandon?(): void;
}

/**
 * Counts the bytes that pass, and hashes them where there is a receipt: that costs about as much as writing, and the runtime takes 3 ms
 * to load its hashes.
 */
export async function openTally(hashes: boolean) {
  const hash = hashes ? (await import('node:crypto')).createHash('sha256') : undefined;
  return {
    bytes: 0,
    add(chunk: Uint8Array | string): Uint8Array {
      const bytes = bytesOf(chunk);
      this.bytes += bytes.byteLength;
      hash?.update(bytes);
      return bytes;
    },
    /** SHA-256 so far, in hex. */
    sha256(): string {
      if (hash === undefined) throw new TypeError('opened without a receipt');
      return hash.copy().digest('hex');
    },
  };
}

/** Writes a destination and commits it; discards it, and rejects alike, where `write` rejects. */
export async function written(
  destination: Destination,
  write: (destination: Destination) => Promise<void>,
): Promise<Destination> {
  try {
    await write(destination);
    await destination.commit();
    return destination;
  } catch (error) {
    await destination.discard();
    throw error;
  }
}
