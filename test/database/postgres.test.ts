import { createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseDatabaseAddress } from '../../src/database/address.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { Conflict } from '../../src/database/database.ts';
import { explainPostgres } from '../../src/database/postgres-failure.ts';
import { Interrupted, OutputError, ServiceError, UsageError } from '../../src/errors.ts';
import { fakeContext } from '../support/fake-context.ts';
import { ask, postgresForTests } from '../support/databases.ts';
import { listenOnLoopback } from '../support/servers.ts';
import { needing } from '../support/programs.ts';
import { runHere } from '../support/run-here.ts';
import { runSync } from '../support/run-against.ts';

const server = postgresForTests();

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
    hint: expect.stringMatching(
      /^Check host and port, and that PostgreSQL runs there .* is as it was\.$/,
    ) as string,
  });
});

it.each([
  ['a web server', 'disable', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['a web server', 'require', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['a banner', 'require', (socket) => socket.write('220 mail.example ESMTP ready\r\n')],
  ['zeros', 'disable', (socket) => socket.write(Buffer.alloc(64))],
  ['an echo', 'require', (socket, sent) => socket.write(sent)],
  ['no TLS', 'require', (socket) => socket.write('S') && socket.on('data', () => socket.write('SSSSSS'))],
  ['silence that ends', 'prefer', (socket) => socket.end()],
] satisfies [string, string, (socket: Socket, sent: Buffer) => unknown][])(
  '%s behind the address, with sslmode=%s, is exit 5 and a sentence at once',
  async (_, mode, answer) => {
    const odd = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (sent) => answer(socket, sent));
    });
    const { host } = await listenOnLoopback(odd);
    const address = `postgres://books@${host}/books?sslmode=${mode}`;
    const started = performance.now();
    const { code, stderr } = await runHere(['--sandbox', 'sync', address], { env: { PGPASSWORD: 'x' } });
    expect([code, stderr]).toEqual([5, expect.stringMatching(/^folio: .*\n  Check .*\n$/)]);
    expect(performance.now() - started).toBeLessThan(8_000);
  },
);

const TABLES = 'ON ALL TABLES IN SCHEMA "public"';

describe('a user who may not do all', needing('postgres'), () => {
  it.each([
    ['sync', 'GRANT USAGE ON SCHEMA public', 'USAGE, CREATE ON SCHEMA "public"'],
    ['sync', 'GRANT USAGE, CREATE ON SCHEMA public', `SELECT, INSERT, UPDATE ${TABLES}`],
    ['issued', 'GRANT USAGE ON SCHEMA public', `SELECT ${TABLES}`],
  ])('is told which right %s lacks, before the first request', async (command, granted, missing) => {
    const address = await server().createDatabase();
    await ask(
      address,
      'DROP ROLE IF EXISTS clerk; CREATE ROLE clerk LOGIN; REVOKE ALL ON SCHEMA public FROM public',
    );
    await ask(address, `${granted} TO clerk`);
    // Where it lacks no more than the right to make tables, there are none.
    if (!missing.includes('CREATE')) await runSync({ issued: ['{"id":1}'] }, [address, 'issued']);
    const own = address.replace('books@', 'clerk@');
    const args = command === 'sync' ? ['sync', own, 'issued'] : [command, '--from', own];
    // Nothing listens there.
    const { code, stderr } = await runHere(args, { env: { FOLIO_BASE_URL: 'http://127.0.0.1:9/v1' } });
    expect([code, stderr]).toEqual([5, expect.stringContaining(`GRANT ${missing} TO "clerk".`)]);
    await ask(address, 'DROP OWNED BY clerk; DROP ROLE clerk');
  });
});

describe('what PostgreSQL or its driver fails with', () => {
  const failure = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);

  it.each([
    [failure('SASL: client password must be a string'), UsageError, 'asks for a password', 'PGPASSWORD'],
    [failure('does not support SSL connections'), UsageError, 'offers no encrypted', 'sslmode=disable'],
    [failure('received invalid response: 48'), ServiceError, 'not answer like PostgreSQL', 'host and port'],
    [failure('x', { code: 'ECONNRESET' }), ServiceError, 'cannot reach db: x', 'PostgreSQL runs'],
    [failure('ended', { code: '57P01' }), ServiceError, 'cannot reach db: ended', 'as it was'],
    [failure('too many', { code: '53300' }), ServiceError, 'cannot reach db: too many', 'as it was'],
    [failure('Connection terminated'), ServiceError, 'reach db: Connection terminated', 'PostgreSQL runs'],
    [failure('serialize', { code: '40001' }), Conflict, 'by others at the same time: serialize', 'again'],
    [failure('deadlock', { code: '40P01' }), Conflict, 'by others at the same time: deadlock', 'again'],
    [failure('there', { code: '42P07' }), Conflict, 'by others at the same time: there', 'again'],
    [failure('key', { code: '23505', constraint: '_runs_pkey' }), Conflict, 'same time: key', 'again'],
    [failure('key', { code: '23505', constraint: 'x' }), OutputError, 'cannot use db: key', undefined],
    [failure('who', { code: '28P01' }), UsageError, 'does not let folio in: who', 'Check user, password'],
    [failure('none', { code: '3D000' }), UsageError, 'does not let folio in: none', 'name of the database'],
    [failure('no encryption', { code: '28000' }), UsageError, 'in: no encryption', 'It requires'],
    [failure('no', { code: '0A000', detail: undefined }), OutputError, 'cannot use db: no', undefined],
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
});
