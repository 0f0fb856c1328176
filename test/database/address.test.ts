import { describe, expect, it } from 'vitest';
import { parseDatabaseAddress } from '../../src/database/address.ts';

describe('the address of a database', () => {
  it('is a file', () => {
    expect(parseDatabaseAddress('some folder/books.db')).toEqual({
      engine: 'SQLite',
      path: 'some folder/books.db',
      shown: 'some folder/books.db',
    });
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
      expect(() => parseDatabaseAddress(text)).toThrow(
        expect.objectContaining({
          name: 'UsageError',
          message: 'a password in the address can be read by every user of this machine',
          hint: expect.stringContaining('--to-env'),
        }),
      );
      expect(parseDatabaseAddress(text, 'DATABASE_URL')).toMatchObject({
        settings: { password: 's3cret' },
        shown: expect.not.stringContaining('s3cret'),
      });
    }
  });

  it('says what it may say, also in a variable', () => {
    expect(() => parseDatabaseAddress('postgres://h/x?colour=red', 'DATABASE_URL')).toThrow(
      expect.objectContaining({
        message: 'the address in DATABASE_URL has the parameter colour, which folio does not know',
        hint: 'It knows host, port, user, sslmode, sslrootcert, options.',
      }),
    );
  });

  it.each([
    ['', 'the database is empty'],
    ['mysql://h/x', 'the database begins with mysql://, which is no database that folio knows'],
    ['postgres://h:port/x', 'the database is no address of a PostgreSQL database'],
    ['postgres://h/x?sslmode=maybe', 'the database has sslmode=maybe'],
    ['postgres://h/x?colour=red', 'the database has the parameter colour, which folio does not know'],
    ['postgres:///x?port=0', 'the database has the port 0'],
    ['books.csv', 'books.csv is named like an export, not like a database'],
  ])('is not %j', (text, message) => {
    expect(() => parseDatabaseAddress(text)).toThrow(
      expect.objectContaining({ name: 'UsageError', message }),
    );
  });
});
