import { paint } from './colors.ts';
import { displayWidth } from './table/display-width.ts';
import { statusStyle } from './table/status-style.ts';
import { TableRows } from './table/table-rows.ts';
import type { Layout, Sink, Writer } from './writer.ts';

/** One record as a sheet: a line for each field, its name and its value, nothing cut. */
export function openRecordSheet(sink: Sink, layout: Layout): Writer {
  const rows = new TableRows(layout);
  return {
    async write(batch) {
      for (let index = 0; index < batch.count; index++) {
        const texts = rows.read(batch, index);
        const columns = rows.columns();
        const width = Math.max(...columns.map(({ name }) => displayWidth(name)));
        for (const { index, name, role } of columns) {
          const blanks = ' '.repeat(width - displayWidth(name));
          const text = texts[index] ?? '';
          const style = role === 'status' ? statusStyle(text) : undefined;
          const value = layout.color && style !== undefined ? paint(text, style) : text;
          await sink.write(
            `${layout.color ? paint(name, 'bold') : name}${value === '' ? '' : `${blanks}  ${value}`}\n`,
          );
        }
      }
    },
    end: async () => undefined,
  };
}
