import { describe, expect, it } from 'vitest';
import { walkCursors, type CursorWalkOptions } from '../../src/paging/cursor-walk.ts';
import { PageRefused, type RefusalReason } from '../../src/paging/page.ts';
import { UniqueRecords } from '../../src/paging/unique-records.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';
import { ExistingRecords, gather, numberedRecords } from '../support/fake-listing.ts';
import { batchOf } from '../support/records.ts';

/** A service whose cursors count records, by what it does otherwise. Requests count from 1. */
interface Service {
  /** The records, as they are at a request; or how many numbered ones there are. */
  readonly records: number | ((request: number) => readonly string[]);
  /** Why a request is refused. */
  readonly refuse?: (size: number | undefined, start: number, request: number) => RefusalReason | undefined;
  /** The size of its pages, whatever is asked for. */
  readonly fixed?: number;
  /** The cursor that a page ends with, in place of the one that leads on. */
  readonly next?: (start: number, request: number) => string | null | undefined;
}

/** What came of a walk: calls, records, and what the status says. */
async function storyOf(service: Service, options: Partial<CursorWalkOptions> = {}): Promise<string> {
  const { records, refuse, next } = service;
  const recordsAt = typeof records === 'number' ? () => numberedRecords(records) : records;
  // Which records a limit takes of a listing that moves is open.
  const range = { from: Number(options.from ?? 0), until: options.limit === undefined ? Infinity : 0 };
  const existing = new ExistingRecords(recordsAt(1).filter(Boolean), range);
  let requests = 0;
  const fetchPage: CursorWalkOptions['fetchPage'] = async ({ cursor = '0', size }) => {
    const start = Number(cursor);
    const all = recordsAt(++requests);
    existing.note(all.filter(Boolean));
    const reason = refuse?.(size, start, requests);
    if (reason !== undefined) throw new PageRefused(reason, new Error(`refused at ${cursor}`));
    const end = start + (service.fixed ?? size ?? 10);
    const led = next?.(start, requests);
    const onward = end < all.length ? `${end}` : null;
    return { records: batchOf(...all.slice(start, end)), next: led === undefined ? onward : led };
  };
  const status = new WalkStatus();
  const { signal } = new AbortController();
  const unique = await UniqueRecords.of({ exact: true });
  let given: readonly string[] = [];
  let end = '';
  try {
    given = await gather(
      walkCursors({ ...{ fetchPage, size: 10, status, signal, given: unique }, ...options }),
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
const changing =
  (request: number, one: readonly string[], other: readonly string[]) =>
  (now: number): readonly string[] =>
    now < request ? one : other;
const all = numberedRecords(30);
const others = (count: number): string[] => numberedRecords(count).map((text) => text.replace(':', ':1'));
const unnamed = (count: number, different = 6): string[] =>
  Array.from({ length: count }, (_, at) => `{"n":${at % different}}`);
const swappedAt = (at: number | undefined): readonly string[] =>
  at === undefined ? all : all.with(at - 1, all[at]!).with(at, all[at - 1]!);
const swapped = swappedAt(10);
/** Two records change places over the end of a page, so that one comes again; the first one changes when all is read again. */
const changedWhenReadAgain =
  (records: readonly string[], changed: string) =>
  (request: number): readonly string[] => {
    const turned = request < 2 ? records : records.with(9, records[10]!).with(10, records[9]!);
    return request < 4 ? turned : turned.with(0, changed);
  };
const twiceKeyed = '{"id":3,"n":1}';
const withTwiceKeyed = [...numberedRecords(28), '{"id":4,"n":1}'];
/** Empty pages behind the first one, as many as this, and then another record. */
const gap = (pages: number): Service => ({
  records: () => ['{"id":0}', ...Array<string>(pages).fill(''), '{"id":20}'],
  next: (start) => (start <= pages ? `${start + 1}` : null),
});

type Story = readonly [name: string, outcome: string, service: Service, options?: Partial<CursorWalkOptions>];

const STILL: readonly Story[] = [
  ['no record', '1 call: 0', { records: 0 }],
  ['one page', '1 call: 10', { records: 10 }],
  ['three pages', '3 calls: 30', { records: 30 }],
  ['three pages, of which 15 records are wanted', '2 calls: 15', { records: 30 }, { limit: 15 }],
  ['three pages, of which 20 records are wanted', '2 calls: 20', { records: 30 }, { limit: 20 }],
  ['three pages, from the second on', '2 calls: 20', { records: 30 }, { from: '10' }],
];

const MOVING: readonly Story[] = [
  [
    'a record that comes at the front',
    '8 calls: 31',
    { records: changing(2, all, ['{"id":"new"}', ...all]) },
  ],
  [
    'five records that come at the front',
    '13 calls: 35',
    { records: changing(2, all, [...others(5), ...all]) },
  ],
  [
    'a page full of records that come at the front',
    '14 calls: 40',
    { records: changing(2, all, [...others(10), ...all]) },
  ],
  [
    'a record that comes at the front, behind a page that is empty',
    '9 calls: 31',
    {
      records: (request) =>
        request === 2 ? all.slice(0, 10) : changing(2, all, ['{"id":"new"}', ...all])(request),
      next: (start, request) => (request === 2 ? `0${start}` : undefined),
    },
  ],
  [
    'a record that comes at the front, of which 15 are wanted',
    '2 calls: 15',
    { records: changing(2, all, ['{"id":"new"}', ...all]) },
    { limit: 15 },
  ],
  [
    'a record that comes at the front, from the second page on',
    '6 calls: 21',
    { records: changing(2, all, ['{"id":"new"}', ...all]) },
    { from: '10' },
  ],
  [
    'a record that comes at the front at each page',
    '15 calls: 31, 1 lost, lacks 13: unsteady',
    { records: (request) => [...others(request), ...all] },
  ],
  ['two records that change places', '7 calls: 30', { records: changing(2, all, swapped) }],
  [
    'two records that change places, and back',
    '7 calls: 30',
    { records: (request) => (request === 2 ? swapped : all) },
  ],
  [
    'two records that change places, of which 20 are wanted',
    '3 calls: 20',
    { records: changing(2, all, swapped) },
    { limit: 20 },
  ],
  [
    'two records that change places, from the second page on',
    '2 calls: 20',
    { records: changing(3, all, all.with(19, all[20]!).with(20, all[19]!)) },
    { from: '10' },
  ],
  [
    'two records that change places at each reading',
    '7 calls: 30',
    { records: (request) => (request % 3 === 2 ? swapped : all) },
  ],
  [
    'two records that change places at each reading, in pages of a size that the service fixes',
    '9 calls: 29, 1 lost, lacks 1: unsteady',
    { records: (request) => (request % 3 === 2 ? swapped : all), fixed: 10 },
  ],
  [
    'two records that change places over the end of each page, whatever its size',
    '11 calls: 30, lacks 1: unsteady',
    { records: (request) => swappedAt({ 2: 10, 5: 9, 9: 8 }[request]) },
  ],
  [
    'a record that changes and comes at the end',
    '7 calls: 30, lacks 1: unsteady',
    { records: changing(2, all, [...all.slice(0, 3), ...all.slice(4), '{"id":3,"paid":true}']) },
  ],
];

const KEYS: readonly Story[] = [
  ['a record twice', '7 calls: 30', { records: () => all.with(25, all[3]!) }],
  [
    'a record twice, from the second page on',
    '5 calls: 20',
    { records: () => all.with(25, all[12]!) },
    { from: '10' },
  ],
  [
    'a record twice, and another that comes',
    '7 calls: 30',
    { records: changing(4, all.with(25, all[3]!), [...all.with(25, all[3]!), '{"id":"new"}']) },
  ],
  [
    'a record twice, in pages of a size that the service fixes',
    '6 calls: 30',
    { records: () => all.with(25, all[3]!), fixed: 10 },
  ],
  ['a key for two', '7 calls: 30', { records: () => all.with(25, twiceKeyed) }],
  ['a key for two of a page', '3 calls: 30', { records: () => all.with(4, twiceKeyed) }],
  [
    'a key for two, of which one is seen only when all is read again',
    '11 calls: 30',
    { records: changing(3, [...withTwiceKeyed, twiceKeyed], withTwiceKeyed.toSpliced(19, 0, twiceKeyed)) },
  ],
  [
    'a key for two, and a record that changes when all is read again',
    '11 calls: 31, lacks 1: unsteady',
    {
      records: changedWhenReadAgain([...numberedRecords(28), twiceKeyed, '{"id":4,"n":1}'], '{"id":0,"n":1}'),
    },
  ],
  ['no key', '7 calls: 30', { records: () => unnamed(30) }],
  [
    'no key, of which one comes at the front',
    '8 calls: 13, 18 lost, lacks 18: unsteady',
    { records: changing(2, unnamed(30), ['{"n":"new"}', ...unnamed(30)]) },
  ],
  [
    'no key, of which one changes when all is read again',
    '7 calls: 31, lacks 1: unsteady',
    { records: changedWhenReadAgain(unnamed(30, 30), '{"n":"changed"}') },
  ],
];

const CURSORS: readonly Story[] = [
  [
    'that lead back',
    '3 calls: 30, lacks 1: repeating',
    { records: 30, next: (start) => (start === 20 ? '10' : undefined) },
  ],
  [
    'that lead back to the beginning of a later part',
    '2 calls: 20, lacks 1: repeating',
    { records: 30, next: (start) => (start === 20 ? '10' : undefined) },
    { from: '10' },
  ],
  [
    'that lead to themselves',
    '2 calls: 10, 20 lost, lacks 1: repeating',
    { records: 30, next: (start) => `${start}` },
  ],
  [
    'that lead to the same page for ever',
    '5 calls: 10, lacks 1: repeating',
    { records: () => all.slice(0, 10), next: (start) => `${start + 1}` },
  ],
  [
    'that differ and lead to the same records for ever',
    '5 calls: 10, 110 lost, lacks 1: repeating',
    { records: () => [...Array(12)].flatMap(() => all.slice(0, 10)), next: (start) => `${start + 10}` },
  ],
  [
    'that lead to the same records without a key for ever',
    '15 calls: 12, 168 lost, lacks 1: repeating',
    { records: () => [...Array(30)].flatMap(() => unnamed(6)), next: (start) => `${start + 10}` },
  ],
  [
    'that lead to nothing for ever',
    '21 calls: 0, ServiceError: the service goes on with cursors that bring nothing new: the listing would never end',
    { records: 0, next: (start) => `${start + 1}` },
  ],
  [
    'that lead over a few empty pages',
    '4 calls: 0',
    { records: 0, next: (start) => (start < 3 ? `${start + 1}` : null) },
  ],
  ['that lead over 19 empty pages', '21 calls: 2', gap(19), { size: 1 }],
  ['that lead over 20 empty pages', '22 calls: 1, 1 lost, lacks 1: repeating', gap(20), { size: 1 }],
];

const over =
  (most: number, reason: RefusalReason): NonNullable<Service['refuse']> =>
  (size = 0) =>
    size > most ? reason : undefined;

const REFUSING: readonly Story[] = [
  ['pages over 4, for what they weigh', '16 calls: 30', { records: 30, refuse: over(4, 'large') }],
  [
    'pages over 4, for the time they take',
    '4 calls: 0, Error: refused at 0',
    { records: 30, refuse: over(4, 'slow') },
  ],
  [
    'pages over 50, for what they weigh',
    '47 calls: 2000',
    { records: 2000, refuse: over(50, 'large') },
    { size: 1000 },
  ],
  [
    'pages over 50, for the time they take',
    '61 calls: 2000',
    { records: 2000, refuse: over(50, 'slow') },
    { size: 1000 },
  ],
  [
    'a page that is slow once',
    '4 calls: 30',
    { records: 30, refuse: (_, start, request) => (start === 10 && request === 2 ? 'slow' : undefined) },
  ],
  [
    'a page that is slow twice',
    '6 calls: 30',
    { records: 30, refuse: (_, start, request) => (start === 10 && request < 4 ? 'slow' : undefined) },
  ],
  ['everything, as it is slow', '4 calls: 0, Error: refused at 0', { records: 30, refuse: () => 'slow' }],
  [
    'everything, as it is too large',
    '4 calls: 0, Error: refused at 0',
    { records: 30, refuse: () => 'large' },
  ],
  [
    'a record',
    '12 calls: 13, Error: refused at 13',
    { records: 30, refuse: (size = 0, start) => (start <= 13 && start + size > 13 ? 'large' : undefined) },
  ],
  ['sizes over 40 outright', '10 calls: 150', { records: 150, refuse: over(40, 'size') }, { size: 100 }],
  [
    'any size',
    '5 calls: 30',
    { records: 30, refuse: (size) => (size === undefined ? undefined : 'size') },
    { size: 100 },
  ],
  [
    'everything outright',
    '3 calls: 0, Error: refused at 0',
    { records: 30, refuse: () => 'size' },
    { size: 100 },
  ],
  [
    'a size outright that came before',
    '2 calls: 10, Error: refused at 10',
    { records: 30, refuse: (_, start) => (start === 10 ? 'size' : undefined) },
  ],
  [
    'a size outright that came before, of a hundred',
    '2 calls: 100, Error: refused at 100',
    { records: 300, refuse: (size = 0, start) => (start === 100 && size > 10 ? 'size' : undefined) },
    { size: 100 },
  ],
];

describe.each<[over: string, stories: readonly Story[]]>([
  ['a listing that stands still:', STILL],
  ['a listing with', MOVING],
  ['records that have', KEYS],
  ['cursors', CURSORS],
  ['a service that refuses', REFUSING],
])('a walk by cursors over %s', (_, stories) => {
  it.each(stories.map((story) => [story[0], story] as const))(
    '%s',
    async (__, [, outcome, service, options]) => {
      expect(await storyOf(service, options)).toBe(outcome);
    },
  );
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
