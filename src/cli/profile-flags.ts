import { Option } from 'commander';
import type { CompleteConnection } from '../profiles/connection.ts';
import type { GlobalFlags } from './flags.ts';
import { oneOf } from './parse-values.ts';

/** Makes one cheap request with a connection; rejects when the service refuses it or cannot be reached. */
export type VerifyConnection = (connection: CompleteConnection) => Promise<void>;

/** How `auth` and `config` show what they know. */
const factFormats = ['table', 'json'] as const;

export interface FactFlags {
  readonly format?: (typeof factFormats)[number];
}

export interface LoginFlags extends GlobalFlags {
  readonly tokenCommand?: readonly string[];
  readonly verify: boolean;
}

export interface StatusFlags extends GlobalFlags, FactFlags {
  readonly check?: boolean;
  readonly allProfiles?: boolean;
}

export interface LogoutFlags extends GlobalFlags {
  readonly removeProfile?: boolean;
}

export interface ConfigFlags extends GlobalFlags, FactFlags {}

/** The flag `--format` of commands that print facts instead of records. */
export function factFormat(): Option {
  return new Option('--format <format>', `${factFormats.join(' or ')} (default table)`).argParser(
    oneOf('--format', factFormats),
  );
}
