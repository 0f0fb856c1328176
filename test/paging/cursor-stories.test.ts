import { describe, expect, it } from 'vitest';
import { walkCursors, type CursorWalkOptions } from '../../src/paging/cursor-walk.ts';
import { PageRefused, type RefusalReason } from '../../src/paging/page.ts';
import { UniqueRecords } from '../../src/paging/unique-records.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';
import { ExistingRecords, gather, numberedRecords } from '../support/fake-listing.ts';
import { batchOf } from '../support/records.ts';
import { readSettings, readStories, type Settings } from './read-stories.ts';

/** A service whose cursors count records, by what it does otherwise. Requests count from 1. */
interface Service {
  /** The records, as they are at a request. */
  readonly records?: (request: number) => readonly string[];
  /** Why a request is refused. */
  readonly refuse?: (size: number | undefined, start: number, request: number) => RefusalReason | false;
  /** The size of its pages, whatever is asked for. */
  readonly fixed?: number;
  /** The cursor that a page ends with, in place of the one that leads on. */
  readonly next?: (start: number, request: number) => string | null | undefined;
}

type Setting = Service & Partial<CursorWalkOptions>;

/** What came of a walk: calls, records, and what the status says. */
async function outcomeOf(settings: string): Promise<string> {
  const setting: Setting = Object.assign({}, ...readSettings(settings, SETTINGS));
  const { records: recordsAt = () => [], refuse, fixed, next, from = '0', limit } = setting;
  // Which records a limit takes of a listing that moves is open.
  const range = { from: Number(from), until: limit === undefined ? Infinity : 0 };
  const existing = new ExistingRecords(recordsAt(1).filter(Boolean), range);
  let requests = 0;
  const fetchPage: CursorWalkOptions['fetchPage'] = async ({ cursor = '0', size }) => {
    const start = Number(cursor);
    const now = recordsAt(++requests);
    existing.note(now.filter(Boolean));
    const reason = refuse?.(size, start, requests);
    if (reason) throw new PageRefused(reason, new Error(`refused at ${cursor}`));
    const end = start + (fixed ?? size ?? 10);
    const led = next?.(start, requests);
    const onward = end < now.length ? `${end}` : null;
    return { records: batchOf(...now.slice(start, end)), next: led === undefined ? onward : led };
  };
  const status = new WalkStatus();
  const { signal } = new AbortController();
  const unique = await UniqueRecords.of({}, { isCounted: false });
  let end = '';
  try {
    const given = await gather(
      walkCursors({ ...{ fetchPage, size: 10, status, signal, unique }, ...setting }),
    );
    expect(status.records).toBe(given.length);
    const { lost, twice } = existing.compare(given);
    if (twice > 0) end += `, ${twice} twice`;
    if (lost > 0) end += `, ${lost} lost`;
    if (status.incomplete > 0) end += `, lacks ${status.incomplete}: ${status.reason}`;
  } catch (error) {
    end = `, ${String(error)}`;
  }
  return `${requests} call${requests === 1 ? '' : 's'}: ${status.records}${end}`;
}

/** The one form of the records before a request, the other from it on. */
const changing = (request: number, one: readonly string[], other: readonly string[]): Setting => ({
  records: (now) => (now < request ? one : other),
});
const always = (records: readonly string[]): Setting => ({ records: () => records });
const all = numberedRecords(30);
const others = (count: number): string[] => numberedRecords(count).map((text) => text.replace(':', ':1'));
const unnamed = (count: number, different = 6): string[] =>
  Array.from({ length: count }, (_, at) => `{"n":${at % different}}`);
/** A record changes places with the one before it. */
const swapped = (records: readonly string[], at: number | undefined): readonly string[] =>
  at === undefined ? records : records.with(at - 1, records[at]!).with(at, records[at - 1]!);
/** Two records change places over the end of a page, so that one comes again; the first one changes when all is read again. */
const changedWhenReadAgain = (records: readonly string[], changed: string): Setting => ({
  records: (request) => {
    const turned = request < 2 ? records : swapped(records, 10);
    return request < 4 ? turned : turned.with(0, changed);
  },
});
const twice = all.with(25, all[3]!);
const [keyedTwice, keyedAgain] = ['{"id":3,"n":1}', '{"id":4,"n":1}'];
const withKeyedAgain = [...numberedRecords(28), keyedAgain];
const refusing = (refuse: NonNullable<Service['refuse']>): Setting => ({ refuse });
const refusingOver = (most: number, reason: RefusalReason): Setting =>
  refusing((size = 0) => size > most && reason);

/** What the settings of a story mean. */
const SETTINGS: Settings<Setting> = {
  '# records': (count) => always(numberedRecords(count)),
  'one comes first': () => changing(2, all, ['{"id":"new"}', ...all]),
  '# come first whose keys are there': (count) => changing(2, all, [...others(count), ...all]),
  'one comes first after an empty page': () => ({
    records: (request) => (request === 1 ? all : request === 2 ? all.slice(0, 10) : ['{"id":"new"}', ...all]),
    next: (start, request) => (request === 2 ? `0${start}` : undefined),
  }),
  'one comes first at each call': () => ({ records: (request) => [...others(request), ...all] }),
  '# changes places': (at) => changing(2, all, swapped(all, at)),
  '# changes places at the third call': (at) => changing(3, all, swapped(all, at)),
  'one comes first and one changes': () =>
    changing(2, all, ['{"id":"new"}', ...all.with(3, '{"id":3,"paid":true}')]),
  '# changes places and back': (at) => ({
    records: (request) => swapped(all, request === 2 ? at : undefined),
  }),
  '# changes places at every third call': (at) => ({
    records: (request) => swapped(all, request % 3 === 2 ? at : undefined),
  }),
  'the end of each page changes places': () => ({
    records: (request) => swapped(all, { 2: 10, 5: 9, 9: 8 }[request]),
  }),
  'one changes and goes to the end': () => changing(2, all, [...all.toSpliced(3, 1), '{"id":3,"paid":true}']),
  'one record twice': () => always(twice),
  'one record twice on the pages from the second on': () => always(all.with(25, all[12]!)),
  'one record twice and one comes': () => changing(4, twice, [...twice, '{"id":"new"}']),
  'a key for two': () => always(all.with(25, keyedTwice)),
  'a key for two of a page': () => always(all.with(4, keyedTwice)),
  'a key for two of which one is seen when all is read again': () =>
    changing(3, [...withKeyedAgain, keyedTwice], withKeyedAgain.toSpliced(19, 0, keyedTwice)),
  'a key for two and one changes when all is read again': () =>
    changedWhenReadAgain([...numberedRecords(28), keyedTwice, keyedAgain], '{"id":0,"n":1}'),
  '# without a key': (count) => always(unnamed(count)),
  '# without a key and one comes first': (count) =>
    changing(2, unnamed(count), ['{"n":"new"}', ...unnamed(count)]),
  '# without a key and one changes when all is read again': (count) =>
    changedWhenReadAgain(unnamed(count, count), '{"n":"changed"}'),
  '# without a key before one with a key and one changes when all is read again': (count) =>
    changedWhenReadAgain([...unnamed(count, count), '{"id":0}'], '{"n":"changed"}'),
  '# times ten records': (times) => always([...Array(times)].flatMap(() => all.slice(0, 10))),
  '# times six without a key': (times) => always([...Array(times)].flatMap(() => unnamed(6))),
  'a record with # empty pages and another': (pages) => ({
    records: () => ['{"id":0}', ...Array<string>(pages).fill(''), '{"id":20}'],
    next: (start) => (start <= pages ? `${start + 1}` : null),
  }),

  'pages of #': (size) => ({ size }),
  'always by #': (fixed) => ({ fixed }),
  'limit #': (limit) => ({ limit }),
  'from #': (from) => ({ from: `${from}` }),

  'cursor # leads to #': (from, to) => ({ next: (start) => (start === from ? `${to}` : undefined) }),
  'cursors lead to themselves': () => ({ next: (start) => `${start}` }),
  'cursors lead on by #': (step) => ({ next: (start) => `${start + step}` }),
  'cursors lead on by # up to #': (step, last) => ({
    next: (start) => (start < last ? `${start + step}` : null),
  }),

  'large over #': (most) => refusingOver(most, 'large'),
  'slow over #': (most) => refusingOver(most, 'slow'),
  'size over #': (most) => refusingOver(most, 'size'),
  'slow at # until call #': (at, last) =>
    refusing((_, start, request) => start === at && request <= last && 'slow'),
  'large at #': (at) => refusing((size = 0, start) => start <= at && start + size > at && 'large'),
  'any size': () => refusing((size) => size !== undefined && 'size'),
  'size at #': (at) => refusing((_, start) => start === at && 'size'),
  'size at # over #': (at, most) => refusing((size = 0, start) => start === at && size > most && 'size'),
  'size always': () => refusing(() => 'size'),
};

const STORIES = {
  'a listing that stands still': `
    0 records → 1 call: 0
    10 records → 1 call: 10
    30 records → 3 calls: 30
    30 records, limit 15 → 2 calls: 15
    30 records, limit 20 → 2 calls: 20
    30 records, from 10 → 2 calls: 20`,

  'a listing that moves': `
    one comes first → 8 calls: 31
    5 come first whose keys are there → 13 calls: 35
    10 come first whose keys are there → 14 calls: 40
    one comes first after an empty page → 9 calls: 31
    one comes first and one changes → 8 calls: 31
    one comes first, limit 15 → 2 calls: 15
    one comes first, limit 31 → 5 calls: 31
    one comes first, from 10 → 6 calls: 21
    one comes first at each call → 14 calls: 31, 1 lost, lacks 13: unsteady
    10 changes places → 7 calls: 30
    10 changes places and back → 7 calls: 30
    10 changes places, limit 20 → 3 calls: 20
    20 changes places at the third call, from 10 → 2 calls: 20
    10 changes places at every third call → 7 calls: 30
    10 changes places at every third call, always by 10 → 9 calls: 29, 1 lost, lacks 1: unsteady
    the end of each page changes places → 11 calls: 30, lacks 1: unsteady
    one changes and goes to the end → 7 calls: 30, lacks 1: unsteady
    one changes and goes to the end, limit 30 → 5 calls: 30`,

  'keys that tell no two records apart': `
    one record twice → 7 calls: 30
    one record twice on the pages from the second on, from 10 → 5 calls: 20
    one record twice and one comes → 7 calls: 30
    one record twice, always by 10 → 6 calls: 30
    a key for two → 7 calls: 30
    a key for two of a page → 3 calls: 30
    a key for two of which one is seen when all is read again → 11 calls: 30
    a key for two and one changes when all is read again → 11 calls: 31, lacks 1: unsteady
    30 without a key → 7 calls: 30
    30 without a key and one comes first → 8 calls: 13, 18 lost, lacks 18: unsteady
    30 without a key and one changes when all is read again → 7 calls: 31, lacks 1: unsteady
    29 without a key before one with a key and one changes when all is read again
      → 7 calls: 31, lacks 1: unsteady`,

  'cursors that lead nowhere': `
    30 records, cursor 20 leads to 10 → 3 calls: 30, lacks 1: repeating
    30 records, cursor 20 leads to 10, from 10 → 2 calls: 20, lacks 1: repeating
    30 records, cursors lead to themselves → 2 calls: 10, 20 lost, lacks 1: repeating
    10 records, cursors lead on by 1 → 5 calls: 10, lacks 1: repeating
    12 times ten records, cursors lead on by 10 → 5 calls: 10, 110 lost, lacks 1: repeating
    30 times six without a key, cursors lead on by 10 → 15 calls: 12, 168 lost, lacks 1: repeating
    0 records, cursors lead on by 1
      → 21 calls: 0, ServiceError: the service goes on with cursors that bring nothing new: the listing would never end
    0 records, cursors lead on by 1 up to 3 → 4 calls: 0
    a record with 19 empty pages and another, pages of 1 → 21 calls: 2
    a record with 20 empty pages and another, pages of 1 → 22 calls: 1, 1 lost, lacks 1: repeating`,

  'a service that refuses pages': `
    30 records, large over 4 → 16 calls: 30
    30 records, slow over 4 → 4 calls: 0, Error: refused at 0
    2000 records, large over 50, pages of 1000 → 47 calls: 2000
    2000 records, slow over 50, pages of 1000 → 61 calls: 2000
    30 records, slow at 10 until call 2 → 4 calls: 30
    30 records, slow at 10 until call 3 → 6 calls: 30
    30 records, slow over 0 → 4 calls: 0, Error: refused at 0
    30 records, large over 0 → 4 calls: 0, Error: refused at 0
    30 records, large at 13 → 12 calls: 13, Error: refused at 13
    150 records, size over 40, pages of 100 → 11 calls: 150
    30 records, any size, pages of 100 → 5 calls: 30
    30 records, size always, pages of 100 → 2 calls: 0, Error: refused at 0
    30 records, size at 10 → 3 calls: 10, Error: refused at 10
    300 records, size at 100 over 10, pages of 100 → 5 calls: 300`,
};

describe.each(Object.entries(STORIES))('a walk by cursors over %s', (_, stories) => {
  it.each(readStories(stories))('%s', async (settings, outcome) => {
    expect(await outcomeOf(settings)).toBe(outcome);
  });
});

it('asks for the next page while one is read, and for none behind the last', async () => {
  const cursors: (string | undefined)[] = [];
  const signals: AbortSignal[] = [];
  const walk = walkCursors({
    fetchPage: async ({ cursor, signal }) => {
      cursors.push(cursor);
      signals.push(signal);
      return { records: batchOf({ id: cursors.length }), next: `${cursors.length}` };
    },
    ...{ size: 10, status: new WalkStatus(), signal: new AbortController().signal },
    unique: await UniqueRecords.of({}, { isCounted: false }),
  });
  await walk.next();
  expect(cursors).toEqual([undefined, '1']);
  await walk.return(undefined);
  expect(cursors).toEqual([undefined, '1']);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
