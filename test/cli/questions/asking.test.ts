import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageOf, runScripted, type ScriptedExit } from '../../support/scripted-run.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectPart, expectRefused } from '../../support/expect-exit.ts';

/** It is 2026-11-21 in these tests. Overdue are 1 and 4: the others are settled, due today, not dated or a credit note. */
const INVOICES = [
  '{"id":1,"number":101,"status":"OVERDUE","documentType":"INVOICE","date":"2026-09-30T10:00:00Z","dueBy":"2026-10-31","amountToBePaid":100.10,"totalAmount":1000,"currency":"CLP","receiverFiscalId":"60155445-K","customer":{"name":"Librería Ñandú"}}',
  '{"id":2,"number":102,"status":"PAID","documentType":"INVOICE","date":"2026-10-01","dueBy":"2026-10-15","amountToBePaid":0.00,"totalAmount":20.50,"currency":"USD","receiverFiscalId":"7-6","customer":{"name":"Roble, Ltda."}}',
  '{"id":3,"number":103,"status":"PENDING","documentType":"INVOICE","date":"2026-10-31","dueBy":"2026-11-21","amountToBePaid":7,"totalAmount":7,"currency":"CLP","receiverFiscalId":"60155445-K","customer":{"name":"Librería Ñandú"}}',
  '{"id":4,"number":104,"status":"PARTIALLY_PAID","documentType":"INVOICE","date":"2026-11-01","dueBy":"2026-11-20T23:59:59Z","amountToBePaid":0.01,"totalAmount":5,"currency":"USD","receiverFiscalId":"7-6","customer":{"name":"Roble, Ltda."}}',
  '{"id":5,"number":105,"status":"OVERDUE","documentType":"CREDIT_NOTE","date":"2026-11-02","dueBy":"2026-11-10","amountToBePaid":30,"totalAmount":30,"currency":"CLP","receiverFiscalId":"7-6","customer":{"name":"Roble, Ltda."}}',
  '{"id":6,"number":106,"status":"PENDING","documentType":"INVOICE","date":"2026-11-21","dueBy":null,"amountToBePaid":9,"totalAmount":9,"currency":"CLP","receiverFiscalId":"7-6","customer":{"name":"Lago"}}',
];
const PAGE = pageOf(INVOICES);
const clock = { now: Date.UTC(2026, 10, 21, 15) };

const ask = (...argv: string[]): Promise<ScriptedExit> => runScripted(['issued', ...argv], [PAGE], { clock });

/** The ids of the invoices that come out. */
async function ids(...argv: string[]): Promise<string> {
  const { code, stdout } = await ask('--columns', 'id', '--no-header', ...argv);
  expect(code).toBe(0);
  return stdout.trimEnd().replaceAll('\n', ' ');
}

describe('an empty answer', () => {
  const argv = ['issued', '--where', 'status=NONE', '--where', 'totalAmount>5000', '--where', 'dueBy>2027'];
  const says =
    '0 of 6 issued invoices; status has "OVERDUE", "PAID", "PENDING", "PARTIALLY_PAID"; totalAmount goes from 5 to 1000; dueBy goes from 2026-10-15 to 2026-11-21';

  it('explains itself on a terminal, and with -v off one', async () => {
    const screen = { clock, terminal: true, columns: 300, env: { NO_COLOR: '1' } };
    expect((await runScripted(argv, [PAGE], screen)).stderr).toContain(says);
    expect((await runScripted([...argv, '-v'], [PAGE], { clock })).stderr).toContain(says);
  });

  it('is as empty as ever off a terminal', async () => {
    await expectAnswer(runScripted(argv, [PAGE], { clock }), '');
  });
});

describe('--open, --overdue, --since, --until and --period', () => {
  it.each([
    [['--overdue'], '1 4'],
    [['--open', '-q'], '1 3 4 6'],
    [['--open', '--period', '2026-10'], '3'],
    [['--period', 'last-month'], '2 3'],
    [['--period', 'this-month'], '4 5 6'],
    [['--period', '2026-q3'], '1'],
    [['--period', '2026', '--overdue'], '1 4'],
    [['--since', '2026-11'], '4 5 6'],
    [['--since', '-20d'], '4 5 6'],
    [['--until', '2026-10'], '1 2 3'],
    [['--since', '2026-10', '--until', '2026-10'], '2 3'],
    [['--since', '2026-11-02', '--until', '2026-11'], '5 6'],
    [['--since', '2026-11', '--until', '2026-11-01'], '4'],
    // A date of another zone may be of both.
    [['--since', '2026-11-21T01:00:00Z', '--until', '2026-11-20'], ''],
    [['--since', '2026-10-01', '--until', 'yesterday', '--overdue'], '4'],
  ])('%j keeps %s', async (flags, kept) => {
    expect(await ids(...flags)).toBe(kept);
  });

  it('says what is left out for want of a date', async () => {
    const undated = pageOf([INVOICES[0]!, INVOICES[5]!.replace('"date":"2026-11-21"', '"date":null')]);
    const overdue = await runScripted(['issued', '--overdue', '--count', '-v'], [undated], { clock });
    expect(overdue.stderr).toContain('--overdue: 1 open invoice without a due date left out\n');
    const credits = 'warning: --overdue leaves out 1 credit, -30 CLP (number 105)\n';
    expect((await ask('--overdue', '--count')).stderr).toBe(credits);
    const since = await runScripted(['issued', '--since', '2026', '--count'], [undated], { clock });
    const undatedOne = 'warning: --since: 1 record without a date of issue left out\n';
    expect(since).toMatchObject({ stdout: '1\n', stderr: undatedOne });
    for (const date of ['"2026-02-30"', '20261121']) {
      const unread = pageOf([INVOICES[0]!, INVOICES[5]!.replace('"2026-11-21"', date)]);
      const left = '1 record was left out, since it cannot be read: date of record 2';
      for (const flag of ['--until 2026-12', '--where date>=2026'])
        await expectPart(
          runScripted(['issued', ...flag.split(' '), '--count'], [unread], { clock }),
          '1\n',
          left,
        );
    }
  });

  it('refuses where no record has the field, and says how to name it', async () => {
    const hint = '\n  Say which column it is in with --field amount=<column>.\n';
    const none =
      'folio: --overdue: no record has an open amount in amountToBePaid or openAmount or amountDue';
    await expectRefused(runScripted(['issued', '--overdue'], [pageOf(['{"id":1}'])]), none + hint);
    const unknown = 'folio: --open: folio knows no column of customers with an open amount';
    await expectRefused(runScripted(['customers', '--open'], []), unknown + hint);
  });
});

it('--group-by month is told that it is date:month', async () => {
  await expectRefused(ask('--group-by', 'month'), 'To group by month, write --group-by date:month.');
});

describe('--count', () => {
  it('is a number and nothing else, unless a format is asked for', async () => {
    await expectAnswer(ask('--count'), '6\n');
    await expectAnswer(ask('--count', '--where', 'status=NONE'), '0\n');
    await expectAnswer(ask('--count', '--format', 'json'), '[\n{"records":6}\n]\n');
    await expectAnswer(ask('--count', '--group-by', 'currency'), 'currency,records\nCLP,4\nUSD,2\n');
    const screen = { clock, terminal: true, env: { NO_COLOR: '1' } };
    await expectAnswer(runScripted(['issued', '--count'], [PAGE], screen), '6\n');
  });
});

const NEITHER =
  'standard input is neither jsonl nor json; if it is csv, it does not say which cells are numbers\n  Pipe them in as jsonl';

describe('--from', () => {
  it('chooses and orders here what the service would', async () => {
    const file = fileOf(INVOICES.join('\n'));
    const from = async (...flags: string[]): Promise<string> => {
      const argv = ['issued', '--from', file, '--columns', 'id', '--no-header', ...flags];
      return (await runScripted(argv, [], { clock })).stdout.trimEnd().replaceAll('\n', ' ');
    };
    expect(await from('--customer-fiscal-id', '60.155.445-k,8-4')).toBe('1 3');
    expect(await from('--sort-by', 'amount', '--sort-order', 'desc')).toBe('1 5 2 6 3 4');
    expect(await from('--sort-by', 'due_by', '--limit', '3')).toBe('2 1 5');
    expect(await from('--limit', '2')).toBe('1 2');
    const other = fileOf(
      INVOICES.join('\n').replaceAll('"number"', '"folio"').replaceAll('"dueBy"', '"vence"'),
    );
    const line = ['issued', '--from', other, '--columns', 'id', '--no-header', '--sort-by'];
    const descending = await runScripted([...line, 'number', '--sort-order', 'desc'], [], { clock });
    expect(descending.stdout.trimEnd().split('\n')).toEqual((await from('--sort', '-number')).split(' '));
    expect(await runScripted([...line, 'due_by'], [], { clock })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sort: no record has a due date in dueBy'),
    });
    const mapped = ['--field', 'due=x', '--field', 'due=vence'];
    const due = await runScripted([...line, 'due_by', ...mapped, '--limit', '3'], [], { clock });
    expect(due).toMatchObject({ stdout: '2\n1\n5\n', stderr: '' });
    const ofOther = fileOf(INVOICES.join('\n').replaceAll('"receiverFiscalId"', '"rut"'));
    const parties = ['--customer-fiscal-id', '60.155.445-k,8-4', '--field', 'counterpartyFiscalId=rut'];
    const chosen = await runScripted(['issued', '--from', ofOther, '--count', ...parties], [], { clock });
    const nobody = 'warning: no customer in these records has the fiscal ID 8-4\n';
    expect(chosen).toMatchObject({ stdout: '2\n', stderr: nobody });
  });

  const PIPED = `${INVOICES.join('\n')}\n`;
  const piped = (text: string | undefined, ...argv: string[]) =>
    runScripted(argv, [], { stdin: text === undefined ? { typed: [] } : { text } });

  it('reads standard input once, as it would a file', async () => {
    const file = fileOf(PIPED);
    for (const text of [PIPED, `\n [${INVOICES.join(',')}]`])
      for (const line of ['issued', 'issued --sum totalAmount', 'aging -q', 'issued --list-columns']) {
        const argv = line.split(' ');
        const answer = await piped(text, ...argv, '--from', '-');
        expect({ line, ...answer }).toEqual({ line, ...(await runScripted([...argv, '--from', file], [])) });
        expect(answer.code).toBe(0);
      }
  });

  it.each([
    ['id,b\n1,2\n', 'aging --from -', `${NEITHER}, as in \`folio issued --format jsonl | folio aging`],
    ['', 'issued --from -', 'standard input is empty: no records came\n  See whether the program before the'],
    [' \n', 'issued --from -', 'standard input is empty'],
    [undefined, 'issued --from -', 'standard input is a terminal, and no records come from there'],
    [PIPED, 'issued --from - --customer-fiscal-id @-', '--customer-fiscal-id @- and --from - both read'],
    ['1', 'statement --customer-fiscal-id @- --note @-', '--customer-fiscal-id @- and --note @- both read'],
    [PIPED, 'issued --from - --token-file -', '--from and --token-file do not go together'],
    [PIPED, 'report --from -', '--from - is one listing, and a report is of several'],
    [PIPED, 'report --from issued=-', '--from - is one listing, and a report is of several'],
    [PIPED, 'mcp --from -', '--from -: that is not a database of folio sync'],
    [PIPED, 'issued --changes-since -', 'standard input cannot be read here'],
  ])('refuses of standard input %j: folio %s', async (text, line, says) => {
    await expectRefused(piped(text, ...line.split(' ')), `folio: ${says}`);
  });
});

describe('--changes-since', () => {
  const now = ['{"id":1,"number":10,"status":"PAID"}', '{"id":3,"number":30,"status":"NEW"}'];

  it('begins on a first night where there is no earlier file', async () => {
    const file = join(temporaryFolder(), 'yesterday.jsonl');
    const argv = ['issued', '--changes-since', file, '--columns', 'status'];
    await expectRefused(
      runScripted(argv, []),
      `there is no such file\n  Check the name. For a first night, make an empty file to compare with: \`[ -e ${file} ] || : > ${file}\`.\n`,
    );
    writeFileSync(file, '');
    const first = await runScripted([...argv, '-v'], [pageOf(now)]);
    expect(first).toMatchObject({
      code: 0,
      stdout: '_change,id,status,field,old,new\nadded,1,PAID,,,\nadded,3,NEW,,,\n',
      stderr: expect.stringContaining(`since ${file}: 2 added, 0 changed, 0 gone, 0 as they were\n`),
    });
  });
});
