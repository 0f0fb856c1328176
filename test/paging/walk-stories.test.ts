import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { walkNumbered, type NumberedWalkOptions } from '../../src/paging/numbered-walk.ts';
import type { FetchPage, Page, Window } from '../../src/paging/page.ts';
import { PageRefused } from '../../src/paging/page.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';
import { fakeListing, gather, numberedRecords } from '../support/fake-listing.ts';
import { batchOf } from '../support/records.ts';

/** A service, and how it is walked. */
interface Walk {
  readonly fetchPage: FetchPage;
  /** The other order, where the service has one. */
  readonly sorted?: { readonly fetchPage: FetchPage };
  readonly options?: Partial<NumberedWalkOptions>;
}

/** What a walk asked for, and what it came to, in a line each. */
async function storyOf({ fetchPage, sorted, options }: Walk): Promise<[asked: string, outcome: string]> {
  const status = new WalkStatus();
  const { signal } = new AbortController();
  const asked: string[] = [];
  const noting =
    (fetch: FetchPage, order = ''): FetchPage =>
    (window, within, onRefusal = 'shrink') => {
      const how = onRefusal === 'shrink' ? '' : ` ${onRefusal}`;
      asked.push(`${order}${window.offset}+${window.size}${how}`);
      return fetch(window, within, onRefusal);
    };
  const walk = walkNumbered({
    fetchPage: noting(fetchPage),
    fetchSorted: sorted && noting(sorted.fetchPage, 'sorted '),
    ...{ size: 10, concurrency: 1, status, signal },
    ...options,
  });
  const given = await gather(walk);
  const all = [...new Set(given)];
  const counts = Object.entries({
    given: given.length,
    twice: given.length - all.length,
    incomplete: status.incomplete,
    pages: status.pages,
    shrinks: status.shrinks,
    slow: status.slowPages,
    repeats: status.repeats,
    rereads: status.rereads,
    total: status.totalAtEnd ?? 0,
  }).flatMap(([name, count]) => (count === 0 ? [] : [`${name} ${count}`]));
  const facts = [
    ...counts,
    ...(status.reason === undefined ? [] : [status.reason]),
    ...(status.drift ? ['drift'] : []),
    ...(status.orderMayMove ? ['order may move'] : []),
    ...(status.unreadable.size > 0 ? [`unreadable ${[...status.unreadable].join(' ')}`] : []),
  ];
  return [withoutBeginning(asked).join(' '), facts.join(', ')];
}

/** The pages of a long listing that stands still are left out. */
function withoutBeginning(asked: readonly string[]): readonly string[] {
  const differs = asked.findIndex((window, at) => window !== STILL[at]);
  return differs < 12 ? asked : [`(${differs})`, ...asked.slice(differs)];
}

const STILL = (
  '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 54+9 60+10 63+9 70+10 77+7 80+10 88+8 90+10 99+9 104+8 110+10 117+9 120+10 128+8 ' +
  '135+9 140+10 147+7 153+9 160+10 168+8 175+7 180+10 189+9 196+7 200+10 207+9 210+10 216+9 224+8 230+10 238+7 243+9 250+10 ' +
  '259+7 264+8 270+10 279+9 287+7 290+10 297+9'
).split(' ');

/** A listing of so many records, to which something happens just after the request of a number was answered. */
function changing(
  count: number,
  changes: Record<number, (records: string[]) => unknown>,
  answer = (page: Page): Page => page,
) {
  const records = numberedRecords(count);
  let requests = 0;
  return fakeListing(
    () => records,
    (page) => {
      changes[++requests]?.(records);
      return answer(page);
    },
  );
}

/** A listing of so many records that refuses some windows. */
function refusing(
  count: number,
  reason: (window: Window) => 'large' | 'slow' | 'size' | undefined,
  text = '',
) {
  const records = numberedRecords(count).map((record) => record.replace('}', `${text}}`));
  return fakeListing(
    () => records,
    (page, window) => {
      const refused = reason(window);
      if (refused !== undefined) throw new PageRefused(refused, new Error('502'));
      return page;
    },
  );
}

/** A listing whose pages hold what `serve` makes of their number and size. */
function serving(
  count: number,
  serve: (window: Window, records: readonly string[]) => readonly string[],
  page?: Partial<Page>,
) {
  const records = numberedRecords(count);
  return fakeListing(
    () => records,
    (asked, window) => ({ ...(page ?? asked), records: batchOf(...serve(window, records)) }),
  );
}

const noTotal = ({ records }: Page): Page => ({ records });
const insert = (at: number) => (records: string[]) => {
  const count = records.filter((record) => record.includes('new')).length;
  return records.splice(at, 0, `{"id":"new ${count}"}`);
};
const remove =
  (at: number, count = 1) =>
  (records: string[]) =>
    records.splice(at, count);
const replace = (gone: number, at: number) => (records: string[]) => {
  records.splice(gone, 1);
  insert(at)(records);
};
/** Other records stand at the end from before the last page on, and again others behind it. */
const RENEWED = Object.fromEntries(
  [0, 1].map((turn) => [
    46 + turn,
    (records: string[]) => {
      for (let at = 287; at < 299; at++) records[at] = `{"id":"${turn} ${at}"}`;
    },
  ]),
);
const unnamed = (count: number) => Array.from({ length: count }, (_, at) => `{"n":${at % 7}}`);

/** Walks by what they show. */
const WALKS: Record<string, () => Walk> = {
  'one record': () => fakeListing(() => numberedRecords(1)),
  'as many records as a page': () => fakeListing(() => numberedRecords(10)),
  'one more': () => fakeListing(() => numberedRecords(11)),
  'fifty records': () => fakeListing(() => numberedRecords(50)),
  'fifty, four pages at a time': () => ({
    ...fakeListing(() => numberedRecords(50)),
    options: { concurrency: 4 },
  }),
  'fifty, up to the 25th': () => ({ ...fakeListing(() => numberedRecords(50)), options: { until: 25 } }),
  'fifty, where no page may have more than ten': () => ({
    ...fakeListing(() => numberedRecords(50)),
    options: { maxSize: 10 },
  }),
  'fifty without a total': () => fakeListing(() => numberedRecords(50), noTotal),
  'fifty-five without a total, four pages at a time': () => ({
    ...fakeListing(() => numberedRecords(55), noTotal),
    options: { concurrency: 4 },
  }),
  'fifty, up to the 25th, without a total': () => ({
    ...fakeListing(() => numberedRecords(50), noTotal),
    options: { until: 25 },
  }),
  'none, without a total': () => fakeListing(() => [], noTotal),
  'a total that is too low by one': () =>
    fakeListing(
      () => numberedRecords(50),
      (page) => ({ ...page, total: 49 }),
    ),
  'a total that is too low by fifteen': () =>
    fakeListing(
      () => numberedRecords(50),
      (page) => ({ ...page, total: 35 }),
    ),
  'a total that is too high by one': () =>
    fakeListing(
      () => numberedRecords(50),
      (page) => ({ ...page, total: 51 }),
    ),
  'a total that is too high by forty': () =>
    fakeListing(
      () => numberedRecords(50),
      (page) => ({ ...page, total: 90 }),
    ),
  'a total of nothing, and a record': () =>
    fakeListing(
      () => numberedRecords(1),
      (page) => ({ ...page, total: 0 }),
    ),
  'a total that came once': () => {
    let requests = 0;
    return fakeListing(
      () => numberedRecords(50),
      (page) => (++requests === 1 ? page : noTotal(page)),
    );
  },

  'a record comes at the front': () => changing(50, { 2: insert(0) }),
  'a record comes at the end': () => changing(50, { 2: insert(50) }),
  'a record comes on the page read last': () => changing(50, { 2: insert(15) }),
  'a record goes from the front': () => changing(50, { 2: remove(0) }),
  'a record goes from the end': () => changing(50, { 2: remove(49) }),
  'five records go from the front': () => changing(50, { 2: remove(0, 5) }),
  'fifteen records go from the front': () => changing(50, { 2: remove(0, 15) }),
  'all but one go': () => changing(50, { 2: remove(1, 49) }),
  'all go': () => changing(50, { 2: remove(0, 50) }),
  'a record comes during each of three readings': () =>
    changing(50, { 2: insert(0), 8: insert(5), 14: insert(9) }),
  'a record comes at every page': () =>
    changing(50, Object.fromEntries(Array.from({ length: 60 }, (_, at) => [at, insert(0)]))),
  'a record goes for another in front': () => changing(50, { 2: replace(3, 60) }),
  'a record goes for another behind': () => changing(50, { 2: replace(40, 3) }),
  'twelve records go for others': () =>
    changing(50, {
      2: (records) => {
        for (let at = 0; at < 12; at++) replace(0, 60)(records);
      },
    }),
  'a record of the border changes': () =>
    changing(50, { 1: (records) => (records[9] = '{"id":9,"paid":true}') }),
  'a record behind changes': () => changing(50, { 1: (records) => (records[30] = '{"id":30,"paid":true}') }),
  'a record changes and comes to the end': () =>
    changing(50, {
      2: (records) => {
        records.splice(3, 1);
        records.push('{"id":3,"paid":true}');
      },
    }),
  'the same, in an order that may move': () => ({
    ...changing(50, {
      2: (records) => {
        records.splice(3, 1);
        records.push('{"id":3,"paid":true}');
      },
    }),
    options: { orderMayMove: true },
  }),
  'a record comes at the front, up to the 25th': () => ({
    ...changing(50, { 2: insert(0) }),
    options: { until: 25 },
  }),
  'a record goes from the front, up to the 25th': () => ({
    ...changing(50, { 2: remove(0) }),
    options: { until: 25 },
  }),
  'a record goes from the front, without a total': () => changing(50, { 2: remove(0) }, noTotal),
  'a record comes at the front, without a total': () => changing(50, { 2: insert(0) }, noTotal),
  'a record goes from the front of a long listing': () => changing(300, { 12: remove(0) }),
  'twenty go from the front of a long listing': () => changing(300, { 12: remove(0, 20) }),
  'records go in two places of a long listing': () => changing(400, { 12: remove(0), 30: remove(0) }),
  'a record goes from a long listing, and another when it is read again': () =>
    changing(300, { 12: remove(0), 37: remove(100) }),
  'twelve go for others in a long listing': () =>
    changing(300, {
      12: (records) => {
        for (let at = 0; at < 12; at++) replace(0, 400)(records);
      },
    }),
  'twelve go for others in a long listing, twice': () =>
    changing(300, {
      12: (records) => {
        for (let at = 0; at < 12; at++) replace(0, 400)(records);
      },
      36: (records) => {
        for (let at = 0; at < 12; at++) replace(0, 400)(records);
      },
    }),
  'a record goes, where the service has another order': () => ({
    ...changing(50, { 2: remove(0) }),
    sorted: fakeListing(() => numberedRecords(50).slice(1)),
  }),

  'records without a key': () => fakeListing(() => unnamed(50)),
  'records without a key or a total': () => fakeListing(() => unnamed(50), noTotal),
  'records without a key, of which one goes': () => {
    const records = unnamed(50);
    let requests = 0;
    return fakeListing(
      () => records,
      (page) => {
        if (++requests === 2) records.shift();
        return page;
      },
    );
  },
  'a key that repeats': () =>
    fakeListing(() => Array.from({ length: 50 }, (_, at) => `{"id":${at % 25},"n":${at}}`)),
  'a key that repeats, where a record goes': () => {
    const records = Array.from({ length: 50 }, (_, at) => `{"id":${at % 25},"n":${at}}`);
    let requests = 0;
    return fakeListing(
      () => records,
      (page) => {
        if (++requests === 2) records.shift();
        return page;
      },
    );
  },
  'a record that stands twice': () => {
    const records = [...numberedRecords(40), '{"id":3}', ...numberedRecords(50).slice(40)];
    return fakeListing(() => records);
  },
  'a record that stands twice, without a total': () => {
    const records = [...numberedRecords(40), '{"id":3}', ...numberedRecords(50).slice(40)];
    return fakeListing(() => records, noTotal);
  },

  'another order at each request': () => {
    let turn = 0;
    const records = numberedRecords(50);
    return fakeListing(() => (++turn % 2 === 0 ? records.toReversed() : records));
  },
  'the same, where there is one that keeps': () => {
    let turn = 0;
    const records = numberedRecords(50);
    return {
      ...fakeListing(() => (++turn % 2 === 0 ? records.toReversed() : records)),
      sorted: fakeListing(() => records),
    };
  },
  'pairs that change places at each request': () => {
    let turn = 0;
    const records = numberedRecords(50);
    return fakeListing(() => {
      turn++;
      return turn % 2 === 0 ? records.map((_, at) => records[at ^ 1]!) : records;
    });
  },
  'the same, where there is one that keeps, and a page of ten at most': () => {
    let turn = 0;
    const records = numberedRecords(50);
    return {
      ...fakeListing(() => {
        turn++;
        return turn % 2 === 0 ? records.map((_, at) => records[at ^ 1]!) : records;
      }),
      sorted: fakeListing(() => records),
      options: { maxSize: 10 },
    };
  },

  'a key that repeats, where a record of the border changes': () => {
    const records = Array.from({ length: 50 }, (_, at) => `{"id":${at === 3 ? 2 : at},"n":${at}}`);
    let requests = 0;
    return fakeListing(
      () => records,
      (page) => {
        if (++requests === 2) records[15] = '{"id":15,"n":"changed"}';
        return page;
      },
    );
  },
  'a record of the border that changes and goes on by one place': () =>
    changing(50, {
      1: (records) => {
        records[9] = '{"id":9,"paid":true}';
        records.splice(9, 0, '{"id":"new"}');
        records.pop();
      },
    }),
  'order that changes, where there is one that keeps, and a record goes': () => {
    let turn = 0;
    const records = numberedRecords(40);
    const turned = (): readonly string[] =>
      ++turn % 2 === 0 ? records.map((_, at) => records[at ^ 1] ?? records[at]!) : records;
    return {
      ...fakeListing(turned, (page) => {
        if (turn === 2) records.shift();
        return page;
      }),
      sorted: fakeListing(() => records),
    };
  },
  'order that changes, where none keeps, and a record goes': () => {
    let turn = 0;
    const records = numberedRecords(40);
    const turned = (): readonly string[] =>
      ++turn % 2 === 0 ? records.map((_, at) => records[at ^ 1] ?? records[at]!) : records;
    return fakeListing(turned, (page) => {
      if (turn === 2) records.shift();
      return page;
    });
  },
  'another order that it does not know': () => {
    let turn = 0;
    const records = numberedRecords(40);
    const turned = (): readonly string[] =>
      ++turn % 2 === 0 ? records.map((_, at) => records[at ^ 1] ?? records[at]!) : records;
    return {
      ...fakeListing(turned, (page) => {
        if (turn === 2) records.shift();
        return page;
      }),
      sorted: { fetchPage: () => Promise.reject(new UsageError('no such order', { hint: 'None.' })) },
    };
  },
  'sizes of ten at most, and refuses outright what is larger': () => ({
    ...refusing(60, ({ size }) => (size > 10 ? 'size' : undefined)),
    options: { size: 25 },
  }),
  'a total that stays although a record goes': () =>
    changing(50, { 2: remove(0) }, (page) => ({ ...page, total: 50 })),
  'a total that stays although five go, up to the 40th': () => ({
    ...changing(50, { 2: remove(0, 5) }, (page) => ({ ...page, total: 50 })),
    options: { until: 40 },
  }),
  'the same, four pages at a time': () => ({
    ...changing(50, { 2: remove(0) }, (page) => ({ ...page, total: 50 })),
    options: { concurrency: 4 },
  }),
  'a total that stays although a record goes, and others go for others when it is read again': () => ({
    ...changing(50, { 2: remove(0), 12: replace(3, 3), 22: replace(4, 4) }, (page) => ({
      ...page,
      total: 50,
    })),
    options: { concurrency: 4 },
  }),
  'a key that repeats, without a total': () =>
    fakeListing(() => Array.from({ length: 50 }, (_, at) => `{"id":${at % 25},"n":${at}}`), noTotal),
  'a key that repeats, without a total, where a record changes when it is read again': () => {
    const records = Array.from({ length: 50 }, (_, at) => `{"id":${at % 25},"n":${at}}`);
    let requests = 0;
    return fakeListing(
      () => records,
      (page) => {
        if (++requests === 10) records[40] = '{"id":15,"n":"changed"}';
        return noTotal(page);
      },
    );
  },
  'a long listing whose end is new before its last page and behind it': () => changing(299, RENEWED),
  'the same, where it has no total': () => changing(299, RENEWED, noTotal),
  'pages of five from the second on, which it says': () => {
    const records = numberedRecords(50);
    let requests = 0;
    return fakeListing(
      () => records,
      (page, { offset, size }) => {
        if (++requests === 1) return { ...page, pageSize: size };
        return { ...page, pageSize: 5, records: batchOf(...records.slice((offset / size) * 5).slice(0, 5)) };
      },
    );
  },
  'a record of the border that changes, and behind it a key that repeats': () => {
    const records = Array.from({ length: 50 }, (_, at) => `{"id":${at === 45 ? 44 : at},"n":${at}}`);
    let requests = 0;
    return fakeListing(
      () => records,
      (page) => {
        if (++requests === 2) records[17] = '{"id":17,"n":"changed"}';
        return page;
      },
    );
  },
  'twelve that go for others at the end of a long listing': () =>
    changing(300, {
      46: (records) => {
        for (let at = 0; at < 12; at++) replace(0, 400)(records);
      },
    }),
  'the same, without a total': () =>
    changing(
      300,
      {
        46: (records) => {
          for (let at = 0; at < 12; at++) replace(0, 400)(records);
        },
      },
      noTotal,
    ),
  'twelve that go for others in a long listing without a total': () =>
    changing(
      300,
      {
        12: (records) => {
          for (let at = 0; at < 12; at++) replace(0, 400)(records);
        },
      },
      noTotal,
    ),
  'a long listing that moves, four pages at a time': () => ({
    ...changing(300, { 12: remove(0, 20), 20: insert(3) }),
    options: { concurrency: 4 },
  }),
  'a long listing of pages that adjoin': () => ({
    ...changing(300, { 12: remove(0, 3) }),
    options: { size: 5, maxSize: 5 },
  }),
  'pages of one record': () => ({ ...fakeListing(() => numberedRecords(4)), options: { size: 1 } }),
  'pages of one record, of which one goes': () => ({
    ...changing(6, { 2: remove(0) }),
    options: { size: 1 },
  }),
  'the same page for ever': () => serving(50, (_, records) => records.slice(0, 10)),
  'the same page for ever, without a total': () => serving(50, (_, records) => records.slice(0, 10), {}),
  'the first hundred for ever, of a total of a thousand': () =>
    serving(
      100,
      ({ offset, size }, records) => {
        const at = offset % 100;
        return [...records, ...records].slice(at, at + size);
      },
      { total: 1000 },
    ),
  'the same without keys': () => {
    const records = Array.from({ length: 100 }, (_, at) => `{"n":${at}}`);
    return fakeListing(
      () => [...Array(10)].flatMap(() => records),
      (page) => page,
    );
  },

  'pages of twenty at most, which it says': () => {
    const records = numberedRecords(90);
    return {
      ...fakeListing(
        () => records,
        (page, { offset, size }) => ({
          ...page,
          pageSize: Math.min(size, 20),
          records: batchOf(
            ...records.slice((offset / size) * Math.min(size, 20)).slice(0, Math.min(size, 20)),
          ),
        }),
      ),
      options: { size: 50 },
    };
  },
  'pages of twenty at most, which it does not say': () => ({
    ...serving(90, ({ offset, size }, records) => records.slice(offset, offset + Math.min(size, 20))),
    options: { size: 50 },
  }),
  'pages of twenty at most, without a total': () => ({
    ...serving(90, ({ offset, size }, records) => records.slice(offset, offset + Math.min(size, 20)), {}),
    options: { size: 50 },
  }),
  'pages of twenty, whatever is asked for': () => ({
    ...serving(90, ({ offset, size }, records) => records.slice((offset / size) * 20).slice(0, 20)),
    options: { size: 7, concurrency: 3 },
  }),
  'pages of twenty, whatever is asked for, up to the 30th': () => ({
    ...serving(90, ({ offset, size }, records) => records.slice((offset / size) * 20).slice(0, 20)),
    options: { size: 7, until: 30 },
  }),
  'pages of twenty, whatever is asked for, without a total': () => ({
    ...serving(90, ({ offset, size }, records) => records.slice((offset / size) * 20).slice(0, 20), {}),
    options: { size: 7 },
  }),
  'a page in the middle that is short once': () => {
    let once = true;
    return serving(50, ({ offset, size }, records) => {
      const isShort = once && offset > 15;
      if (isShort) once = false;
      return records.slice(offset, offset + (isShort ? 4 : size));
    });
  },
  'a page in the middle that is always short': () =>
    serving(50, ({ offset, size }, records) =>
      records.slice(offset, offset < 30 && offset + size > 25 ? Math.max(offset, 25) : offset + size),
    ),
  'a page in the middle that is empty once': () => {
    let once = true;
    return serving(50, ({ offset, size }, records) => {
      const isEmpty = once && offset > 15;
      if (isEmpty) once = false;
      return isEmpty ? [] : records.slice(offset, offset + size);
    });
  },
  'a first page that is empty once': () => {
    let once = true;
    return serving(50, ({ offset, size }, records) => {
      const isEmpty = once;
      once = false;
      return isEmpty ? [] : records.slice(offset, offset + size);
    });
  },
  'a first page that is short once, four at a time': () => {
    let once = true;
    return {
      ...serving(50, ({ offset, size }, records) => {
        const isShort = once;
        once = false;
        return records.slice(offset, offset + (isShort ? 4 : size));
      }),
      options: { concurrency: 4 },
    };
  },

  'refuses more than 6': () => refusing(60, ({ size }) => (size > 6 ? 'large' : undefined)),
  'refuses more than 60 of 200': () => ({
    ...refusing(1000, ({ size }) => (size > 60 ? 'large' : undefined)),
    options: { size: 200 },
  }),
  'is slow above 60 of 200': () => ({
    ...refusing(600, ({ size }) => (size > 60 ? 'slow' : undefined)),
    options: { size: 200 },
  }),
  'is slow once': () => {
    let once = true;
    return refusing(60, ({ offset }) => {
      const isSlow = once && offset > 20;
      if (isSlow) once = false;
      return isSlow ? 'slow' : undefined;
    });
  },
  'is slow at one place, above 4': () =>
    refusing(60, ({ offset, size }) => (offset <= 25 && offset + size > 25 && size > 4 ? 'slow' : undefined)),
  'takes sizes of 60 at most': () => ({
    ...refusing(600, ({ size }) => (size > 60 ? 'size' : undefined)),
    options: { size: 200, concurrency: 2 },
  }),
  'refuses one place above 3': () =>
    refusing(100, ({ offset, size }) =>
      offset <= 25 && offset + size > 25 && size > 3 ? 'large' : undefined,
    ),
  'refuses a stretch above 3, four at a time': () => ({
    ...refusing(200, ({ offset, size }) =>
      offset <= 60 && offset + size > 25 && size > 3 ? 'large' : undefined,
    ),
    options: { concurrency: 4, size: 25 },
  }),
  'does not serve the 25th and 26th record': () =>
    refusing(60, ({ offset, size }) => (offset <= 26 && offset + size > 25 ? 'large' : undefined)),
  'does not serve the last record': () =>
    refusing(60, ({ offset, size }) => (offset + size > 59 ? 'large' : undefined)),
  'refuses one place once': () => {
    let once = true;
    return {
      ...refusing(800, ({ offset }) => {
        const is = once && offset > 150;
        if (is) once = false;
        return is ? 'large' : undefined;
      }),
      options: { size: 100 },
    };
  },
  'records of 60 KB, 200 a page': () => ({
    ...refusing(600, ({ size }) => (size > 99 ? 'large' : undefined), `,"x":"${'x'.repeat(60_000)}"`),
    options: { size: 200 },
  }),
};

const STORIES: Record<string, readonly [asked: string, outcome: string]> = {
  'one record': ['0+10', 'given 1, pages 1, total 1'],
  'as many records as a page': ['0+10 9+9', 'given 10, pages 2, total 10'],
  'one more': ['0+10 9+9', 'given 11, pages 2, total 11'],
  'fifty records': ['0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8', 'given 50, pages 8, total 50'],
  'fifty, four pages at a time': ['0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8', 'given 50, pages 8, total 50'],
  'fifty, up to the 25th': ['0+10 9+9 16+8 20+10', 'given 25, pages 4, total 50'],
  'fifty, where no page may have more than ten': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 50, pages 8, total 50',
  ],
  'fifty without a total': ['0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8', 'given 50, pages 8'],
  'fifty-five without a total, four pages at a time': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 54+9',
    'given 55, pages 9',
  ],
  'fifty, up to the 25th, without a total': ['0+10 9+9 16+8 20+10', 'given 25, pages 4'],
  'none, without a total': ['0+10', 'pages 1'],
  'a total that is too low by one': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 50, pages 8, total 49',
  ],
  'a total that is too low by fifteen': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 50, pages 8, total 35',
  ],
  'a total that is too high by one': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 50+10 0+10 10+10 20+10 30+10 40+10 50+10 50+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 50+10',
    'given 50, incomplete 1, pages 25, repeats 100, rereads 2, total 51, total',
  ],
  'a total that is too high by forty': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 50+10 54+9 56+8 60+10 63+9 0+10 10+10 20+10 30+10 40+10 50+10 50+10 60+10 60+10 70+10 70+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 50+10 54+9 56+8 60+10 63+9',
    'given 50, incomplete 40, pages 37, repeats 100, rereads 2, total 90, total',
  ],
  'a total of nothing, and a record': ['0+10', 'given 1, pages 1'],
  'a total that came once': ['0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8', 'given 50, pages 8, total 50'],
  'a record comes at the front': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 9+9 16+8 20+10',
    'given 51, pages 12, repeats 32, rereads 1, total 51, drift',
  ],
  'a record comes at the end': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 9+9 16+8 20+10',
    'given 51, pages 12, repeats 30, rereads 1, total 51, drift',
  ],
  'a record comes on the page read last': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 9+9 16+8 20+10',
    'given 51, pages 12, repeats 32, rereads 1, total 51, drift',
  ],
  'a record goes from the front': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 0+10 9+9 16+8 20+10',
    'given 50, pages 11, repeats 31, rereads 1, total 49, drift',
  ],
  'a record goes from the end': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 0+10 9+9 16+8 20+10',
    'given 49, pages 11, repeats 30, rereads 1, total 49, drift',
  ],
  'five records go from the front': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 0+10 9+9 16+8 20+10',
    'given 50, pages 11, repeats 27, rereads 1, total 45, drift',
  ],
  'fifteen records go from the front': [
    '0+10 9+9 16+8 20+10 27+9 0+10 9+9 16+8 20+10 27+9',
    'given 50, pages 10, repeats 22, rereads 1, total 35, drift',
  ],
  'all but one go': [
    '0+10 9+9 16+8 0+10 9+9 16+8',
    'given 18, pages 6, repeats 1, rereads 1, total 1, drift',
  ],
  'all go': ['0+10 9+9 16+8', 'given 18, incomplete 1, pages 3, rereads 2, changing, drift'],
  'a record comes during each of three readings': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 9+9 16+8 20+10',
    'given 52, pages 12, repeats 31, rereads 1, total 52, drift',
  ],
  'a record comes at every page': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 54+9 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 54+9 60+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 54+9 60+10 63+9 70+10',
    'given 69, incomplete 11, pages 31, repeats 203, rereads 2, total 80, changing, drift',
  ],
  'a record goes for another in front': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 9+9 16+8',
    'given 51, pages 11, repeats 21, rereads 1, total 50, drift',
  ],
  'a record goes for another behind': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 9+9 16+8',
    'given 50, pages 11, repeats 22, rereads 1, total 50, drift',
  ],
  'twelve records go for others': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 9+9 16+8',
    'given 62, pages 11, repeats 10, rereads 1, total 50, drift',
  ],
  'a record of the border changes': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 50, pages 8, total 50',
  ],
  'a record behind changes': ['0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8', 'given 50, pages 8, total 50'],
  'a record changes and comes to the end': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 9+9 16+8',
    'given 50, pages 11, repeats 22, rereads 1, total 50, drift',
  ],
  'the same, in an order that may move': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 9+9 16+8',
    'given 50, pages 11, repeats 22, rereads 1, total 50, drift, order may move',
  ],
  'a record comes at the front, up to the 25th': [
    '0+10 9+9 16+8 20+10 0+10 9+9 16+8 20+10',
    'given 25, pages 8, repeats 27, rereads 1, total 51, drift',
  ],
  'a record goes from the front, up to the 25th': [
    '0+10 9+9 16+8 20+10 0+10 9+9 16+8 20+10 0+10 9+9 16+8 20+10',
    'given 25, incomplete 1, pages 12, repeats 51, rereads 2, total 49, changing, drift',
  ],
  'a record goes from the front, without a total': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 9+9 16+8',
    'given 50, pages 11, repeats 21, rereads 1, drift',
  ],
  'a record comes at the front, without a total': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 50+10 0+10 9+9 16+8',
    'given 51, pages 12, repeats 22, rereads 1, drift',
  ],
  'a record goes from the front of a long listing': [
    '(47) 48+8 54+9 60+10 63+9 70+10 77+7 80+10',
    'given 300, pages 54, repeats 42, rereads 1, total 299, drift',
  ],
  'twenty go from the front of a long listing': [
    '(45) 36+9 40+10 48+8 54+9 60+10 63+9 70+10 77+7 80+10 88+8 90+10',
    'given 300, pages 56, repeats 43, rereads 1, total 280, drift',
  ],
  'records go in two places of a long listing': [
    '(48) 304+8 310+10 315+9 320+10 328+8 333+9 340+10 348+6 350+10 357+7 360+10 369+9 376+8 380+10 387+9 390+10 48+8 54+9 60+10 63+9 70+10 77+7 80+10 153+9 160+10 168+8 175+7 180+10 189+9 196+7',
    'given 400, pages 78, repeats 89, rereads 1, total 398, drift',
  ],
  'a record goes from a long listing, and another when it is read again': [
    '(47) 48+8 54+9 60+10 63+9 70+10 77+7 80+10 207+9 210+10 216+9 224+8 230+10 238+7 243+9',
    'given 300, pages 61, repeats 86, rereads 1, total 298, drift',
  ],
  'twelve go for others in a long listing': [
    '(48) 56+8 63+9 70+10',
    'given 312, pages 51, repeats 11, rereads 1, total 300, drift',
  ],
  'twelve go for others in a long listing, twice': [
    '(48) 56+8 63+9 70+10 207+9 210+10 216+9 224+8 36+9 40+10 48+8 54+9 60+10 63+9 70+10 77+7 80+10 88+8 90+10 207+9 210+10 216+9 224+8',
    'given 324, pages 70, repeats 106, rereads 2, total 300, drift',
  ],
  'a record goes, where the service has another order': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 0+10 9+9 16+8 20+10',
    'given 50, pages 11, repeats 31, rereads 1, total 49, drift',
  ],
  'records without a key': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 10+10 20+10 30+10 40+10 50+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 50, twice 43, pages 22, repeats 100, rereads 2, total 50',
  ],
  'records without a key or a total': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 10+10 20+10 30+10 40+10 50+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 50, twice 43, pages 22, repeats 100, rereads 2',
  ],
  'records without a key, of which one goes': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 0+10 10+10 20+10 30+10 40+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10',
    'given 14, twice 7, incomplete 35, pages 19, repeats 135, rereads 2, total 49, changing, drift',
  ],
  'a key that repeats': ['0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8', 'given 50, pages 8, total 50'],
  'a key that repeats, where a record goes': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 0+10 9+9 16+8 20+10 0+10 9+9 16+8 20+10',
    'given 25, incomplete 24, pages 15, repeats 86, rereads 2, total 49, changing, drift',
  ],
  'a record that stands twice': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 10+10 20+10 30+10 40+10 50+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 50, incomplete 1, pages 22, repeats 103, rereads 2, total 51, unsteady',
  ],
  'a record that stands twice, without a total': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 50+10 0+10 10+10 20+10 30+10 40+10 50+10 50+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 50+10',
    'given 50, incomplete 1, pages 24, repeats 103, rereads 2, unsteady',
  ],
  'another order at each request': [
    '0+10 9+9 16+8 20+10 27+9 0+10 10+10 20+10 30+10 40+10 50+10',
    'given 50, pages 11, repeats 46, rereads 1, total 50',
  ],
  'the same, where there is one that keeps': [
    '0+10 9+9 16+8 20+10 27+9 0+10 10+10 20+10 30+10 40+10 50+10',
    'given 50, pages 11, repeats 46, rereads 1, total 50',
  ],
  'pairs that change places at each request': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 10+10 20+10 30+10 40+10 50+10',
    'given 50, pages 14, repeats 65, rereads 1, total 50',
  ],
  'the same, where there is one that keeps, and a page of ten at most': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 10+10 20+10 30+10 40+10 50+10',
    'given 50, pages 14, repeats 65, rereads 1, total 50',
  ],
  'a key that repeats, where a record of the border changes': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 50, pages 8, total 50',
  ],
  'a record of the border that changes and goes on by one place': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10',
    'given 50, pages 9, repeats 11, rereads 1, total 50, drift',
  ],
  'order that changes, where there is one that keeps, and a record goes': [
    '0+10 9+9 16+8 20+10 27+9 35+7 0+10 10+10 20+10 30+10 sorted 0+10 sorted 9+9 sorted 16+8 sorted 20+10 sorted 27+9 sorted 35+7',
    'given 40, pages 16, repeats 88, rereads 2, total 39, drift',
  ],
  'order that changes, where none keeps, and a record goes': [
    '0+10 9+9 16+8 20+10 27+9 35+7 0+10 10+10 20+10 30+10 0+10 9+9 16+8 20+10 27+9 35+7',
    'given 40, incomplete 1, pages 16, repeats 99, rereads 2, total 39, changing, drift',
  ],
  'another order that it does not know': [
    '0+10 9+9 16+8 20+10 27+9 35+7 0+10 10+10 20+10 30+10 sorted 0+10',
    'given 40, incomplete 1, pages 10, repeats 49, rereads 2, total 39, changing, drift',
  ],
  'sizes of ten at most, and refuses outright what is larger': [
    '0+25 0+10 once 9+9 12+12 once 16+8 once 20+10 24+8 30+10 36+9 40+10 48+8 54+9',
    'given 60, pages 10, total 60',
  ],
  'a total that stays although a record goes': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 49+7 48+8 50+10 0+10 9+9 16+8',
    'given 50, pages 14, repeats 21, rereads 1, total 50, drift',
  ],
  'a total that stays although five go, up to the 40th': [
    '0+10 9+9 16+8 20+10 27+9 35+7 0+10 9+9 16+8 0+10 10+10 20+10 30+10',
    'given 40, incomplete 5, pages 13, repeats 57, rereads 2, total 50, unsteady, drift',
  ],
  'the same, four pages at a time': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 49+7 48+8 50+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 49+7 48+8 50+10 0+10 10+10 20+10 30+10 40+10 40+10 40+10 50+10',
    'given 50, pages 30, repeats 99, rereads 2, total 50, drift',
  ],
  'a total that stays although a record goes, and others go for others when it is read again': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 49+7 48+8 50+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 49+7 48+8 50+10 0+10 10+10 20+10 30+10 40+10 40+10 40+10 50+10',
    'given 52, incomplete 1, pages 30, repeats 97, rereads 2, total 50, unsteady, drift',
  ],
  'a key that repeats, without a total': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 10+10 20+10 30+10 40+10 50+10',
    'given 50, pages 14, repeats 50, rereads 1',
  ],
  'a key that repeats, without a total, where a record changes when it is read again': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 10+10 20+10 30+10 40+10 50+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 51, incomplete 1, pages 22, repeats 99, rereads 2, more',
  ],
  'a long listing whose end is new before its last page and behind it': [
    '(47) 279+9 287+7 290+10',
    'given 315, pages 50, repeats 7, rereads 1, total 299, drift',
  ],
  'the same, where it has no total': [
    '(48) 279+9 287+7 290+10 297+9',
    'given 315, pages 52, repeats 9, rereads 1, drift',
  ],
  'pages of five from the second on, which it says': [
    '0+10 9+9 8+4 15+5 retry 20+5 retry 25+5 retry 30+5 retry 35+5 retry 40+5 retry 45+5 retry 50+5 retry',
    'given 50, pages 10, total 50',
  ],
  'a record of the border that changes, and behind it a key that repeats': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 0+10 10+10 20+10 30+10 40+10 50+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 51, incomplete 1, pages 22, repeats 99, rereads 2, total 50, more',
  ],
  'twelve that go for others at the end of a long listing': [
    '(48) 279+9 287+7 290+10',
    'given 312, pages 51, repeats 12, rereads 1, total 300, drift',
  ],
  'the same, without a total': [
    '(48) 279+9 287+7 290+10',
    'given 312, pages 51, repeats 12, rereads 1, drift',
  ],
  'twelve that go for others in a long listing without a total': [
    '(48) 56+8 63+9 70+10',
    'given 312, pages 51, repeats 11, rereads 1, drift',
  ],
  'a long listing that moves, four pages at a time': [
    '(45) 36+9 40+10 48+8 54+9 60+10 63+9 70+10 77+7 80+10 88+8 90+10 99+9 104+8 110+10 117+9 120+10 128+8 135+9 140+10',
    'given 300, pages 64, repeats 100, rereads 1, total 281, drift',
  ],
  'a long listing of pages that adjoin': [
    '0+5 4+4 5+5 8+4 10+5 12+4 15+5 18+3 20+5 24+4 25+5 28+4 30+5 32+4 35+5 39+3 40+5 44+4 45+5 48+4 50+5 54+3 55+5 60+5 64+4 65+5 68+4 70+5 72+4 75+5 78+3 80+5 84+4 85+5 88+4 90+5 92+4 95+5 99+3 100+5 104+4 105+5 108+4 110+5 114+3 115+5 120+5 124+4 125+5 128+4 130+5 132+4 135+5 138+3 140+5 144+4 145+5 148+4 150+5 152+4 155+5 159+3 160+5 164+4 165+5 168+4 170+5 174+3 175+5 180+5 184+4 185+5 188+4 190+5 192+4 195+5 198+3 200+5 204+4 205+5 208+4 210+5 212+4 215+5 219+3 220+5 224+4 225+5 228+4 230+5 234+3 235+5 240+5 244+4 245+5 248+4 250+5 252+4 255+5 258+3 260+5 264+4 265+5 268+4 270+5 272+4 275+5 279+3 280+5 284+4 285+5 288+4 290+5 294+3 295+5 18+3 20+5 24+4 25+5 28+4 30+5 32+4 35+5',
    'given 300, pages 123, repeats 19, rereads 1, total 297, drift',
  ],
  'pages of one record': ['0+1 retry 1+1 retry 2+1 retry 3+1 retry 4+1 retry', 'given 4, pages 5, total 4'],
  'pages of one record, of which one goes': [
    '0+1 retry 1+1 retry 2+1 retry 3+1 retry 4+1 retry 5+1 retry 0+1 retry 1+1 retry 2+1 retry 3+1 retry',
    'given 6, pages 10, repeats 3, rereads 1, total 5, drift',
  ],
  'the same page for ever': [
    '0+10 9+9 0+10 retry 10+10 retry',
    'given 10, incomplete 40, pages 4, repeats 30, rereads 1, total 50, repeating',
  ],
  'the same page for ever, without a total': ['0+10 9+9', 'given 10, pages 1'],
  'the first hundred for ever, of a total of a thousand': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 54+9 60+10 63+9 70+10 77+7 80+10 88+8 90+10 99+9 104+8 110+10 117+9 120+10 128+8 135+9 140+10 147+7 153+9',
    'given 100, incomplete 900, pages 26, repeats 62, total 1000, repeating',
  ],
  'the same without keys': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 54+9 60+10 63+9 70+10 77+7 80+10 88+8 90+10 99+9 104+8 110+10 117+9 120+10 128+8 135+9 140+10 147+7 153+9 160+10 168+8',
    'given 100, incomplete 900, pages 28, repeats 76, total 1000, repeating',
  ],
  'pages of twenty at most, which it says': [
    '0+50 19+19 36+18 48+16 60+20 76+19',
    'given 90, pages 6, total 90',
  ],
  'pages of twenty at most, which it does not say': [
    '0+50 0+50 20+20 40+20 48+16 60+20 80+20',
    'given 90, pages 7, total 90',
  ],
  'pages of twenty at most, without a total': [
    '0+50 20+20 40+20 48+16 60+20 80+20 88+11',
    'given 90, pages 7',
  ],
  'pages of twenty, whatever is asked for': [
    '0+7 20+20 retry 40+20 retry 60+20 retry 80+20 retry',
    'given 90, pages 5, total 90',
  ],
  'pages of twenty, whatever is asked for, up to the 30th': [
    '0+7 20+20 retry',
    'given 30, pages 2, total 90',
  ],
  'pages of twenty, whatever is asked for, without a total': [
    '0+7 20+20 retry 40+20 retry 60+20 retry 80+20 retry 100+20 retry',
    'given 90, pages 6',
  ],
  'a page in the middle that is short once': [
    '0+10 9+9 16+8 19+19 20+10 27+9 35+7 40+10 48+8',
    'given 50, pages 9, total 50',
  ],
  'a page in the middle that is always short': [
    '0+10 9+9 16+8 20+10 24+8 25+5 27+9 30+10 35+7 40+10 48+8 0+10 10+10 20+10 20+10 20+10 30+10 40+10 50+10 0+10 9+9 16+8 20+10 24+8 25+5 27+9 30+10 35+7 40+10 48+8',
    'given 45, incomplete 5, pages 30, repeats 90, rereads 2, total 50, total',
  ],
  'a page in the middle that is empty once': [
    '0+10 9+9 16+8 18+9 20+10 27+9 35+7 40+10 48+8',
    'given 50, pages 9, total 50',
  ],
  'a first page that is empty once': [
    '0+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 50, pages 9, total 50',
  ],
  'a first page that is short once, four at a time': [
    '0+10 0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8',
    'given 50, pages 9, total 50',
  ],
  'refuses more than 6': [
    '0+10 0+5 4+4 5+5 9+9 8+4 10+5 12+4 15+5 15+5 18+9 18+3 20+5 24+4 25+5 28+4 30+10 30+5 32+4 35+5 36+6 40+10 40+5 42+6 45+5 48+6 49+7 52+4 54+6 60+6',
    'given 60, pages 24, shrinks 6, total 60',
  ],
  'refuses more than 60 of 200': [
    '0+200 0+50 0+100 49+49 95+19 98+49 144+48 189+63 186+31 196+49 240+48 282+47 328+41 368+92 368+46 410+41 448+32 450+50 495+45 539+49 585+45 624+48 658+47 700+50 748+44 784+98 784+49 828+46 870+30 880+44 920+46 960+48',
    'given 1000, pages 27, shrinks 5, total 1000',
  ],
  'is slow above 60 of 200': [
    '0+200 0+200 0+10 0+44 0+93 43+43 84+42 88+44 126+63 129+43 168+42 185+37 195+39 228+38 264+44 306+51 356+89 350+50 392+49 440+22 441+49 480+48 510+102 517+47 561+51',
    'given 600, pages 19, shrinks 5, slow 1, total 600',
  ],
  'is slow once': [
    '0+10 9+9 16+8 20+10 27+9 27+9 35+7 40+10 48+8 54+9',
    'given 60, pages 9, slow 1, total 60',
  ],
  'is slow at one place, above 4': [
    '0+10 9+9 16+8 20+10 20+10 20+5 24+4 27+9 27+9 35+7 40+10 48+8 54+9',
    'given 60, pages 11, shrinks 1, slow 1, total 60',
  ],
  'takes sizes of 60 at most': [
    '0+200 0+10 once 0+100 once 9+9 once 198+99 once 17+17 once 33+33 once 50+50 once 98+49 144+48 186+31 198+9 once 205+41 244+61 once 243+9 once 294+49 250+25 336+48 270+45 376+47 420+42 460+46 504+42 539+49 585+45',
    'given 600, pages 21, total 600',
  ],
  'refuses one place above 3': [
    '0+10 9+9 16+8 20+10 20+5 24+8 24+4 24+2 26+2 27+3 27+9 35+7 40+10 48+8 54+9 60+10 63+9 70+10 77+7 80+10 88+8 90+10 99+9',
    'given 100, pages 20, shrinks 3, total 100',
  ],
  'refuses a stretch above 3, four at a time': [
    '0+25 24+24 46+23 66+22 24+12 44+11 84+21 100+25 24+6 45+5 120+24 138+23 24+3 48+2 160+20 24+6 26+2 27+3 28+4 30+2 32+2 34+2 36+2 36+4 38+2 40+2 42+2 44+2 46+2 48+4 175+25 50+2 52+2 52+4 54+2 56+2 58+2 60+2 60+4 62+2 64+2 66+2 68+2 198+22',
    'given 200, pages 32, shrinks 12, total 200',
  ],
  'does not serve the 25th and 26th record': [
    '0+10 9+9 16+8 20+10 20+5 24+8 24+4 24+2 25+1 retry 26+1 retry 27+1 retry 28+1 retry 28+2 27+9 35+7 40+10 48+8 54+9',
    'given 58, pages 12, shrinks 4, total 60, unreadable 25 26',
  ],
  'does not serve the last record': [
    '0+10 9+9 16+8 20+10 27+9 35+7 40+10 48+8 54+9 54+3 56+8 56+4 56+2 58+2 58+1 retry 59+1 retry 60+1 retry',
    'given 59, pages 11, shrinks 4, total 60, unreadable 59 60',
  ],
  'refuses one place once': [
    '0+100 99+99 196+98 196+49 243+81 291+97 384+96 475+95 564+94 651+93 736+92',
    'given 800, pages 10, shrinks 1, total 800',
  ],
  'records of 60 KB, 200 a page': [
    '0+200 0+50 49+49 94+94 185+37 188+94 279+93 368+92 455+91 540+90',
    'given 600, pages 9, shrinks 1, total 600',
  ],
};

describe('a walk over a service with', () => {
  it.each(Object.keys(WALKS))('%s', async (name) => {
    expect(await storyOf(WALKS[name]!())).toEqual(STORIES[name]);
  });
});
