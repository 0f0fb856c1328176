import { createHash } from 'node:crypto';

/** What a journal is bound to: what each part is called, in the user's words, and its value or the hash of it. */
export type Fingerprint = Readonly<Record<string, string>>;

export interface AskedFor {
  readonly baseUrl: string;
  readonly profile: string | undefined;
  /** As the token names it. */
  readonly organization: string | undefined;
  /** The resource, and the id in its path. */
  readonly listing: string;
  readonly format: string;
  readonly fiscalIds: readonly string[];
  /** Everything that the parser handed over. */
  readonly flags: object;
}

/** Flags that change how a result is had or told, not what it is. Any other is part of the fingerprint. */
const FREE = new Set(
  (
    'all baseUrl color concurrency customerFiscalId debug format issuerFiscalId output pageSize profile progress ' +
    'quiet report resume retries retryDelay sandbox strict timeout tokenFile verbose'
  ).split(' '),
);

/** Values that are shown when they differ; those of other flags may be long or private. */
const SHOWN = new Set(['columns', 'delimiter', 'excel', 'header', 'limit', 'sortBy', 'sortOrder']);

/** The fingerprint of a run. Never holds the token, nor the organization's name but as a hash. */
export function fingerprintOf(asked: AskedFor): Fingerprint {
  const parts: Record<string, string> = {
    'base address': asked.baseUrl,
    profile: asked.profile ?? '',
    organization: asked.organization === undefined ? '' : hashed(asked.organization),
    listing: asked.listing,
    '--format': asked.format,
    'list of fiscal IDs': asked.fiscalIds.length === 0 ? '' : hashed(asked.fiscalIds),
  };
  for (const [name, value] of Object.entries(asked.flags)) {
    if (FREE.has(name) || value === undefined) continue;
    parts[flagOf(name)] = SHOWN.has(name) ? String(value) : hashed(value);
  }
  return parts;
}

/** What differs, one phrase for each part; none when the fingerprints are the same. */
export function differences(before: Fingerprint, now: Fingerprint): string[] {
  const parts = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...parts]
    .filter((part) => before[part] !== now[part])
    .map((part) => phrase(part, before[part], now[part]));
}

function phrase(part: string, before = '', now = ''): string {
  const isHashed = [before, now].some((value) => value.startsWith(HASHED));
  if (isHashed || (before + now).length > 200) return `another ${part}`;
  return `another ${part} (${before || 'none'}, now ${now || 'none'})`;
}

const HASHED = 'sha256:';

function hashed(value: unknown): string {
  return HASHED + createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
