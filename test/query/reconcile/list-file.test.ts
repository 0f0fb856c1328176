import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvRows } from '../../../src/query/reconcile/list-file.ts';
import { randomRuns } from '../../support/random-runs.ts';

const cell = fc.string({
  unit: fc.constantFrom('a', 'ñ', ' ', ';', ',', '"', '\n', '\r\n', '7'),
  maxLength: 6,
});

/** A cell as programs write it: in quotes where it has to be, or where the program likes to. */
const written = fc
  .tuple(cell, fc.boolean())
  .map(([text, quoted]) => (quoted || /[;"\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text));

/** Lines that are csv, lines that nearly are, and quotes that are part of a name. */
const line = fc.oneof(
  fc.array(written, { minLength: 1, maxLength: 5 }).map((cells) => cells.join(';')),
  fc
    .array(fc.constantFrom('"El Roble" Ltda.', 'Ltda. "Sur"', '""', '', 'x'), { minLength: 1 })
    .map((cells) => cells.join(';')),
);
const text = fc
  .tuple(fc.array(line), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, end, isClosed]) => lines.join(end) + (isClosed ? end : ''));

const OPTIONS = {
  delimiter: ';',
  record_delimiter: ['\r\n', '\n'],
  relax_column_count: true,
  relax_quotes: true,
  info: true,
};

it('reads the rows that another reader finds, with their lines', () => {
  fc.assert(
    fc.property(text, (csv) => {
      const rows = [...csvRows('x.csv', csv, ';')];
      const others = parse(csv, OPTIONS) as unknown as { record: string[]; info: { bytes: number } }[];
      expect(rows.map(({ cells }) => cells)).toEqual(others.map(({ record }) => record));
      const ends = others.map(({ info }) => Buffer.from(csv).subarray(0, info.bytes).toString());
      expect(rows.map(({ line }) => line)).toEqual(
        rows.map((_, at) => (at === 0 ? 1 : ends[at - 1]!.split('\n').length)),
      );
      expect(rows.filter(({ isOpen }) => isOpen)).toHaveLength(csv === '' || csv.endsWith('\n') ? 0 : 1);
    }),
    { numRuns: randomRuns(500) },
  );
});
