import { cellJson, type CellReader } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';
import { ofAny } from '../invoices/fields.ts';
import type { ChosenColumns } from '../output/chosen-columns.ts';
import type { OpenWriter } from '../output/writer.ts';
import { columnsNamed, NamedCells, type ColumnNames } from './named-cells.ts';
import { batchOfRows } from './rows.ts';

/** Makes a writer take columns by the names that people have for them: `open`, or a heading of the table, for the cell as sent. */
export function writerByNames(openWriter: OpenWriter, names: ColumnNames): OpenWriter {
  return (sink, layout) => {
    const writer = openWriter(sink, layout);
    const { columns } = layout;
    if (columns === undefined || !columns.some((column) => isName(column, names))) return writer;
    const asked = [...new Set(columns)];
    const cells = new NamedCells(asked, names);
    return {
      write: (batch) => writer.write(pick(batch, asked, cells)),
      end: () => writer.end(),
    };
  };
}

/** Records of just these columns. */
function pick(batch: RecordBatch, columns: readonly string[], cells: Pick<CellReader, 'read'>): RecordBatch {
  return batchOfRows(
    Array.from({ length: batch.count }, (_, index) => {
      const values = cells.read(batch, index);
      return columns.map((column, at) => [column, cellJson(values[at])] as const);
    }),
  );
}

/**
 * Whether a name stands for another column. The name of a role that is also the first of its columns, such as `number`, is
 * taken for the column: then records are written as they are.
 */
function isName(column: string, names: ColumnNames): boolean {
  return ofAny(names.fields).some((fields) => {
    const meant = columnsNamed(column, names, fields);
    return meant !== undefined && meant[0] !== column;
  });
}

/** The same columns, without what a name to leave out stands for: `-open` is `-amountToBePaid` as well. */
export function leftOutByNames(asked: ChosenColumns, names: ColumnNames): ChosenColumns {
  return asked.leavingOut((name) => columnsNamed(name, names, names.fields.usual) ?? []);
}
