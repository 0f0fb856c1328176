import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { sliceRecords } from '../../src/json/records.ts';
import { walkNumbered } from '../../src/paging/numbered-walk.ts';
import type { NumberedWalkOptions } from '../../src/paging/numbered-walk.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';
import { fakeListing, gather, numberedRecords, refuse } from '../support/fake-listing.ts';
import type { Page, Window } from '../../src/paging/page.ts';
import { batchOf } from '../support/records.ts';

function walk(options: Partial<NumberedWalkOptions> & Pick<NumberedWalkOptions, 'fetchPage'>) {
  const status = options.status ?? new WalkStatus();
  const signal = new AbortController().signal;
  return { status, all: gather(walkNumbered({ size: 100, concurrency: 4, status, signal, ...options })) };
}

describe('a walk over numbered pages', () => {
  it('reads the first page alone and the others after it, every record once and in order', async () => {
    const { fetchPage, asked } = fakeListing(() => numberedRecords(250));
    const { all, status } = walk({ fetchPage });
    expect(await all).toEqual(numberedRecords(250));
    expect(asked).toEqual(['0+100', '99+99', '196+98']);
    expect(status).toMatchObject({ records: 250, pages: 3, complete: true, drift: false, totalAtEnd: 250 });
  });

  it('tells of each page how many records it brings that the pages before had not', async () => {
    const brought: number[] = [];
    const status = new WalkStatus((event) => void (event.kind === 'page' && brought.push(event.records)));
    await walk({ ...fakeListing(() => numberedRecords(250)), status }).all;
    expect(brought).toEqual([100, 98, 52]);
  });

  it('asks once for an empty listing', async () => {
    const { fetchPage, asked } = fakeListing(() => []);
    expect(await walk({ fetchPage }).all).toEqual([]);
    expect(asked).toEqual(['0+100']);
  });

  it('asks for one page more where the last page is full, since the total may be too low', async () => {
    const { fetchPage, asked } = fakeListing(() => numberedRecords(200));
    expect(await walk({ fetchPage }).all).toEqual(numberedRecords(200));
    expect(asked).toEqual(['0+100', '99+99', '196+98']);
  });

  it('has at most `concurrency` pages in flight and yields in order however they arrive', async () => {
    let flying = 0;
    let most = 0;
    const { fetchPage } = fakeListing(
      () => numberedRecords(950),
      async (page, { offset }) => {
        most = Math.max(most, ++flying);
        for (let turn = 0; turn < (offset * 7) % 11; turn++)
          await new Promise((resolve) => setImmediate(resolve));
        flying--;
        return page;
      },
    );
    expect(await walk({ fetchPage, concurrency: 3 }).all).toEqual(numberedRecords(950));
    expect(most).toBe(3);
  });

  it('reads no further ahead of a slow reader than twice the concurrency', async () => {
    const { fetchPage, asked } = fakeListing(() => numberedRecords(5000));
    const walk = walkNumbered({
      fetchPage,
      size: 100,
      concurrency: 2,
      status: new WalkStatus(),
      signal: new AbortController().signal,
    });
    await walk.next();
    await walk.next();
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    expect(asked.length).toBeLessThanOrEqual(2 + 4);
    await walk.return(undefined);
  });

  it('stops at a limit without asking for more than it takes', async () => {
    const { fetchPage, asked } = fakeListing(() => numberedRecords(1000));
    expect(await walk({ fetchPage, size: 60, until: 119 }).all).toEqual(numberedRecords(119));
    expect(asked).toEqual(['0+60', '59+59', '116+58']);
  });

  it('gives as many equal records without an id as a limit takes, over all its pages', async () => {
    const equal = Array.from({ length: 30 }, () => '{"amount":1}');
    const { fetchPage } = fakeListing(() => equal);
    const { all, status } = walk({ fetchPage, size: 10, until: 20 });
    expect(await all).toEqual(equal.slice(0, 20));
    expect(status).toMatchObject({ records: 20, complete: true });
  });

  it('leaves in doubt what a limit has no room for once the listing moved', async () => {
    const records = numberedRecords(40);
    const { fetchPage } = fakeListing(
      () => records,
      (page, { offset }) => {
        if (offset === 0 && records.length === 40) records.shift();
        return page;
      },
    );
    const { all, status } = walk({ fetchPage, size: 10, until: 20 });
    expect(await all).toEqual(numberedRecords(20));
    expect(status).toMatchObject({ records: 20, complete: false, incomplete: 1, drift: true });
  });

  it('takes a single page for what it is, whatever the total', async () => {
    const { fetchPage, asked } = fakeListing(
      () => numberedRecords(35),
      (page) => ({ ...page, total: 100 }),
    );
    const { all, status } = walk({ fetchPage, size: 10, from: 30, until: 40, isSinglePage: true });
    expect(await all).toEqual(numberedRecords(35).slice(30));
    expect(status.complete).toBe(true);
    expect(asked.length).toBeLessThan(8);
  });

  it('reads a single page', async () => {
    const { fetchPage, asked } = fakeListing(() => numberedRecords(1000));
    expect(await walk({ fetchPage, size: 10, from: 30, until: 40, isSinglePage: true }).all).toEqual(
      numberedRecords(40).slice(30),
    );
    expect(asked).toEqual(['30+10']);
  });

  it('follows the page size that the service applies', async () => {
    const { fetchPage, asked } = fakeListing(
      () => numberedRecords(250),
      (page, { offset, size }) => {
        if (size <= 100) return { ...page, pageSize: size };
        return {
          ...page,
          pageSize: 100,
          records: batchOf(...numberedRecords(250).slice(offset, offset + 100)),
        };
      },
    );
    expect(await walk({ fetchPage, size: 1000 }).all).toEqual(numberedRecords(250));
    expect(asked).toEqual(['0+1000', '99+99', '196+98']);
  });

  describe('where the service applies one size to every request', () => {
    const all = numberedRecords(95);
    const fixed = () =>
      fakeListing(
        () => all,
        (page, { offset, size }) => {
          const start = (offset / size) * 20;
          return { ...page, pageSize: 20, records: batchOf(...all.slice(start, start + 20)) };
        },
      );

    it.each([3, 7, 30, 100])('reads every record, having asked for %i', async (size) => {
      const { fetchPage, asked } = fixed();
      expect(await walk({ fetchPage, size }).all).toEqual(all);
      expect(asked.length).toBeLessThan(9);
    });

    it('knows where the last page begins, which is short, also where it comes before others', async () => {
      const records = numberedRecords(105);
      const { fetchPage } = fakeListing(
        () => records,
        async (page, { offset, size }) => {
          const number = offset / size;
          for (let turns = number === 1 ? 20 : 0; turns > 0; turns--) await Promise.resolve();
          return {
            ...page,
            pageSize: size,
            records: batchOf(...records.slice(number * 37, number * 37 + 37)),
          };
        },
      );
      const { all: given, status } = walk({ fetchPage, size: 57 });
      expect(await given).toEqual(records);
      expect(status).toMatchObject({ complete: true, rereads: 0 });
    });

    it('keeps to a limit and to a single page', async () => {
      expect(await walk({ ...fixed(), size: 7, until: 7 }).all).toEqual(all.slice(0, 7));
      expect(await walk({ ...fixed(), size: 10, from: 30, until: 40, isSinglePage: true }).all).toEqual(
        all.slice(30, 40),
      );
    });

    it('ends, incomplete, where a page of it stays short', async () => {
      const { fetchPage } = fixed();
      const short: typeof fetchPage = async (window, signal) => {
        const page = await fetchPage(window, signal);
        return window.offset === 40 ? { ...page, records: sliceRecords(page.records, 0, 3) } : page;
      };
      const { all: given, status } = walk({ fetchPage: short, size: 7 });
      expect(await given).toEqual(all.toSpliced(43, 17));
      expect(status.incomplete).toBe(17);
    });
  });

  it('goes on from the record really reached after a short page', async () => {
    const { fetchPage } = fakeListing(
      () => numberedRecords(300),
      (page, { offset, size }) =>
        offset === 100 && size === 100
          ? { ...page, records: batchOf(...numberedRecords(300).slice(100, 160)) }
          : page,
    );
    const { all, status } = walk({ fetchPage });
    expect(await all).toEqual(numberedRecords(300));
    expect(status.complete).toBe(true);
  });

  it('asks again for an empty page before the end', async () => {
    let glitches = 1;
    const { fetchPage } = fakeListing(
      () => numberedRecords(300),
      (page, { offset }) => (offset === 100 && glitches-- > 0 ? { ...page, records: batchOf() } : page),
    );
    expect(await walk({ fetchPage }).all).toEqual(numberedRecords(300));
  });
});

describe('a service that serves fewer records than it is asked for, and does not say so', () => {
  const all = numberedRecords(330);
  const from = (start: number, count: number) => batchOf(...all.slice(start, start + count));
  const kinds: Record<string, (page: Page, window: Window) => Page> = {
    'numbers its pages by what it serves': (page, { offset, size }) => {
      const served = Math.min(size, 20);
      return { ...page, records: from((offset / size) * served, served) };
    },
    'serves pages of its own size': (page, { offset, size }) => ({
      ...page,
      records: from((offset / size) * 20, 20),
    }),
    'says that it applied the size asked for': (page, { offset, size }) => ({
      ...page,
      pageSize: size,
      records: from((offset / size) * 20, 20),
    }),
    'cuts pages short': (page, { offset, size }) => ({ ...page, records: from(offset, Math.min(20, size)) }),
    'cuts pages short where they are heavy': (page, { offset, size }) => ({
      ...page,
      records: from(offset, Math.min(17 + (offset % 7), size)),
    }),
  };
  it.each(Object.keys(kinds).flatMap((kind) => [7, 20, 50, 2000].map((size) => [kind, size] as const)))(
    '%s: gives every record, asked for %i',
    async (kind, size) => {
      const { fetchPage, asked } = fakeListing(() => all, kinds[kind]);
      const { all: given, status } = walk({ fetchPage, size });
      expect((await given).toSorted()).toEqual(all.toSorted());
      expect(status.complete).toBe(true);
      expect(asked.length).toBeLessThan(size === 7 ? 90 : 30);
    },
  );

  it('does not take one short page for its size', async () => {
    let pages = 0;
    const { fetchPage, asked } = fakeListing(
      () => all,
      (page) => (++pages === 1 ? { ...page, records: from(0, 3) } : page),
    );
    expect(await walk({ fetchPage }).all).toEqual(all);
    expect(asked.slice(0, 3)).toEqual(['0+100', '0+100', '99+99']);
  });
});

describe('pages that the service refuses', () => {
  it('shrinks only the window that failed, down to what comes', async () => {
    const { fetchPage, asked } = fakeListing(
      () => numberedRecords(60),
      (page, { offset, size }) => (offset < 20 && offset + size > 25 && size > 5 ? refuse('large') : page),
    );
    const { all, status } = walk({ fetchPage, size: 50, concurrency: 1 });
    expect(await all).toEqual(numberedRecords(60));
    expect(asked.slice(0, 3)).toEqual(['0+50', '0+25', '24+24']);
    expect(status).toMatchObject({ shrinks: 1, complete: true });
  });

  it('asks once more for a page that was slow, and only then for less', async () => {
    const { fetchPage, asked } = fakeListing(
      () => numberedRecords(100),
      (page, { size }) => (size > 50 ? refuse('slow') : page),
    );
    expect(await walk({ fetchPage }).all).toEqual(numberedRecords(100));
    expect(asked.slice(0, 4)).toEqual(['0+100', '0+100', '0+10', '0+31']);
  });

  it('needs few refused calls where no page over 40 records is served, whatever the records weigh', async () => {
    let refused = 0;
    const { fetchPage } = fakeListing(
      () => numberedRecords(3100),
      (page, { size }) => {
        if (size <= 40) return page;
        refused++;
        return refuse('large');
      },
    );
    expect(await walk({ fetchPage, size: 500 }).all).toEqual(numberedRecords(3100));
    expect(refused).toBeLessThanOrEqual(24);
  });

  it.each([
    [3_100, 11, 1_000, 9],
    [500, 50, 500, 8],
    [600, 50, 500, 9],
  ])(
    'come, %i records of %i KB from %i a page, in %i calls, 1 of them refused',
    async (count, kB, size, calls) => {
      let refused = 0;
      const heavy = numberedRecords(count).map(
        (text) => `${text.slice(0, -1)},"x":"${'x'.repeat(kB * 1000)}"}`,
      );
      const { fetchPage, asked } = fakeListing(
        () => heavy,
        (page) => {
          if (page.records.bytes.length <= 6_000_000) return page;
          refused++;
          return refuse('large');
        },
      );
      expect((await walk({ fetchPage, size }).all).length).toBe(count);
      expect({ refused, calls: asked.length }).toEqual({ refused: 1, calls });
    },
  );

  it('returns to large pages after a heavy stretch', async () => {
    const { fetchPage, asked } = fakeListing(
      () => numberedRecords(5000),
      (page, { offset, size }) =>
        offset < 1100 && offset + size > 1000 && size > 25 ? refuse('large') : page,
    );
    expect(await walk({ fetchPage, size: 500, concurrency: 1 }).all).toEqual(numberedRecords(5000));
    const after = asked.filter((window) => Number(window.split('+')[0]) >= 2000);
    expect(after.length).toBeLessThanOrEqual(8);
  });

  it('names the record that cannot be read even alone, and gives the others', async () => {
    const { fetchPage } = fakeListing(
      () => numberedRecords(40),
      (page, { offset, size }) => (offset <= 17 && 17 < offset + size ? refuse('large') : page),
    );
    const { all, status } = walk({ fetchPage, size: 20 });
    expect(await all).toEqual(numberedRecords(40).toSpliced(17, 1));
    expect([...status.unreadable]).toEqual([17]);
    expect(status.complete).toBe(false);
  });

  it('gives up where record after record cannot be read', async () => {
    const { fetchPage } = fakeListing(
      () => numberedRecords(40),
      () => refuse('large'),
    );
    await expect(walk({ fetchPage, size: 20 }).all).rejects.toThrow('502');
  });
});

describe('pages that overlap', () => {
  /** One record goes from before the place and another comes after it, when this many pages were read. */
  const replacedAfter = (pages: number) => {
    const records = numberedRecords(100);
    return fakeListing(
      () => records,
      (page) => {
        if (--pages === 0) records.splice(5, 1, ...records.splice(6), '{"id":100}');
        return page;
      },
    );
  };

  it('find the record that a change which leaves the total alone moved out of sight', async () => {
    const { fetchPage } = replacedAfter(1);
    const { all, status } = walk({ fetchPage, size: 20, concurrency: 1 });
    expect((await all).toSorted()).toEqual(numberedRecords(101).toSorted());
    expect(status).toMatchObject({ complete: true, drift: true, rereads: 1 });
  });

  it('are read again where records stand elsewhere than the total says, though they have one in common', async () => {
    const { fetchPage } = replacedAfter(2);
    const { all, status } = walk({ fetchPage, size: 20, concurrency: 1 });
    expect(await all).toEqual(numberedRecords(101));
    expect(status).toMatchObject({ complete: true, drift: true, rereads: 1 });
  });

  it('are read again around the place alone, however far the listing moved', async () => {
    const records = numberedRecords(5_000);
    let pages = 0;
    const { fetchPage, asked } = fakeListing(
      () => records,
      (page) => {
        if (++pages !== 20) return page;
        records.splice(0, 200);
        records.push(...numberedRecords(5_200).slice(5_000));
        return page;
      },
    );
    const { all, status } = walk({ fetchPage, concurrency: 2 });
    const given = new Set(await all);
    expect(numberedRecords(5_000).filter((record) => !given.has(record))).toEqual([]);
    expect(status).toMatchObject({ complete: true, drift: true });
    expect(asked.length).toBeLessThan(80);
  });

  it('leave in doubt what cannot be shown to hold together', async () => {
    let id = 0;
    // No record is ever seen twice, and the total is always met.
    const { fetchPage } = fakeListing(
      () => numberedRecords(60),
      (page) => ({
        ...page,
        records: batchOf(...Array.from({ length: page.records.count }, () => `{"id":${id++}}`)),
      }),
    );
    const { all, status } = walk({ fetchPage, size: 20, until: 60 });
    await all;
    expect(status.complete).toBe(false);
  });
});

describe('a total that is not true', () => {
  it('too low: goes on as long as pages are full', async () => {
    const { fetchPage } = fakeListing(
      () => numberedRecords(450),
      (page) => ({ ...page, total: 200 }),
    );
    const { all, status } = walk({ fetchPage });
    expect(await all).toEqual(numberedRecords(450));
    expect(status.complete).toBe(true);
  });

  it('too low: leaves out no record that a page held, also behind a page that was refused', async () => {
    for (let count = 26; count <= 100; count++) {
      let refused = 0;
      const { fetchPage } = fakeListing(
        () => numberedRecords(count),
        (page, { offset }) => (offset > 0 && refused++ === 0 ? refuse('large') : { ...page, total: 20 }),
      );
      const { all, status } = walk({ fetchPage, size: 25 });
      expect([await all, status.complete]).toEqual([numberedRecords(count), true]);
    }
  });

  it('too high: ends, re-reads, and says how many are in doubt', async () => {
    const { fetchPage, asked } = fakeListing(
      () => numberedRecords(250),
      (page) => ({ ...page, total: 1_000_000_000 }),
    );
    const { all, status } = walk({ fetchPage });
    expect(await all).toEqual(numberedRecords(250));
    expect(status).toMatchObject({ complete: false, incomplete: 1_000_000_000 - 250, rereads: 2 });
    expect(asked.length).toBeLessThan(60);
  });

  it.each([5, 7, 1_000_000])(
    'ends where the service sends the same on every page, and names %i',
    async (total) => {
      const same = numberedRecords(5);
      for (const size of [5, 2000]) {
        const { fetchPage, asked } = fakeListing(
          () => same,
          () => ({ records: batchOf(...same), total }),
        );
        const { all, status } = walk({ fetchPage, size });
        expect(await all).toEqual(same);
        expect(status.incomplete).toBe(total - 5);
        expect(asked.length).toBeLessThan(30);
      }
    },
  );

  it('fails where the applied page size never stays the same', async () => {
    let size = 100;
    const { fetchPage } = fakeListing(
      () => numberedRecords(5000),
      (page) => ({ ...page, pageSize: --size }),
    );
    const failure = walk({ fetchPage }).all;
    await expect(failure).rejects.toThrow(ServiceError);
    await expect(failure).rejects.toThrow('the service keeps changing the page size that it applies');
  });
});

describe('records without an id', () => {
  const same = Array.from({ length: 250 }, (_, at) => `{"amount":${at % 3}}`);

  it('are all given where the listing kept still, equal or not', async () => {
    const { fetchPage } = fakeListing(() => same);
    const { all, status } = walk({ fetchPage });
    expect((await all).toSorted()).toEqual(same.toSorted());
    expect(status.complete).toBe(true);
  });

  it('are all given where there is no total', async () => {
    const { fetchPage } = fakeListing(
      () => same,
      ({ records }) => ({ records }),
    );
    expect(await walk({ fetchPage }).all).toEqual(same);
  });
});

describe('a listing without a total', () => {
  it('ends with a page that has nothing new in its place', async () => {
    const { fetchPage, asked } = fakeListing(
      () => numberedRecords(250),
      ({ records }) => ({ records }),
    );
    expect(await walk({ fetchPage }).all).toEqual(numberedRecords(250));
    expect(asked).toEqual(['0+100', '99+99', '196+98', '249+83']);
  });

  it('is read again where a record that moved out of sight would be missed', async () => {
    const records = numberedRecords(250);
    const { fetchPage } = fakeListing(
      () => records,
      ({ records: batch }, { offset }) => {
        if (offset === 0 && records.length === 250) records.splice(50, 1);
        return { records: batch };
      },
    );
    const { all, status } = walk({ fetchPage });
    expect((await all).length).toBe(250);
    expect(status).toMatchObject({ complete: true, drift: true, rereads: 1 });
  });

  it('ends where the service sends everything on every page', async () => {
    const everything = numberedRecords(100);
    const { fetchPage, asked } = fakeListing(
      () => everything,
      () => ({ records: batchOf(...everything) }),
    );
    expect(await walk({ fetchPage }).all).toEqual(everything);
    expect(asked.length).toBe(2);
  });
});
