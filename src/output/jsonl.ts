import { joinRecords } from './join-records.ts';
import type { OpenWriter } from './writer.ts';

/** One record a line, as sent. */
export const openJsonl: OpenWriter = (sink) => ({
  write: async (batch) => {
    for (const chunk of joinRecords(batch, '\n')) await sink.write(chunk);
  },
  end: async () => {},
});
