import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { startInvoiceService, runAgainstService } from '../support/invoice-service.ts';
import { customersOf, pageOf, runScripted } from '../support/scripted-run.ts';
import { runOrganizations } from '../support/run-model.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { modelRecords } from '../support/model-service.ts';

const RECORDS = ['{"id":1,"status":"PAID"}', '{"id":2,"status":"OVERDUE"}', '{"id":3,"status":"PAID"}'];

/** The clock of a test moves with whoever waits, such as what shows progress. */
function timeless(text: string): string {
  return text.replace(/\d\.\d s$/m, 'N s');
}

/** What is said at the end of a run on a terminal; the folder is left out. */
async function said(flags: readonly string[], terminal = true): Promise<string> {
  const folder = temporaryFolder();
  const { code, stdout, stderr } = await runScripted(
    ['issued', '-o', join(folder, 'out.csv'), ...flags],
    [pageOf(RECORDS)],
    { terminal },
  );
  expect([code, stdout]).toEqual([0, '']);
  return timeless(stderr.replaceAll(`${folder}/`, ''));
}

describe('after -o on a terminal', () => {
  it('one line says how many, where, how large and how long; off one, nothing is said', async () => {
    expect(await said([])).toBe('3 issued invoices → out.csv, 34 bytes, N s\n');
    expect(await said([], false)).toBe('');
  });

  it.each([
    [['--where', 'status=PAID'], '2 of 3 issued invoices → out.csv, 24 bytes, N s\n'],
    [['--limit', '1'], '1 of 3 issued invoices → out.csv, oldest first, 17 bytes, N s\n'],
    [['--limit', '1', '--sort=-id'], '1 of 3 issued invoices → out.csv, 17 bytes, N s\n'],
    [['--limit', '3'], '3 issued invoices → out.csv, 34 bytes, N s\n'],
    [['--group-by', 'status'], '2 rows → out.csv, 32 bytes, N s\n'],
    [['-q'], ''],
  ])('with %j it says so', async (flags, text) => {
    expect(await said(flags)).toBe(text);
  });

  it('a single record is one record', async () => {
    const file = join(temporaryFolder(), 'customer.json');
    const { stderr } = await runScripted(['customers', 'get', '1', '-o', file], ['{"id":1}'], {
      terminal: true,
    });
    expect(timeless(stderr)).toBe(`1 record → ${file}, 9 bytes, N s\n`);
  });

  it('several profiles are counted', async () => {
    const [north, south] = [20, 4].map((count) => ({ records: { issued: modelRecords(count) } }));
    const organizations = { north: north!, south: south! };
    const line = 'issued --all-profiles -o FOLDER/out.jsonl';
    const { stderr } = await runOrganizations(line, { organizations, terminal: true });
    expect(stderr).toMatch(/^24 issued invoices → \S+out.jsonl, of 2 profiles, 2\.2 kB, \d\.\d s\n$/);
  });

  it.each([
    ['issued', 'oldest first'],
    ['received', 'in the order of the service'],
    ['funds', 'newest first'],
    ['issued --profile one,two', 'oldest first within each profile'],
  ])('%s are listed %s, in a file and through a pipe', async (line, order) => {
    const argv = [...line.split(' '), '--sandbox', '--limit', '2', '--format', 'csv', '--verbose'];
    const piped = await runHere(argv);
    expect(piped.stderr).toMatch(new RegExp(`Z the records are listed ${order}\\n$`));
    const file = join(temporaryFolder(), 'first.csv');
    const { stderr } = await runHere([...argv, '-o', file]);
    expect(stderr).toMatch(new RegExp(` 2 of .*, ${order}, \\d`));
  });

  it('nothing is said of a device', async () => {
    const { stderr } = await runScripted(['customers', '-o', '/dev/null'], [customersOf(['{"id":1}'])], {
      terminal: true,
    });
    expect(stderr).toBe('');
  });
});

describe('after a download on a terminal', () => {
  it('one line counts the files, and the invoices that have none', async () => {
    const service = await startInvoiceService([
      { id: 'a', number: 1, files: ['/files/1.pdf', '/files/2.xml'] },
      { id: 'b', number: 2, files: [] },
      { id: 'c', number: 3 },
    ]);
    const folder = join(temporaryFolder(), 'invoices');
    const { code, stderr } = await runAgainstService(['issued', 'download', folder], service, {
      terminal: true,
    });
    expect(code).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual([
      expect.stringMatching(/^1-a-[0-9a-f]{8}\.(?:pdf|xml)$/),
      expect.stringMatching(/^1-a-[0-9a-f]{8}\.(?:pdf|xml)$/),
    ]);
    expect(timeless(stderr)).toBe(
      `2 files of issued invoices → ${folder}, 2 invoices without files, 34 bytes, N s\n`,
    );
  });
});

it('a column that no record has is said of several profiles once', async () => {
  const records = { issued: modelRecords(2) };
  const organizations = { north: { records }, south: { records } };
  const line = 'issued --all-profiles --columns nope --format csv';
  const { stderr } = await runOrganizations(line, { organizations });
  expect(stderr.match(/no record has a value in nope/g)).toHaveLength(1);
});
