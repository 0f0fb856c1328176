import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { walkNumbered, type NumberedWalkOptions } from '../../src/paging/numbered-walk.ts';
import { PageRefused, type FetchPage, type RefusalReason, type Window } from '../../src/paging/page.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';
import { ExistingRecords, gather, numberedRecords } from '../support/fake-listing.ts';
import { batchOf } from '../support/records.ts';

/** A service, by what it does otherwise than one that stands still and serves what it is asked for. Requests count from 1. */
interface Service {
  /** The records, or how many numbered ones there are. */
  readonly records: number | readonly string[];
  /** What happens to the records once a request was answered. */
  readonly change?: Readonly<Record<number, Change>> | ((request: number) => Change | undefined);
  /** The order of the records at a request. */
  readonly order?: Order;
  /** Why it refuses a page. */
  readonly refuse?: Refuse;
  /** What a page holds. */
  readonly serve?: Serve;
  /** The total that it names; null for none. */
  readonly total?: number | null | ((request: number) => number | undefined);
  /** The page size that it says it applied. */
  readonly pageSize?: (size: number, request: number) => number;
  /** Whether it has an order whose key does not repeat, in which the records stand as they do here. */
  readonly sorted?: boolean | 'refused';
}

type Order = (records: readonly string[], request: number) => readonly string[];
type Serve = (window: Window, records: readonly string[], request: number) => readonly string[];
type Refuse = (window: Window, request: number) => RefusalReason | undefined;
type Change = (records: string[]) => unknown;
type Options = Partial<NumberedWalkOptions>;

/** What came of a walk: calls, records of the total, and all that the status says. */
async function storyOf(service: Service, options: Options = {}): Promise<string> {
  const records = [
    ...(typeof service.records === 'number' ? numberedRecords(service.records) : service.records),
  ];
  const { from = 0, until = Infinity } = options;
  const existing = new ExistingRecords(records, { from, until });
  let requests = 0;
  const fetchFrom =
    (isSorted: boolean): FetchPage =>
    async (window) => {
      const request = ++requests;
      // A page has a number.
      expect(window.offset % window.size).toBe(0);
      const { order, serve, total } = service;
      const reason = service.refuse?.(window, request);
      if (reason !== undefined) throw new PageRefused(reason, new Error('502'));
      const all = isSorted ? records : (order?.(records, request) ?? records);
      const { offset, size } = window;
      const page = {
        records: batchOf(...(serve?.(window, all, request) ?? all.slice(offset, offset + size))),
        total:
          typeof total === 'function'
            ? total(request)
            : total === undefined
              ? all.length
              : (total ?? undefined),
        pageSize: service.pageSize?.(size, request),
      };
      const change =
        typeof service.change === 'function' ? service.change(request) : service.change?.[request];
      change?.(records);
      if (change !== undefined) existing.note(records);
      return page;
    };
  const refused: FetchPage = async () => {
    requests++;
    throw new UsageError('no such order', { hint: 'None.' });
  };
  const status = new WalkStatus();
  const walk = walkNumbered({
    fetchPage: fetchFrom(false),
    fetchSorted: service.sorted === 'refused' ? refused : service.sorted ? fetchFrom(true) : undefined,
    ...{ size: 10, concurrency: 1, status, signal: new AbortController().signal },
    ...options,
  });
  let given: string[];
  try {
    given = await gather(walk);
  } catch (error) {
    return `${requests} calls: ${String(error)}`;
  }
  const { totalAtEnd: total, incomplete, reason, unreadable } = status;
  const { lost, twice } = existing.compare(given);
  expect(status.records).toBe(given.length);
  return [
    `${requests} call${requests === 1 ? '' : 's'}: ${given.length}${total === undefined ? '' : ` of ${total}`}`,
    ...(twice > 0 ? [`${twice} twice`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
    ...(incomplete > 0 ? [`lacks ${incomplete}: ${reason}`] : []),
    ...(status.drift ? ['moved'] : []),
    ...(status.orderMayMove ? ['order may move'] : []),
    ...(unreadable.size > 0 ? [`cannot read ${[...unreadable].join(' ')}`] : []),
  ].join(', ');
}

const insert =
  (at: number): Change =>
  (records) => {
    const count = records.filter((record) => record.includes('new')).length;
    records.splice(at, 0, `{"id":"new ${count}"}`);
  };
const remove =
  (at: number, count = 1): Change =>
  (records) =>
    records.splice(at, count);
const replace =
  (gone: number, at: number, times = 1): Change =>
  (records) => {
    for (let time = 0; time < times; time++) {
      records.splice(gone, 1);
      insert(at)(records);
    }
  };
const put =
  (at: number, record: string): Change =>
  (records) =>
    (records[at] = record);
/** A record is changed, and stands at the end from then on. */
const payThird: Change = (records) => {
  records.splice(3, 1);
  records.push('{"id":3,"paid":true}');
};
const changeAndMoveOn: Change = (records) => {
  records[9] = '{"id":9,"paid":true}';
  records.splice(9, 0, '{"id":"new"}');
  records.pop();
};
/** Other records stand at the end from before the last page on, and again others behind it. */
const renewed = Object.fromEntries(
  [0, 1].map((turn) => [
    46 + turn,
    (records: string[]) => {
      for (let at = 287; at < 299; at++) records[at] = `{"id":"${turn} ${at}"}`;
    },
  ]),
);

const unnamed = (count: number, different = 7): string[] =>
  Array.from({ length: count }, (_, at) => `{"n":${at % different}}`);
const twoOfEachKey = Array.from({ length: 50 }, (_, at) => `{"id":${at % 25},"n":${at}}`);
const oneKeyTwice = (key: number): string[] =>
  Array.from({ length: 50 }, (_, at) => `{"id":${at === key ? key - 1 : at},"n":${at}}`);
const oneTwice = [...numberedRecords(40), '{"id":3}', ...numberedRecords(50).slice(40)];
const heavy = (count: number, bytes: number): string[] =>
  numberedRecords(count).map((text) => text.replace('}', `,"x":"${'x'.repeat(bytes)}"}`));

const turned: Order = (records, request) => (request % 2 === 0 ? records.toReversed() : records);
const pairsTurned: Order = (records, request) =>
  request % 2 === 0 ? records.map((record, at) => records[at ^ 1] ?? record) : records;
/** Records of equal dates, three each, stand in another order at each request. */
const datesTurned =
  (records: readonly string[]): Order =>
  (now, request) => {
    const placeOf = new Map(records.map((record, place) => [record, place]));
    const dayOf = (record: string): number => Math.floor((placeOf.get(record) ?? 0) / 3);
    const turn = request % 2 === 0 ? 1 : -1;
    const order = (a: string, b: string): number => (placeOf.get(a) ?? 0) - (placeOf.get(b) ?? 0);
    return now.toSorted((a, b) => dayOf(a) - dayOf(b) || turn * order(a, b));
  };

/** Serves at most so many records, from where they were asked for. */
const upTo =
  (most: number): Serve =>
  ({ offset, size }, records) =>
    records.slice(offset, offset + Math.min(size, most));
/** Serves pages of one size, whatever is asked for. */
const fixed =
  (applied: number): Serve =>
  ({ offset, size }, records) =>
    records.slice((offset / size) * applied).slice(0, applied);
/** The first page behind a place holds no more than so many records, once. */
const shortOnce = (behind: number, most: number): Serve => {
  let isToCome = true;
  return ({ offset, size }, records) => {
    const isShort = isToCome && offset >= behind;
    if (isShort) isToCome = false;
    return records.slice(offset, offset + (isShort ? most : size));
  };
};
const refuseOnce = (behind: number, reason: RefusalReason): Refuse => {
  let isToCome = true;
  return ({ offset }) => {
    const isRefused = isToCome && offset > behind;
    if (isRefused) isToCome = false;
    return isRefused ? reason : undefined;
  };
};
const over =
  (most: number, reason: RefusalReason): Refuse =>
  ({ size }) =>
    size > most ? reason : undefined;
/** Refuses pages of more than so many records that hold one of these. */
const at =
  (first: number, last: number, most: number, reason: RefusalReason = 'large'): Refuse =>
  ({ offset, size }) =>
    offset <= last && offset + size > first && size > most ? reason : undefined;
const overSixMegabytes = (bytes: number): Refuse => over(Math.floor(6_000_000 / bytes), 'large');

type Story = readonly [name: string, outcome: string, service: Service, options?: Options];

const STILL: readonly Story[] = [
  ['no record', '1 call: 0 of 0', { records: 0 }],
  ['one record', '1 call: 1 of 1', { records: 1 }],
  ['as many records as a page', '2 calls: 10 of 10', { records: 10 }],
  ['one more', '2 calls: 11 of 11', { records: 11 }],
  ['fifty records', '8 calls: 50 of 50', { records: 50 }],
  ['fifty, four pages at a time', '8 calls: 50 of 50', { records: 50 }, { concurrency: 4 }],
  ['fifty, up to the 25th', '4 calls: 25 of 50', { records: 50 }, { until: 25 }],
  ['a thousand, up to the 119th', '3 calls: 119 of 1000', { records: 1000 }, { size: 60, until: 119 }],
  ['fifty, where no page may have more than ten', '8 calls: 50 of 50', { records: 50 }, { maxSize: 10 }],
  ['fifty without a total', '8 calls: 50', { records: 50, total: null }],
  [
    'fifty-five without a total, four pages at a time',
    '9 calls: 55',
    { records: 55, total: null },
    { concurrency: 4 },
  ],
  ['fifty, up to the 25th, without a total', '4 calls: 25', { records: 50, total: null }, { until: 25 }],
  ['none, without a total', '1 call: 0', { records: 0, total: null }],
  [
    'one page of a thousand',
    '1 call: 10 of 1000',
    { records: 1000 },
    { from: 30, until: 40, isSinglePage: true },
  ],
  [
    'the last page, of a total that is too high',
    '3 calls: 5 of 100',
    { records: 35, total: 100 },
    { from: 30, until: 40, isSinglePage: true },
  ],
  ['pages of one record', '5 calls: 4 of 4', { records: 4 }, { size: 1 }],
];

const TOTALS: readonly Story[] = [
  ['too low by one', '8 calls: 50 of 49', { records: 50, total: 49 }],
  ['too low by fifteen', '8 calls: 50 of 35', { records: 50, total: 35 }],
  [
    'too low by most of it',
    '5 calls: 450 of 200',
    { records: 450, total: 200 },
    { size: 100, concurrency: 4 },
  ],
  ['too high by one', '25 calls: 50 of 51, lacks 1: total', { records: 50, total: 51 }],
  ['too high by forty', '37 calls: 50 of 90, lacks 40: total', { records: 50, total: 90 }],
  [
    'too high by a thousand million',
    '37 calls: 250 of 1000000250, lacks 1000000000: total',
    { records: 250, total: 1_000_000_250 },
    { size: 100, concurrency: 4 },
  ],
  ['nothing, and a record', '1 call: 1 of 0', { records: 1, total: 0 }],
  [
    'that comes once',
    '8 calls: 50 of 50',
    { records: 50, total: (request) => (request === 1 ? 50 : undefined) },
  ],
  [
    'that stays although a record goes',
    '14 calls: 50 of 50, moved',
    { records: 50, total: 50, change: { 2: remove(0) } },
  ],
  [
    'that stays although a record goes, four pages at a time',
    '30 calls: 50 of 50, moved',
    { records: 50, total: 50, change: { 2: remove(0) } },
    { concurrency: 4 },
  ],
  [
    'that stays although five go, up to the 40th',
    '13 calls: 40 of 50, 3 lost, lacks 5: unsteady, moved',
    { records: 50, total: 50, change: { 2: remove(0, 5) } },
    { until: 40 },
  ],
  [
    'that stays although a record goes, and others go for others when it is read again',
    '30 calls: 52 of 50, lacks 1: unsteady, moved',
    { records: 50, total: 50, change: { 2: remove(0), 12: replace(3, 3), 22: replace(4, 4) } },
    { concurrency: 4 },
  ],
];

const MOVING: readonly Story[] = [
  ['comes at the front', '12 calls: 51 of 51, moved', { records: 50, change: { 2: insert(0) } }],
  ['comes at the end', '12 calls: 51 of 51, moved', { records: 50, change: { 2: insert(50) } }],
  ['comes on the page read last', '12 calls: 51 of 51, moved', { records: 50, change: { 2: insert(15) } }],
  ['goes from the front', '11 calls: 50 of 49, moved', { records: 50, change: { 2: remove(0) } }],
  ['goes from the end', '11 calls: 49 of 49, moved', { records: 50, change: { 2: remove(49) } }],
  [
    'goes from the front, with four others',
    '11 calls: 50 of 45, moved',
    { records: 50, change: { 2: remove(0, 5) } },
  ],
  [
    'goes from the front, with fourteen others',
    '10 calls: 50 of 35, moved',
    { records: 50, change: { 2: remove(0, 15) } },
  ],
  ['is the only one left', '6 calls: 18 of 1, moved', { records: 50, change: { 2: remove(1, 49) } }],
  [
    'goes with all others',
    '3 calls: 18 of 0, lacks 1: changing, moved',
    { records: 50, change: { 2: remove(0, 50) } },
  ],
  [
    'comes during each of three readings',
    '12 calls: 52 of 52, moved',
    { records: 50, change: { 2: insert(0), 8: insert(5), 14: insert(9) } },
  ],
  [
    'comes at every page',
    '31 calls: 69 of 80, lacks 11: changing, moved',
    { records: 50, change: () => insert(0) },
  ],
  ['goes for another in front', '11 calls: 51 of 50, moved', { records: 50, change: { 2: replace(3, 60) } }],
  [
    'goes for another in front, after the first page',
    '9 calls: 51 of 50, moved',
    { records: 50, change: { 1: replace(3, 60) } },
  ],
  ['goes for another behind', '11 calls: 50 of 50, moved', { records: 50, change: { 2: replace(40, 3) } }],
  [
    'comes before the last one of a page, while another goes',
    '6 calls: 30 of 30, moved',
    {
      records: 30,
      change: {
        1: (records) => {
          insert(9)(records);
          remove(25)(records);
        },
      },
    },
  ],
  [
    'goes for another, as eleven others do',
    '11 calls: 62 of 50, moved',
    { records: 50, change: { 2: replace(0, 60, 12) } },
  ],
  [
    'changes between two pages',
    '8 calls: 50 of 50',
    { records: 50, change: { 1: put(9, '{"id":9,"paid":true}') } },
  ],
  [
    'changes further behind',
    '8 calls: 50 of 50',
    { records: 50, change: { 1: put(30, '{"id":30,"paid":true}') } },
  ],
  [
    'changes between two pages, and goes on by one place',
    '9 calls: 50 of 50, moved',
    { records: 50, change: { 1: changeAndMoveOn } },
  ],
  ['changes and comes to the end', '11 calls: 50 of 50, moved', { records: 50, change: { 2: payThird } }],
  [
    'changes and comes to the end, in an order that may move',
    '11 calls: 50 of 50, moved, order may move',
    { records: 50, change: { 2: payThird } },
    { orderMayMove: true },
  ],
  [
    'comes at the front, up to the 25th',
    '8 calls: 25 of 51, moved',
    { records: 50, change: { 2: insert(0) } },
    { until: 25 },
  ],
  [
    'goes from the front, up to the 25th',
    '12 calls: 25 of 49, lacks 1: changing, moved',
    { records: 50, change: { 2: remove(0) } },
    { until: 25 },
  ],
  [
    'goes from the front, without a total',
    '11 calls: 50, moved',
    { records: 50, total: null, change: { 2: remove(0) } },
  ],
  [
    'comes at the front, without a total',
    '12 calls: 51, moved',
    { records: 50, total: null, change: { 2: insert(0) } },
  ],
  [
    'goes, where the service has another order',
    '11 calls: 50 of 49, moved',
    { records: 50, change: { 2: remove(0) }, sorted: true },
  ],
  [
    'goes, in pages of one record',
    '10 calls: 6 of 5, moved',
    { records: 6, change: { 2: remove(0) } },
    { size: 1 },
  ],
  [
    'goes from the front of a long listing',
    '54 calls: 300 of 299, moved',
    { records: 300, change: { 12: remove(0) } },
  ],
  [
    'goes from a long listing, with nineteen others',
    '56 calls: 300 of 280, moved',
    { records: 300, change: { 12: remove(0, 20) } },
  ],
  [
    'goes in two places of a long listing',
    '78 calls: 400 of 398, moved',
    { records: 400, change: { 12: remove(0), 30: remove(0) } },
  ],
  [
    'goes from a long listing, and another when it is read again',
    '61 calls: 300 of 298, moved',
    { records: 300, change: { 12: remove(0), 37: remove(100) } },
  ],
  [
    'goes from a very long listing, with all of the first two pages, for others at the end',
    '67 calls: 5200 of 5000, moved',
    { records: 5000, change: { 20: replace(0, 5000, 200) } },
    { size: 100, concurrency: 2 },
  ],
  [
    'goes for another in a long listing, as eleven others do',
    '51 calls: 312 of 300, moved',
    { records: 300, change: { 12: replace(0, 400, 12) } },
  ],
  [
    'goes for another in a long listing, as eleven others do, and once more',
    '70 calls: 324 of 300, moved',
    { records: 300, change: { 12: replace(0, 400, 12), 36: replace(0, 400, 12) } },
  ],
  [
    'goes for another in a long listing without a total, as eleven others do',
    '51 calls: 312, moved',
    { records: 300, total: null, change: { 12: replace(0, 400, 12) } },
  ],
  [
    'goes for another at the end of a long listing, as eleven others do',
    '51 calls: 312 of 300, moved',
    { records: 300, change: { 46: replace(0, 400, 12) } },
  ],
  [
    'goes for another at the end of a long listing without a total, as eleven others do',
    '51 calls: 312, moved',
    { records: 300, total: null, change: { 46: replace(0, 400, 12) } },
  ],
  [
    'is new at the end of a long listing, and another one behind it',
    '50 calls: 315 of 299, moved',
    { records: 299, change: renewed },
  ],
  [
    'is new at the end of a long listing without a total, and another one behind it',
    '52 calls: 315, moved',
    { records: 299, total: null, change: renewed },
  ],
  [
    'goes from a long listing, and another comes, four pages at a time',
    '64 calls: 300 of 281, moved',
    { records: 300, change: { 12: remove(0, 20), 20: insert(3) } },
    { concurrency: 4 },
  ],
  [
    'goes from a long listing of pages that adjoin, with two others',
    '123 calls: 300 of 297, moved',
    { records: 300, change: { 12: remove(0, 3) } },
    { size: 5, maxSize: 5 },
  ],
];

const KEYS: readonly Story[] = [
  ['no key', '22 calls: 50 of 50', { records: unnamed(50) }],
  ['no key, and no total', '22 calls: 50', { records: unnamed(50), total: null }],
  [
    'no key, one record like the other, up to the 20th',
    '8 calls: 20 of 30',
    { records: unnamed(30, 1) },
    { until: 20 },
  ],
  [
    'no key, of which one goes',
    '19 calls: 14 of 49, 35 lost, lacks 35: changing, moved',
    { records: unnamed(50), change: { 2: remove(0) } },
  ],
  [
    'no key, of which one goes for another',
    '12 calls: 41 of 40, lacks 1: unsteady, moved',
    {
      records: unnamed(40, 40),
      change: {
        1: (records) => {
          remove(5)(records);
          records.push('{"n":"new"}');
        },
      },
    },
  ],
  [
    'no key and no total, where others come at every third page',
    '21 calls: 47, 2 twice, lacks 1: unsteady, moved',
    {
      records: unnamed(40, 40),
      total: null,
      change: (request) =>
        request % 3 === 1 ? (records) => records.unshift(`{"n":"new ${request}"}`) : undefined,
    },
  ],
  ['a key for each two', '8 calls: 50 of 50', { records: twoOfEachKey }],
  [
    'a key for each two, of which a record goes',
    '15 calls: 25 of 49, 25 lost, lacks 24: changing, moved',
    { records: twoOfEachKey, change: { 2: remove(0) } },
  ],
  ['a key for each two, without a total', '14 calls: 50', { records: twoOfEachKey, total: null }],
  [
    'a key for each two, without a total, where one changes when it is read again',
    '22 calls: 51, lacks 1: more',
    { records: twoOfEachKey, total: null, change: { 10: put(40, '{"id":15,"n":"changed"}') } },
  ],
  [
    'a key for two, and one changes between two pages',
    '8 calls: 50 of 50',
    { records: oneKeyTwice(3), change: { 2: put(15, '{"id":15,"n":"changed"}') } },
  ],
  [
    'a key for two behind one that changes between two pages',
    '22 calls: 51 of 50, lacks 1: more',
    { records: oneKeyTwice(45), change: { 2: put(17, '{"id":17,"n":"changed"}') } },
  ],
  ['a record twice', '22 calls: 50 of 51, 1 lost, lacks 1: unsteady', { records: oneTwice }],
  [
    'a record twice, without a total',
    '25 calls: 50, 1 lost, lacks 1: unsteady',
    { records: oneTwice, total: null },
  ],
];

const ORDERS: readonly Story[] = [
  ['all turned round', '11 calls: 50 of 50', { records: 50, order: turned }],
  ['all turned round, where one keeps', '11 calls: 50 of 50', { records: 50, order: turned, sorted: true }],
  ['pairs that change places', '14 calls: 50 of 50', { records: 50, order: pairsTurned }],
  [
    'pairs that change places, where one keeps, and a page of ten at most',
    '14 calls: 50 of 50',
    { records: 50, order: pairsTurned, sorted: true },
    { maxSize: 10 },
  ],
  [
    'pairs that change places, where one keeps, and a record goes',
    '16 calls: 40 of 39, moved',
    { records: 40, order: pairsTurned, sorted: true, change: { 2: remove(0) } },
  ],
  [
    'pairs that change places, where none keeps, and a record goes',
    '16 calls: 40 of 39, lacks 1: changing, moved',
    { records: 40, order: pairsTurned, change: { 2: remove(0) } },
  ],
  [
    'pairs that change places, where it does not know the one that is to keep, and a record goes',
    '11 calls: 40 of 39, lacks 1: changing, moved',
    { records: 40, order: pairsTurned, sorted: 'refused', change: { 2: remove(0) } },
  ],
  [
    'equal dates that change places, where one keeps',
    '17 calls: 40 of 40',
    { records: 40, order: datesTurned(numberedRecords(40)), sorted: true },
  ],
  [
    'equal dates that change places, where one keeps, and a record goes',
    '16 calls: 40 of 39, moved',
    { records: 40, order: datesTurned(numberedRecords(40)), sorted: true, change: { 1: remove(0) } },
  ],
  [
    'equal dates that change places, where none keeps, and a record goes',
    '16 calls: 39 of 39, 1 lost, lacks 1: changing, moved',
    { records: 40, order: datesTurned(numberedRecords(40)), change: { 1: remove(0) } },
  ],
  [
    'equal dates that change places, without keys and a total',
    '19 calls: 42, 2 twice, lacks 2: order',
    { records: unnamed(40, 40), total: null, order: datesTurned(unnamed(40, 40)) },
  ],
];

let id = 0;
const REPEATING: readonly Story[] = [
  [
    'the same page for ever',
    '4 calls: 10 of 50, 40 lost, lacks 40: repeating',
    { records: 50, serve: (_, records) => records.slice(0, 10) },
  ],
  [
    'the same page for ever, without a total',
    '2 calls: 10, 40 lost, lacks 1: repeating',
    { records: 50, total: null, serve: (_, records) => records.slice(0, 10) },
  ],
  [
    'the same five for ever, of six',
    '4 calls: 5 of 6, lacks 1: repeating',
    { records: 5, total: 6, serve: (_, records) => records },
    { size: 5 },
  ],
  [
    'the same five for ever, of a million',
    '11 calls: 5 of 1000000, lacks 999995: repeating',
    { records: 5, total: 1_000_000, serve: (_, records) => records },
    { size: 2000, concurrency: 4 },
  ],
  [
    'all of it on every page, without a total',
    '2 calls: 90',
    { records: 90, total: null, serve: (_, records) => records },
    { size: 100, concurrency: 4 },
  ],
  [
    'all of it on every page, without a total, as many as were asked for',
    '2 calls: 100, lacks 1: repeating',
    { records: 100, total: null, serve: (_, records) => records },
    { size: 100, concurrency: 4 },
  ],
  [
    'the first hundred for ever, of a total of a thousand',
    '26 calls: 100 of 1000, lacks 900: repeating',
    {
      records: 100,
      total: 1000,
      serve: ({ offset, size }, records) => [...records, ...records].slice(offset % 100).slice(0, size),
    },
  ],
  [
    'the first hundred for ever, without keys',
    '28 calls: 100 of 1000, 900 lost, lacks 900: repeating',
    { records: [...Array(10)].flatMap(() => unnamed(100, 100)) },
  ],
  [
    'a new record on every second page, of a thousand',
    '5 calls: 12 of 1000, lacks 988: repeating',
    {
      records: 10,
      total: 1000,
      serve: (_, __, request) => numberedRecords(10 + Math.floor(request / 2)).slice(-10),
    },
  ],
  [
    'no record ever again, of sixty',
    '11 calls: 60 of 60, 60 lost, lacks 132: unsteady',
    {
      records: 60,
      serve: ({ offset, size }) =>
        Array.from({ length: Math.min(size, 60 - offset) }, () => `{"id":"never ${id++}"}`),
    },
    { size: 20, until: 60 },
  ],
];

const SIZES: readonly Story[] = [
  [
    'of twenty at most, which it says',
    '6 calls: 90 of 90',
    {
      records: 90,
      serve: ({ offset, size }, records) => fixed(Math.min(size, 20))({ offset, size }, records, 0),
      pageSize: (size) => Math.min(size, 20),
    },
    { size: 50 },
  ],
  [
    'of twenty at most, which it does not say',
    '6 calls: 90 of 90',
    { records: 90, serve: upTo(20) },
    { size: 50 },
  ],
  [
    'of twenty at most, without a total',
    '6 calls: 90',
    { records: 90, total: null, serve: upTo(20) },
    { size: 50 },
  ],
  [
    'of twenty, whatever is asked for',
    '5 calls: 90 of 90',
    { records: 90, serve: fixed(20) },
    { size: 7, concurrency: 3 },
  ],
  [
    'of twenty, whatever is asked for, up to the 30th',
    '2 calls: 30 of 90',
    { records: 90, serve: fixed(20) },
    { size: 7, until: 30 },
  ],
  [
    'of twenty, whatever is asked for, up to the 7th',
    '1 call: 7 of 95',
    { records: 95, serve: fixed(20), pageSize: () => 20 },
    { size: 7, until: 7 },
  ],
  [
    'of twenty, whatever is asked for, of which one is read',
    '2 calls: 10 of 95',
    { records: 95, serve: fixed(20), pageSize: () => 20 },
    { from: 30, until: 40, isSinglePage: true },
  ],
  [
    'of twenty, whatever is asked for, of which one stays short',
    '18 calls: 78 of 95, 17 lost, lacks 17: total',
    {
      records: 95,
      serve: ({ offset, size }, records, request) =>
        fixed(20)({ offset, size }, records, request).slice(0, offset / size === 2 ? 3 : 20),
      pageSize: () => 20,
    },
    { size: 7 },
  ],
  [
    'of twenty, whatever is asked for, without a total',
    '6 calls: 90',
    { records: 90, total: null, serve: fixed(20) },
    { size: 7 },
  ],
  [
    'of five from the second on, which it says',
    '11 calls: 50 of 50',
    {
      records: 50,
      serve: (window, records, request) => fixed(request === 1 ? window.size : 5)(window, records, request),
      pageSize: (size, request) => (request === 1 ? size : 5),
    },
  ],
  [
    'of another size each time',
    '9 calls: ServiceError: the service keeps changing the page size that it applies',
    { records: 5000, pageSize: (_, request) => 100 - request },
    { size: 100 },
  ],
  ['of which one in the middle is short once', '9 calls: 50 of 50', { records: 50, serve: shortOnce(16, 4) }],
  ['of which one in the middle is empty once', '9 calls: 50 of 50', { records: 50, serve: shortOnce(16, 0) }],
  [
    'of which one in the middle is always short',
    '30 calls: 45 of 50, 5 lost, lacks 5: total',
    {
      records: 50,
      serve: ({ offset, size }, records) =>
        records.slice(offset, offset < 30 && offset + size > 25 ? Math.max(offset, 25) : offset + size),
    },
  ],
  ['of which the first is empty once', '9 calls: 50 of 50', { records: 50, serve: shortOnce(0, 0) }],
  [
    'of which the first is short once',
    '9 calls: 50 of 50',
    { records: 50, serve: shortOnce(0, 4) },
    { concurrency: 4 },
  ],
];

const REFUSING: readonly Story[] = [
  ['more than 6', '30 calls: 60 of 60', { records: 60, refuse: over(6, 'large') }],
  [
    'more than 60 of 200',
    '32 calls: 1000 of 1000',
    { records: 1000, refuse: over(60, 'large') },
    { size: 200 },
  ],
  [
    'more than 60 of 200, as it is slow',
    '21 calls: 600 of 600',
    { records: 600, refuse: over(60, 'slow') },
    { size: 200 },
  ],
  [
    'more than 50 of 100, as it is slow',
    '8 calls: 100 of 100',
    { records: 100, refuse: over(50, 'slow') },
    { size: 100 },
  ],
  ['a page that is slow once', '10 calls: 60 of 60', { records: 60, refuse: refuseOnce(20, 'slow') }],
  ['a place above 4, as it is slow', '13 calls: 60 of 60', { records: 60, refuse: at(25, 25, 4, 'slow') }],
  [
    'sizes over 60 outright',
    '30 calls: 600 of 600',
    { records: 600, refuse: over(60, 'size') },
    { size: 200, concurrency: 2 },
  ],
  ['sizes over 10 outright', '11 calls: 60 of 60', { records: 60, refuse: over(10, 'size') }, { size: 25 }],
  [
    'all that is asked for outright',
    '2 calls: Error: 502',
    { records: 60, refuse: () => 'size' },
    { size: 25 },
  ],
  [
    'a size outright that came before',
    '3 calls: Error: 502',
    { records: 600, refuse: (_, request) => (request === 3 ? 'size' : undefined) },
    { size: 200 },
  ],
  ['a place above 3', '23 calls: 100 of 100', { records: 100, refuse: at(25, 25, 3) }],
  ['the first places above 5', '15 calls: 60 of 60', { records: 60, refuse: at(25, 25, 5) }, { size: 50 }],
  [
    'a stretch above 3, four pages at a time',
    '44 calls: 200 of 200',
    { records: 200, refuse: at(25, 60, 3) },
    { concurrency: 4, size: 25 },
  ],
  [
    'a stretch above 25, and nothing behind it',
    '39 calls: 5000 of 5000',
    { records: 5000, refuse: at(1000, 1100, 25) },
    { size: 500 },
  ],
  [
    'one place once',
    '11 calls: 800 of 800',
    { records: 800, refuse: refuseOnce(150, 'large') },
    { size: 100 },
  ],
  [
    'the 17th record',
    '15 calls: 39 of 40, 1 lost, cannot read 17',
    { records: 40, refuse: at(17, 17, 0) },
    { size: 20, concurrency: 4 },
  ],
  [
    'the 25th and 26th record',
    '18 calls: 58 of 60, 2 lost, cannot read 25 26',
    { records: 60, refuse: at(25, 26, 0) },
  ],
  [
    'the last record',
    '17 calls: 59 of 60, 1 lost, cannot read 59 60',
    { records: 60, refuse: at(59, Infinity, 0) },
  ],
  ['everything', '9 calls: Error: 502', { records: 40, refuse: () => 'large' }, { size: 20 }],
  ['everything, as it is slow', '4 calls: Error: 502', { records: 40, refuse: () => 'slow' }, { size: 20 }],
  [
    'records of 60 KB over 6 MB, 200 a page',
    '7 calls: 300 of 300',
    { records: heavy(300, 60_000), refuse: overSixMegabytes(60_000) },
    { size: 200 },
  ],
  [
    'records of 11 KB over 6 MB, 1,000 a page',
    '6 calls: 1500 of 1500',
    { records: heavy(1500, 11_000), refuse: overSixMegabytes(11_020) },
    { size: 1000, concurrency: 4 },
  ],
];

describe.each<[of: string, stories: readonly Story[]]>([
  ['a listing that stands still', STILL],
  ['a total', TOTALS],
  ['a listing of which a record', MOVING],
  ['records that have', KEYS],
  ['an order that is another one at each request:', ORDERS],
  ['a service that sends', REPEATING],
  ['pages', SIZES],
  ['a service that refuses', REFUSING],
])('a walk over %s', (_, stories) => {
  it.each(stories.map((story) => [story[0], story] as const))(
    '%s',
    async (__, [, outcome, service, options]) => {
      expect(await storyOf(service, options)).toBe(outcome);
    },
  );
});
