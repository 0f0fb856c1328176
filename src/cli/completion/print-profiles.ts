import { parseProfileName } from '../../config/profile-name.ts';
import type { Context } from '../../context.ts';
import { FolioError } from '../../errors.ts';

/**
 * Prints the names of profiles, one a line, for a shell that completes one. Whatever is wrong with the store is said
 * elsewhere: here nothing is. A name that no profile could have been given is left out, for shells expand what they
 * are offered.
 */
export async function printProfiles(context: Context): Promise<void> {
  try {
    const { profileNames } = await context.config();
    const names = profileNames.filter(isName);
    if (names.length > 0) await context.stdout.write(`${names.join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof FolioError)) throw error;
  }
}

function isName(name: string): boolean {
  try {
    return parseProfileName(name, 'profile') === name;
  } catch {
    return false;
  }
}
