import { type ConfigStore, parseDocument, readProfile, readSettings } from '../../src/profiles/profile.ts';

/** A store that reads this document as it would read a file, and is changed in memory only. */
export function memoryStore(content: object = {}): ConfigStore {
  const file = '/store/config.json';
  const document = parseDocument(JSON.stringify(content), file);
  return {
    file,
    get currentProfile() {
      return document.currentProfile;
    },
    get profileNames() {
      return Object.keys(document.profiles);
    },
    profile: (name) => readProfile(document, name, file),
    settings: (profile) => readSettings(document, profile, file),
    update: async (change) => change(document),
  };
}
