import { describe, expect, it } from 'vitest';
import { expectRefused } from '../support/expect-exit.ts';
import { atMidday } from '../support/midday.ts';
import { runHere } from '../support/run-here.ts';

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

atMidday();

async function answer(args: readonly string[], awkward = false): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, { awkward });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.toString();
}

describe('what somebody sees first, with --sandbox', () => {
  it('are plausible names, amounts and dates up to today', async () => {
    const csv = await answer(['--sandbox', 'issued', '--columns', 'date,customer.name,totalAmount']);
    const rows = csv.trimEnd().split('\n').slice(1);
    expect(rows.length).toBe(120);
    expect(
      rows.filter((row) => !/^\d{4}-\d\d-\d\dT00:00:00Z,\p{Lu}[\p{L}. ]+,\d+(\.\d\d)?$/u.test(row)),
    ).toEqual([]);
    expect(await answer(['--sandbox', 'issued', '--since', 'yesterday', '--count'])).not.toBe('0\n');
  });

  it.each(['aging', 'aging --payable'])(
    'is %s of a company: most is not late, and little is very late',
    async (line) => {
      const json = await answer([
        '--sandbox',
        ...line.split(' '),
        '--where',
        'currency=CLP',
        '--format',
        'json',
      ]);
      const rows = JSON.parse(json) as Record<string, number>[];
      const sum = (bucket: string): number => rows.reduce((total, row) => total + (row[bucket] ?? 0), 0);
      const [soon, later, late] = [
        sum('not due') + sum('1 to 30'),
        sum('31 to 60') + sum('61 to 90'),
        sum('over 90'),
      ];
      expect(soon).toBeGreaterThan(later);
      expect(later).toBeGreaterThan(late);
      expect(late).toBeGreaterThan(0);
    },
  );

  it('are the awkward ones with --awkward', async () => {
    const csv = await answer(['--sandbox', '--awkward', 'issued', '--columns', 'customer.name,totalAmount']);
    expect(csv).toContain('=SUM(A1:A9) Consultores');
    expect(csv).toMatch(/,\dE\d\n/);
  });

  it('are credit notes that say which invoice a credit note corrects', async () => {
    const columns = 'id,documentType,relatedDocumentId';
    const csv = await answer(['--sandbox', 'issued', '--columns', columns, '--no-header']);
    const rows = csv
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    const ids = new Set(rows.map(([id]) => id));
    const notes = rows.filter(([, type]) => type === 'CREDIT_NOTE');
    expect(notes.length).toBeGreaterThan(3);
    expect(notes.every(([, , of]) => ids.has(of))).toBe(true);
  });
});
