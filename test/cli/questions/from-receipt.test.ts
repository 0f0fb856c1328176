import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageOf, runScripted, runStub, type ScriptedExit } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectPart, expectRefused } from '../../support/expect-exit.ts';

const RECORDS = [1.1, 2.2].map(
  (amount, at) => `{"id":${at + 1},"documentType":33,"status":"PAID","totalAmount":${amount.toFixed(2)}}`,
);
const WHOLE = pageOf(RECORDS);
const INVOICES = pageOf([
  '{"id":1,"totalAmount":1,"amountToBePaid":1,"dueBy":"2026-11-01","currency":"CLP","customer":{"name":"Roble"}}',
]);
/** Of a service that names one more than it serves. */
const SHORT = pageOf(RECORDS, { total: 3 });

/** An export in jsonl with its receipt, of a service that answers alike however often it is asked. */
async function exported(page: string, code: number): Promise<string> {
  const file = join(temporaryFolder(), 'issued.jsonl');
  const argv = ['issued', '-o', file, '--receipt', `${file}.receipt.json`];
  expect(await runStub(argv, { issued: page })).toMatchObject({ code });
  return file;
}

const QUESTION = '--sum totalAmount --field currency==CLP --no-header';

const sumOf = (file: string): Promise<ScriptedExit> =>
  runScripted(['issued', '--from', file, ...QUESTION.split(' ')], []);

const SUM = 'CLP,2,3.30,0.00,0.00,0\n';

describe('an answer that rests on a file', () => {
  it('is plain where its receipt is of a complete run', async () => {
    expect(await sumOf(await exported(WHOLE, 0))).toEqual({ code: 0, stdout: SUM, stderr: '', asked: [] });
  });

  it('is exit 6 where its receipt says that not all could be had, whatever is asked', async () => {
    const file = await exported(SHORT, 6);
    const { code, stdout, stderr } = await sumOf(file);
    expect({ code, stdout }).toEqual({ code: 6, stdout: SUM });
    const [first, second] = stderr.split('\n');
    expect(first).toMatch(/^folio: .*issued\.jsonl is incomplete: delivered 2 records, but/);
    expect(second).toBe(`  Export it again: its receipt ${file}.receipt.json says that it is not complete.`);
    for (const argv of [
      ['issued', '--from', file],
      ['issued', '--from', file, '--count'],
      ['issued', '--from', file, '--list-columns'],
      ['report', '--from', file, '--format', 'json'],
    ]) {
      const outcome = await runScripted(argv, []);
      expect({ argv, code: outcome.code }).toEqual({ argv, code: 6 });
      expect(outcome.stdout).not.toBe('');
      expect(outcome.stderr).toContain('is incomplete');
    }
  });

  it('says that credit notes or cancelled documents cannot be told where nothing tells them', async () => {
    const file = join(temporaryFolder(), 'issued.jsonl');
    const page = pageOf([
      '{"number":1,"documentType":61,"status":"PAID","amountToBePaid":5,"totalAmount":5,"dueBy":"2026-11-01",' +
        '"currency":"CLP","customer":{"name":"Roble"}}',
    ]);
    const columns = 'number,totalAmount,open=amountToBePaid,dueBy,currency,counterparty=customer.name';
    const CREDITS = 'no documentType: credit notes count as invoices';
    const CANCELLED = 'no status: cancelled documents count as open';
    const saidIn = (text: string) => [CREDITS, CANCELLED].filter((one) => text.includes(` has ${one}\n`));
    for (const [more, says] of [
      ['', [CREDITS, CANCELLED]],
      [',Tipo=documentType', [CANCELLED]],
      [',documentType,status', []],
      [',*,-documentType', [CREDITS]],
    ] as const) {
      const argv = ['issued', '-o', file, '--receipt', 'beside', '--columns', columns + more];
      expect(await runStub(argv, { issued: page })).toMatchObject({ code: 0 });
      // Cells as sent are told apart by type and status, too: `.creditNotes` would be 0.
      const lines = ['issued --sum total', 'issued --sum total --as-sent', 'issued --open --count'];
      for (const line of ['aging', ...lines, 'statement --all']) {
        const { code, stderr } = await runScripted([...line.split(' '), '--from', file], []);
        expect([more, line, code, saidIn(stderr)]).toEqual([more, line, 0, says]);
      }
      // Without the receipt, nothing says which column has a heading.
      if (more.includes('=')) continue;
      const input = { stdin: { text: readFileSync(file, 'utf8') } };
      const { stderr } = await runScripted('issued --sum totalAmount --from -'.split(' '), [], input);
      expect([more, saidIn(stderr)]).toEqual([more, says]);
      const copy = join(temporaryFolder(), 'copy.jsonl');
      // Columns that are chosen again are there, and empty.
      for (const again of [[], ['--columns', '*,documentType,status']]) {
        await runScripted(['issued', '--from', file, '-o', copy, '--receipt', 'beside', ...again], []);
        const ofCopy = await runScripted(['issued', '--sum', 'totalAmount', '--from', copy], []);
        expect([more, saidIn(ofCopy.stderr)]).toEqual([more, says]);
      }
      await expectAnswer(runScripted(['issued', '--count', '--from', file], []), '1\n');
    }
  });

  it('is compared with a file that names no profile', async () => {
    const [file, other] = [await exported(WHOLE, 0), join(temporaryFolder(), 'other.jsonl')];
    writeFileSync(other, readFileSync(file));
    const receipt = JSON.parse(readFileSync(`${file}.receipt.json`, 'utf8')) as object;
    writeFileSync(`${file}.receipt.json`, JSON.stringify({ ...receipt, profile: 'north' }));
    const argv = ['issued', '--from', other, '--changes-since', file, '--no-header'];
    await expectAnswer(runScripted(argv, []), '');
  });

  it('is exit 6 where the earlier export of a comparison is not complete', async () => {
    const earlier = await exported(SHORT, 6);
    const argv = ['issued', '--changes-since', earlier, '--columns', '_change,id', '--no-header'];
    await expectPart(
      runScripted(argv, [pageOf([...RECORDS, '{"id":3,"totalAmount":1}'])]),
      'added,3\n',
      'is incomplete',
    );
  });

  it('has a warning where the file is not the one of the receipt', async () => {
    const file = await exported(WHOLE, 0);
    appendFileSync(file, '{"id":3,"totalAmount":1}\n');
    const warning = `warning: ${file} is not what its receipt ${file}.receipt.json says was delivered; \`folio verify\` tells in what it differs\n`;
    const stdout = 'CLP,3,4.30,0.00,0.00,0\n';
    expect(await sumOf(file)).toEqual({ code: 0, stdout, stderr: warning, asked: [] });
    const short = await exported(SHORT, 6);
    writeFileSync(short, readFileSync(short, 'utf8').replace('1.10', '1.20'));
    expect(await sumOf(short)).toMatchObject({ code: 0, stderr: warning.replaceAll(file, short) });
  });

  it('has a warning where the last run delivered no file', async () => {
    const file = await exported(WHOLE, 0);
    const refused: [number, string] = [403, '{"Message":"User is not authorized to access this resource"}'];
    const argv = ['issued', '-o', file, '--receipt', `${file}.receipt.json`];
    expect(await runScripted(argv, [refused])).toMatchObject({ code: 3 });
    await expectAnswer(
      sumOf(file),
      SUM,
      /^warning: .*issued\.jsonl is older than its receipt: the run of .* delivered no file \(.*\)\n$/,
    );
  });

  it('has a warning where the receipt is none', async () => {
    const file = await exported(WHOLE, 0);
    writeFileSync(`${file}.receipt.json`, 'null');
    expect(await sumOf(file)).toMatchObject({
      code: 0,
      stderr: `warning: ${file}.receipt.json is not a receipt, or a broken one: it is not a JSON object\n`,
    });
  });

  it.each([
    ['received --from F --sum totalAmount', 'F is of issued, as its receipt says, not of received'],
    ['aging --payable --from F', 'F is of issued, as its receipt says, not of received'],
    ['report --from received=F', 'F is of issued, as its receipt says, not of received'],
    ['received --changes-since F', 'cannot compare with F: its receipt says that it is of issued, not of'],
  ])('is never of another listing than its receipt says: %s', async (line, says) => {
    const file = await exported(WHOLE, 0);
    const { code, stdout, stderr } = await runScripted(line.replace('F', file).split(' '), []);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(says.replace('F', file));
  });

  const RESULTS = ['issued --sum totalAmount --group-by id --field currency==CLP', 'issued --count', 'aging'];
  it.each(RESULTS)('is never of a result, whose rows would count as records: %s', async (line) => {
    const [all, file] = [await exported(INVOICES, 0), join(temporaryFolder(), 'issued.jsonl')];
    const made = [...line.split(' '), '--from', all, '-o', file, '--receipt', 'beside'];
    expect(await runScripted(made, [])).toMatchObject({ code: 0 });
    for (const question of [
      ['issued', '--count', '--from', file],
      ['issued', '--from', all, '--changes-since', file],
      ['aging', '--from', file],
    ])
      await expectRefused(runScripted(question, []), `folio: ${file} has rows of a result, as its receipt`);
  });

  it('is not compared with rows of a list, and with a part of a listing only with a warning', async () => {
    const paid = pageOf(['{"id":1,"payments":[{"amount":1},{"amount":2}]}', '{"id":2,"payments":[]}']);
    const export_ = async (...flags: string[]): Promise<ScriptedExit> => {
      const file = join(temporaryFolder(), 'issued.jsonl');
      const argv = ['issued', '-o', file, '--receipt', 'beside', ...flags];
      expect(await runStub(argv, { issued: paid })).toMatchObject({ code: 0 });
      return runStub(['issued', '--changes-since', file], { issued: paid });
    };
    expect(await export_('--expand', 'payments')).toMatchObject({ code: 2, stdout: '' });
    const part = await export_('--limit', '1');
    expect(part).toMatchObject({ code: 0 });
    expect(part.stderr).toContain('has only a part of its listing (--limit 1): the others show as added');
  });
});
