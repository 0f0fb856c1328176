import { describe, expect, it } from 'vitest';
import { sliceRecords } from '../../src/json/records.ts';
import { formatOf, formatOfEnding, formats } from '../../src/output/formats.ts';
import { batchOf } from '../support/records.ts';
import { writeAll } from './write-all.ts';

it('takes the format from what follows the last dot of the name, not of a folder', () => {
  expect(formatOfEnding('C:\\books.csv\\november')).toBeUndefined();
  expect(formatOfEnding('C:\\books\\november.XLSX')).toBe('xlsx');
});

/** What every format promises, whatever it looks like. */
describe.each(formats)('%s', (format) => {
  const records = Array.from({ length: 40 }, (_, at) =>
    JSON.stringify({ number: `N${at}`, a: { b: [at, null] }, ...(at === 31 && { late: 'é' }) }),
  );
  const open = formatOf(format).writer;
  const all = batchOf(...records);

  it.each([undefined, ['number', 'late', 'nowhere']])(
    'has the same bytes however its records come, with the columns %j',
    async (columns) => {
      const layout = { columns, isChosen: columns !== undefined };
      const whole = await writeAll(await open(), [all], layout);
      for (const cut of [0, 1, 31, 40]) {
        const parts = [sliceRecords(all, 0, cut), batchOf(), sliceRecords(all, cut, all.count)];
        expect((await writeAll(await open(), parts, layout)).equals(whole)).toBe(true);
      }
    },
  );

  it('has the same bytes for the same records, and shares nothing between two files that are written at once', async () => {
    const alone = await writeAll(await open(), [all]);
    const both = await Promise.all([open, open].map(async (one) => writeAll(await one(), [all, all])));
    expect(both[0]!.equals(both[1]!)).toBe(true);
    expect(both[0]!.length).toBeGreaterThan(alone.length);
  });

  it('is refused nothing where there are no records', async () => {
    expect(await writeAll(await open(), [])).toEqual(await writeAll(await open(), [batchOf(), batchOf()]));
  });
});
