import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotWrite } from '../../output/files/cannot-write.ts';
import { endingOf, type Format } from '../../output/formats.ts';
import type { FlagDefaults } from '../config-defaults.ts';
import { exportListing } from '../export-listing.ts';
import type { ListingFlags } from '../listing-flags.ts';
import { askProfile, forEachProfile, type Group } from './ask-profiles.ts';
import type { Outcome } from './outcome.ts';

/**
 * Writes the records of each profile into a file of its own in the folder, which is made if need be: the file that
 * `--profile <name> -o <folder>/<name>.<ending>` writes. One that fails leaves its file as it was.
 * Throws OutputError when there can be no such folder.
 */
export async function exportApart(group: Group, folder: string): Promise<readonly Outcome[]> {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw cannotWrite(folder, error, 'name a folder, or where one can be made');
  });
  const outcomes: Outcome[] = [];
  const all = forEachProfile(group, (profile, signal) =>
    askProfile(group, { profile, signal }, (listing) => {
      const format = fileFormat(listing.flags, listing.session.defaults);
      const output = join(folder, `${profile}.${endingOf(format)}`);
      return exportListing(listing, {
        flags: { ...listing.flags, format, output },
        site: listing.context,
      });
    }),
  );
  for await (const outcome of all) outcomes.push(outcome);
  return outcomes;
}

function fileFormat({ format, excel, delimiter }: ListingFlags, defaults: FlagDefaults): Format {
  const implied = excel || delimiter !== undefined ? 'csv' : defaults.format;
  return format ?? implied ?? 'csv';
}
