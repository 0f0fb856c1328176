import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { parseDatabaseAddress } from '../../src/database/address.ts';
import { openForReading } from '../../src/database/open-database.ts';
import { errorLike } from '../support/error-like.ts';
import { fakeContext } from '../support/fake-context.ts';
import { fileOf, temporaryFolder } from '../support/temporary-folder.ts';
import { open, part, options, recordsIn, sync } from './try-sync.ts';
import { writeSync } from '../../src/database/sync-run.ts';

describe('a SQLite file', () => {
  it('has to be one', async () => {
    const path = fileOf(
      'these are not books, but a text that is longer than the header of a database is',
      'books.db',
    );
    await expect(open(path)).rejects.toThrow(errorLike('UsageError', `${path} is not a SQLite database`));
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
    const inUse = errorLike('OutputError', `${path} is in use: another program has it locked`);
    await expect(ours.begin()).rejects.toThrow(inUse);
    await expect(writeSync(ours, [await part(['{"id":2}'])], options)).rejects.toThrow(inUse);
    await theirs.rollback();
    await sync(ours, ['{"id":2}']);
    const keys = await theirs.query('SELECT issued._key FROM issued_current JOIN issued USING (id)');
    expect(keys).toEqual([['2']]);
    // Readers wait as well.
    for (const read of [() => recordsIn(ours), async () => recordsIn(await open(path))]) {
      await theirs.query('BEGIN EXCLUSIVE');
      vi.spyOn(options.clock, 'sleep').mockImplementationOnce(() => theirs.rollback());
      expect(await read()).toEqual(['{"id":2}']);
    }
  });

  it('keeps amounts exact: as integer, as a number of 15 digits, else as text', async () => {
    const database = await open(join(temporaryFolder(), 'books.db'));
    const cells = [
      ...['1190.10 real 1190.1', '1E2 real 100', '1e400 text 1e400', '-0 integer 0', '0.10 real 0.1'],
      ...['0.00 real 0', '123456789012345.6 text 123456789012345.6'],
      '-9223372036854775808 integer -9223372036854775808',
      '9223372036854775808 text 9223372036854775808',
    ].map((cell) => cell.split(' '));
    const records = cells.map(([literal], at) => `{"id":${at},"n":${literal}}`);
    await sync(database, records);
    const rows = await database.query(
      "SELECT typeof(n), CASE typeof(n) WHEN 'real' THEN n ELSE CAST(n AS TEXT) END FROM issued ORDER BY id",
    );
    expect(rows.map((row) => row.map(String))).toEqual(cells.map(([, ...cell]) => cell));
  });
});
