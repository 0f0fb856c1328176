import type { Stats } from 'node:fs';
import { UsageError } from '../errors.ts';

/**
 * Refuses a file or folder of the store that another user owns or can look into, with the command that changes it. Folio does
 * not change the mode itself: others may know the token by now, and its owner must hear of that.
 *
 * @param uid the user that folio runs as; undefined on systems without user numbers, where nothing is checked
 */
export function checkPrivate(
  what: 'file' | 'folder',
  path: string,
  { stats, uid }: { stats: Stats; uid: number | undefined },
): void {
  if (uid === undefined) return;
  if (stats.uid !== uid) {
    throw new UsageError(`the ${what} ${path} belongs to another user (uid ${stats.uid})`, {
      hint: `Run folio as that user, set FOLIO_CONFIG_DIR to a folder of your own, or run \`chown ${uid} ${quoteForShell(path)}\`.`,
    });
  }
  if (!isOpenToOthers(stats)) return;
  throw new UsageError(
    `the ${what} ${path} holds tokens and is open to other users (mode ${modeText(stats.mode)})`,
    { hint: `Run \`chmod ${what === 'file' ? '600' : '700'} ${quoteForShell(path)}\`.` },
  );
}

/** Refuses a token file that other users can look into; whose it is does not matter. */
export function checkTokenFile(path: string, stats: Stats): void {
  if (!isOpenToOthers(stats)) return;
  const quoted = quoteForShell(path);
  throw new UsageError(`the token file ${path} is open to other users (mode ${modeText(stats.mode)})`, {
    hint: `Run \`chmod 600 ${quoted}\`, or hand the token over on standard input with \`--token-file - < ${quoted}\`.`,
  });
}

export function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & 0o077) !== 0;
}

/** The path as a shell takes it for one word. */
function quoteForShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** A mode as `chmod` takes it: `0600`. */
export function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
