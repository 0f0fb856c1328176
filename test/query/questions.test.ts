import { describe, expect, it } from 'vitest';
import { PLAIN_NAMES } from '../../src/invoices/column-names.ts';
import { DocumentReader } from '../../src/invoices/document-reader.ts';
import type { RecordBatch } from '../../src/json/records.ts';
import type { OpenWriter } from '../../src/output/writer.ts';
import { watchColumns } from '../../src/query/missing-columns.ts';
import { parseCondition, parseSort } from '../../src/query/question-syntax.ts';
import { Questions, type Question, type Records } from '../../src/query/questions.ts';
import { sortQuestion } from '../../src/query/sort.ts';
import { conditionTest, WhereFilter } from '../../src/query/where/where.ts';
import { told } from '../support/findings.ts';
import { batchOf, textsOf } from '../support/records.ts';

const { signal } = new AbortController();
const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => `{"n":${n}}`);

/** Records in batches of so many; counts how many were read. */
function source(texts: readonly string[], together = 10) {
  const read = { count: 0 };
  const records = async function* (): AsyncGenerator<RecordBatch> {
    for (let at = 0; at < texts.length; at += together) {
      const batch = batchOf(...texts.slice(at, at + together));
      read.count += batch.count;
      yield batch;
    }
  };
  return { records: records(), read };
}

async function gather(records: Records): Promise<string[][]> {
  const batches: string[][] = [];
  for await (const batch of records) batches.push(textsOf(batch));
  return batches;
}

function where(expression: string) {
  const asked = { today: 0, locale: 'en-US' };
  const condition = parseCondition(expression);
  return new WhereFilter([conditionTest(condition, asked)], { what: 'invoices' });
}

/** Counts the records in one row. */
function counting(columns?: readonly string[]): Question {
  let count = 0;
  return {
    async *answer(records) {
      for await (const batch of records) {
        count += batch.count;
        yield batch;
      }
    },
    findings: () => [{ level: 'remark', text: `${count} counted` }],
    result: { columns: (asked) => asked ?? columns },
  };
}

describe('questions', () => {
  it('without any: the records as they come, and the listing itself ends at the limit', async () => {
    const questions = new Questions({ limit: 3 });
    expect([questions.limitOfListing, questions.hasResult, questions.filtered]).toEqual([
      3,
      false,
      undefined,
    ]);
    expect(await gather(questions.answer(source(numbers(5)).records))).toEqual([numbers(5)]);
    expect(questions.findings(5, true)).toEqual([]);
    expect(questions.resultColumns()).toBeUndefined();
  });

  it('with a filter: stops reading once as many passed as the limit allows', async () => {
    const questions = new Questions({ filter: where('n>2'), limit: 4 });
    const { records, read } = source(numbers(50), 5);
    expect(questions.limitOfListing).toBeUndefined();
    expect((await gather(questions.answer(records))).flat()).toEqual(numbers(7).slice(3));
    expect([read.count, questions.filtered]).toEqual([10, { seen: 10, kept: 7 }]);
    expect(told(questions.findings(10, true))).toEqual(['remark: the first 4 · --all for the rest']);
    expect(told(questions.findings(10, false))).toEqual([]);
  });

  it('with a filter that lets pass fewer than the limit: no remark on a rest', async () => {
    const questions = new Questions({ filter: where('n>47'), limit: 4 });
    expect((await gather(questions.answer(source(numbers(50)).records))).flat()).toHaveLength(2);
    expect(told(questions.findings(50, true))).toEqual([]);
  });

  it('with a sort: the first of all records, of which the remark names the number', async () => {
    const questions = new Questions({ sort: sortQuestion(parseSort('-n'), signal), limit: 2 });
    expect(questions.limitOfListing).toBeUndefined();
    expect(await gather(questions.answer(source(numbers(5)).records))).toEqual([['{"n":4}', '{"n":3}']]);
    const [footer] = questions.findings(5, true);
    expect(footer).toMatchObject({ level: 'remark', text: expect.stringContaining('2 of 5') });
  });

  it('with a sort of what passed a filter: the number of those', async () => {
    const sort = sortQuestion(parseSort('-n'), signal);
    const questions = new Questions({ filter: where('n<4'), sort, limit: 2 });
    expect((await gather(questions.answer(source(numbers(9)).records))).flat()).toEqual([
      '{"n":3}',
      '{"n":2}',
    ]);
    expect(told(questions.findings(9, true))[0]).toContain('2 of 4');
  });

  it('with a result: reads all, for its findings, and gives as many rows as the limit allows', async () => {
    const questions = new Questions({ result: counting(['n']), limit: 3 });
    const { records, read } = source(numbers(10), 2);
    expect(questions.hasResult).toBe(true);
    expect(await gather(questions.answer(records))).toEqual([numbers(2), ['{"n":2}']]);
    expect(read.count).toBe(10);
    expect(questions.findings(10, true).map(({ text }) => text)).toEqual([
      '10 counted',
      'the first 3 · --all for the rest',
    ]);
    expect(questions.resultColumns()).toEqual(['n']);
  });

  it('opens the writer of a result with its first rows, whose columns are known then', async () => {
    const opened: unknown[] = [];
    const openWriter: OpenWriter = (_, layout) => {
      opened.push(layout.columns);
      return {
        write: async () => void opened.push('rows'),
        end: async () => void opened.push('end'),
      };
    };
    const layout = { header: true, excel: false, single: false, color: false };
    const sink = { write: async () => {} };
    const plain = new Questions({});
    expect(plain.writer(openWriter)).toBe(openWriter);
    const questions = new Questions({ result: counting(['n']) });
    const writer = questions.writer(openWriter)(sink, layout);
    expect(opened).toEqual([]);
    await writer.write(batchOf({ n: 1 }));
    await writer.write(batchOf({ n: 2 }));
    await writer.end();
    expect(opened).toEqual([['n'], 'rows', 'rows', 'end']);
  });
});

describe('what --where says in the end', () => {
  const answer = async (expression: string, ...texts: string[]) => {
    const question = where(expression);
    const batches = await gather(question.answer(source(texts, 2).records));
    return { batches, texts: told(question.findings()) };
  };

  it('is nothing where records passed, and no empty batch comes', async () => {
    expect(await answer('n=3', ...numbers(5))).toEqual({ batches: [['{"n":3}']], texts: [] });
  });

  it('is nothing of no records', async () => {
    expect(await answer('n=3')).toEqual({ batches: [], texts: [] });
  });

  it('names ten values of a column, and of more only that there are', async () => {
    const named = (count: number): string[] => Array.from({ length: count }, (_, n) => `{"a":"k${n}"}`);
    const ten = 'a has k0, k1, k2, k3, k4, k5, k6, k7, k8, k9';
    expect((await answer('a=x', ...named(10))).texts).toEqual([`remark: 0 of 10 invoices; ${ten}`]);
    expect((await answer('a=x', ...named(11))).texts).toEqual([`remark: 0 of 11 invoices; ${ten}, …`]);
  });

  it('cuts a value of more than 40 characters', async () => {
    const [whole, long] = ['x'.repeat(40), 'y'.repeat(41)];
    expect((await answer('a=z', `{"a":"${whole}"}`, `{"a":"${long}"}`)).texts).toEqual([
      `remark: 0 of 2 invoices; a has ${whole}, ${'y'.repeat(39)}…`,
    ]);
  });

  it('names the least and the greatest number or day, and a single one as it is', async () => {
    const range = (...values: string[]) => answer('a>9999', ...values.map((value) => `{"a":${value}}`));
    expect((await range('5', '10', '2')).texts).toEqual(['remark: 0 of 3 invoices; a goes from 2 to 10']);
    expect((await range('5', '5')).texts).toEqual(['remark: 0 of 2 invoices; a has 5']);
    expect((await range('null', '""')).texts).toEqual(['remark: 0 of 2 invoices']);
    expect((await answer('a<1999', '{"a":"2026-01-02T10:00:00Z"}', '{"a":"2025-12-31"}')).texts).toEqual([
      'remark: 0 of 2 invoices; a goes from 2025-12-31 to 2026-01-02',
    ]);
  });

  it('knows the places of the records that passed last', async () => {
    const question = where('n>2');
    const batches = question.answer(source(numbers(6), 2).records);
    const places: number[] = [];
    let passed = 0;
    for await (const batch of batches) {
      for (let at = 0; at < batch.count; at++) places.push(question.placeOf(++passed));
    }
    expect(places).toEqual([4, 5, 6]);
  });
});

describe('columns that were asked for and never came', () => {
  const told = async (columns: readonly string[], ...texts: string[]) => {
    const sentences: string[] = [];
    const { records } = source(texts, 2);
    const batches = await gather(
      watchColumns(records, {
        flag: '--columns',
        reader: new DocumentReader(PLAIN_NAMES, { roles: [], names: columns }),
        tell: (sentence) => void sentences.push(sentence),
      }),
    );
    return { passed: batches.flat(), sentences };
  };

  it('are named with how many records were read, and all records pass', async () => {
    const texts = [...numbers(3), '{"m":1}'];
    expect(await told(['n', 'm', 'other'], ...texts)).toEqual({
      passed: texts,
      sentences: ['no record has a value in other (4 records read)'],
    });
  });

  it('are refused where one that is there has nearly that name', async () => {
    await expect(told(['dueby'], '{"dueBy":1}')).rejects.toThrow(
      expect.objectContaining({
        message: '--columns: no record has a column dueby',
        hint: 'Did you mean dueBy?',
      }),
    );
  });

  it('are not named where a record has null there, or where there is no record', async () => {
    expect((await told(['n'], '{"n":null}')).sentences).toEqual([]);
    expect((await told(['n'])).sentences).toEqual([]);
  });

  it('are none once each was seen, however late', async () => {
    expect((await told(['a', 'b'], '{"a":1}', '{"c":1}', '{"c":1}', '{"b":1}')).sentences).toEqual([]);
  });

  it('are compared with the names of the first 500 records', async () => {
    const names = (before: number) => [...Array<string>(before).fill('{"a":1}'), '{"late":1}'];
    await expect(told(['lat'], ...names(499))).rejects.toThrow('no record has a column lat');
    expect((await told(['lat'], ...names(500))).sentences).toEqual([
      'no record has a value in lat (501 records read)',
    ]);
  });
});
