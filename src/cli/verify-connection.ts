import type { CompleteConnection } from '../config/require-connection.ts';
import type { Context } from '../context.ts';
import { probe } from '../resources/probe.ts';
import { makeClient } from './make-client.ts';

/** Asks the service for one record: resolves when it takes the token, else rejects as any request would. */
export async function verifyConnection(context: Context, connection: CompleteConnection): Promise<void> {
  const { baseUrl, token } = connection;
  const client = await makeClient(context, { baseUrl, token: token.reveal() }, {});
  try {
    await probe(client, context.signal);
  } finally {
    await client.close();
  }
}
