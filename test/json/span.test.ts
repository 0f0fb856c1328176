import { describe, expect, it } from 'vitest';
import { scanPage } from '../../src/json/scan-page.ts';
import { readCount, readJson } from '../../src/json/span.ts';

const body = Buffer.from(
  '{"data":[],"é":{"a":[1]},"total":12,"e":1e3,"minus":-1,"part":1.5,"text":"7","nil":null}',
);
const { members } = scanPage(body, 'data');

describe('readJson', () => {
  it('parses the value at a span', () => {
    expect(readJson(body, members.get('é')!)).toEqual({ a: [1] });
  });

  it('parses nothing large', () => {
    const large = Buffer.from(`[${'0,'.repeat(40_000)}0]`);
    expect(() => readJson(large, [0, large.length])).toThrow(
      'expected a small value, found one of 80003 bytes',
    );
  });
});

describe('readCount', () => {
  it('reads whole numbers from 0 on, and takes nothing else for one', () => {
    const counts = ['total', 'e', 'minus', 'part', 'text', 'nil', 'missing'].map((name) =>
      readCount(body, members.get(name)),
    );
    expect(counts).toEqual([12, 1000, undefined, undefined, undefined, undefined, undefined]);
  });
});
