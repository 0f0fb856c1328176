import type { RecordBatch } from '../json/record-batch.ts';
import { recordKey } from '../json/record-identity.ts';

/** A page as it was read. */
export interface Sighting {
  readonly offset: number;
  /** The record for whose sake it was asked for: the first that the pages before it were not to hold. */
  readonly from: number;
  readonly records: RecordBatch;
  /** Whether the listing was seen to end with it. */
  readonly isLast: boolean;
  /** How often the total had changed when it came. */
  readonly epoch: number;
}

/** What is kept of a page to hold the next one against. */
export interface Edge {
  readonly offset: number;
  /** One past its last record. */
  readonly reached: number;
  /** The first record, where it has an id. */
  readonly first: string | undefined;
  /** The last record of it, or, where it is empty, of a page before. */
  readonly last: string | undefined;
  readonly epoch: number;
}

export function edgeOf({ offset, records, epoch }: Sighting, before: Edge | undefined): Edge {
  const { count, ids } = records;
  return {
    offset,
    reached: offset + count,
    first: count > 0 && ids[0] !== -1 ? recordKey(records, 0) : undefined,
    last: count > 0 ? recordKey(records, count - 1) : before?.last,
    epoch,
  };
}

/** How many records, from its front, a page has in common with the one before it. Undefined where they are torn apart. */
export function inCommon({ offset, from, records }: Sighting, before: Edge): number | undefined {
  const overlap = before.reached - offset;
  // Pages that only adjoin show nothing either way; a gap is torn, unless the place between was asked for by itself.
  if (overlap <= 0) return overlap < 0 && offset > from ? undefined : 0;
  if (overlap <= records.count && recordKey(records, overlap - 1) === before.last) return overlap;
  for (let index = 0; index < records.count; index++) {
    if (recordKey(records, index) === before.last) return index + 1;
  }
  return undefined;
}

/** True when a page, asked for from further on, holds just what the one before it held. */
export function isSame(page: Edge, before: Edge): boolean {
  const moved = page.offset - before.offset;
  const begins = page.first !== undefined && page.first === before.first;
  return begins && page.last === before.last && moved > 0 && moved === page.reached - before.reached;
}
