import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { needingTerminal, terminalsForTests } from '../../support/in-terminal.ts';
import { atMidday } from '../../support/midday.ts';
import { runSync, startFaultServer } from '../../support/run-against.ts';
import { describeDatabases } from '../../support/databases.ts';
import { modelRecords } from '../../support/model-service.ts';
import { runHere, TEST_TOKEN, type FolioExit } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

atMidday();
const show = terminalsForTests();

async function answer(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(args);
  expect([args, code, stderr.replaceAll(/^warning: .*\n/gm, '')]).toEqual([args, 0, '']);
  return stdout.toString('utf8');
}

/** What the service answered so far, by the question. */
const answered = new Map<string, string>();

async function answerOfService(...args: string[]): Promise<string> {
  const question = args.join(' ');
  const text = answered.get(question) ?? (await answer('--sandbox', ...args));
  answered.set(question, text);
  return text;
}

const withoutLinks = (text: string): string => text.replaceAll(/"fileUrl":"[^"]*"/g, '"fileUrl":null');

describeDatabases('--from a %s database', (newAddress) => {
  it('answers as the service does', { timeout: 180_000 }, async () => {
    const address = await newAddress();
    const resources = ['issued', 'received', 'customers', 'funds', 'fund-documents'];
    await answer('--sandbox', 'sync', address, ...resources);
    const fund = (
      JSON.parse(await answer('--sandbox', 'funds', '--limit', '1', '--format', 'json')) as { id: string }[]
    )[0]!.id;
    const questions = [
      ...['issued', 'received', 'customers', 'funds'].map((name) => [name, '--format', 'jsonl']),
      ['funds', 'documents', fund, '--format', 'jsonl'],
      ['issued', '--sort-order', 'desc', '--columns', 'number,date'],
      ['issued', '--sort-by', 'number', '--sort-order', 'desc', '--columns', 'number,dueBy'],
      ['funds', '--sort-order', 'asc', '--format', 'jsonl'],
    ];
    for (const question of questions) {
      const [ofService, ofDatabase] = [
        await answerOfService(...question),
        await answer(...question, '--from', address),
      ];
      expect(ofDatabase).toBe(withoutLinks(ofService));
    }
    const documents = ['funds', 'documents', 'none', '--count', '--from'];
    const warning = 'warning: no document in these records is of a fund none\n';
    await expectAnswer(runHere([...documents, address]), '0\n', warning);
    const file = join(temporaryFolder(), 'documents.jsonl');
    await answer('funds', 'documents', fund, '--from', address, '-o', file, '--receipt', 'beside');
    await expectRefused(runHere([...documents, file]), `${file} is not of the fund none: its receipt says`);
    await expectAnswer(runHere(['funds', 'documents', fund, '--count', '--from', file]), /^\d+\n$/);
  });
});

describe('--from a database on a terminal', needingTerminal, () => {
  it.each([['issued'], ['received'], ['funds'], ['customers'], ['issued', '--all-profiles']])(
    'shows of %s what the service shows',
    async (...args) => {
      const path = join(temporaryFolder(), 'books.db');
      const [name, ...whose] = args;
      await answer('--sandbox', 'sync', path, name, ...whose);
      const shown = async (...flags: string[]): Promise<string> => {
        const { code, screen } = await show([...args, ...flags], { columns: 160 });
        expect(code).toBe(0);
        // Without what goes on in the last line meanwhile.
        return screen
          .replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/g, '')
          .replace(/^[^]*?(?=(?:_profile|number|name) {2})/, '');
      };
      expect(await shown('--from', path)).toBe(await shown('--sandbox'));
    },
  );
});

describeDatabases('the order of records --from a %s database', (newAddress) => {
  it('is that of the service also when later runs brought some of them', async () => {
    const address = await newAddress();
    const dated = (id: number, day: string): string => `{"id":${id},"date":"2026-01-${day}T00:00:00Z"}`;
    const early = [dated(1, '05'), dated(2, '09'), '{"id":3,"date":null}'];
    const later = [dated(4, '01'), dated(1, '05'), dated(5, '05'), dated(2, '10'), '{"id":3,"date":null}'];
    for (const issued of [early, later]) await runSync({ issued }, [address, 'issued']);
    const ids = async (...args: string[]): Promise<string> =>
      (await answer('issued', '--from', address, '--columns', 'id', '--no-header', ...args)).replaceAll(
        '\n',
        ' ',
      );
    expect(await ids()).toBe('4 1 5 2 3 ');
    expect(await ids('--sort-order', 'desc')).toBe('2 5 1 4 3 ');
  });
});

describeDatabases('the profiles of a %s database', (newAddress) => {
  it('are those that it holds', async () => {
    const path = await newAddress();
    await answer('--sandbox', 'sync', path, 'funds', '--all-profiles');
    const both = await answerOfService('funds', '--all-profiles', '--format', 'jsonl');
    const of = (...args: string[]): Promise<string> =>
      answer('funds', '--from', path, '--format', 'jsonl', ...args);
    expect(await of()).toBe(both);
    expect(await of('--all-profiles')).toBe(both);
    expect(await of('--profile', 'one,two')).toBe(both);
    expect(await of('--profile', 'two')).toBe(
      await answerOfService('funds', '--profile', 'two', '--format', 'jsonl'),
    );
    const largest = ['--sort-by', 'amount', '--sort-order', 'desc', '--limit', '3', '--columns', 'number'];
    await answer('--sandbox', 'sync', path, 'issued', '--all-profiles');
    expect(await answer('issued', '--from', path, '--all-profiles', ...largest)).toBe(
      await answerOfService('issued', '--all-profiles', ...largest),
    );
  });
});

describe('--from a database', () => {
  const FAILING = ['--retries', '0', '--base-url', 'http://127.0.0.1:1/v1'];

  it('is exit 6 where a profile was never read whole, and so is a report', async () => {
    const path = join(temporaryFolder(), 'books.db');
    await answer('--sandbox', 'sync', path, 'issued');
    expect(await runHere(['sync', path, 'issued', ...FAILING])).toMatchObject({ code: 5 });
    const { code, stdout, stderr } = await runHere(['issued', '--from', path, '--count']);
    expect([code, stdout.toString()]).toEqual([6, '120\n']);
    expect(stderr).toMatch(
      /^folio: 1 of 2 profiles missing\ndefault: .*books\.db lacks the issued invoices of profile default: the sync of 20[-\d]+ [\d:]+ could not read them \(could not reach .*\)\ndelivered: sandbox\n {2}Run folio sync .*books\.db issued again for what is missing, /m,
    );
    expect(await answer('issued', '--from', path, '--count', '--profile', 'sandbox')).toBe('120\n');
    const folder = join(dirname(path), 'reports');
    const flags = ['--all-profiles', '--output-dir', folder, '--format', 'json'];
    const report = await runHere(['report', '--from', path, ...flags]);
    expect(report.code).toBe(6);
    expect(report.stderr).toMatch(
      /^folio: 1 of 2 reports missing or not whole\ndefault: .* lacks the issued invoices of profile default/,
    );
    expect(readdirSync(folder)).toEqual(['sandbox.report.json']);
  });

  it('warns of records that the last sync left as they were', async () => {
    const path = join(temporaryFolder(), 'books.db');
    const { baseUrl } = await startFaultServer({ issued: modelRecords(3) });
    await runHere(['sync', path, 'issued', '--base-url', baseUrl]);
    const counted = (): Promise<FolioExit> => runHere(['issued', '--from', path, '--count']);
    expect(await counted()).toMatchObject({ code: 0, stderr: '' });
    const { stderr: told } = await runHere(['issued', '--from', path, '--count', '--verbose']);
    expect(told).toMatch(/books\.db has the issued invoices as of \d{4}-\d\d-\d\d \d\d:\d\d\.\n$/);
    expect(await runHere(['sync', path, 'issued', ...FAILING])).toMatchObject({ code: 5 });
    const { code, stdout, stderr } = await counted();
    expect([code, stdout.toString()]).toEqual([0, '3\n']);
    expect(stderr).toMatch(
      /^warning: .*books\.db has the issued invoices of profile default as of .*: the sync of .* left them as they were \(could not reach .*\)\n$/,
    );
  });

  it('is about a profile that had no record, too', async () => {
    const [path, folder] = [join(temporaryFolder(), 'books.db'), temporaryFolder()];
    const sync = ['sync', path, 'customers', '--profile', 'north'];
    const env = { FOLIO_CONFIG_DIR: folder, FOLIO_TOKEN: undefined, PATH: process.env['PATH'] };
    const login = ['auth', 'login', '--profile', 'north', '--no-verify', '--base-url'];
    const { baseUrl } = await startFaultServer({ customers: [] });
    await runHere([...login, baseUrl], { env, input: TEST_TOKEN });
    expect(await runHere(sync, { env })).toMatchObject({ code: 0 });
    expect(await answer('customers', '--from', path, '--profile', 'north', '--count')).toBe('0\n');
  });
});

describe('--from a database that does not have what is asked', () => {
  let [path, other] = ['', ''];
  beforeAll(async () => {
    const folder = temporaryFolder();
    [path, other] = [join(folder, 'books.db'), join(folder, 'other')];
    await answer('--sandbox', 'sync', path, 'funds', '--all-profiles');
    writeFileSync(other, '{"not":1} json');
  });

  it.each([
    [['issued', '--from', 'BOOKS'], 'holds no issued invoices'],
    [['funds', '--from', 'BOOKS', '--profile', 'three'], 'there are no records of a profile three'],
    [['funds', '--from', 'BOOKS', '--sandbox'], '--from and --sandbox do not go together'],
    [['funds', '--from', 'BOOKS', '-o', 'BOOKS'], 'would replace the database'],
    [['funds', '--from', 'postgres://u:p@h/x'], 'a password in the address'],
    [['funds', '--from', 'OTHER'], 'not a whole export'],
    [['funds', '--from', 'OTHER', '--sort-order', 'asc'], '--sort-order asc turns an order of the service'],
  ])('%j is refused', async (args, words) => {
    const given = args.map((arg) => arg.replace('BOOKS', path).replace('OTHER', other));
    await expectRefused(runHere(given), words);
  });
});
