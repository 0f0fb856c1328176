import { columnsNamed, type ColumnNames } from '../invoices/column-names.ts';
import { DocumentReader } from '../invoices/document-reader.ts';
import { ofAny } from '../invoices/fields.ts';
import { cellJson } from '../json/cells.ts';
import type { ChosenColumns } from '../output/chosen-columns.ts';
import type { OpenWriter } from '../output/writer.ts';
import { batchOfRows, type Row } from './rows.ts';

/** Makes a writer take columns by the names that people have for them: `open`, or a heading of the table, for the cell as sent. */
export function writerByNames(openWriter: OpenWriter, names: ColumnNames): OpenWriter {
  return (sink, layout) => {
    const writer = openWriter(sink, layout);
    const { columns } = layout;
    if (columns === undefined || !columns.some((column) => isName(column, names))) return writer;
    const asked = [...new Set(columns)];
    const reader = new DocumentReader(names, { roles: [], names: asked });
    return {
      write: (batch) => {
        const rows: Row[] = [];
        reader.fold(batch, () => {
          rows.push(asked.map((column, at) => [column, cellJson(reader.named(at))]));
        });
        return writer.write(batchOfRows(rows));
      },
      end: () => writer.end(),
    };
  };
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
