import type { DestinationOptions } from '../output/files/open-destination.ts';
import type { Notices } from './notices.ts';

/** What every command that writes a file says when it discards what a stopped run had kept beside it. */
export function discardNotice(
  notices: Notices,
  target: string | undefined,
): Pick<DestinationOptions, 'onDiscard'> {
  const text = `discarded what a stopped run had kept for ${target}: --resume would have gone on from it`;
  return { onDiscard: () => notices.warn(text) };
}
