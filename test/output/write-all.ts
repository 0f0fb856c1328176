import { setImmediate } from 'node:timers/promises';
import type { RecordBatch } from '../../src/json/records.ts';
import type { Layout, OpenWriter } from '../../src/output/writer.ts';

export const PLAIN_LAYOUT: Layout = { header: true, excel: false, single: false, color: false };

/** Everything that the writer wrote for these batches, as bytes. */
export async function writeAll(
  open: OpenWriter,
  batches: readonly RecordBatch[],
  layout: Partial<Layout> = {},
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const sink = {
    async write(bytes: Uint8Array | string) {
      // Copied late: what a writer does to its bytes before they are out would show.
      await setImmediate();
      chunks.push(Buffer.from(bytes));
    },
  };
  const writer = open(sink, { ...PLAIN_LAYOUT, ...layout });
  for (const batch of batches) await writer.write(batch);
  await writer.end();
  return Buffer.concat(chunks);
}
