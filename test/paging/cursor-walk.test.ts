import { describe, expect, it } from 'vitest';
import { walkCursors, type CursorWalkOptions } from '../../src/paging/cursor-walk.ts';
import { PageRefused } from '../../src/paging/page.ts';
import { UniqueRecords } from '../../src/paging/unique-records.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';
import { gather, numberedRecords } from '../support/fake-listing.ts';
import { batchOf } from '../support/records.ts';

/** A listing whose cursors count records; `before` is called with each request's number. */
function cursorListing(records: () => readonly string[], before: (size: number) => void = () => {}) {
  const asked: string[] = [];
  const fetchPage: CursorWalkOptions['fetchPage'] = async ({ cursor = '0', size = 10, onRefusal }) => {
    asked.push(`${cursor}+${size} ${onRefusal}`);
    before(size);
    const start = Number(cursor);
    const page = batchOf(...records().slice(start, start + size));
    return { records: page, next: start + size < records().length ? String(start + size) : null };
  };
  return { fetchPage, asked };
}

async function walk(options: Pick<CursorWalkOptions, 'fetchPage' | 'size'>) {
  const status = new WalkStatus();
  const { signal } = new AbortController();
  const given = await UniqueRecords.of({ exact: true });
  return { status, given: await gather(walkCursors({ status, signal, given, ...options })) };
}

describe('a walk by cursors', () => {
  it('halves a size that the service refuses outright, again and again, and tries each but once', async () => {
    const { fetchPage, asked } = cursorListing(
      () => numberedRecords(100),
      (size) => {
        if (size > 40) throw new PageRefused('size', new Error('500'));
      },
    );
    const { given } = await walk({ fetchPage, size: 100 });
    expect(given).toEqual(numberedRecords(100));
    expect(asked).toEqual([
      '0+100 shrink',
      '0+10 once',
      '10+50 once',
      '10+10 once',
      '20+25 once',
      '45+25 shrink',
      '70+25 shrink',
      '95+25 shrink',
    ]);
  });

  it.each(['slow', 'large'] as const)(
    'finds the size that comes where larger ones are too %s',
    async (reason) => {
      const { fetchPage, asked } = cursorListing(
        () => numberedRecords(2_000),
        (size) => {
          if (size > 50) throw new PageRefused(reason, new Error('502'));
        },
      );
      expect((await walk({ fetchPage, size: 1_000 })).given).toEqual(numberedRecords(2_000));
      // 40 of 50 records, and what it takes to find that size.
      expect(asked.length).toBeLessThanOrEqual(75);
    },
  );

  it('gives a record that is seen only when all is read again, under the key of another', async () => {
    const moves = '{"id":3,"n":1}';
    const others = [...numberedRecords(28), '{"id":4,"n":1}'];
    let requests = 0;
    // It is the last one where two pages are asked for, and stands in front of the last record of these from then on.
    const { fetchPage } = cursorListing(
      () => (requests <= 2 ? [...others, moves] : others.toSpliced(19, 0, moves)),
      () => void requests++,
    );
    const { given, status } = await walk({ fetchPage, size: 10 });
    expect(given.toSorted()).toEqual([...others, moves].toSorted());
    expect(status.complete).toBe(true);
  });

  it('leaves in doubt what a repeated key does not tell from a record that changed', async () => {
    const records = [...numberedRecords(28), '{"id":3,"n":1}', '{"id":4,"n":1}'];
    const fetchPage = changingListing(records, '{"id":0,"n":1}');
    const { status } = await walk({ fetchPage, size: 10 });
    expect(status).toMatchObject({ records: 31, complete: false, reason: 'unsteady' });
  });

  it('leaves in doubt a record without a key that comes in another form when all is read again', async () => {
    const records = Array.from({ length: 30 }, (_, at) => `{"text":"${at}"}`);
    const fetchPage = changingListing(records, '{"text":"changed"}');
    const { given, status } = await walk({ fetchPage, size: 10 });
    expect(given).toHaveLength(31);
    expect(status).toMatchObject({ complete: false, reason: 'unsteady' });
  });

  it('goes on over 19 empty pages in a row, and takes 20 for a listing that never ends', async () => {
    const withGap = (gap: number): CursorWalkOptions['fetchPage'] => {
      return async ({ cursor = '0' }) => {
        const place = Number(cursor);
        const isEnd = place === 0 || place > gap;
        return {
          records: isEnd ? batchOf({ id: place }) : batchOf(),
          next: place > gap ? null : String(place + 1),
        };
      };
    };
    const over = await walk({ fetchPage: withGap(19), size: 10 });
    expect([over.given, over.status.complete]).toEqual([['{"id":0}', '{"id":20}'], true]);
    const endless = await walk({ fetchPage: withGap(20), size: 10 });
    expect([endless.given, endless.status.complete, endless.status.reason]).toEqual([
      ['{"id":0}'],
      false,
      'repeating',
    ]);
  });
});

/** Two records change places over the border of two pages, so that one comes again; when all is read again, the first changes. */
function changingListing(records: string[], changed: string) {
  let requests = 0;
  const { fetchPage } = cursorListing(
    () => records,
    () => {
      requests++;
      if (requests === 2) [records[9], records[10]] = [records[10]!, records[9]!];
      if (requests === 4) records[0] = changed;
    },
  );
  return fetchPage;
}
