import type { Finding } from '../../findings.ts';
import type { FieldsOf } from '../../invoices/fields.ts';
import type { RecordBatch } from '../../json/records.ts';
import { written } from '../../output/files/destination.ts';
import { openDestination } from '../../output/files/open-destination.ts';
import type { DocumentFlags } from '../../query/where/date-flags.ts';
import type { WhereFilter } from '../../query/where/where.ts';
import { hasRecords } from '../completeness.ts';
import { filterOf, withFieldCheck } from '../open-questions.ts';
import { checkPart, recordsOf, tryPart, type PartOptions } from '../part.ts';
import type { PartState } from '../progress.ts';
import type { Run } from '../run.ts';

interface Tally {
  /** @param filter which of the records count; without it, all */
  add(batch: RecordBatch, filter?: WhereFilter): void;
  /** May be called more than once. */
  finish(): { readonly failure?: Finding | undefined };
}

export interface PartRead<Read> {
  readonly result: PartState;
  readonly profile: string | undefined;
  /** As the token names it. */
  readonly organization: string | undefined;
  /** Whether all of the listing was there, be there documents that cannot be read. */
  readonly isWhole: boolean;
  /** Undefined where there are no records. */
  readonly tally: Read | undefined;
}

interface ReadOptions extends PartOptions {
  /** Whether the columns of --field have to be there. */
  readonly watchesFields?: boolean;
  /** Which documents count, where not all do. */
  readonly keeps?: DocumentFlags;
}

/** Reads the records of a part into a tally, and finds out what became of it. */
export async function readPart<Read extends Tally>(
  run: Run,
  { watchesFields = false, keeps = {}, ...options }: ReadOptions,
  open: (fields: FieldsOf) => Read,
): Promise<PartRead<Read>> {
  let tally: Read | undefined;
  let [isWhole, profile] = [false, options.profile];
  let organization: string | undefined;
  const result = await tryPart(run, options, async (part) => {
    // An export without a profile column has no owner: the current profile only tells what its columns mean.
    if (part.session !== undefined) ({ profile } = part);
    organization = part.session?.organization;
    tally = open(part.names.fields);
    const records = recordsOf(part);
    const filter = await filterOf(part, keeps);
    for await (const batch of watchesFields ? await withFieldCheck(part, records) : records)
      tally.add(batch, filter);
    filter?.refuse();
    const found = filter?.findings() ?? [];
    part.notices.add(...found);
    checkPart(part);
    isWhole = true;
    checkPart(part, [...found, tally.finish().failure]);
  });
  return { result, profile, organization, isWhole, tally: hasRecords(result) ? tally : undefined };
}

/** Writes a page or another text as a whole. Its file is opened before the text is made. */
export async function deliverText(
  run: Run,
  { path, what }: { readonly path: string | undefined; readonly what: string },
  make: () => Promise<string>,
): Promise<void> {
  const opened = await openDestination(path, run.context, { hasReceipt: run.flags.receipt !== undefined });
  const delivered = await written(opened, async (destination) => destination.write(await make()));
  run.whole.delivered = delivered;
  run.notices.remarkFile(delivered, { count: 1, what, place: path });
}
