import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorkbook } from '../../output/xlsx/read-workbook.ts';
import { always, status } from '../../support/faults.ts';
import { runOrganizations, type Organization } from '../../support/run-model.ts';
import { expectAnswer } from '../../support/expect-exit.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Invoices with all that aging asks for, in a listing that begins with the oldest. */
function invoices(count: number, first: number): string[] {
  return Array.from(
    { length: count },
    (_, at) =>
      `{"id":${first + at},"number":${first + at},"date":"2026-10-${10 + at}","dueBy":"2026-11-${10 + at}",` +
      `"totalAmount":${100 + at}.50,"amountToBePaid":${10 + at}.25,"currency":"CLP","customer":{"name":"Roble","fiscalId":"1-9"}}`,
  );
}

const organizations: Record<string, Organization> = {
  west: { records: { issued: invoices(4, 1) } },
  north: { records: { issued: invoices(5, 1) } },
  empty: { records: { issued: [] } },
  south: {
    records: { issued: invoices(3, 100) },
    settings: { format: 'jsonl', 'columns.issued': 'id,date' },
  },
};

/** Everything that a run wrote into the folder, by the names of files. */
function written(folder: string): Record<string, unknown> {
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => {
        const bytes = readFileSync(join(folder, name));
        return [name, name.endsWith('.xlsx') ? readWorkbook(bytes) : bytes.toString('utf8')];
      }),
  );
}

const LINES = [
  'issued --all-profiles --format jsonl',
  'issued --all-profiles --limit 2 --format jsonl',
  'issued --profile south,west,north --limit 1',
  'issued --profile north --limit 3',
  'issued --profile south',
  'issued --all-profiles --where id>1 --limit 1 --format jsonl',
  'issued --all-profiles --sort -id --limit 5 --format jsonl',
  'issued --all-profiles --customer-fiscal-id @- --limit 2',
  'issued --all-profiles --group-by _profile --sum totalAmount --limit 2',
  'issued --all-profiles --count',
  'issued --all-profiles --columns number --delimiter tab',
  'issued --all-profiles --limit 2 -o FOLDER/book.xlsx',
  'issued --all-profiles --output-dir FOLDER --limit 2',
  'issued --profile north --output-dir FOLDER',
  'issued --profile south,west --sum totalAmount --output-dir FOLDER --format json',
  'aging --all-profiles --limit 1',
  'aging --profile north,south --output-dir FOLDER',
];

describe('several profiles of a database', () => {
  it('give what the service gives for the same flags, and nothing is asked', async () => {
    const place = temporaryFolder();
    const run = async (line: string, folder = temporaryFolder()) => {
      const { code, stdout, stderr, asked } = await runOrganizations(
        line.replace('BOOKS', join(place, 'books.db')),
        { organizations, folder, stdin: { text: '1-9\n' } },
      );
      return { asked, told: { line, code, stdout, stderr, files: written(folder) } };
    };
    expect((await run('sync BOOKS issued --all-profiles')).told).toMatchObject({ code: 0 });
    for (const line of LINES) {
      const [service, database] = [await run(line), await run(`${line} --from BOOKS`)];
      // This service says of no profile that it has nobody of an ID; of the records in a database folio says so.
      const stderr = line.includes('@-')
        ? 'warning: empty: no customer in these records has any of these fiscal IDs: 1-9\n'
        : service.told.stderr;
      expect({ ...database.told, line }).toEqual({ ...service.told, stderr });
      expect([service.told.code, database.asked]).toEqual([0, []]);
    }
  });

  it('are named where only other listings of theirs were read', async () => {
    const folder = temporaryFolder();
    const run = (line: string) => runOrganizations(line, { organizations, folder });
    await run('sync FOLDER/books.db issued --profile north');
    await run('sync FOLDER/books.db received --profile west,south');
    const says = `warning: ${folder}/books.db: no sync has read these records of south, west, and they are left out\n`;
    await expectAnswer(run('issued --all-profiles --from FOLDER/books.db --count'), '5\n', says);
    await expectAnswer(run('issued --from FOLDER/books.db --count'), '5\n');
    expect((await run('aging --all-profiles --from FOLDER/books.db')).stderr).toBe(says);
  });

  it('are missing where no sync could read them, and the others come', async () => {
    const folder = temporaryFolder();
    const broken = { records: {}, script: always(status(403)) };
    const run = (line: string) =>
      runOrganizations(line, { organizations: { ...organizations, north: broken }, folder });
    await run('sync FOLDER/books.db issued --all-profiles');
    const lacks = `books.db lacks the issued invoices of profile north: the sync of `;
    const joined = await run(
      'issued --all-profiles --from FOLDER/books.db --limit 1 --columns id --format csv',
    );
    expect([joined.code, joined.stdout]).toEqual([6, '_profile,id\nwest,1\n']);
    expect(joined.stderr).toContain('1 of 4 profiles missing\nnorth: ');
    expect(joined.stderr).toContain(lacks);
    const apart = await run('issued --all-profiles --from FOLDER/books.db --output-dir FOLDER/out');
    expect([apart.code, Object.keys(written(join(folder, 'out')))]).toEqual([
      6,
      ['empty.issued.csv', 'south.issued.jsonl', 'west.issued.csv'],
    ]);
    const alone = await run('issued --profile north --from FOLDER/books.db -o FOLDER/north.csv');
    expect([alone.code, alone.stdout, readdirSync(folder)]).toEqual([5, '', ['books.db', 'out']]);
    expect(alone.stderr).toContain(lacks);
  });
});
