import type { Secret } from './secret.ts';

/** One organization's entry in the store. */
export interface Profile {
  readonly name: string;
  /** Where the token below belongs, as text; it is sent nowhere else. */
  readonly baseUrl?: string;
  readonly token?: Secret;
  /** A command that prints the token, in place of one. */
  readonly tokenCommand?: readonly string[];
  /** What the token said at login; for people only. */
  readonly organization?: string;
}
