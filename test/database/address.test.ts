import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDatabaseAddress } from '../../src/database/address.ts';
import { errorLike } from '../support/error-like.ts';
import { runFolio } from '../support/run-folio.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the address of a database', () => {
  it('is a file', () => {
    const path = 'some folder/books.db';
    expect(parseDatabaseAddress(path)).toEqual({ engine: 'SQLite', path, shown: path });
  });

  it('is never -, which is standard input, whatever files the folder has', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, '-'), 'SQLite format 3\0');
    const shell = `echo '{"number":"1"}' | "$@"`;
    const { code, stdout } = await runFolio(['issued', '--from', '-', '--count'], { cwd, shell });
    expect([code, stdout.toString()]).toEqual([0, '1\n']);
  });

  it.each([
    [
      'postgres://books@db.example/ledger',
      { user: 'books', host: 'db.example', dbname: 'ledger' },
      'postgres://books@db.example/ledger',
    ],
    ['postgresql://db.example:5433', { host: 'db.example', port: '5433' }, 'postgres://db.example:5433'],
    [
      'postgres:///books?host=/run/postgresql&user=b%20k',
      { host: '/run/postgresql', dbname: 'books', user: 'b k' },
      'postgres://b k@/run/postgresql/books',
    ],
    [
      'postgres://u@[::1]/x?sslmode=verify-full',
      { user: 'u', host: '::1', dbname: 'x', sslmode: 'verify-full' },
      'postgres://u@::1/x',
    ],
  ])('%s', (text, parts, shown) => {
    expect(parseDatabaseAddress(text)).toEqual({ engine: 'PostgreSQL', settings: parts, shown });
  });

  it('holds a password only where no other user of the machine sees it', () => {
    for (const text of ['postgres://u:s3cret@h/x', 'postgres://h/x?password=s3cret']) {
      const message = 'a password in the address can be read by every user of this machine';
      const hint = expect.stringContaining('--to-env') as string;
      expect(() => parseDatabaseAddress(text)).toThrow(errorLike('UsageError', message, { hint }));
      const { shown, ...parsed } = parseDatabaseAddress(text, 'DATABASE_URL');
      expect(parsed).toMatchObject({ settings: { password: 's3cret' } });
      expect(shown).not.toContain('s3cret');
    }
  });

  it('says what it may say, also in a variable', () => {
    const message = 'the address in DATABASE_URL has the parameter colour, which folio does not know';
    const hint = 'It knows host, port, user, sslmode, sslrootcert, options.';
    const parse = () => parseDatabaseAddress('postgres://h/x?colour=red', 'DATABASE_URL');
    expect(parse).toThrow(errorLike('UsageError', message, { hint }));
  });

  it.each([
    ['', 'the database is empty'],
    ['mysql://h/x', 'the database begins with mysql:, which is not a database that folio knows'],
    ['sqlite:books.db', 'the database begins with sqlite:, which is not a database that folio knows'],
    ['postgres://h:port/x', 'the database is not an address of a PostgreSQL database'],
    ['postgres://h/x?sslmode=maybe', 'the database has sslmode=maybe'],
    ['postgres://h/x?colour=red', 'the database has the parameter colour, which folio does not know'],
    ['postgres:///x?port=0', 'the database has the port 0'],
    ['books.csv', 'books.csv is named like an export, not like a database'],
  ])('is not %j', (text, message) => {
    expect(() => parseDatabaseAddress(text)).toThrow(errorLike('UsageError', message));
  });
});
