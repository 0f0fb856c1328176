import { describe, expect, it } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { expectRefused } from '../support/expect-exit.ts';

describe.concurrent('a first user', () => {
  it.each([
    ['login --sandbox', '--sandbox needs no login and no token\n  Add it to what you want to see'],
    ['--sandbox auth login', '--sandbox needs no login and no token\n  Add it to what you want to see'],
    [
      '--sandbox aging --lang es',
      '--lang translates the headings of a workbook; those of csv are the same in every language\n  Leave it out, or write a workbook with -o <file>.xlsx.',
    ],
    ['--sandbox issued --format excel', 'is no format of folio\n  A workbook is --format xlsx'],
    [
      '--sandbox issued --where daysLate>3',
      'has a column daysLate\n  How late each is, in days, is in `folio st',
    ],
    ['--sandbox issued --sum total --group-by client', 'has a column client\n  Did you mean customer.name?'],
  ])('%s is told what to write', async (line, message) => {
    const { code, stdout, stderr } = await runHere(line.split(' '), { awkward: false });
    expect([code, stdout.toString()]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('is told of a wrong month before a token is missed', async () => {
    await expectRefused(
      runHere(['issued', '--period', 'october'], { env: { FOLIO_TOKEN: undefined } }),
      /--period "october".*\n {2}Write --period \d{4}-10\.\n$/,
    );
  });

  it.each([
    [
      'issued',
      'number,daysLate',
      'daysLate; how late each is, in days, is in `folio statement --all --overdue`',
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
    const count = async (...where: string[]): Promise<string> => {
      const flags = where.flatMap((condition) => ['--where', condition]);
      return (
        await runHere(['--sandbox', 'issued', '--count', ...flags], { awkward: false })
      ).stdout.toString();
    };
    const paid = await count('open=0', 'status!=NULLIFIED');
    expect(paid).toBe(await count('status=PAID,MANUALLY_MARKED_AS_PAID'));
    expect(paid).not.toBe(await count('status=PAID'));
  });
});
