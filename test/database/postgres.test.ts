import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseDatabaseAddress } from '../../src/database/address.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { Conflict } from '../../src/database/database.ts';
import {
  explainConnecting,
  explainPostgres,
  isConnectionFailure,
} from '../../src/database/postgres-failure.ts';
import { Interrupted, OutputError, ServiceError, UsageError } from '../../src/errors.ts';
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

it('asks the host that PGHOST names, which may be the folder of a socket', async () => {
  const context = fakeContext({ env: { PGHOST: '/no/such/folder', PGPORT: '5999' } });
  const opening = openDatabase(parseDatabaseAddress('postgres:///books'), context);
  await expect(opening).rejects.toMatchObject({
    name: 'ServiceError',
    message: 'cannot reach postgres://localhost/books: no such file or directory (ENOENT)',
    hint: 'Check that the server runs and lets this machine in; what the database held is as it was.',
  });
});

describe('what PostgreSQL or its driver fails with', () => {
  const failure = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);

  it.each([
    [failure('SASL: client password must be a string'), UsageError, 'asks for a password', 'PGPASSWORD'],
    [failure('does not support SSL connections'), UsageError, 'offers no encrypted', 'sslmode=disable'],
    [failure('received invalid response: 48'), ServiceError, 'not answer like PostgreSQL', 'host and port'],
    [failure('x', { code: 'ECONNRESET' }), ServiceError, 'cannot reach db: x', 'server runs'],
    [
      failure('shutting down', { code: '57P01' }),
      ServiceError,
      'cannot reach db: shutting down',
      'as it was',
    ],
    [failure('too many', { code: '53300' }), ServiceError, 'cannot reach db: too many', 'as it was'],
    [failure('Connection terminated'), ServiceError, 'cannot reach db: Connection terminated', 'server runs'],
    [failure('serialize', { code: '40001' }), Conflict, 'by others at the same time: serialize', 'again'],
    [failure('deadlock', { code: '40P01' }), Conflict, 'by others at the same time: deadlock', 'again'],
    [failure('there', { code: '42P07' }), Conflict, 'by others at the same time: there', 'again'],
    [failure('key', { code: '23505', constraint: '_runs_pkey' }), Conflict, 'same time: key', 'again'],
    [failure('key', { code: '23505', constraint: 'x' }), OutputError, 'cannot use db: key', undefined],
    [failure('who', { code: '28P01' }), UsageError, 'does not let folio in: who', 'Check user, password'],
    [failure('none', { code: '3D000' }), UsageError, 'does not let folio in: none', 'name of the database'],
    [failure('no encryption', { code: '28000' }), UsageError, 'in: no encryption', 'sslmode=require'],
    [failure('lock', { code: '55P03' }), OutputError, 'cannot use db: lock', 'has the table locked'],
  ])('%s is said in a sentence, with what to do', (error, kind, message, hint) => {
    for (const given of [error, new AggregateError([error, failure('other')])]) {
      const explained = explainPostgres(given, 'db') as OutputError;
      expect(explained).toBeInstanceOf(kind);
      expect(explained.message).toContain(message);
      expect(explained.hint ?? 'none').toContain(hint ?? 'none');
      expect(explained.cause).toBe(error);
    }
  });

  it('is left as it is where folio knows nothing of it', () => {
    for (const error of [failure('odd'), failure('odd', { code: 'odd' }), new AggregateError([]), 'odd'])
      expect(explainPostgres(error, 'db')).toBe(error);
  });

  it('may be that something else answers there, while connecting', () => {
    const ended = failure('Connection terminated unexpectedly');
    expect(explainConnecting(ended, 'db')).toMatchObject({
      message: 'db ended the connection before it let folio in',
      hint: 'Check host and port: it may not be PostgreSQL that answers there.',
    });
    expect(explainConnecting(failure('lock', { code: '55P03' }), 'db')).toBeInstanceOf(OutputError);
  });

  it('leaves unknown what the server did last where the connection was lost, and only there', () => {
    const lost = [{ code: '57P01' }, { code: '08006' }, { code: 'EPIPE' }, {}];
    expect(lost.map((more) => isConnectionFailure(failure('socket', more)))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    const others = [failure('socket', { code: '23505' }), failure('odd'), 'socket', undefined];
    expect(others.map(isConnectionFailure)).toEqual([false, false, false, false]);
  });
});
