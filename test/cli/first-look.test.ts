import { describe, expect, it } from 'vitest';
import { atMidday } from '../support/midday.ts';
import { runHere } from '../support/run-here.ts';

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
