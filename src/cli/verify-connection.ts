import type { CompleteConnection } from '../config/require-connection.ts';
import type { Context } from '../context.ts';
import { makeClient } from './make-client.ts';

/** Asks the service for one record: resolves when it takes the token, else rejects as any request would. */
export async function verifyConnection(
  context: Context,
  { baseUrl, token }: CompleteConnection,
): Promise<void> {
  const client = await makeClient(context, { baseUrl, token: token.reveal() }, {});
  try {
    await client.get({
      path: '/invoices/issued',
      query: [
        ['options_page', '0'],
        ['options_pageSize', '1'],
      ],
      parse: () => undefined,
    });
  } finally {
    await client.close();
  }
}
