import { RefusedQuery } from '../api/refused-query.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import type { Delivery } from '../paging/page.ts';
import { SameRecords } from './same-records.ts';

/** What was read in the place of a page read before, or why that page no longer says where to go on. */
export type ReadAgain = { readonly deliveries: readonly Delivery[] } | { readonly reason: string };

/** Reads as much of the walk as the page had: the page is to be as it was, but for what is said of its records. */
export async function readAgain(walk: AsyncGenerator<Delivery>, page: RecordBatch): Promise<ReadAgain> {
  const same = new SameRecords(page);
  const deliveries: Delivery[] = [];
  try {
    while (!same.isComplete) {
      const { value, done } = await walk.next();
      if (done === true || !same.goesOn(value.records)) return { reason: MOVED };
      deliveries.push(value);
    }
    return { deliveries };
  } catch (error) {
    if (error instanceof RefusedQuery) return { reason: 'the service refuses to go on from there' };
    throw error;
  }
}

/** Why pages that were read before do not stand. */
export const MOVED = 'the listing has changed before that place';
