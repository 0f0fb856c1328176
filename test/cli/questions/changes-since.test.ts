import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageOf, runScripted } from '../../support/scripted-run.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import type { ConfigStore } from '../../../src/profiles/profile.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

const link = (host: string, signature: string): string =>
  `"files":[{"fileUrl":"https://${host}/files/1?signature=${signature}"}]`;
const BEFORE = [
  `{"id":1,"number":10,"status":"PENDING",${link('a.example', 'x')}}`,
  `{"id":2,"number":20,"status":"PAID",${link('a.example', 'y')}}`,
  '{"id":3,"number":30,"status":"VOID"}',
];
const AFTER = [
  '{"id":4,"number":40,"status":"NEW"}',
  `{"id":2,"number":20,"status":"PAID",${link('b.example', 'z')}}`,
  `{"id":1,"number":10,"status":"PAID",${link('b.example', 'w')}}`,
];

async function changes(flags: readonly string[], { terminal = false, key = 'id' } = {}) {
  const argv = ['issued', '--changes-since', fileOf(`${BEFORE.join('\n')}\n`), ...flags];
  const env = { NO_COLOR: '1', LANG: 'C.UTF-8' };
  return runScripted(argv, [pageOf(AFTER)], { terminal, env, config: async () => keyedBy(key) });
}

/** The settings of a user whose invoices are told apart by these columns. */
const keyedBy = (columns: string): ConfigStore => memoryStore({ settings: { 'key.issued': columns } });

describe('--changes-since', () => {
  it('tells added, changed and gone, whole records in them, and no link that is only signed anew', async () => {
    const { code, stdout } = await changes(['--format', 'jsonl']);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      `{"_change":"added","id":4,"number":40,"field":null,"old":null,"new":null,"record":${AFTER[0]}}`,
      '{"_change":"changed","id":1,"number":10,"field":"status","old":"PENDING","new":"PAID"}',
      `{"_change":"gone","id":3,"number":30,"field":null,"old":null,"new":null,"record":${BEFORE[2]}}`,
    ]);
  });

  it.each([
    ['PENDING', 'changed,1,status,PENDING,PAID'],
    ['PAID', 'changed,1,status,PENDING,PAID'],
    ['VOID', 'gone,3,,,'],
    ['NEW', 'added,4,,,'],
  ])('has a condition of what passes now or did then, and calls that changed: %s', async (status, row) => {
    const shown = ['--no-header', '--columns', '_change,id,field,old,new'];
    expect(await changes(['--where', `status=${status}`, ...shown])).toMatchObject({
      code: 0,
      stdout: `${row}\n`,
      stderr: '',
    });
  });

  it('takes a link for the same however it is spelt, wherever it stands, and whatever it is signed with', async () => {
    const signed = (signature: string): string =>
      `{"id":1,"number":10,"pdf":"https:\\/\\/files.example\\/1?expires=1&signature=${signature}",` +
      `"files":[{"fileUrl":"https:\\/\\/files.example\\/2?x=${signature}","xml":"https://files.example/3?token=${signature}"}],` +
      `"go":"https://files.example/4?a=b\\u0026signature=${signature}",` +
      `"up":"HTTPS://files.example/5?signature=${signature}","esc":"\\u0068ttps://files.example/6?signature=${signature}",` +
      `"site":"https://acme.example/?page=${signature.length}"}`;
    const argv = ['issued', '--format', 'jsonl', '--changes-since', fileOf(`${signed('aaa')}\n`)];
    await expectAnswer(runScripted(argv, [pageOf([signed('bbb')])]), '');
    await expectAnswer(
      runScripted(argv, [pageOf([signed('longer')])]),
      '{"_change":"changed","id":1,"number":10,"field":"site",' +
        '"old":"https://acme.example/?page=3","new":"https://acme.example/?page=6"}\n',
    );
  });

  it('knows a record by its id as text or as a number, and not by one that is empty', async () => {
    const file = fileOf('{"id":7,"n":1}\n{"id":"","n":2}\n{"id":"","n":3}\n');
    const now = ['{"n":1,"\\u0069d":"\\u0037"}', '{"id":"","n":3}', '{"id":"","n":4}'];
    const argv = ['issued', '--changes-since', file, '--format', 'jsonl'];
    const { stdout, stderr } = await runScripted(argv, [pageOf(now)]);
    expect(stdout.trimEnd().split('\n')).toEqual([
      '{"_change":"changed","id":"7","number":null,"field":"id","old":7,"new":"7"}',
      '{"_change":"added","id":"","number":null,"field":null,"old":null,"new":null,"record":{"id":"","n":4}}',
      '{"_change":"gone","id":"","number":null,"field":null,"old":null,"new":null,"record":{"id":"","n":2}}',
    ]);
    expect(stderr).toContain('4 records without id');
  });

  it('is a table on a terminal, without the records, and says how many', async () => {
    const { stdout, stderr } = await changes([], { terminal: true });
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      '_change  id  number  field   old      new',
      '───────  ──  ──────  ──────  ───────  ────',
      'added     4      40',
      'changed   1      10  status  PENDING  PAID',
      'gone      3      30',
      '',
    ]);
    expect(stderr).toContain('1 added, 1 changed, 1 gone, 1 as they were');
  });

  it('names the columns in csv also where nothing changed', async () => {
    const argv = ['issued', '--changes-since', fileOf(`[${AFTER.join(',\n')}]`)];
    await expectAnswer(runScripted(argv, [pageOf(AFTER)]), '_change,id,number,field,old,new\n');
  });

  it('has the columns that names mean, and those of whole records; says which no record has', async () => {
    const [before, now] = [
      '{"id":1,"totalAmount":5,"amountToBePaid":3,"payments":[{"amount":2}]}\n',
      '{"id":2,"totalAmount":7,"amountToBePaid":4,"payments":[{"amount":3}]}',
    ];
    const argv = ['issued', '--changes-since', fileOf(before), '--format', 'csv', '--columns'];
    const of = (columns: string) => runScripted([...argv, columns], [pageOf([now])]);
    const columns = '_change,id,open,total,record.totalAmount';
    await expectAnswer(of(columns), `${columns}\nadded,2,4,7,7\ngone,1,3,5,5\n`);
    const missing = await of('_change,id,shop');
    expect([missing.code, missing.stdout]).toEqual([0, '_change,id,shop\nadded,2,\ngone,1,\n']);
    expect(missing.stderr).toContain('warning: --columns: no record has a value in shop');
    const wrong = {
      totalAmont: 'Did you mean totalAmount?',
      'payments.amount': 'is within the list payments',
    };
    for (const [column, says] of Object.entries(wrong)) await expectRefused(of(`_change,id,${column}`), says);
  });

  it('takes another key, other columns beside it, and only what --where keeps of both', async () => {
    const { stdout } = await changes(['--columns', 'status', '--where', 'number<30'], { key: 'number' });
    expect(stdout).toBe('_change,number,status,field,old,new\nchanged,10,PAID,status,PENDING,PAID\n');
  });

  it('warns of keys that do not tell records apart', async () => {
    const file = fileOf('{"id":1,"a":1}\n{"id":1,"a":2}\n{"a":3}\n');
    const { stderr } = await runScripted(['issued', '--changes-since', file], [pageOf(['{"id":1,"a":1}'])]);
    expect(stderr).toContain('warning: 1 record without id: a change in one shows as one gone and one added');
    expect(stderr).toContain('has 1 record with a repeated id: compared in their order');
  });

  it('pairs records of one key in their order, also where all have the same, in which a search of each would never end', async () => {
    const records = Array.from({ length: 50_000 }, (_, at) => `{"id":${at},"kind":"A"}`);
    const file = fileOf(records.join('\n'));
    const now = fileOf(
      [...records, '{"id":"new","kind":"A"}'].with(7, '{"id":"seven","kind":"A"}').join('\n'),
    );
    const argv = ['issued', '--from', now, '--changes-since', file, '--format', 'jsonl'];
    const { code, stdout } = await runScripted(argv, [], { config: async () => keyedBy('kind') });
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      '{"_change":"changed","kind":"A","number":null,"field":"id","old":7,"new":"seven"}',
      '{"_change":"added","kind":"A","number":null,"field":null,"old":null,"new":null,"record":{"id":"new","kind":"A"}}',
    ]);
  });

  it('refuses an export of --columns, in which what is in an object has a name of its own', async () => {
    const listed = '{"id":1,"customer":{"name":"Roble"}}';
    const argv = ['issued', '--format', 'jsonl', '--changes-since'];
    await expectRefused(
      runScripted([...argv, fileOf('{"id":1,"customer.name":"Roble"}\n')], [pageOf([listed])]),
      'it has the column customer.name, and not whole records\n  Keep an export',
    );
    // The service may send such a name itself.
    const own = '{"id":1,"customer":{"name":"Roble"},"customer.name":"Roble"}';
    await expectAnswer(runScripted([...argv, fileOf(`${own}\n`)], [pageOf([own])]), '');
  });

  it.each([
    ['--limit 2', '', 'NEW has only a part of its listing (--limit 2): the others would show as gone'],
    ['--limit 2', '--limit 2', 'NEW has only a part of its listing (--limit 2): the others would show as'],
    ['--where number<30', '', 'NEW has only a part of its listing (--where number<30): the others would'],
    ['--columns id,number', '', 'NEW was written with --columns id,number, and has no whole records'],
    ['--columns *,-status', '', 'NEW was written with --columns *,-status, and has no whole records'],
  ])('refuses a newer export that is a part: %s', async (newer, older, says) => {
    const folder = temporaryFolder();
    const [all, old, now] = ['all', 'old', 'new'].map((name) => join(folder, `${name}.jsonl`));
    writeFileSync(all!, BEFORE.join('\n'));
    const write = (file: string, flags: string) => {
      const argv = ['issued', '--from', all!, '-o', file, '--receipt', 'beside'];
      return runScripted([...argv, ...flags.split(' ').filter(Boolean)], []);
    };
    expect(await write(old!, older)).toMatchObject({ code: 0 });
    expect(await write(now!, newer)).toMatchObject({ code: 0 });
    const refused = `folio: cannot compare with ${old}: ${says.replace('NEW', now!)}`;
    await expectRefused(runScripted(['issued', '--from', now!, '--changes-since', old!], []), refused);
  });

  it('compares two parts of the same conditions, and those of fiscal IDs with the same of the earlier export', async () => {
    const folder = temporaryFolder();
    const [all, old] = ['all', 'old'].map((name) => join(folder, `${name}.jsonl`));
    const records = [1, 2, 3].map((id) => `{"id":${id},"receiverFiscalId":"${id}-9","number":${id}}`);
    writeFileSync(all!, records.join('\n'));
    const of = (...flags: string[]) => runScripted(['issued', '--from', ...flags], []);
    const part = ['--where', 'number<3', '--receipt', 'beside'];
    expect(await of(all!, ...part, '-o', old!)).toMatchObject({ code: 0 });
    writeFileSync(all!, records.with(0, records[0]!.replace('1-9', '9-9')).join('\n'));
    const now = join(folder, 'new.jsonl');
    expect(await of(all!, ...part, '-o', now)).toMatchObject({ code: 0 });
    const stdout = '_change,id,number,field,old,new\nchanged,1,1,receiverFiscalId,1-9,9-9\n';
    await expectAnswer(
      of(now, '--changes-since', old!),
      stdout,
      /^warning: both have only a part .*--where number<3.: records that no longer match show as gone\n$/,
    );
    const ids = ['--customer-fiscal-id', '2-9,3-9'];
    await expectAnswer(of(all!, ...ids, '--changes-since', all!, '--no-header'), '');
    const list = join(folder, 'ids.txt');
    writeFileSync(list, '2-9\n');
    for (const [file, flag] of [
      [old!, ['2-9']],
      [now, ['2-9', '3-9']],
    ] as const)
      await of(all!, '--customer-fiscal-id', ...flag, '-o', file, '--receipt', 'beside');
    await expectRefused(
      of(now, '--changes-since', old!),
      '(--customer-fiscal-id 2-9,3-9): the others would show as gone',
    );
    const since = ['--changes-since', old!, '--no-header', '--columns', '_change,id'];
    await expectAnswer(of(all!, '--customer-fiscal-id', `@${list}`, ...since), '');
    await expectAnswer(
      of(all!, ...ids, ...since),
      'added,3\n',
      /.--customer-fiscal-id 2-9.: the others show as added\n$/,
    );
  });

  it('refuses an export of several organizations', async () => {
    const file = fileOf('{"_profile":"north","id":1}\n{"_profile":"south","id":2}\n');
    await expectRefused(
      runScripted(['issued', '--changes-since', file], []),
      'its records are of north, south, and those of the listing do not say whose they are\n  Add --all-profiles;',
    );
  });

  it('refuses a newer export without a receipt whose records lack what all earlier ones have', async () => {
    const now = fileOf('{"id":1,"number":10}\n{"id":2,"number":20}\n');
    const before = fileOf(BEFORE.slice(0, 2).join('\n'));
    const argv = ['issued', '--from', now, '--changes-since', before];
    const says = 'no record has status now, and the first ones there have it\n  Export whole';
    await expectRefused(runScripted(argv, []), says);
    // However late the first is that has it.
    const late = fileOf(`{"id":3,"text":"${'x'.repeat(600_000)}"}\n${BEFORE.slice(0, 2).join('\n')}\n`);
    const since = `issued --from ${late} --changes-since ${before} --columns _change,id --no-header`;
    await expectAnswer(runScripted(since.split(' '), []), 'added,3\n');
  });

  it('refuses an export that is cut short, and a key that none of its records has, before it asks', async () => {
    const cut = fileOf('{"id":1}\n{"id":2,"num');
    await expectRefused(runScripted(['issued', '--changes-since', cut], []), 'is not a whole export');
    const file = fileOf(BEFORE.join('\n'));
    const key = await runScripted(['issued', '--changes-since', file], [], {
      config: async () => keyedBy('nummer'),
    });
    expect(key).toMatchObject({ code: 2, asked: [] });
    expect(key.stderr).toContain('no record has a value in nummer; did you mean number?');
    expect(key.stderr).toContain('as in folio config set key.issued number,documentType.');
    const other = runScripted(['issued', '--changes-since', file], [pageOf(['{"number":1}'])]);
    await expectRefused(other, 'in the listing, no record has a value in id');
  });
});
