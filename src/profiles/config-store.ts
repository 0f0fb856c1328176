import type { Profile } from './profile.ts';
import type { JsonObject, StoreDocument } from './store-document.ts';

/** Profiles and settings, as they were in the file when it was opened. What is in it is checked when it is asked for. */
export interface ConfigStore {
  /** The file, whether or not it exists; undefined where no folder for it can be told. */
  readonly file: string | undefined;
  /** The profile for commands that name none. */
  readonly currentProfile: string | undefined;
  /** In the order of the file. */
  readonly profileNames: readonly string[];
  /** The profile of that name, or undefined. Throws UsageError naming what is wrong with it. */
  profile(name: string): Profile | undefined;
  /** The settings of one profile, or those for all profiles, by name; unknown ones included. */
  settings(profile?: string): Readonly<JsonObject>;
  /**
   * Changes the file in one step, keeping what other runs have written meanwhile; `change` gets the file's present
   * content and changes it in place. Afterwards the store shows the new content.
   */
  update(change: (document: StoreDocument) => void): Promise<void>;
}
