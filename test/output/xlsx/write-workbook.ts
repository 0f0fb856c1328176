import { scanLines } from '../../../src/json/scan-records.ts';
import { openXlsx } from '../../../src/output/xlsx/xlsx.ts';
import type { Layout, Writer } from '../../../src/output/writer.ts';

const LAYOUT: Layout = { header: true, excel: false, single: false, color: false };

/** Runs a workbook's writer and returns the file. */
export async function writeWorkbook(
  fill: (writer: Writer) => Promise<void>,
  layout: Partial<Layout> = {},
  maxRows?: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const sink = {
    write(bytes: Uint8Array | string): Promise<void> {
      chunks.push(Buffer.from(bytes as Uint8Array));
      return Promise.resolve();
    },
  };
  const writer = openXlsx(sink, { ...LAYOUT, ...layout }, maxRows);
  await fill(writer);
  await writer.end();
  return Buffer.concat(chunks);
}

/** The same for records given as JSON texts, in one batch. */
export function workbookOf(records: readonly string[], layout?: Partial<Layout>): Promise<Buffer> {
  return writeWorkbook((writer) => writer.write(scanLines(Buffer.from(records.join('\n')))), layout);
}
