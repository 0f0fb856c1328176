import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseEngines } from '../../support/database-engines.ts';
import { postgresPrograms, startPostgres, type PostgresServer } from '../../support/postgres-server.ts';
import { startFaultServer } from '../../support/fault-server.ts';
import { ModelService } from '../../support/model-service.ts';
import { withServer } from '../../support/run-against.ts';
import { runFolio, TEST_TOKEN } from '../../support/run-folio.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let server: PostgresServer | undefined;
beforeAll(async () => {
  if (postgresPrograms !== undefined) server = await startPostgres();
});
afterAll(() => server?.stop());

async function answer(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runFolio(args);
  expect([args, code, stderr.replaceAll(/^warning: .*\n/gm, '')]).toEqual([args, 0, '']);
  return stdout.toString('utf8');
}

const withoutLinks = (text: string): string => text.replaceAll(/"fileUrl":"[^"]*"/g, '"fileUrl":null');

describe.each(databaseEngines)('--from a %s database', (engine) => {
  it('answers as the service does', { timeout: 60_000 }, async () => {
    const address =
      engine === 'SQLite' ? join(temporaryFolder(), 'books.db') : await server!.createDatabase();
    const resources = ['issued', 'received', 'customers', 'funds', 'fund-documents'];
    await answer('--sandbox', 'sync', address, ...resources);
    const fund = (
      JSON.parse(await answer('--sandbox', 'funds', '--limit', '1', '--format', 'json')) as { id: string }[]
    )[0]!.id;
    const questions = [
      ...['issued', 'received', 'customers', 'funds'].map((name) => [name, '--format', 'jsonl']),
      ['funds', 'documents', fund, '--format', 'jsonl'],
      ['issued', '--sum', 'totalAmount,amountToBePaid', '--group-by', 'customer.name'],
      ['issued', '--overdue', '--sort=-dueBy,number', '--columns', 'number,dueBy,amountToBePaid'],
      ['received', '--where', 'totalAmount>=100000', '--count'],
      ['aging'],
      ['aging', '--payable'],
    ];
    for (const question of questions) {
      const [ofService, ofDatabase] = [
        await answer('--sandbox', ...question),
        await answer(...question, '--from', address),
      ];
      expect(ofDatabase).toBe(withoutLinks(ofService));
    }
  });
});

describe('--from a database', () => {
  it('is about the profiles that it holds', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'books.db');
    await answer('--sandbox', 'sync', path, 'funds', '--all-profiles');
    const both = await answer('--sandbox', 'funds', '--all-profiles', '--format', 'jsonl');
    const of = (...args: string[]): Promise<string> =>
      answer('funds', '--from', path, '--format', 'jsonl', ...args);
    expect(await of()).toBe(both);
    expect(await of('--all-profiles')).toBe(both);
    expect(await of('--profile', 'one,two')).toBe(both);
    expect(await of('--profile', 'two')).toBe(
      await answer('--sandbox', 'funds', '--profile', 'two', '--format', 'jsonl'),
    );
  });

  it('is about a profile that had no record, too', async () => {
    const [path, folder] = [join(temporaryFolder(), 'books.db'), temporaryFolder()];
    const sync = ['sync', path, 'customers', '--profile', 'north'];
    const env = { FOLIO_CONFIG_DIR: folder, FOLIO_TOKEN: undefined, PATH: process.env['PATH'] };
    const login = ['auth', 'login', '--profile', 'north', '--no-verify', '--base-url'];
    await withServer(await startFaultServer(new ModelService({ customers: [] })), async ({ baseUrl }) => {
      await runFolio([...login, baseUrl], { env, shell: `echo ${TEST_TOKEN} | "$@"` });
      expect(await runFolio(sync, { env })).toMatchObject({ code: 0 });
    });
    expect(await answer('customers', '--from', path, '--profile', 'north', '--count')).toBe('0\n');
  });

  it.each([
    [['issued', '--from', 'BOOKS'], 'holds no issued invoices'],
    [['funds', '--from', 'BOOKS', '--profile', 'three'], 'holds no records of a profile three'],
    [['funds', '--from', 'BOOKS', '--sandbox'], '--from and --sandbox do not go together'],
    [['funds', '--from', 'BOOKS', '-o', 'BOOKS'], 'would replace the export'],
    [['funds', '--from', 'postgres://u:p@h/x'], 'a password in the address'],
    [['funds', '--from', 'OTHER'], 'not a whole export'],
  ])('%j is refused', async (args, words) => {
    const folder = temporaryFolder();
    const path = join(folder, 'books.db');
    await answer('--sandbox', 'sync', path, 'funds', '--all-profiles');
    writeFileSync(join(folder, 'other'), '{"not":1} json');
    const given = args.map((arg) => arg.replace('BOOKS', path).replace('OTHER', join(folder, 'other')));
    const { code, stderr } = await runFolio(given);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});
