import { describe, expect, it } from 'vitest';
import { walkNumbered, type NumberedWalkOptions } from '../../src/paging/numbered-walk.ts';
import type { FetchPage, Page } from '../../src/paging/page.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';
import { batchOf } from '../support/records.ts';
import { fakeListing, gather, numberedRecords } from '../support/fake-listing.ts';

/** Dates that repeat: records in threes. */
const EQUAL_DATES = 3;

/**
 * A service whose order within equal dates is another one with each request.
 *
 * @param change what happens to the records, before the request of this number is answered
 */
function restless(
  records: string[],
  {
    change = () => {},
    answer = (page) => page,
  }: { change?: (request: number) => void; answer?: (page: Page) => Page } = {},
) {
  let requests = 0;
  const order = new Map(records.map((record, place) => [record, place]));
  const dayOf = (record: string): number => Math.floor((order.get(record) ?? 0) / EQUAL_DATES);
  const turned = (): string[] => {
    const turn = requests % 2 === 0 ? 1 : -1;
    return records.toSorted(
      (a, b) => dayOf(a) - dayOf(b) || turn * ((order.get(a) ?? 0) - (order.get(b) ?? 0)),
    );
  };
  const { fetchPage } = fakeListing(turned, (page) => answer(page));
  const sorted = fakeListing(() => records);
  const counting =
    (fetch: FetchPage): FetchPage =>
    (...request) => {
      change(++requests);
      return fetch(...request);
    };
  return { fetchPage: counting(fetchPage), fetchSorted: counting(sorted.fetchPage), sorted: sorted.asked };
}

async function walk(options: Partial<NumberedWalkOptions> & Pick<NumberedWalkOptions, 'fetchPage'>) {
  const status = new WalkStatus();
  const { signal } = new AbortController();
  const given = await gather(walkNumbered({ size: 10, concurrency: 1, status, signal, ...options }));
  return { given, status };
}

describe('a service whose order changes from request to request', () => {
  /** One record goes after the first page. */
  const withDeletion = () => {
    const records = numberedRecords(40);
    return restless(records, { change: (request) => void (request === 2 && records.shift()) });
  };

  it('is believed in an order whose key does not repeat, once its records were seen to go', async () => {
    const { fetchPage, fetchSorted, sorted } = withDeletion();
    const { given, status } = await walk({ fetchPage, fetchSorted });
    expect(given.toSorted()).toEqual(numberedRecords(40).toSorted());
    expect(status).toMatchObject({ complete: true, drift: true });
    expect(sorted.length).toBeGreaterThan(3);
  });

  it('is not believed where it has no such order', async () => {
    const { fetchPage } = withDeletion();
    const { status } = await walk({ fetchPage });
    expect(status).toMatchObject({ complete: false, reason: 'changing' });
  });

  it('is read in the other order where it kept still, too', async () => {
    const { fetchPage, fetchSorted, sorted } = restless(numberedRecords(40));
    const { given, status } = await walk({ fetchPage, fetchSorted });
    expect(given.toSorted()).toEqual(numberedRecords(40).toSorted());
    expect(status).toMatchObject({ complete: true, drift: false });
    expect(sorted.length).toBeGreaterThan(3);
  });

  it('is not believed where neither a total nor keys count its records', async () => {
    const records = Array.from({ length: 40 }, (_, at) => `{"text":"${at}"}`);
    const { fetchPage } = restless(records, { answer: ({ records: batch }) => ({ records: batch }) });
    const { status } = await walk({ fetchPage });
    expect(status).toMatchObject({ complete: false, reason: 'order' });
  });
});

describe('records that no key tells apart', () => {
  const texts = Array.from({ length: 40 }, (_, at) => `{"text":"${at}"}`);

  it('are in doubt where more came than the service names: one that changed may be there in both forms', async () => {
    const records = [...texts];
    let requests = 0;
    const { fetchPage } = fakeListing(
      () => records,
      (page) => {
        if (++requests === 1) records.splice(5, 1, ...records.splice(6), '{"text":"new"}');
        return page;
      },
    );
    const { given, status } = await walk({ fetchPage });
    expect(given).toHaveLength(41);
    expect(status).toMatchObject({ complete: false, reason: 'unsteady' });
  });

  it('are not called unordered where the listing moves and has no total', async () => {
    const records = [...texts];
    let requests = 0;
    const { fetchPage } = fakeListing(
      () => records,
      ({ records: batch }) => {
        if (++requests % 3 === 2) records.unshift(`{"text":"new ${requests}"}`);
        return { records: batch };
      },
    );
    const { status } = await walk({ fetchPage });
    expect(status).toMatchObject({ complete: false, reason: 'unsteady' });
  });
});

describe('a page that begins with more than the one before it ended with', () => {
  it('has what is new there given, although the total stood still', async () => {
    const records = numberedRecords(30);
    const { fetchPage } = fakeListing(
      () => records,
      (page, { offset }) => {
        // What comes just before the last record of the first page; another goes from far behind.
        if (offset === 0) records.splice(9, 0, '{"id":"new"}');
        if (offset === 0) records.splice(25, 1);
        return page;
      },
    );
    const { given, status } = await walk({ fetchPage });
    expect(given.slice(0, 12)).toEqual([...numberedRecords(10), '{"id":"new"}', '{"id":10}']);
    expect(status.complete).toBe(true);
  });
});

describe('a service that repeats itself', () => {
  it('is not asked for everything again once it was asked for many pages', async () => {
    let requests = 0;
    const fetchPage: FetchPage = async () => {
      requests++;
      return { records: batchOf(...numberedRecords(10 + Math.floor(requests / 2)).slice(-10)), total: 1000 };
    };
    const { status } = await walk({ fetchPage });
    expect(status).toMatchObject({ complete: false });
    expect(requests).toBeLessThan(60);
  });
});
