import { rename as renameFile } from 'node:fs/promises';
import { platform as systemPlatform } from 'node:os';
import type { Clock } from '../../context.ts';
import { errorCode, OutputError } from '../../errors.ts';

export interface PlaceContext {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Ends the wait for another program. */
  readonly signal: AbortSignal;
}

interface PlaceOptions extends PlaceContext {
  /** How messages call the file. */
  readonly shown: string;
  /** As `process.platform`. */
  readonly platform?: string;
  readonly rename?: (from: string, to: string) => Promise<void>;
}

/** What Windows says while another program has the file open: a spreadsheet, a virus scanner, an indexer. */
const HELD = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** Milliseconds of each wait for that program, 1.6 s together. A scanner takes a part of a second; a user who reads, longer. */
const WAITS = [25, 50, 100, 200, 400, 800];

/**
 * Gives a finished file its name, in place of the file that has it. On Windows that fails while another program has either
 * open, so it is tried again for a moment.
 *
 * @throws OutputError where that program keeps the file; else the system's error, or the signal's reason.
 */
export async function putInPlace(from: string, to: string, options: PlaceOptions): Promise<void> {
  const { clock, signal, shown, platform = systemPlatform(), rename = renameFile } = options;
  for (let tries = 0; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (platform !== 'win32' || !HELD.has(errorCode(error) ?? '')) throw error;
      const wait = WAITS[tries];
      if (wait === undefined) throw held(shown, error);
      await clock.sleep(wait, signal);
    }
  }
}

function held(shown: string, error: unknown): OutputError {
  return new OutputError(`cannot write ${shown}: another program has it open, or it may not be replaced`, {
    hint: 'Close it in that program, or write to another name; what was there before is untouched.',
    cause: error,
  });
}
