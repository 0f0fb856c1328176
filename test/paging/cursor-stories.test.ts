import { describe, expect, it } from 'vitest';
import { walkCursors, type CursorWalkOptions } from '../../src/paging/cursor-walk.ts';
import { PageRefused, type RefusalReason } from '../../src/paging/page.ts';
import { UniqueRecords } from '../../src/paging/unique-records.ts';
import { WalkStatus, type WalkEvent } from '../../src/paging/walk-status.ts';
import { numberedRecords } from '../support/fake-listing.ts';
import { batchOf, textsOf } from '../support/records.ts';

interface Service {
  /** The records, as they are at the request of this number, from 1. */
  readonly records: (request: number) => readonly string[];
  /** Why a request is refused. */
  readonly refuse?: (size: number | undefined, start: number, request: number) => RefusalReason | undefined;
  /** The cursor that a page ends with, in place of the one that leads on. */
  readonly next?: (start: number, request: number) => string | null | undefined;
  readonly options?: Partial<CursorWalkOptions>;
}

/** What a walk asked for, what it gave with which cursors, and what it came to. */
async function storyOf({ records, refuse, next, options }: Service): Promise<string[]> {
  const asked: string[] = [];
  const fetchPage: CursorWalkOptions['fetchPage'] = async ({ cursor = '0', size, onRefusal }) => {
    const request = asked.push(`${cursor}+${size ?? ''}${onRefusal === 'shrink' ? '' : ` ${onRefusal}`}`);
    const start = Number(cursor);
    const all = records(request);
    const reason = refuse?.(size, start, request);
    if (reason !== undefined) throw new PageRefused(reason, new Error(`refused at ${cursor}`));
    const end = start + (size ?? 10);
    const led = next?.(start, request);
    const onward = end < all.length ? `${end}` : null;
    return { records: batchOf(...all.slice(start, end)), next: led === undefined ? onward : led };
  };
  const told: string[] = [];
  const status = new WalkStatus((event) => void told.push(sayEvent(event)));
  const { signal } = new AbortController();
  const given = await UniqueRecords.of({ exact: true });
  const gave: number[] = [];
  let end = 'incomplete 0';
  try {
    const walk = walkCursors({ ...{ fetchPage, size: 10, status, signal, given }, ...options });
    for await (const page of walk) gave.push(textsOf(page.records).length);
    end = `incomplete ${status.incomplete}${status.reason === undefined ? '' : ` ${status.reason}`}`;
  } catch (error) {
    end = String(error);
  }
  const outcome = `${end}, given ${status.records}, repeats ${status.repeats}, rereads ${status.rereads}`;
  return [asked.join(' '), gave.join(' '), told.filter(Boolean).join(' '), outcome];
}

function sayEvent(event: WalkEvent): string {
  if (event.kind === 'shrink') return `${event.reason} ${event.from}>${event.to}`;
  if (event.kind === 'again') return `again ${event.size}`;
  return event.kind === 'page' ? '' : event.kind;
}

const still = (count: number) => () => numberedRecords(count);
const before = (request: number, one: readonly string[], other: readonly string[]) => (now: number) =>
  now < request ? one : other;
const all = numberedRecords(30);
const unnamed = (count: number) => Array.from({ length: count }, (_, at) => `{"n":${at % 6}}`);
const swapped = all.with(9, all[10]!).with(10, all[9]!);

const SERVICES: Record<string, Service> = {
  'no record': { records: still(0) },
  'one page': { records: still(10) },
  'three pages': { records: still(30) },
  'three pages, of which 15 records are wanted': { records: still(30), options: { limit: 15 } },
  'three pages, of which 20 records are wanted': { records: still(30), options: { limit: 20 } },
  'three pages, from the second on': { records: still(30), options: { from: '10' } },
  'a record that comes at the front': { records: before(2, all, ['{"id":"new"}', ...all]) },
  'five records that come at the front': {
    records: before(2, all, [...numberedRecords(5).map((text) => text.replace(':', ':1')), ...all]),
  },
  'a page full of records that come at the front': {
    records: before(2, all, [...numberedRecords(10).map((text) => text.replace(':', ':1')), ...all]),
  },
  'a record that comes at the front, behind a page that is empty': {
    records: (request) => {
      if (request === 2) return all.slice(0, 10);
      return request === 1 ? all : ['{"id":"new"}', ...all];
    },
    next: (start, request) => (request === 2 ? `0${start}` : undefined),
  },
  'a record that comes at the front, of which 15 are wanted': {
    records: before(2, all, ['{"id":"new"}', ...all]),
    options: { limit: 15 },
  },
  'a record that comes at the front, from the second page on': {
    records: before(2, all, ['{"id":"new"}', ...all]),
    options: { from: '10' },
  },
  'a record that comes at the front at each page': {
    records: (request) => [...numberedRecords(request).map((text) => text.replace(':', ':1')), ...all],
  },
  'two records that change places': { records: before(2, all, swapped) },
  'two records that change places, and back': { records: (request) => (request === 2 ? swapped : all) },
  'two records that change places, of which 20 are wanted': {
    records: before(2, all, swapped),
    options: { limit: 20 },
  },
  'two records that change places, from the second page on': {
    records: before(3, all, all.with(19, all[20]!).with(20, all[19]!)),
    options: { from: '10' },
  },
  'two records that change places at each reading': {
    records: (request) => (request % 3 === 2 ? swapped : all),
  },
  'a record that stands twice': { records: () => all.with(25, all[3]!) },
  'a record that stands twice, from the second page on': {
    records: () => all.with(25, all[12]!),
    options: { from: '10' },
  },
  'a record that stands twice, and another that comes': {
    records: before(4, all.with(25, all[3]!), [...all.with(25, all[3]!), '{"id":"new"}']),
  },
  'a record that changes and comes at the end': {
    records: before(2, all, [...all.slice(0, 3), ...all.slice(4), '{"id":3,"paid":true}']),
  },
  'a key that stands for two records': { records: () => all.with(25, '{"id":3,"n":1}') },
  'a key that stands for two records of a page': { records: () => all.with(4, '{"id":3,"n":1}') },
  'records without a key': { records: () => unnamed(30) },
  'records without a key, of which one comes at the front': {
    records: before(2, unnamed(30), ['{"n":"new"}', ...unnamed(30)]),
  },
  'a cursor that leads back': { records: still(30), next: (start) => (start === 20 ? '10' : undefined) },
  'a cursor that leads back to the beginning of a later part': {
    records: still(30),
    next: (start) => (start === 20 ? '10' : undefined),
    options: { from: '10' },
  },
  'a cursor that leads to itself': { records: still(30), next: (start) => `${start}` },
  'ever the same page': { records: () => all.slice(0, 10), next: (start) => `${start + 1}` },
  'ever other cursors to the same records': {
    records: () => [...Array(12)].flatMap(() => all.slice(0, 10)),
    next: (start) => `${start + 10}`,
  },
  'ever the same records without a key': {
    records: () => [...Array(30)].flatMap(() => unnamed(6)),
    next: (start) => `${start + 10}`,
  },
  'cursors that lead to nothing': { records: () => [], next: (start) => `${start + 1}` },
  'a page that is empty once': {
    records: () => [],
    next: (start) => (start < 3 ? `${start + 1}` : null),
  },
  'sizes of 4 at most, for what they weigh': {
    records: still(30),
    refuse: (size = 0) => (size > 4 ? 'large' : undefined),
  },
  'sizes of 4 at most, for the time they take': {
    records: still(30),
    refuse: (size = 0) => (size > 4 ? 'slow' : undefined),
  },
  'a page that is slow once': {
    records: still(30),
    refuse: (_, start, request) => (start === 10 && request === 2 ? 'slow' : undefined),
  },
  'a page that is slow twice': {
    records: still(30),
    refuse: (_, start, request) => (start === 10 && request < 4 ? 'slow' : undefined),
  },
  'pages that are slow, whatever their size': { records: still(30), refuse: () => 'slow' },
  'pages that are too large, whatever their size': { records: still(30), refuse: () => 'large' },
  'a record that is never served': {
    records: still(30),
    refuse: (size = 0, start) => (start <= 13 && start + size > 13 ? 'large' : undefined),
  },
  'sizes of 40 at most': {
    records: still(150),
    refuse: (size = 0) => (size > 40 ? 'size' : undefined),
    options: { size: 100 },
  },
  'no size at all': {
    records: still(30),
    refuse: (size) => (size === undefined ? undefined : 'size'),
    options: { size: 100 },
  },
  'nothing, with a size or without': { records: still(30), refuse: () => 'size', options: { size: 100 } },
  'a size that it took before': {
    records: still(30),
    refuse: (_, start) => (start === 10 ? 'size' : undefined),
  },
  'a size that it took before, of a hundred': {
    records: still(300),
    refuse: (size = 0, start) => (start === 100 && size > 10 ? 'size' : undefined),
    options: { size: 100 },
  },
};

const STORIES: Record<string, readonly string[]> = {
  'no record': ['0+10', '', '', 'incomplete 0, given 0, repeats 0, rereads 0'],
  'one page': ['0+10', '10', '', 'incomplete 0, given 10, repeats 0, rereads 0'],
  'three pages': ['0+10 10+10 20+10', '10 10 10', '', 'incomplete 0, given 30, repeats 0, rereads 0'],
  'three pages, of which 15 records are wanted': [
    '0+10 10+10',
    '10 5',
    '',
    'incomplete 0, given 15, repeats 0, rereads 0',
  ],
  'three pages, of which 20 records are wanted': [
    '0+10 10+10',
    '10 10',
    '',
    'incomplete 0, given 20, repeats 0, rereads 0',
  ],
  'three pages, from the second on': [
    '10+10 20+10',
    '10 10',
    '',
    'incomplete 0, given 20, repeats 0, rereads 0',
  ],
  'a record that comes at the front': [
    '0+10 10+10 20+10 30+10 0+10 10+10 20+10 30+10',
    '10 9 10 1 1',
    'repeat reread',
    'incomplete 0, given 31, repeats 1, rereads 1',
  ],
  'five records that come at the front': [
    '0+10 10+10 20+10 30+10 0+10 10+10 20+10 30+10 0+10 10+10 20+10 30+10',
    '10 5 10 5 1 1 1 1 1',
    'repeat reread repeat reread repeat',
    'incomplete 0, given 35, repeats 10, rereads 2',
  ],
  'a page full of records that come at the front': [
    '0+10 10+10 20+10 30+10 0+10 10+10 20+10 30+10 0+10 10+10 20+10 30+10',
    '10 10 10 1 1 1 1 1 1 1 1 1 1',
    'repeat reread repeat reread repeat',
    'incomplete 0, given 40, repeats 20, rereads 2',
  ],
  'a record that comes at the front, behind a page that is empty': [
    '0+10 10+10 010+10 20+10 30+10 0+10 10+10 20+10 30+10',
    '10 9 10 1 1',
    'repeat reread',
    'incomplete 0, given 31, repeats 1, rereads 1',
  ],
  'a record that comes at the front, of which 15 are wanted': [
    '0+10 10+10',
    '10 5',
    'repeat',
    'incomplete 0, given 15, repeats 1, rereads 0',
  ],
  'a record that comes at the front, from the second page on': [
    '10+10 20+10 30+10 10+10 20+10 30+10',
    '10 9 1 1',
    'repeat reread',
    'incomplete 0, given 21, repeats 1, rereads 1',
  ],
  'a record that comes at the front at each page': [
    '0+10 10+10 20+10 30+10 0+10 10+10 20+10 30+10 0+10 10+10 20+10 30+10 40+10',
    '10 8 9 3',
    'repeat repeat repeat repeat reread repeat repeat repeat reread repeat repeat repeat',
    'incomplete 12 unsteady, given 30, repeats 24, rereads 2',
  ],
  'two records that change places': [
    '0+10 10+10 20+10 0+10 10+10 20+10',
    '10 9 10 1',
    'repeat reread',
    'incomplete 0, given 30, repeats 1, rereads 1',
  ],
  'two records that change places, and back': [
    '0+10 10+10 20+10 0+10 10+10 20+10',
    '10 9 10 1',
    'repeat reread',
    'incomplete 0, given 30, repeats 1, rereads 1',
  ],
  'two records that change places, of which 20 are wanted': [
    '0+10 10+10 20+10',
    '10 9 1',
    'repeat',
    'incomplete 0, given 20, repeats 1, rereads 0',
  ],
  'two records that change places, from the second page on': [
    '10+10 20+10',
    '10 10',
    '',
    'incomplete 0, given 20, repeats 0, rereads 0',
  ],
  'two records that change places at each reading': [
    '0+10 10+10 20+10 0+10 10+10 20+10 0+10 10+10 20+10',
    '10 9 10 1',
    'repeat reread repeat reread repeat',
    'incomplete 0, given 30, repeats 2, rereads 2',
  ],
  'a record that stands twice': [
    '0+10 10+10 20+10 0+10 10+10 20+10',
    '10 10 9 1',
    'repeat reread repeat',
    'incomplete 0, given 30, repeats 1, rereads 1',
  ],
  'a record that stands twice, from the second page on': [
    '10+10 20+10 10+10 20+10',
    '10 9 1',
    'repeat reread repeat',
    'incomplete 0, given 20, repeats 1, rereads 1',
  ],
  'a record that stands twice, and another that comes': [
    '0+10 10+10 20+10 0+10 10+10 20+10 30+10',
    '10 10 9 1',
    'repeat reread repeat',
    'incomplete 0, given 30, repeats 1, rereads 1',
  ],
  'a record that changes and comes at the end': [
    '0+10 10+10 20+10 0+10 10+10 20+10',
    '10 10 9 1',
    'repeat reread',
    'incomplete 1 unsteady, given 30, repeats 1, rereads 1',
  ],
  'a key that stands for two records': [
    '0+10 10+10 20+10 0+10 10+10 20+10',
    '10 10 9 1',
    'repeat reread',
    'incomplete 0, given 30, repeats 0, rereads 1',
  ],
  'a key that stands for two records of a page': [
    '0+10 10+10 20+10',
    '10 10 10',
    '',
    'incomplete 0, given 30, repeats 0, rereads 0',
  ],
  'records without a key': [
    '0+10 10+10 20+10 0+10 10+10 20+10',
    '10 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
    'repeat repeat reread repeat repeat',
    'incomplete 0, given 30, repeats 18, rereads 1',
  ],
  'records without a key, of which one comes at the front': [
    '0+10 10+10 20+10 30+10 0+10 10+10 20+10 30+10',
    '10 2 1',
    'repeat repeat repeat reread repeat repeat repeat',
    'incomplete 18 unsteady, given 13, repeats 37, rereads 1',
  ],
  'a cursor that leads back': [
    '0+10 10+10 20+10',
    '10 10 10',
    '',
    'incomplete 1 repeating, given 30, repeats 0, rereads 0',
  ],
  'a cursor that leads back to the beginning of a later part': [
    '10+10 20+10',
    '10 10',
    '',
    'incomplete 1 repeating, given 20, repeats 0, rereads 0',
  ],
  'a cursor that leads to itself': [
    '0+10 0+10',
    '10',
    'repeat',
    'incomplete 1 repeating, given 10, repeats 10, rereads 0',
  ],
  'ever the same page': [
    '0+10 1+10 2+10 3+10 4+10',
    '10',
    'repeat repeat repeat',
    'incomplete 1 repeating, given 10, repeats 24, rereads 0',
  ],
  'ever other cursors to the same records': [
    '0+10 10+10 20+10 30+10 40+10',
    '10',
    'repeat repeat repeat',
    'incomplete 1 repeating, given 10, repeats 30, rereads 0',
  ],
  'ever the same records without a key': [
    '0+10 10+10 20+10 30+10 40+10 50+10 60+10 70+10 80+10 90+10 100+10 110+10 120+10 130+10 140+10',
    '10 2',
    'repeat repeat repeat repeat repeat repeat repeat repeat repeat repeat repeat repeat repeat',
    'incomplete 1 repeating, given 12, repeats 128, rereads 0',
  ],
  'cursors that lead to nothing': [
    '0+10 1+10 2+10 3+10 4+10 5+10 6+10 7+10 8+10 9+10 10+10 11+10 12+10 13+10 14+10 15+10 16+10 17+10 18+10 19+10 20+10',
    '',
    '',
    'ServiceError: the service goes on with cursors that bring nothing new: the listing would never end, given 0, repeats 0, rereads 0',
  ],
  'a page that is empty once': ['0+10 1+10 2+10 3+10', '', '', 'incomplete 0, given 0, repeats 0, rereads 0'],
  'sizes of 4 at most, for what they weigh': [
    '0+10 0+5 0+2 2+3 5+6 5+3 8+3 11+6 11+3 14+3 17+3 20+3 23+6 23+3 26+3 29+3',
    '2 3 3 3 3 3 3 3 3 3 1',
    'large 10>5 large 5>2 large 6>3 large 6>3 large 6>3',
    'incomplete 0, given 30, repeats 0, rereads 0',
  ],
  'sizes of 4 at most, for the time they take': [
    '0+10 0+10 0+5 0+5 retry',
    '',
    'again 10 slow 10>5 again 5',
    'Error: refused at 0, given 0, repeats 0, rereads 0',
  ],
  'a page that is slow once': [
    '0+10 10+10 10+10 20+10',
    '10 10 10',
    'again 10',
    'incomplete 0, given 30, repeats 0, rereads 0',
  ],
  'a page that is slow twice': [
    '0+10 10+10 10+10 10+5 15+10 25+10',
    '10 5 10 5',
    'again 10 slow 10>5',
    'incomplete 0, given 30, repeats 0, rereads 0',
  ],
  'pages that are slow, whatever their size': [
    '0+10 0+10 0+5 0+5 retry',
    '',
    'again 10 slow 10>5 again 5',
    'Error: refused at 0, given 0, repeats 0, rereads 0',
  ],
  'pages that are too large, whatever their size': [
    '0+10 0+5 0+2 0+1 retry',
    '',
    'large 10>5 large 5>2 large 2>1',
    'Error: refused at 0, given 0, repeats 0, rereads 0',
  ],
  'a record that is never served': [
    '0+10 10+10 10+5 10+2 12+10 12+5 12+2 12+1 retry 13+10 13+5 13+2 13+1 retry',
    '10 2 1',
    'large 10>5 large 5>2 large 10>5 large 5>2 large 2>1 large 10>5 large 5>2 large 2>1',
    'Error: refused at 13, given 13, repeats 0, rereads 0',
  ],
  'sizes of 40 at most': [
    '0+100 0+10 once 10+50 once 10+10 once 20+25 once 45+25 70+25 95+25 120+25 145+25',
    '10 10 25 25 25 25 25 5',
    '',
    'incomplete 0, given 150, repeats 0, rereads 0',
  ],
  'no size at all': [
    '0+100 0+10 once 0+ once 10+ retry 20+ retry',
    '10 10 10',
    '',
    'incomplete 0, given 30, repeats 0, rereads 0',
  ],
  'nothing, with a size or without': [
    '0+100 0+10 once 0+ once',
    '',
    '',
    'Error: refused at 0, given 0, repeats 0, rereads 0',
  ],
  'a size that it took before': [
    '0+10 10+10',
    '10',
    '',
    'Error: refused at 10, given 10, repeats 0, rereads 0',
  ],
  'a size that it took before, of a hundred': [
    '0+100 100+100',
    '100',
    '',
    'Error: refused at 100, given 100, repeats 0, rereads 0',
  ],
};

describe('a walk by cursors over a service with', () => {
  it.each(Object.keys(SERVICES))('%s', async (name) => {
    expect(await storyOf(SERVICES[name]!)).toEqual(STORIES[name]);
  });
});

it('asks for the next page while one is read, and for none behind the last', async () => {
  const asked: (string | undefined)[] = [];
  const signals: AbortSignal[] = [];
  const walk = walkCursors({
    fetchPage: async ({ cursor, signal }) => {
      asked.push(cursor);
      signals.push(signal);
      return { records: batchOf({ id: asked.length }), next: `${asked.length}` };
    },
    ...{ size: 10, status: new WalkStatus(), signal: new AbortController().signal },
    given: await UniqueRecords.of({ exact: true }),
  });
  await walk.next();
  expect(asked).toEqual([undefined, '1']);
  await walk.return(undefined);
  expect(asked).toEqual([undefined, '1']);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
