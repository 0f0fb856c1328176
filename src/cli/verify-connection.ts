import type { Context } from '../context.ts';
import { tokenHint, type CompleteConnection } from '../profiles/connection.ts';
import { probe } from '../resources/probe.ts';
import { makeClient } from '../run/session.ts';

/** Asks the service for one record: resolves when it takes the token, else rejects as any request would. */
export async function verifyConnection(context: Context, connection: CompleteConnection): Promise<void> {
  const { baseUrl, token } = connection;
  const site = { baseUrl, token: token.reveal(), tokenHint: tokenHint(connection) };
  const client = await makeClient(context, site, {});
  try {
    await probe(client, context.signal);
  } finally {
    await client.close();
  }
}
