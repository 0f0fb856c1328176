import { describe, expect, it } from 'vitest';
import { DigestReader } from '../../src/json/digest-identity.ts';
import { IdentityReader, type KeyColumns } from '../../src/json/identity.ts';
import type { RecordBatch } from '../../src/json/records.ts';
import { scanArray } from '../../src/json/scan-records.ts';

/** Found by their steps: the fast hashes of their contents are the same. */
const TWINS = ['{"name":"Ada","id":"000h0000000a"}', '{"name":"Ada","id":"000X00000P0Q"}'];

/** A batch of one record, with its links found by a simple search: the text need not be JSON. */
function unscannedBatch(text: string): RecordBatch {
  const bytes = Buffer.from(text);
  const found = bytes.toString('latin1').matchAll(/"http[^"]*"/g);
  const links = Int32Array.from([...found].flatMap(({ index, 0: link }) => [index, index + link.length]));
  const id = /^\{"id":("[^"]*"|[^,}]*)/.exec(text)?.[1];
  const ids = Int32Array.from(id === undefined ? [-1, -1] : [6, 6 + Buffer.byteLength(id)]);
  return { bytes, count: 1, bounds: Int32Array.from([0, bytes.length]), ids, links, spaced: false };
}

/** `exact` for the digests. */
type ReaderOptions = KeyColumns & { readonly exact?: boolean };

function readerOf({ exact = false, ...columns }: ReaderOptions = {}): IdentityReader {
  return exact ? new DigestReader(columns) : new IdentityReader(columns);
}

function contents(texts: readonly string[], columns?: ReaderOptions): string[] {
  return texts.map((text) => readerOf(columns).read(unscannedBatch(text), 0).content());
}

function keys(texts: readonly string[], columns?: ReaderOptions): string[] {
  return texts.map((text) => readerOf(columns).read(unscannedBatch(text), 0).key());
}

describe('what a record is known by', () => {
  it('tells records apart, where nothing counts them, whose fast hashes are the same', () => {
    expect(new Set(contents(TWINS)).size).toBe(1);
    expect(new Set(contents(TWINS, { exact: true })).size).toBe(2);
    const reader = new DigestReader();
    const words = [...TWINS, TWINS[0]!].map((text) => [...reader.read(unscannedBatch(text), 0).words]);
    expect(words[0]).toEqual(words[2]);
    expect(words[0]).not.toEqual(words[1]);
  });

  it.each([false, true])('has no links in it, but the place where they are (exact: %s)', (exact) => {
    const signed = (signature: string, more = ''): string =>
      `{"id":1,"file":"https://files.example/1?sig=${signature}"${more}}`;
    const [first, again, other] = contents([signed('a'), signed('bb'), signed('a', ',"x":1')], { exact });
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(new Set(contents(['{"a":"https://x","b":1}', '{"a":,"b":1}'], { exact })).size).toBe(2);
  });

  it.each([false, true])('has all of the content, whatever follows the last link (exact: %s)', (exact) => {
    const texts = ['', '}', ']}', ']}]}', ', "x": [12345678]}'].flatMap((end) =>
      [1, 2].map((number) => `{"number":${number},"file":"https://files.example/1"${end}`),
    );
    expect(new Set(contents(texts, { exact })).size).toBe(texts.length);
  });

  it.each([false, true])('tells repeated text by what repeats, and how often (exact: %s)', (exact) => {
    const texts = ['a', 'b', 'ab', 'abcd', 'abcdefgh'].flatMap((text) =>
      Array.from({ length: 50 }, (_, at) => `{"a":"${text.repeat(at + 1)}"}`),
    );
    expect(new Set(contents(texts, { exact })).size).toBe(new Set(texts).size);
  });

  it.each([false, true])('does not mix the cells of a key up (exact: %s)', (exact) => {
    const named = ['a', 'b'];
    const mixed = ['{"a":"x\\u0000string y","b":"z"}', '{"a":"x","b":"y\\u0000string z"}'];
    expect(new Set(keys(mixed, { named, exact })).size).toBe(2);
  });
});

describe('the key of a record', () => {
  const batch = scanArray(
    Buffer.from(
      '[{"id":1,"n":5,"k":"a"},{"n":5,"k":"a"},{"n":6,"k":"a"},{"id":2,"n":5,"k":"b"},{"k":"a"},{"id":"1","n":9}]',
    ),
  );
  const known = (columns: ReaderOptions) => {
    const reader = readerOf(columns);
    return Array.from({ length: batch.count }, (_, index) => {
      const { hasKey } = reader.read(batch, index);
      return { hasKey, key: reader.key(), same: reader.key() === reader.content() };
    });
  };

  it.each([false, true])('is its id, a number or its text, in every place of a page (exact: %s)', (exact) => {
    const keys = known({ exact });
    expect(keys.map(({ hasKey }) => hasKey)).toEqual([true, false, false, true, false, true]);
    expect(keys.map(({ same }) => same)).toEqual([false, true, true, false, true, false]);
    expect(keys[0]!.key).toBe(keys[5]!.key);
    expect(new Set(keys.map(({ key }) => key)).size).toBe(5);
  });

  it.each([false, true])('is what it has by nature where it has no id (exact: %s)', (exact) => {
    const keys = known({ exact, natural: ['n', 'k'] });
    expect(keys.map(({ hasKey }) => hasKey)).toEqual([true, true, true, true, false, true]);
    expect(new Set(keys.map(({ key }) => key)).size).toBe(5);
  });

  it.each([false, true])('is the columns that were named, before any id (exact: %s)', (exact) => {
    const keys = known({ exact, named: ['n'] });
    expect(keys.map(({ hasKey }) => hasKey)).toEqual([true, true, true, true, false, true]);
    expect([keys[1]!.key, keys[3]!.key]).toEqual([keys[0]!.key, keys[0]!.key]);
    expect(keys[5]!.key).not.toBe(keys[0]!.key);
  });
});
