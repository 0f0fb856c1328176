import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesQuestion } from '../../src/query/changes.ts';
import type { Question } from '../../src/query/questions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { batchOf, textsOf } from '../support/records.ts';

type Records = readonly (string | object)[];

const folder = temporaryFolder();

async function compare(old: Records, now: Records, key = 'id', json = false) {
  const path = join(folder, 'old');
  const texts = old.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  writeFileSync(path, json ? `[\n${texts.join(',\n')}\n]\n` : texts.map((text) => `${text}\n`).join(''));
  const half = Math.ceil(now.length / 2);
  const question = await changesQuestion({ path, listing: 'issued', key: [key], shown: [] }, false);
  return answerTo(question, [now.slice(0, half), now.slice(half)]);
}

/** The rows of changes, and what is said to be found. */
async function answerTo(question: Question, batches: readonly Records[]) {
  const listing = async function* () {
    for (const records of batches) yield batchOf(...records);
  };
  const lines: string[] = [];
  for await (const batch of question.answer(listing())) lines.push(...textsOf(batch));
  const texts = question.findings().map(({ text }) => text);
  const count = (what: RegExp): number =>
    texts.reduce((sum, text) => sum + Number(what.exec(text)?.[1] ?? 0), 0);
  const summary = {
    ...{ added: count(/ (\d+) added/), changed: count(/ (\d+) changed/), gone: count(/ (\d+) gone/) },
    ...{ unchanged: count(/ (\d+) as they were/), withoutKey: count(/^(\d+) records? without/) },
  };
  return { lines, summary };
}

const lines = async (old: Records, now: Records): Promise<string[]> => (await compare(old, now)).lines;

describe('--changes-since', () => {
  it.each([
    ['white space', '{ "id": 1, "a": [1, 2] }', '{"id":1,"a":[1,2]}'],
    ['the order of members', '{"a":1,"id":1,"b":{"c":2,"d":3}}', '{"id":1,"b":{"d":3,"c":2},"a":1}'],
    ['the order in a list', '{"id":1,"a":{"b":[{"c":1,"d":true}]}}', '{"id":1,"a":{"b":[{"d":true,"c":1}]}}'],
    ['the spelling of text', '{"id":1,"a":"\\u00e9"}', '{"id":1,"a":"é"}'],
    ['null and missing', '{"id":1,"a":null}', '{"id":1}'],
    ['zeros behind a number', '{"id":1,"a":7849.95,"b":[1E2,0]}', '{"id":1,"a":7849.950,"b":[100.0,-0.0]}'],
    ['exponents', '{"id":1,"a":10.0,"b":[105e-1,-7,0]}', '{"id":1,"a":1E1,"b":[10.50,-0.07e2,-0.0e5]}'],
  ])('does not take %s for a change', async (_, old, now) => {
    expect(await compare([old], [now])).toMatchObject({ lines: [], summary: { unchanged: 1 } });
  });

  it.each([
    ['{"id":1,"a":1.0}', '{"id":1,"a":1.001}', '"field":"a","old":1.0,"new":1.001'],
    ['{"id":1,"a":1E9999999999999999}', '{"id":1,"a":1E9999999999999998}', '"old":1E9999999999999999,'],
    ['{"id":1,"a":"1.0"}', '{"id":1,"a":"1.00"}', '"field":"a","old":"1.0","new":"1.00"'],
    ['{"id":1,"a":1}', '{"id":1,"a":"1"}', '"field":"a","old":1,"new":"1"'],
    ['{"id":1}', '{"id":1,"a":{"b":true}}', '"field":"a.b","old":null,"new":true'],
    ['{"id":1,"a":[1]}', '{"id":1,"a":[]}', '"field":"a","old":[1],"new":[]'],
    ['{"id":1,"a":-1}', '{"id":1,"a":1}', '"field":"a","old":-1,"new":1'],
    ['{"id":1,"a":[1,2]}', '{"id":1,"a":[2,1]}', '"field":"a","old":[1,2],"new":[2,1]'],
    ['{"id":1,"a":[1e3]}', '{"id":1,"a":[1e4]}', '"field":"a","old":[1e3],"new":[1e4]'],
    ['{"id":1,"a":[1]}', '{"id":1,"a":["1"]}', '"field":"a","old":[1],"new":["1"]'],
    ['{"id":1,"a":"true"}', '{"id":1,"a":true}', '"field":"a","old":"true","new":true'],
    ['{"id":1,"a":12345678901234567890}', '{"id":1,"a":12345678901234567891}', '"old":12345678901234567890,'],
  ])('takes the change from %s to %s for one', async (old, now, expected) => {
    const [line] = await lines([old], [now]);
    expect(line).toContain(expected);
  });

  it('compares texts, however long they are', async () => {
    const long = (end: string): string => `{"id":1,"a":"${'x'.repeat(9e6)}${end}"}`;
    const rows = (now: string) => lines([long('y')], [now]);
    expect([(await rows(long('\\u0079'))).length, (await rows(long('z'))).length]).toEqual([0, 1]);
  });

  it('gives what is gone in batches of a thousand', async () => {
    const { lines, summary } = await compare(
      Array.from({ length: 2_500 }, (_, id) => ({ id })),
      [{ id: 0 }],
    );
    expect([lines.length, summary.gone]).toEqual([2_499, 2_499]);
  });

  it('matches by several columns, all of which a record needs', async () => {
    const path = join(folder, 'several');
    writeFileSync(path, '{"a":1,"b":"2"}\n{"a":"12","b":""}\n{"a":"x","b":2}\n{"a":1}\n');
    const question = await changesQuestion({ path, listing: 'issued', key: ['a', 'b'], shown: [] }, false);
    const { lines, summary } = await answerTo(question, [['{"a":"x","b":2}', '{"b":"2","a":1,"c":0}']]);
    expect(lines[0]).toBe('{"_change":"changed","a":1,"b":"2","field":"c","old":null,"new":0}');
    expect(lines).toHaveLength(3);
    expect(summary).toMatchObject({ withoutKey: 2, unchanged: 1, changed: 1, gone: 2 });
  });

  it('agrees with a model of random edits', async () => {
    const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(1, 'x', true), {
      maxKeys: 3,
    });
    const edit = fc.record({ was: fc.option(fields), is: fc.option(fields) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { maxLength: 30 }),
        fc.boolean(),
        fc.nat(),
        async (edits, json, turn) => {
          const numbered = edits.map(({ was, is }, id) => ({ id, was, is }));
          const old = numbered.flatMap(({ id, was }) => (was ? [{ id, ...was }] : []));
          const now = numbered.flatMap(({ id, is }) => (is ? [{ id, ...is }] : []));
          const turned =
            now.length === 0 ? [] : [...now.slice(turn % now.length), ...now.slice(0, turn % now.length)];
          const { lines, summary } = await compare(old, turned, 'id', json);
          expect(new Set(lines.map(changeOf))).toEqual(new Set(numbered.flatMap(modelChanges)));
          expect(summary.added + summary.changed + summary.unchanged).toBe(now.length);
          expect(summary.gone + summary.changed + summary.unchanged).toBe(old.length);
        },
      ),
    );
  });
});

type Value = string | number | boolean;
type Fields = Record<string, Value> | null;

function modelChanges({ id, was, is }: { id: number; was: Fields; is: Fields }): string[] {
  if (!was || !is) return was === is ? [] : [`${was ? 'gone' : 'added'} ${id}`];
  return ['a', 'b', 'c']
    .filter((field) => was[field] !== is[field])
    .map((field) => `changed ${id} ${field} ${String(was[field] ?? null)} ${String(is[field] ?? null)}`);
}

function changeOf(line: string): string {
  const row = JSON.parse(line) as Record<string, Value>;
  const what = `${String(row['_change'])} ${String(row['id'])}`;
  return row['field'] === null
    ? what
    : `${what} ${String(row['field'])} ${String(row['old'])} ${String(row['new'])}`;
}
