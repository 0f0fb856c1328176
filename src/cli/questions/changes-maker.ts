import { Changes, type ChangesOptions } from '../../analysis/changes.ts';
import type { RecordBatch } from '../../json/record-batch.ts';
import { count } from '../count.ts';
import type { Notices } from '../notices.ts';
import type { ResultMaker } from './result-maker.ts';

/** The changes of `--changes-since`. Throws UsageError where the earlier export cannot be read. */
export async function openChanges(options: ChangesOptions, forTable: boolean): Promise<ResultMaker> {
  const changes = await Changes.open(options);
  let rows = 0;
  return {
    async *rows(records): AsyncGenerator<RecordBatch> {
      try {
        for await (const batch of compared(changes, records)) {
          rows += batch.count;
          if (batch.count > 0) yield batch;
        }
      } finally {
        await changes.close();
      }
    },
    // A table has no room for whole records. Elsewhere they are there, in as many columns as they have.
    columns: () => (forTable || rows === 0 ? changes.columns : undefined),
    announce: (notices) => announce(changes, options, notices),
  };
}

async function* compared(changes: Changes, records: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  for await (const batch of records) yield changes.compare(batch);
  yield* changes.gone();
}

function announce({ summary }: Changes, { path, key }: ChangesOptions, notices: Notices): void {
  const { added, changed, gone, unchanged, withoutKey, repeatedKeys } = summary;
  notices.remark(
    `since ${path}: ${added} added, ${changed} changed, ${gone} gone, ${unchanged} as they were`,
  );
  if (withoutKey > 0) {
    notices.warn(
      `${count(withoutKey, 'record')} without ${key.join(', ')}: a change in one shows as one gone and one added`,
    );
  }
  if (repeatedKeys > 0) {
    notices.warn(
      `${path} has ${count(repeatedKeys, 'record')} whose ${key.join(', ')} another one has: paired in their order`,
    );
  }
}
