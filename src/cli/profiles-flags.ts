import { Option, type Command } from 'commander';

/** How several organizations are asked at once. */
export interface ProfilesFlags {
  readonly allProfiles?: boolean;
  readonly outputDir?: string;
  readonly sheetPerProfile?: boolean;
}

/** Declares the flags of a listing that may ask several organizations. */
export function addProfilesFlags(command: Command): void {
  const options = [
    new Option('--all-profiles', 'of every profile; --profile a,b for some. _profile is the first column'),
    new Option('--output-dir <dir>', 'with several profiles: a file for each, <profile>.<ending>'),
    new Option('--sheet-per-profile', 'xlsx, with several profiles: a sheet for each'),
  ];
  for (const option of options) command.addOption(option.helpGroup('Several organizations:'));
}
