import { readExport } from '../query/exports/read-export.ts';
import type { Resource } from '../resources/resource.ts';
import type { LocalSource } from './part.ts';
import { refuseOverwriting } from './open-questions.ts';

/**
 * The records of an export, for --from: nothing is sent, and no token is needed. Opening it throws UsageError where the
 * export is what `output` would replace.
 */
export function exportSource(
  file: string,
  { resource, output }: { readonly resource: Resource; readonly output: string | undefined },
): LocalSource {
  return {
    kind: 'local',
    name: resource.name,
    records: resource.records,
    resource,
    open: () => refuseOverwriting('--from', file, output),
    read: async function* () {
      for await (const records of readExport(file)) yield { records, next: undefined };
    },
  };
}
