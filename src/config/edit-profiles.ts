import type { JsonObject, StoreDocument } from './store-document.ts';

/** What a login leaves in the store: a token, or the command that prints it. */
export interface Login {
  readonly profile: string;
  readonly baseUrl: URL;
  readonly credential: { readonly token: string } | { readonly tokenCommand: readonly string[] };
  readonly organization?: string | undefined;
}

/**
 * Puts a login into the document. What the profile holds besides (settings, keys that folio does not know) stays. The first
 * profile becomes the current one; a later login does not change which one that is, because runs that name no profile
 * would from then on ask for another organization.
 */
export function storeLogin(document: StoreDocument, login: Login): void {
  const entry = (document.profiles[login.profile] ??= Object.create(null) as JsonObject);
  forgetCredential(entry);
  const { baseUrl, credential, organization } = login;
  Object.assign(
    entry,
    { baseUrl: baseUrl.href, ...credential },
    organization === undefined ? {} : { organization },
  );
  const { currentProfile } = document;
  if (currentProfile === undefined || document.profiles[currentProfile] === undefined) {
    document.currentProfile = login.profile;
  }
}

/** Takes a profile's token or token command out of the document; base address and settings stay. */
export function removeLogin(document: StoreDocument, profile: string): void {
  const entry = document.profiles[profile];
  if (entry) forgetCredential(entry);
}

/** Takes a whole profile out of the document. */
export function removeProfile(document: StoreDocument, profile: string): void {
  delete document.profiles[profile];
  if (document.currentProfile === profile) delete document.currentProfile;
}

function forgetCredential(entry: JsonObject): void {
  for (const key of ['token', 'tokenCommand', 'organization']) delete entry[key];
}
