import { describe, expect, it } from 'vitest';
import { expectRefused } from '../support/expect-exit.ts';
import { atMidday } from '../support/midday.ts';
import { runHere } from '../support/run-here.ts';

describe.concurrent('a first user', () => {
  it.each([
    ['login --sandbox', '--sandbox needs no login and no token\n  Add it to what you want to see'],
    ['--sandbox auth login', '--sandbox needs no login and no token\n  Add it to what you want to see'],
    ['--sandbox aging --lang es', 'goes with xlsx, not with csv\n  Leave --lang out, or say --format xlsx.'],
    ['--sandbox issued --format excel', 'csv, xlsx, parquet\n  A workbook is --format xlsx'],
    ['--sandbox issued --format NDJSON', 'csv, xlsx, parquet\n  Say --format jsonl.'],
    ['--sandbox issued --where daysLate>3', 'a column daysLate\n  `folio statement --all --overdue` sh'],
    ['--sandbox issued --sum total --group-by client', 'has a column client\n  Did you mean customer.name?'],
  ])('%s is told what to write', async (line, message) => {
    const { code, stdout, stderr } = await runHere(line.split(' '), { awkward: false });
    expect([code, stdout.toString()]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('is told of a wrong month before a token is missed', async () => {
    await expectRefused(
      runHere(['issued', '--period', 'october'], { env: { FOLIO_TOKEN: undefined } }),
      /--period "october".*\n {2}Periods are written 2026-11,/,
    );
  });

  it.each([
    [
      'issued',
      'number,daysLate',
      'daysLate; `folio statement --all --overdue` shows how many days late each is',
    ],
    ['issued', 'client,total', 'client; did you mean customer.name?'],
    ['received', 'supplier,total', 'supplier; did you mean issuer.name?'],
  ])('%s --columns %s is warned where the column is', async (listing, columns, text) => {
    const { code, stderr } = await runHere(['--sandbox', listing, '--limit', '2', '--columns', columns], {
      awkward: false,
    });
    expect(stderr).toBe(`warning: --columns: no record has a value in ${text} (2 records read)\n`);
    expect(code).toBe(0);
  });

  it('finds what is paid with the condition that folio proposes for --paid', async () => {
    const count = (...where: string[]): Promise<string> =>
      answer(['--sandbox', 'issued', '--count', ...where.flatMap((condition) => ['--where', condition])]);
    const paid = await count('open=0', 'status!=NULLIFIED');
    expect(paid).toBe(await count('status=PAID,MANUALLY_MARKED_AS_PAID'));
    expect(paid).not.toBe(await count('status=PAID'));
  });
});

atMidday();

async function answer(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, { awkward: false });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.toString();
}

describe('what somebody sees first, with --sandbox', () => {
  it('goes up to today, and is awkward with --awkward alone', async () => {
    expect(await answer(['--sandbox', 'issued', '--since', 'yesterday', '--count'])).not.toBe('0\n');
    const columns = ['issued', '--columns', 'customer.name,totalAmount'];
    expect(await answer(['--sandbox', ...columns])).not.toMatch(/=SUM|,\dE\d\n/);
    const awkward = await answer(['--sandbox', '--awkward', ...columns]);
    expect(awkward).toContain('=SUM(A1:A9) Consultores');
    expect(awkward).toMatch(/,\dE\d\n/);
  });
});
