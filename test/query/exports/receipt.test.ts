import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import {
  deliveredAs,
  deliveredForm,
  checkExport,
  readReceipt,
  usualReceipt,
} from '../../../src/query/exports/read-receipt.ts';
import { surveyFile } from '../../../src/query/exports/survey-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const TEXT = '{"id":1}\n{"id":2}\n';

/** What a receipt says of the file with that text. */
function receiptOf(text: string, others: object = {}): Record<string, unknown> {
  return {
    output: 'x.jsonl',
    records: 2,
    bytes: text.length,
    sha256: hashOf(text),
    finishedAt: '2026-11-21T10:00:00Z',
    complete: true,
    errors: [],
    ...others,
  };
}

/** A file with the text and, beside it, a receipt that says this. */
function exported(name: string, receipt: unknown, text = TEXT): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  writeFileSync(`${file}.receipt.json`, typeof receipt === 'string' ? receipt : JSON.stringify(receipt));
  return file;
}

const receiptFile = (name: string, receipt: unknown): string => `${exported(name, receipt)}.receipt.json`;

describe('readReceipt', () => {
  it('reads what was delivered', async () => {
    const form = { format: 'csv', header: false };
    const written = [{ heading: 'Folio', column: 'a' }, { heading: 'odd' }];
    const path = receiptFile('whole', receiptOf(TEXT, { ...form, headings: written }));
    const headings = new Map([['Folio', 'a']]);
    expect(await readReceipt(path)).toMatchObject([
      { ...receiptOf(TEXT), ...form, headings, isOfSeveral: false },
    ]);
  });

  it('takes what an older receipt does not say for the usual', async () => {
    const path = receiptFile('old', receiptOf(TEXT, { output: 7, file: 7, errors: [1, 'x'] }));
    expect(await readReceipt(path)).toMatchObject([
      {
        ...receiptOf(TEXT, { output: null, errors: ['1', 'x'] }),
        ...{
          format: null,
          header: true,
          headings: new Map(),
          isOfSeveral: false,
        },
      },
    ]);
  });

  it('is of the profile of its run, or of those of whom it has the records together', async () => {
    const profiles = [{ profile: 'a' }, { profile: 'b' }, null];
    const read = async (others: object) => (await readReceipt(receiptFile('of', receiptOf(TEXT, others))))[0];
    expect(await read({ profile: null, profiles })).toMatchObject({
      profiles: ['a', 'b'],
      isOfSeveral: true,
    });
    expect(await read({ profile: 'a' })).toMatchObject({ profiles: ['a'], isOfSeveral: false });
    expect(await read({ resource: 'report', profiles })).toMatchObject({ profiles: [] });
  });

  it.each([
    ['records', [-1, 1.5, '2', null]],
    ['bytes', [-1, 1.5, '2', 2 ** 53]],
    ['sha256', ['x', 7, 'a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64)]],
    ['finishedAt', [7, null]],
    ['complete', ['yes', 1]],
    ['errors', ['none', { length: 0 }]],
    ['format', [7, {}]],
  ])('refuses one whose "%s" is none', async (member, values) => {
    for (const value of values) {
      const path = receiptFile('wrong', receiptOf(TEXT, { [member]: value }));
      await expect(readReceipt(path)).rejects.toThrow(
        expect.objectContaining({
          message: `${path} is no receipt, or a broken one: its "${member}" is not what a receipt has there`,
          hint: 'Name the file that --receipt wrote.',
        }),
      );
    }
  });

  it.each(['', '{"a":', '7', 'null', '"x"'])('refuses %j, which is no object', async (text) => {
    const path = receiptFile('broken', text);
    await expect(readReceipt(path)).rejects.toThrow(
      `${path} is no receipt, or a broken one: it is not a JSON object`,
    );
  });

  it('says where there is none, and where it cannot be read', async () => {
    const none = join(folder, 'none.receipt.json');
    await expect(readReceipt(none)).rejects.toThrow(
      expect.objectContaining({
        message: `there is no receipt ${none}`,
        hint: 'The next run writes one with --receipt.',
      }),
    );
    await expect(readReceipt(none)).rejects.toThrow(UsageError);
    await expect(readReceipt(folder)).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`cannot read the receipt ${folder}: `),
        hint: 'Name a receipt that you may read.',
      }),
    );
  });
});

describe('checkExport', () => {
  it('has none of a file that is as its receipt says, nor of one without', async () => {
    expect(await checkExport(exported('fine.jsonl', receiptOf(TEXT)))).toMatchObject({
      delivered: { readAt: '2026-11-21T10:00:00Z', only: [] },
    });
    const alone = join(folder, 'alone.jsonl');
    writeFileSync(alone, TEXT);
    expect(await usualReceipt(alone)).toBeUndefined();
    expect(await checkExport(alone)).toEqual({});
  });

  it('is that not all came, where it is the file of a run that was incomplete', async () => {
    const file = exported('part.jsonl', receiptOf(TEXT, { complete: false, errors: ['one', 'two'] }));
    expect((await checkExport(file)).finding).toMatchObject({
      ...{ level: 'failure', kind: 'incomplete' },
      text: `${file} does not hold all that there was: one; two`,
      hint: `Export it again: its receipt ${file}.receipt.json says that it is not complete.`,
    });
  });

  it('is that it is another file, by its size or by its bytes', async () => {
    const other = (file: string): string =>
      `${file} is not what its receipt ${file}.receipt.json says was delivered; \`folio verify\` tells in what it differs`;
    const longer = exported('longer.jsonl', receiptOf(`${TEXT} `));
    expect(await checkExport(longer)).toEqual({ finding: { level: 'warning', text: other(longer) } });
    const same = exported('same-size.jsonl', receiptOf(TEXT, { sha256: hashOf('another') }));
    expect(await checkExport(same)).toEqual({ finding: { level: 'warning', text: other(same) } });
  });

  it('is that it is older than a run that delivered nothing', async () => {
    const whole = exported('older.jsonl', receiptOf(TEXT, { sha256: null }));
    const text = `${whole} is older than its receipt: the run of ${whole}.receipt.json delivered no file`;
    expect(await checkExport(whole)).toEqual({ finding: { level: 'warning', text: text } });
    exported('older.jsonl', receiptOf(TEXT, { sha256: null, complete: false, errors: ['a', 'b'] }));
    expect(await checkExport(whole)).toEqual({ finding: { level: 'warning', text: `${text} (a; b)` } });
  });

  it('is what the receipt itself has wrong', async () => {
    const file = exported('odd.jsonl', 'no receipt');
    expect((await checkExport(file)).finding).toEqual({
      level: 'warning',
      text: `${file}.receipt.json is no receipt, or a broken one: it is not a JSON object`,
    });
  });

  it('is left to the reader where there is no such file', async () => {
    const file = join(folder, 'gone.jsonl');
    writeFileSync(`${file}.receipt.json`, JSON.stringify(receiptOf(TEXT)));
    expect(await checkExport(file)).toEqual({});
  });
});

describe('deliveredForm', () => {
  it('is what the receipt says of the file that has its size', async () => {
    expect(await deliveredForm(exported('formed.csv', receiptOf(TEXT, { format: 'csv' })))).toMatchObject({
      format: 'csv',
      bytes: TEXT.length,
    });
  });

  it.each([
    ['of another size', receiptOf(`${TEXT} `)],
    ['not delivered', receiptOf(TEXT, { sha256: null })],
    ['with a broken receipt', 'none'],
  ])('is unknown of a file %s', async (_, receipt) => {
    expect(await deliveredForm(exported('formless.csv', receipt))).toBeUndefined();
  });
});

describe('deliveredAs', () => {
  it('is the one of its name, or the only one', async () => {
    const files = ['a.csv', 'b.csv'].map((name) => ({ name, bytes: 1, sha256: hashOf(name) }));
    const two = await readReceipt(receiptFile('two', receiptOf(TEXT, { output: 'out', files })));
    expect(deliveredAs('elsewhere/b.csv', two)).toBe(two[1]);
    expect(deliveredAs('c.csv', two)).toBeUndefined();
    expect(deliveredAs('c.csv', two.slice(1))).toBe(two[1]);
    expect(deliveredAs('c.csv', [])).toBeUndefined();
  });
});

describe('surveyFile', () => {
  const survey = (name: string, text: string, format: string | undefined, header = true) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return surveyFile(path, { format, header });
  };

  it('knows the bytes of any file', async () => {
    const text = 'x'.repeat(1_500_000);
    expect(await survey('any', text, undefined)).toEqual({
      bytes: text.length,
      sha256: hashOf(text),
      records: undefined,
      damage: undefined,
    });
  });

  it.each([
    ['csv', 'a,b\n1,2\n"x\ny",3\n', true, 2],
    ['csv', 'a,b\n1,2\n', false, 2],
    ['csv', '', true, 0],
    ['jsonl', TEXT, true, 2],
    ['json', '[{"id":1},\n{"id":2},{"id":3}]\n', true, 3],
  ])('counts the records of %s: %j', async (format, text, header, records) => {
    expect(await survey(`counted.${format}`, text, format, header)).toMatchObject({
      records,
      damage: undefined,
    });
  });

  it.each([
    ['csv', 'a,b\n1,"2', 'it ends within a row'],
    ['jsonl', '{"id":1}\n{"id"', expect.any(String)],
    ['json', '[{"id":1}', expect.any(String)],
  ])('says what is not whole of %s: %j', async (format, text, damage) => {
    const found = await survey(`damaged.${format}`, text, format);
    expect(found).toMatchObject({ records: undefined, damage, bytes: text.length });
    expect(found.damage).not.toContain('is not a whole export');
  });

  it('says where there is no file, and where it cannot be read', async () => {
    const none = join(folder, 'no-such-file');
    const form = { format: 'csv', header: true };
    await expect(surveyFile(none, form)).rejects.toThrow(
      expect.objectContaining({
        name: 'UsageError',
        message: `there is no file ${none}`,
        hint: expect.stringContaining('Name a file that -o wrote'),
      }),
    );
    const directory = join(folder, 'a-folder');
    mkdirSync(directory, { recursive: true });
    await expect(surveyFile(directory, form)).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`cannot read ${directory}: `),
        hint: 'Name a file that you may read.',
      }),
    );
  });
});
