import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { parseDatabaseAddress } from '../../src/database/address.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { Interrupted } from '../../src/errors.ts';
import { fakeContext } from '../support/fake-context.ts';
import { listenOnLoopback } from '../support/listen-on-loopback.ts';

it('a run that is stopped while PostgreSQL’s driver is loaded asks no server', async () => {
  let connections = 0;
  // Says nothing: who connects to it waits until a limit of 10 s.
  const { host } = await listenOnLoopback(createServer(() => connections++));
  const stop = new AbortController();
  const context = { ...fakeContext(), signal: stop.signal };
  const opening = openDatabase(parseDatabaseAddress(`postgres://books@${host}/books`), context);
  stop.abort(new Interrupted('SIGTERM'));
  await expect(opening).rejects.toBeInstanceOf(Interrupted);
  expect(connections).toBe(0);
});
