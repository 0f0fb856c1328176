import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fieldsOfColumns, mapFields } from '../../src/invoices/fields.ts';
import { issued } from '../../src/resources/invoices.ts';
import { runSync, startFaultServer } from '../support/run-against.ts';
import { ask, describeDatabases } from '../support/databases.ts';
import { randomRuns, randomFrom } from '../support/random-runs.ts';
import { withSettings } from '../support/settings-folder.ts';
import { runHere, TEST_TOKEN } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { connect, open, options, part, sync } from './try-sync.ts';
import { writeSync } from '../../src/database/sync-run.ts';

const COLUMNS = [
  ...['_kind', '_open', '_total', '_currency', '_party', '_party_name'],
  ...['_due', '_net', '_tax', '_paid'],
];

/** A record with these members, of which 100 of 119 are open unless they say otherwise. */
const record = (id: string, members: string): string =>
  JSON.stringify({
    ...{ id, number: id, date: '2026-01-01', currency: 'CLP', amountToBePaid: 100, totalAmount: 119 },
    ...(JSON.parse(`{${members}}`) as object),
  });

const party = (fiscalId: string, name?: string): string => `"customer":${JSON.stringify({ fiscalId, name })}`;

const A = party('60155495-K', 'Old Ltda.');

/** What a document says, and what folio makes of it. */
const DOCUMENTS: readonly (readonly [members: string, row: string])[] = [
  [`${A},"dueBy":"2026-02-29"`, 'invoice|100|119|CLP|60.155.495-k|New SpA||||'],
  [
    `"customer":{"fiscalId":"060.155.495-k"},"currency":" clp ","dueBy":"2026-02-28T00:00:00Z","netAmount":100,"taxAmount":19,"paidAmount":19`,
    'invoice|100|119|CLP|60.155.495-k|New SpA|2026-02-28|100|19|19',
  ],
  [
    `${party('60.155.495-k', 'New SpA')},"date":"2026-03-01","documentType":"61"`,
    'credit|-100|-119|CLP|60.155.495-k|New SpA||||',
  ],
  [`${A},"documentType":"DEBIT_NOTE","amountToBePaid":"100"`, 'debit||119|CLP|60.155.495-k|New SpA||||'],
  [`${A},"documentType":"39","status":"ANULADA"`, 'receipt|0|119|CLP|60.155.495-k|New SpA||||'],
  [`${A},"documentType":"52","netAmount":5`, 'none|0|0|CLP|60.155.495-k|New SpA||0|0|0'],
  [`${A},"status":"VOID","amountToBePaid":"x"`, 'none|0|0|CLP|60.155.495-k|New SpA||0|0|0'],
  [`"customer":{"name":"60155495-K"},"currency":null`, 'invoice|100|119||"60155495-K"|60155495-K||||'],
  [party('66666666-6', 'Ana'), 'invoice|100|119|CLP|66666666-6 "Ana"|Ana||||'],
  [party('66.666.666-6', 'Eva'), 'invoice|100|119|CLP|66.666.666-6 "Eva"|Eva||||'],
  [`"amountToBePaid":null,"customer":{"fiscalId":"-"}`, 'invoice||119|CLP||||||'],
];

describeDatabases('the columns that folio works out, in %s', (newAddress) => {
  const columnsIn = (address: string): Promise<string[]> =>
    ask(address, `SELECT ${COLUMNS.join(', ')} FROM issued_current ORDER BY _key`);
  const synced = async (address: string, records: readonly string[], env = {}): Promise<string> => {
    const exit = await runSync(
      { issued: [...records] },
      [address, 'issued', '--format', 'csv', '--allow-gone'],
      { env },
    );
    expect([exit.code, exit.stderr.replaceAll(/^warning: .*\n/gm, '')]).toEqual([0, '']);
    return exit.text.split('\n')[1]!.split(',').slice(2, 7).join(' ');
  };

  const id = (at: number): string => String(10 + at);
  const records = DOCUMENTS.map(([members], at) => record(id(at), members));

  it('are what the document is worth, in the name of its counterparty’s newest document', async () => {
    const address = await newAddress();
    await synced(address, records);
    expect(await columnsIn(address)).toEqual(DOCUMENTS.map(([, row]) => row));
  });

  it('are named where they are empty for an amount that cannot be read', async () => {
    const issued = [record('1', '"amountToBePaid":"100"'), record('2', '')];
    const { code, stderr } = await runSync({ issued }, [await newAddress(), 'issued']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('shows nothing in _open for 1 new or changed'),
    ]);
  });

  it('are written anew where a newer document calls the counterparty otherwise, and where that is gone', async () => {
    const address = await newAddress();
    const books = [record('1', A), record('2', party('1-9', 'Other')), record('3', A)];
    const state = (): Promise<string[]> =>
      ask(address, "SELECT _key, _hash, _changed_run FROM issued WHERE _key < '4' ORDER BY 1");
    await synced(address, books);
    const before = await state();
    const named = (): Promise<string[]> =>
      ask(address, 'SELECT _party, _party_name FROM issued_current ORDER BY _key');
    const newer = record('4', `${party('060155495-k', 'New SpA')},"date":"2026-01-02"`);
    expect(await synced(address, [...books, newer])).toBe('4 1 0 0 0');
    expect(await named()).toEqual([
      '060155495-k|New SpA',
      '1-9|Other',
      ...Array(2).fill('060155495-k|New SpA'),
    ]);
    expect(await synced(address, books)).toBe('3 0 0 1 0');
    expect(await named()).toEqual(['60155495-K|Old Ltda.', '1-9|Other', '60155495-K|Old Ltda.']);
    expect(await state()).toEqual(before);
    expect(await ask(address, 'SELECT _change FROM issued_history')).toEqual(['gone']);
    expect(await ask(address, "SELECT _party_name FROM issued WHERE _key = '4'")).toEqual(['New SpA']);
  });

  it('are written anew where the setting of a field has changed', async () => {
    const address = await newAddress();
    await synced(address, records);
    const opens = (): Promise<string[]> => ask(address, 'SELECT _open FROM issued_current ORDER BY _key');
    const before = await columnsIn(address);
    const state = (): Promise<string[]> =>
      ask(address, 'SELECT _key, _hash, _changed_run, _raw FROM issued ORDER BY 1');
    const stored = await state();
    const env = withSettings({ 'fields.amount': 'totalAmount' });
    expect(await synced(address, records, env)).toBe('11 0 0 0 0');
    expect(await opens()).toEqual(['119', '119', '-119', '119', '0', '0', '0', '119', '119', '119', '119']);
    expect(await synced(address, records)).toBe('11 0 0 0 0');
    expect([await columnsIn(address), await state()]).toEqual([before, stored]);
    expect(await ask(address, 'SELECT count(*) FROM issued_history')).toEqual(['0']);
  });

  it('have their names, also where the service sends others of them', async () => {
    const address = await newAddress();
    await synced(address, [record('1', '"_open":"theirs"')]);
    expect(await ask(address, 'SELECT _open, _open_2 FROM issued_current')).toEqual(['100|theirs']);
  });

  it('are worked out anew by another version of folio, whose rule may be another', async () => {
    const database = await open(await newAddress());
    const syncBy = async (text: string) =>
      writeSync(database, [await part(records)], { ...options, version: text });
    await syncBy('0.1.0');
    const right = await database.query('SELECT _key, _open, _party FROM issued ORDER BY 1');
    await database.query("UPDATE issued SET _open = 7 WHERE _key <> '10'");
    await syncBy('0.1.0');
    expect(await database.query('SELECT _open FROM issued GROUP BY 1')).toHaveLength(2);
    expect((await syncBy('0.1.1'))[0]!.counts).toEqual({ added: 0, changed: 0, gone: 0, back: 0 });
    expect(await database.query('SELECT _key, _open, _party FROM issued ORDER BY 1')).toEqual(right);
  });

  it('are worked out by the settings of the profile whose record it is', async () => {
    const address = await newAddress();
    const env = { FOLIO_CONFIG_DIR: temporaryFolder(), FOLIO_TOKEN: undefined };
    const service = await startFaultServer({ issued: [records[0]!] });
    for (const [profile, field] of Object.entries({ north: 'amountToBePaid', south: 'totalAmount' })) {
      const login = ['auth', 'login', '--no-verify', '--profile', profile, '--base-url', service.baseUrl];
      await runHere(login, { env, input: TEST_TOKEN });
      await runHere(['config', 'set', 'fields.amount', field, '--profile', profile], { env });
      expect((await runHere(['sync', address, 'issued', '--profile', profile], { env })).code).toBe(0);
    }
    const opens = await ask(address, 'SELECT _profile, _open FROM issued_current ORDER BY 1');
    expect(opens).toEqual(['north|100', 'south|119']);
  });

  it('are after any edits what they are in a new database', async () => {
    const sql = `SELECT _key, ${COLUMNS.join(', ')} FROM issued_current ORDER BY 1`;
    for (let run = 0; run < randomRuns(40); run++) {
      const draw = randomFrom(1000 + run);
      const pick = (...of: readonly string[]): string => of[draw(of.length)]!;
      const edited = await connect(await newAddress());
      const books = new Map<string, string>();
      for (let syncs = 0; syncs < 4; syncs++) {
        for (let edits = draw(6); edits >= 0; edits--) {
          const key = `D${draw(8)}`;
          const name = pick('Old', 'New', 'Older');
          const customer = party(pick('60155495-K', '060155495-k', '1-9', '66666666-6'), name);
          const members = `${customer},"date":"2026-01-0${1 + draw(3)}","documentType":"${pick('33', '61')}"`;
          if (draw(4) === 0) books.delete(key);
          else books.set(key, record(key, members));
        }
        const amount = pick('amountToBePaid', 'totalAmount');
        const fields = { usual: mapFields(fieldsOfColumns(issued.columns), { amount }) };
        await sync(edited, [...books.values()], { fields });
        const fresh = await connect(join(temporaryFolder(), 'books.db'));
        await sync(fresh, [...books.values()], { fields });
        const [now, wanted] = [await edited.query(sql), await fresh.query(sql)];
        const texts = (rows: readonly (readonly unknown[])[]): string[] =>
          rows.map((row) => row.join('|')).toSorted();
        expect([run, syncs, texts(now)]).toEqual([run, syncs, texts(wanted)]);
        await fresh.close();
      }
      await edited.close();
    }
  });
});
