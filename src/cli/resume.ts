import { UsageError } from '../errors.ts';
import { journalPath } from '../output/journal/journal-path.ts';
import { findTarget } from '../output/target.ts';
import type { GlobalFlags } from './global-flags.ts';
import type { ListingFlags } from './listing-flags.ts';
import { ResumableWalk, type ResumableOptions } from './resumable-walk.ts';
import { fingerprintOf, type AskedFor } from './resume-fingerprint.ts';

export interface ResumeOptions extends Omit<ResumableOptions, 'path' | 'shown' | 'fingerprint'> {
  readonly flags: ListingFlags & GlobalFlags;
  readonly asked: Omit<AskedFor, 'flags' | 'baseUrl'> & { readonly baseUrl: URL };
}

/**
 * The walk for --resume. Opens nothing: the journal belongs to whoever has the target's lock.
 *
 * @throws UsageError where there is nothing that could be gone on with: without -o, a pipe, a single page
 */
export async function openResumable({ flags, asked, ...walk }: ResumeOptions): Promise<ResumableWalk> {
  const shown = flags.output;
  if (shown === undefined || shown === '-') {
    throw new UsageError('--resume goes with -o: what a run has so far is kept beside its file', {
      hint: 'name the file: -o invoices.csv',
    });
  }
  if (flags.page !== undefined) {
    throw new UsageError('--resume and --page do not go together: a single page is had or not');
  }
  const target = await findTarget(shown);
  if (target.kind !== 'file') {
    throw new UsageError(`--resume: ${shown} is no regular file, so nothing can be kept beside it`);
  }
  // The embedded service has another port each time, and the same records.
  const baseUrl = flags.sandbox ? 'the sandbox' : asked.baseUrl.href;
  const fingerprint = fingerprintOf({ ...asked, baseUrl, flags });
  return new ResumableWalk({ ...walk, shown, fingerprint, path: journalPath(target) });
}
