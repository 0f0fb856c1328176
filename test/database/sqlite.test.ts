import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDatabaseAddress } from '../../src/database/address.ts';
import { openForReading } from '../../src/database/open-database.ts';
import { fakeContext } from '../support/fake-context.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { open, part, options, sync } from './try-sync.ts';
import { writeSync } from '../../src/database/sync-run.ts';

describe('a SQLite file', () => {
  it('has to be one', async () => {
    const path = join(temporaryFolder(), 'books.db');
    writeFileSync(path, 'these are no books, but a text that is longer than the header of a database is');
    await expect(open(path)).rejects.toMatchObject({
      name: 'UsageError',
      message: `${path} is no SQLite database`,
    });
    await expect(openForReading(parseDatabaseAddress('/nowhere/b.db'), fakeContext())).rejects.toMatchObject({
      message: 'cannot read /nowhere/b.db: there is no such file',
      hint: 'Name a database that folio sync has made.',
    });
  });

  it('that another program has locked is said to be in use', async () => {
    const path = join(temporaryFolder(), 'books.db');
    const [ours, theirs] = [await open(path), await open(path)];
    await sync(ours, ['{"id":1}']);
    await theirs.begin();
    await expect(ours.begin()).rejects.toMatchObject({
      message: `${path} is in use: another program has it locked`,
    });
    await expect(writeSync(ours, [await part(['{"id":2}'])], options)).rejects.toMatchObject({
      name: 'OutputError',
    });
    await theirs.rollback();
    await sync(ours, ['{"id":2}']);
    expect(await theirs.query('SELECT issued._key FROM issued_current JOIN issued USING (id)')).toEqual([
      ['2'],
    ]);
  });

  it('keeps amounts exact: as integer, as a number of 15 digits, else as text', async () => {
    const database = await open(join(temporaryFolder(), 'books.db'));
    const literals = [
      ...'1190.10 -9223372036854775808 9223372036854775808 0.10 123456789012345.6 1E2 1e400 0.00 -0'.split(
        ' ',
      ),
    ];
    await sync(
      database,
      literals.map((literal, at) => `{"id":${at},"n":${literal}}`),
    );
    const rows = await database.query(
      "SELECT typeof(n), CASE typeof(n) WHEN 'real' THEN n ELSE CAST(n AS TEXT) END FROM issued ORDER BY id",
    );
    expect(rows).toEqual([
      ['real', 1190.1],
      ['integer', '-9223372036854775808'],
      ['text', '9223372036854775808'],
      ['real', 0.1],
      ['text', '123456789012345.6'],
      ['real', 100],
      ['text', '1e400'],
      ['real', 0],
      ['integer', '0'],
    ]);
  });
});
