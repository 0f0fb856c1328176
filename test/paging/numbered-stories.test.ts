import { describe, expect, it } from 'vitest';
import { RefusedQuery } from '../../src/errors.ts';
import { walkNumbered, type NumberedWalkOptions } from '../../src/paging/numbered-walk.ts';
import { PageRefused, type FetchPage, type RefusalReason, type Window } from '../../src/paging/page.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';
import { ExistingRecords, gather, numberedRecords } from '../support/fake-listing.ts';
import { batchOf } from '../support/records.ts';
import { readSettings, readStories, type Settings } from './read-stories.ts';

/** A service, by what it does otherwise than one that stands still and serves what it is asked for. Requests count from 1. */
interface Service {
  readonly records?: readonly string[];
  /** What happens to the records once a request was answered. */
  readonly change?: (records: string[], request: number) => unknown;
  /** The order of the records at a request. */
  readonly order?: Order;
  /** Why it refuses a page. */
  readonly refuse?: (window: Window, request: number) => RefusalReason | undefined | false;
  /** What a page holds. */
  readonly serve?: Serve;
  /** The total that it names, if any. */
  readonly total?: (request: number) => number | undefined;
  /** The page size that it says it applied. */
  readonly pageSize?: (size: number, request: number) => number;
  /** Whether it has an order whose key does not repeat, in which the records stand as they do here, or the last comes first. */
  readonly sorted?: boolean | 'refused' | 'behind';
}

type Order = (records: readonly string[], request: number) => readonly string[];
type Serve = (window: Window, records: readonly string[], request: number) => readonly string[];
type Setting = Service & Partial<NumberedWalkOptions>;

/** What came of a walk: calls, records of the total, and all that the status says. */
async function outcomeOf(settings: string): Promise<string> {
  const all = readSettings(settings, SETTINGS);
  const setting: Setting = Object.assign({}, ...all);
  // A repeated setting would replace the first one; only changes are made one after the other.
  const names = all.flatMap((one) => Object.keys(one)).filter((name) => name !== 'change');
  expect(names).toEqual([...new Set(names)]);
  const { order, refuse, serve, total, pageSize, sorted, from = 0, until = Infinity } = setting;
  const records = [...(setting.records ?? [])];
  const existing = new ExistingRecords(records, { from, until });
  let requests = 0;
  const fetchFrom =
    (isSorted: boolean): FetchPage =>
    async (window) => {
      const request = ++requests;
      // A page has a number.
      expect(window.offset % window.size).toBe(0);
      const reason = refuse?.(window, request);
      if (reason) throw new PageRefused(reason, new Error('502'));
      const inOrder = sorted === 'behind' ? records.toReversed() : records;
      const now = isSorted ? inOrder : (order?.(records, request) ?? records);
      const { offset, size } = window;
      const page = {
        records: batchOf(...(serve?.(window, now, request) ?? now.slice(offset, offset + size))),
        total: total === undefined ? now.length : total(request),
        pageSize: pageSize?.(size, request),
      };
      for (const { change } of all) change?.(records, request);
      existing.note(records);
      return page;
    };
  const refused: FetchPage = async () => {
    requests++;
    throw new RefusedQuery('no such order');
  };
  const status = new WalkStatus();
  const walk = walkNumbered({
    fetchPage: fetchFrom(false),
    fetchSorted: sorted === 'refused' ? refused : sorted ? fetchFrom(true) : undefined,
    ...{ size: 10, concurrency: 1, status, signal: new AbortController().signal },
    ...setting,
  });
  let given: string[];
  try {
    given = await gather(walk);
  } catch (error) {
    return `${requests} calls: ${String(error)}`;
  }
  const { totalAtEnd, incomplete, reason, givenUp } = status;
  const { lost, twice } = existing.compare(given);
  expect(status.records).toBe(given.length);
  const ofTotal = totalAtEnd === undefined ? '' : ` of ${totalAtEnd}`;
  return [
    `${requests} call${requests === 1 ? '' : 's'}: ${given.length}${ofTotal}`,
    ...(twice > 0 ? [`${twice} twice`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
    ...(incomplete > 0 ? [`lacks ${incomplete}: ${reason}`] : []),
    ...(status.drift ? ['moved'] : []),
    ...(status.orderMayMove ? ['order may move'] : []),
    ...(givenUp.size > 0 ? [`cannot read ${[...givenUp].join(' ')}`] : []),
  ].join(', ');
}

const unnamed = (count: number, different: number): string[] =>
  Array.from({ length: count }, (_, at) => `{"n":${at % different}}`);
const changed = (record = ''): string => record.replace('}', ',"paid":true}');

function insert(records: string[], at: number): void {
  records.splice(at, 0, `{"id":"new ${records.filter((record) => record.includes('new')).length}"}`);
}
function replace(records: string[], gone: number, at: number): void {
  records.splice(gone, 1);
  insert(records, at);
}
const after = (call: number, change: (records: string[]) => unknown): Setting => ({
  change: (records, request) => request === call && change(records),
});

/** Records of equal dates, three each, stand in another order at each request. */
function datesTurned(records: readonly string[]): Setting {
  const placeOf = new Map(records.map((record, place) => [record, place]));
  const dayOf = (record: string): number => Math.floor((placeOf.get(record) ?? 0) / 3);
  const order = (a: string, b: string): number => (placeOf.get(a) ?? 0) - (placeOf.get(b) ?? 0);
  return {
    order: (now, request) => {
      const turn = request % 2 === 0 ? 1 : -1;
      return now.toSorted((a, b) => dayOf(a) - dayOf(b) || turn * order(a, b));
    },
  };
}

/** Serves pages of one size, whatever is asked for. */
const fixed =
  (applied: number): Serve =>
  ({ offset, size }, records) =>
    records.slice((offset / size) * applied).slice(0, applied);
/** Whether a page is the first one for which this holds. */
function once(holds: (window: Window) => boolean): (window: Window) => boolean {
  let isToCome = true;
  return (window) => {
    const isNow = isToCome && holds(window);
    if (isNow) isToCome = false;
    return isNow;
  };
}
function shortTimes(times: number, most: number, behind: number): Setting {
  let left = times;
  return {
    serve: ({ offset, size }, records) =>
      records.slice(offset).slice(0, offset >= behind && left-- > 0 ? most : size),
  };
}
const refusing = (reason: RefusalReason, holds: (window: Window) => boolean): Setting => ({
  refuse: (window) => holds(window) && reason,
});
const refusingOver = (reason: RefusalReason, most: number): Setting =>
  refusing(reason, ({ size }) => size > most);
/** Pages of more than so many records that hold one of these. */
const refusingAt = (reason: RefusalReason, most: number, first: number, last: number): Setting =>
  refusing(reason, ({ offset, size }) => offset <= last && offset + size > first && size > most);
let ids = 0;

/** What the settings of a story mean. */
const SETTINGS: Settings<Setting> = {
  '# records': (count) => ({ records: numberedRecords(count) }),
  '# records of # bytes': (count, bytes) => ({
    records: numberedRecords(count).map((text) => text.replace('}', `,"x":"${'x'.repeat(bytes)}"}`)),
  }),
  '# without a key': (count) => ({ records: unnamed(count, 7) }),
  '# without a key of # kinds': (count, kinds) => ({ records: unnamed(count, kinds) }),
  '# without a key before one with a key': (count) => ({ records: [...unnamed(count, count), '{"id":0}'] }),
  '# times # without a key': (times, count) => ({
    records: Array.from({ length: times }, () => unnamed(count, count)).flat(),
  }),
  'a key for each two of #': (count) => ({
    records: Array.from({ length: count }, (_, at) => `{"id":${at % (count / 2)},"n":${at}}`),
  }),
  'a key for each two of # and for the first two': (count) => ({
    records: Array.from({ length: count }, (_, at) => `{"id":${at === 1 ? 0 : at % (count / 2)},"n":${at}}`),
  }),
  '# with the key # twice': (count, key) => ({
    records: Array.from({ length: count }, (_, at) => `{"id":${at === key + 1 ? key : at},"n":${at}}`),
  }),
  '# with # again at #': (count, again, at) => ({
    records: numberedRecords(count).toSpliced(at, 0, `{"id":${again}}`),
  }),
  'total #': (total) => ({ total: () => total }),
  'no total': () => ({ total: () => undefined }),
  'total # once': (total) => ({ total: (request) => (request === 1 ? total : undefined) }),
  'pages of #': (size) => ({ size }),
  'pages of # at most': (maxSize) => ({ maxSize }),
  '# pages at a time': (concurrency) => ({ concurrency }),
  'until #': (until) => ({ until }),
  'one page # to #': (from, until) => ({ from, until, isSinglePage: true }),
  'an order that may move': () => ({ orderMayMove: true }),
  'an order that keeps': () => ({ sorted: true }),
  'an order that keeps from behind': () => ({ sorted: 'behind' }),
  'an order that is refused': () => ({ sorted: 'refused' }),

  'call #: comes at #': (call, at) => after(call, (records) => insert(records, at)),
  'each call: comes at #': (at) => ({ change: (records) => insert(records, at) }),
  'call #: # goes': (call, at) => after(call, (records) => records.splice(at, 1)),
  'call #: # go at #': (call, count, at) => after(call, (records) => records.splice(at, count)),
  'call #: # goes and comes at #': (call, gone, at) => after(call, (records) => replace(records, gone, at)),
  'call #: # go at # and come at #': (call, count, gone, at) =>
    after(call, (records) => {
      for (let left = count; left > 0; left--) replace(records, gone, at);
    }),
  'call #: # changes': (call, at) => after(call, (records) => (records[at] = changed(records[at]))),
  'call #: # changes and goes to the end': (call, at) =>
    after(call, (records) => records.push(...records.splice(at, 1).map(changed))),
  'call #: # and # change and change places': (call, one, other) =>
    after(call, (records) => {
      [records[one], records[other]] = [changed(records[other]), changed(records[one])];
    }),
  'call #: # to # change': (call, first, last) =>
    after(call, (records) => {
      for (let at = first; at <= last; at++) records[at] = `{"id":"${call} ${at}"}`;
    }),
  'call #: one without a key comes': (call) => after(call, (records) => records.push('{"n":"new"}')),
  'every third call: one without a key comes first': () => ({
    change: (records, request) => request % 3 === 1 && records.unshift(`{"n":"new ${request}"}`),
  }),

  'turned round': () => ({
    order: (records, request) => (request % 2 === 0 ? records.toReversed() : records),
  }),
  'pairs turned round': () => ({
    order: (records, request) =>
      request % 2 === 0 ? records.map((record, at) => records[at ^ 1] ?? record) : records,
  }),
  'equal dates turned round': () => datesTurned(numberedRecords(40)),
  'equal dates without a key turned round': () => datesTurned(unnamed(40, 40)),

  'always the first #': (count) => ({ serve: (_, records) => records.slice(0, count) }),
  'round and round': () => ({
    serve: ({ offset, size }, records) =>
      [...records, ...records].slice(offset % records.length).slice(0, size),
  }),
  'always ten of which every second call has a new one': () => ({
    serve: (_, __, request) => numberedRecords(10 + Math.floor(request / 2)).slice(-10),
  }),
  'always others': () => ({
    serve: (window, records) =>
      records
        .slice(window.offset)
        .slice(0, window.size)
        .map(() => `{"id":"never ${ids++}"}`),
  }),
  'at most #': (most) => ({
    serve: ({ offset, size }, records) => records.slice(offset, offset + Math.min(size, most)),
  }),
  'at most # as it says': (most) => ({
    serve: ({ offset, size }, records) => fixed(Math.min(size, most))({ offset, size }, records, 0),
    pageSize: (size) => Math.min(size, most),
  }),
  'always by #': (applied) => ({ serve: fixed(applied) }),
  'always by # as it says': (applied) => ({ serve: fixed(applied), pageSize: () => applied }),
  'always by # as it says but for the third page of #': (applied, short) => ({
    serve: ({ offset, size }, records) =>
      fixed(applied)({ offset, size }, records, 0).slice(0, offset / size === 2 ? short : applied),
    pageSize: () => applied,
  }),
  'by # from the second call on as it says': (applied) => ({
    serve: (window, records, request) =>
      fixed(request === 1 ? window.size : applied)(window, records, request),
    pageSize: (size, request) => (request === 1 ? size : applied),
  }),
  'another size each time': () => ({ pageSize: (_, request) => 100 - request }),
  'once # behind #': (most, behind) => shortTimes(1, most, behind),
  'twice nothing behind #': (behind) => shortTimes(2, 0, behind),
  'always nothing from # to #': (first, last) => ({
    serve: ({ offset, size }, records) =>
      records.slice(offset, offset < last && offset + size > first ? Math.max(offset, first) : offset + size),
  }),

  'large over #': (most) => refusingOver('large', most),
  'slow over #': (most) => refusingOver('slow', most),
  'large over # at # to #': (most, first, last) => refusingAt('large', most, first, last),
  'slow over # at # to #': (most, first, last) => refusingAt('slow', most, first, last),
  'large once behind #': (behind) =>
    refusing(
      'large',
      once(({ offset }) => offset > behind),
    ),
  'slow once behind #': (behind) =>
    refusing(
      'slow',
      once(({ offset }) => offset > behind),
    ),
};

const STORIES = {
  'a listing that stands still': `
    0 records → 1 call: 0 of 0
    1 records → 1 call: 1 of 1
    10 records → 2 calls: 10 of 10
    11 records → 2 calls: 11 of 11
    50 records → 8 calls: 50 of 50
    50 records, 4 pages at a time → 8 calls: 50 of 50
    50 records, until 25 → 4 calls: 25 of 50
    1000 records, pages of 60, until 119 → 3 calls: 119 of 1000
    50 records, pages of 10 at most → 8 calls: 50 of 50
    50 records, no total → 8 calls: 50
    55 records, no total, 4 pages at a time → 9 calls: 55
    50 records, no total, until 25 → 4 calls: 25
    0 records, no total → 1 call: 0
    1000 records, one page 30 to 40 → 1 call: 10 of 1000
    35 records, total 100, one page 30 to 40 → 3 calls: 5 of 100
    4 records, pages of 1 → 10 calls: 4 of 4`,

  'a total that is not the number of records': `
    50 records, total 49 → 8 calls: 50 of 49
    50 records, total 35 → 8 calls: 50 of 35
    53 records, total 48, once 0 behind 47 → 18 calls: 53 of 48, moved
    450 records, total 200, pages of 100, 4 pages at a time → 5 calls: 450 of 200
    50 records, total 51 → 25 calls: 50 of 51, lacks 1: total
    50 records, total 90 → 37 calls: 50 of 90, lacks 40: total
    250 records, total 1000000250, pages of 100, 4 pages at a time
      → 27 calls: 250 of 1000000250, lacks 1000000000: total
    1 records, total 0 → 1 call: 1 of 0
    50 records, total 50 once → 8 calls: 50 of 50
    50 records, total 50, call 2: 0 goes → 12 calls: 50 of 50, moved
    50 records, total 50, call 2: 0 goes, 4 pages at a time → 26 calls: 50 of 50, moved
    50 records, total 50, call 2: 5 go at 0, until 40 → 13 calls: 40 of 50, 3 lost, lacks 5: unsteady, moved
    50 records, total 50, 4 pages at a time, call 2: 0 goes, call 12: 3 goes and comes at 3,
      call 22: 4 goes and comes at 4
      → 26 calls: 51 of 50, lacks 1: unsteady, moved`,

  'a listing that moves': `
    50 records, call 2: comes at 0 → 12 calls: 51 of 51, moved
    50 records, call 2: comes at 50 → 12 calls: 51 of 51, moved
    50 records, call 2: comes at 15 → 12 calls: 51 of 51, moved
    50 records, call 2: 0 goes → 11 calls: 50 of 49, moved
    50 records, call 2: 49 goes → 11 calls: 49 of 49, moved
    50 records, call 2: 5 go at 0 → 11 calls: 50 of 45, moved
    50 records, call 2: 15 go at 0 → 10 calls: 50 of 35, moved
    50 records, call 2: 49 go at 1 → 6 calls: 18 of 1, moved
    50 records, call 6: 5 go at 0, call 9: 5 go at 0 → 17 calls: 50 of 40, moved
    50 records, call 2: 50 go at 0 → 3 calls: 18 of 0, lacks 1: changing, moved
    50 records, call 2: comes at 0, call 8: comes at 5, call 14: comes at 9 → 12 calls: 52 of 52, moved
    50 records, each call: comes at 0 → 31 calls: 69 of 80, lacks 11: changing, moved
    50 records, call 2: 3 goes and comes at 60 → 11 calls: 51 of 50, moved
    50 records, call 1: 3 goes and comes at 60 → 9 calls: 51 of 50, moved
    50 records, call 2: 40 goes and comes at 3 → 11 calls: 50 of 50, moved
    30 records, call 1: comes at 9, call 1: 25 goes → 6 calls: 30 of 30, moved
    50 records, call 2: 12 go at 0 and come at 60 → 11 calls: 62 of 50, moved
    50 records, call 1: 9 changes → 8 calls: 50 of 50
    50 records, call 1: 30 changes → 8 calls: 50 of 50
    50 records, call 1: 9 changes, call 1: comes at 9, call 1: 50 goes → 9 calls: 50 of 50, moved
    50 records, call 2: 3 changes and goes to the end → 11 calls: 50 of 50, moved
    50 records, call 2: 3 changes and goes to the end, an order that may move
      → 11 calls: 50 of 50, moved, order may move
    50 records, call 2: 3 and 33 change and change places, an order that may move
      → 14 calls: 50 of 50, order may move
    50 records, call 2: comes at 15, call 8: 16 changes → 12 calls: 51 of 51, moved
    50 records, once 0 behind 16, call 3: 0 goes and comes at 60 → 12 calls: 51 of 50, moved
    50 records, call 2: comes at 0, until 25 → 8 calls: 25 of 51, moved
    50 records, call 2: 0 goes, until 25 → 12 calls: 25 of 49, lacks 1: changing, moved
    50 records, call 2: 0 goes, no total → 11 calls: 50, moved
    50 records, call 2: comes at 0, no total → 12 calls: 51, moved
    50 records, no total, call 4: 25 go at 0 → 14 calls: 50, moved
    50 records, call 2: 0 goes, an order that keeps → 11 calls: 50 of 49, moved
    6 records, call 2: 0 goes, pages of 1 → 18 calls: 6 of 5, moved`,

  'pages that cannot overlap': `
    40 records, pages of 50, always by 40 as it says → 1 call: 40 of 40
    40 records, always by 10 as it says → 10 calls: 40 of 40
    40 records, always by 10 as it says, call 2: 0 goes and comes at 60 → 15 calls: 41 of 40
    40 records, always by 10 as it says, no total, call 2: 0 goes → 13 calls: 40
    14 records, pages of 14, always by 13 as it says, no total, call 1: 0 goes → 6 calls: 14
    30 records, pages of 4, call 5: 2 go at 0 and come at 60 → 21 calls: 32 of 30
    60 records, large over 4 at 20 to 40, call 6: 8 go at 0 and come at 60
      → 97 calls: 68 of 60, lacks 1: unsteady, moved
    60 records, large over 3 at 34 to 38, call 9: 40 go at 0 and come at 60
      → 47 calls: 94 of 60, lacks 1: unsteady, moved`,

  'a long listing that moves': `
    300 records, call 12: 0 goes → 54 calls: 300 of 299, moved
    300 records, call 12: 20 go at 0 → 56 calls: 300 of 280, moved
    400 records, call 12: 0 goes, call 30: 0 goes → 78 calls: 400 of 398, moved
    300 records, call 12: 0 goes, call 37: 100 goes → 61 calls: 300 of 298, moved
    5000 records, call 20: 200 go at 0 and come at 5000, pages of 100, 2 pages at a time
      → 67 calls: 5200 of 5000, moved
    300 records, call 12: 12 go at 0 and come at 400 → 51 calls: 312 of 300, moved
    300 records, call 11: 15 go at 0 and come at 400 → 51 calls: 315 of 300, moved
    300 records, call 12: 12 go at 0 and come at 400, call 36: 12 go at 0 and come at 400
      → 70 calls: 324 of 300, moved
    300 records, call 8: 12 go at 0 and come at 400, call 16: 12 go at 0 and come at 400, call 24: 12 go at 0 and come at 400
      → 81 calls: 336 of 300, moved
    300 records, call 12: 12 go at 0 and come at 400, no total → 51 calls: 312, moved
    300 records, call 46: 12 go at 0 and come at 400 → 51 calls: 312 of 300, moved
    300 records, call 46: 12 go at 0 and come at 400, no total → 51 calls: 312, moved
    299 records, call 46: 287 to 298 change, call 47: 287 to 298 change → 50 calls: 315 of 299, moved
    299 records, call 46: 287 to 298 change, call 47: 287 to 298 change, no total
      → 52 calls: 315, moved
    300 records, call 12: 20 go at 0, call 20: comes at 3, 4 pages at a time → 67 calls: 300 of 281, moved
    300 records, twice nothing behind 36, call 20: 10 go at 0 and come at 400
      → 55 calls: 310 of 300, moved
    300 records, call 12: 3 go at 0, pages of 5, pages of 5 at most
      → 147 calls: 300 of 297, moved`,

  'keys that tell no two records apart': `
    50 without a key → 22 calls: 50 of 50
    50 without a key, no total → 22 calls: 50
    30 without a key of 1 kinds, until 20 → 8 calls: 20 of 30
    50 without a key, call 2: 0 goes → 19 calls: 14 of 49, 35 lost, lacks 35: changing, moved
    40 without a key of 40 kinds, call 1: 5 goes, call 1: one without a key comes
      → 12 calls: 41 of 40, lacks 1: adjoining, moved
    40 without a key of 40 kinds, no total, every third call: one without a key comes first
      → 21 calls: 47, 2 twice, lacks 1: unsteady, moved
    40 without a key before one with a key, no total, once 0 behind 16, call 3: 5 changes
      → 18 calls: 42, lacks 1: unsteady, moved
    a key for each two of 50 → 8 calls: 50 of 50
    a key for each two of 50, call 2: 0 goes → 15 calls: 25 of 49, 25 lost, lacks 24: changing, moved
    a key for each two of 50, no total → 14 calls: 50
    a key for each two of 50, no total, call 10: 40 changes → 17 calls: 51, lacks 1: more
    50 with the key 2 twice, call 2: 15 changes → 8 calls: 50 of 50
    50 with the key 44 twice, call 2: 17 changes → 15 calls: 51 of 50, lacks 1: more
    50 with the key 2 twice, pages of 50, at most 10, an order that may move, call 4: 5 changes and goes to the end
      → 18 calls: 51 of 50, lacks 1: more, moved, order may move
    50 with the key 2 twice, an order that may move → 8 calls: 50 of 50, order may move
    a key for each two of 50 and for the first two, an order that may move
      → 14 calls: 50 of 50, order may move
    50 with 3 again at 40 → 22 calls: 50 of 51, 1 lost, lacks 1: unsteady
    50 with 3 again at 40, no total → 25 calls: 50, 1 lost, lacks 1: unsteady`,

  'an order that is another one at every second call': `
    50 records, turned round → 11 calls: 50 of 50
    50 records, turned round, an order that keeps → 11 calls: 50 of 50
    50 records, pairs turned round → 14 calls: 50 of 50
    20 records, pairs turned round, no total, call 1: 5 go at 13 → 7 calls: 15, lacks 1: order, moved
    40 records, equal dates turned round, until 30, an order that keeps from behind → 11 calls: 30 of 40, lacks 1: order
    50 records, pairs turned round, an order that keeps, pages of 10 at most → 14 calls: 50 of 50
    40 records, pairs turned round, an order that keeps, call 2: 0 goes → 16 calls: 40 of 39, moved
    40 records, pairs turned round, call 2: 0 goes → 16 calls: 40 of 39, lacks 1: changing, moved
    40 records, pairs turned round, an order that is refused, call 2: 0 goes
      → 11 calls: 40 of 39, lacks 1: changing, moved
    40 records, equal dates turned round, an order that keeps → 17 calls: 40 of 40
    40 records, equal dates turned round, an order that keeps, call 1: 0 goes → 16 calls: 40 of 39, moved
    40 records, equal dates turned round, call 1: 0 goes
      → 16 calls: 39 of 39, 1 lost, lacks 1: changing, moved
    40 without a key of 40 kinds, no total, equal dates without a key turned round
      → 19 calls: 42, 2 twice, lacks 2: order`,

  'a service that sends the same again': `
    50 records, always the first 10 → 4 calls: 10 of 50, 40 lost, lacks 40: repeating
    50 records, no total, always the first 10 → 2 calls: 10, 40 lost, lacks 1: repeating
    5 records, total 6, always the first 5, pages of 5 → 4 calls: 5 of 6, lacks 1: repeating
    5 records, total 1000000, always the first 5, pages of 2000, 4 pages at a time
      → 11 calls: 5 of 1000000, lacks 999995: repeating
    90 records, no total, always the first 90, pages of 100, 4 pages at a time → 2 calls: 90
    100 records, no total, always the first 100, pages of 100, 4 pages at a time
      → 2 calls: 100, lacks 1: repeating
    100 records, total 1000, round and round → 26 calls: 100 of 1000, lacks 900: repeating
    10 times 100 without a key → 28 calls: 100 of 1000, 900 lost, lacks 900: repeating
    20 records, no total, pages of 1, call 3: comes at 0 → 4 calls: 3, 17 lost, lacks 1: repeating
    10 records, total 1000, always ten of which every second call has a new one
      → 5 calls: 12 of 1000, lacks 988: repeating
    60 records, always others, pages of 20, until 60 → 11 calls: 60 of 60, 60 lost, lacks 132: unsteady`,

  'pages of another size than was asked for': `
    90 records, pages of 50, at most 20 as it says → 6 calls: 90 of 90
    90 records, pages of 50, at most 20 → 7 calls: 90 of 90
    9 records, pages of 18, at most 3 as it says, no total → 7 calls: 9
    105 records, pages of 57, always by 37, 4 pages at a time → 11 calls: 105 of 105, moved
    90 records, pages of 50, at most 20, no total → 7 calls: 90
    90 records, pages of 7, always by 20, 3 pages at a time → 10 calls: 90 of 90
    90 records, pages of 7, always by 20, until 30 → 4 calls: 30 of 90
    95 records, pages of 7, always by 20 as it says, until 7 → 1 call: 7 of 95
    95 records, always by 20 as it says, one page 30 to 40 → 2 calls: 10 of 95
    95 records, pages of 7, always by 20 as it says but for the third page of 3
      → 18 calls: 78 of 95, 17 lost, lacks 17: unsteady, moved
    90 records, pages of 7, always by 20, no total → 11 calls: 90
    50 records, by 5 from the second call on as it says → 21 calls: 50 of 50
    100 records, by 15 from the second call on as it says, no total → 23 calls: 100, moved
    500 records, by 5 from the second call on as it says, 12 pages at a time → 142 calls: 500 of 500
    5000 records, pages of 100, another size each time
      → 9 calls: ServiceError: the service keeps changing the page size that it applies
    50 records, once 4 behind 16 → 9 calls: 50 of 50
    50 records, once 0 behind 16 → 9 calls: 50 of 50
    50 records, always nothing from 25 to 30 → 22 calls: 45 of 50, 5 lost, lacks 5: unsteady, moved
    50 records, once 0 behind 0 → 9 calls: 50 of 50
    50 records, once 4 behind 0, 4 pages at a time → 9 calls: 50 of 50`,

  'a service that refuses pages': `
    60 records, large over 6 → 31 calls: 60 of 60
    1000 records, pages of 200, large over 60 → 30 calls: 1000 of 1000
    600 records, pages of 200, slow over 60 → 23 calls: 600 of 600
    3000 records, pages of 500, slow over 50 → 86 calls: 3000 of 3000
    2000 records, pages of 499, large over 250 → 17 calls: 2000 of 2000
    2000 records, pages of 97, large over 50 → 56 calls: 2000 of 2000
    100 records, pages of 100, slow over 50 → 8 calls: 100 of 100
    60 records, slow once behind 20 → 10 calls: 60 of 60
    60 records, slow over 4 at 25 to 25 → 19 calls: 60 of 60
    100 records, large over 3 at 25 to 25 → 28 calls: 100 of 100
    60 records, pages of 50, large over 5 at 25 to 25 → 14 calls: 60 of 60
    200 records, pages of 25, large over 3 at 25 to 60, 4 pages at a time → 88 calls: 200 of 200
    5000 records, pages of 500, large over 25 at 1000 to 1100 → 34 calls: 5000 of 5000
    800 records, pages of 100, large once behind 150 → 12 calls: 800 of 800
    40 records, pages of 20, large over 0 at 17 to 17, 4 pages at a time
      → 20 calls: 39 of 40, 1 lost, cannot read 17
    60 records, large over 0 at 25 to 26 → 17 calls: 58 of 60, 2 lost, cannot read 25 26
    60 records, large over 0 at 59 to 9999 → 23 calls: 59 of 60, 1 lost, cannot read 59 60
    40 records, pages of 20, large over 0 → 9 calls: Error: 502
    40 records, pages of 20, slow over 0 → 4 calls: Error: 502
    300 records of 60000 bytes, pages of 200, large over 100 → 6 calls: 300 of 300
    1500 records of 11000 bytes, pages of 1000, large over 544, 4 pages at a time → 5 calls: 1500 of 1500`,
};

describe.each(Object.entries(STORIES))('a walk over %s', (_, stories) => {
  it.each(readStories(stories))('%s', async (settings, outcome) => {
    expect(await outcomeOf(settings)).toBe(outcome);
  });
});
