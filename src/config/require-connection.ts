import { AuthError, UsageError } from '../errors.ts';
import type { Connection } from './resolve-connection.ts';
import type { Secret } from './secret.ts';
import { checkExpiry } from './token-expiry.ts';

/** A connection with all that a request needs. */
export interface CompleteConnection extends Connection {
  readonly baseUrl: URL;
  readonly token: Secret;
}

/**
 * Refuses a connection that lacks token or base address, or whose token is past its end; adds a note in the token's last 14
 * days.
 *
 * @param now milliseconds since 1970
 */
export function requireConnection(connection: Connection, now: number): CompleteConnection {
  const { baseUrl, token, profile, notes } = connection;
  const login = loginCommand(connection);
  if (token === undefined) {
    throw new AuthError(profile === undefined ? 'there is no token' : `profile ${profile} has no token`, {
      hint: `Log in once with \`${login}\`, or set FOLIO_TOKEN, or try --sandbox, which needs none.`,
    });
  }
  if (baseUrl === undefined) {
    throw new UsageError('there is no base address: nobody has said where the service is', {
      hint: `Log in once with \`${login}\`, or set FOLIO_BASE_URL, or pass --base-url https://<host>/v1.`,
    });
  }
  const warning = checkExpiry(token, now, login);
  return { ...connection, baseUrl, token, notes: warning === undefined ? notes : [...notes, warning] };
}

/** The command that would have given this run what it lacks. */
function loginCommand({ profile, baseUrl }: Connection): string {
  const named = profile === undefined ? '' : ` --profile ${profile}`;
  // A profile remembers its address.
  const address =
    profile !== undefined && baseUrl ? '' : ` --base-url ${baseUrl?.href ?? 'https://<host>/v1'}`;
  return `folio auth login${named}${address}`;
}
