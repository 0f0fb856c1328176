import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  deliveredAs,
  deliveredForm,
  readReceipt,
  surveyFile,
} from '../../../src/query/exports/read-receipt.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

/** A receipt as a run writes it. */
const WRITTEN = {
  ...{ output: 'x.jsonl', records: 2, bytes: 18, sha256: 'f'.repeat(64) },
  ...{ finishedAt: '2026-11-21T10:00:00Z', complete: true, errors: [] },
};

const NONE = join(folder, 'none');
const survey = (path: string) => surveyFile(path, { format: 'csv', header: true });

/** The path of a receipt of this text, or of one with other members. */
function receipt(content: string | object): string {
  const path = join(folder, 'one.receipt.json');
  const text = typeof content === 'string' ? content : JSON.stringify({ ...WRITTEN, ...content });
  writeFileSync(path, text);
  return path;
}

describe('a receipt', () => {
  it.each<readonly [members: object, read: object]>([
    [
      { format: 'csv', header: false, headings: [{ heading: 'Folio', column: 'a' }, { heading: 'odd' }] },
      { ...WRITTEN, format: 'csv', header: false, headings: new Map([['Folio', 'a']]), isOfSeveral: false },
    ],
    // What an older one does not say is the usual.
    [
      { output: 7, file: 7, errors: [1, 'x'] },
      { output: null, errors: ['1', 'x'], format: null, header: true, headings: new Map() },
    ],
    [{ profile: 'a' }, { profiles: ['a'], isOfSeveral: false }],
    [
      { profile: null, profiles: [{ profile: 'a' }, { profile: 'b' }, null] },
      { profiles: ['a', 'b'], isOfSeveral: true },
    ],
    [{ resource: 'report', profiles: [{ profile: 'a' }] }, { profiles: [] }],
  ])('of %j is read', async (members, read) => {
    expect(await readReceipt(receipt(members))).toMatchObject([read]);
  });

  it.each([
    ['records', [-1, 1.5, '2', null]],
    ['bytes', [-1, 1.5, '2', 2 ** 53]],
    ['sha256', ['x', 7, 'a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64)]],
    ['finishedAt', [7, null]],
    ['complete', ['yes', 1]],
    ['errors', ['none', { length: 0 }]],
    ['format', [7, {}]],
  ])('is refused whose "%s" is none', async (member, values) => {
    for (const value of values) {
      const path = receipt({ [member]: value });
      const message = `${path} is no receipt, or a broken one: its "${member}" is not what a receipt has there`;
      const hint = 'Name the file that --receipt wrote.';
      await expect(readReceipt(path)).rejects.toThrow(expect.objectContaining({ message, hint }));
    }
  });

  it.each(['', '{"a":', '7', 'null', '"x"'])('is no receipt where it is %j', async (text) => {
    await expect(readReceipt(receipt(text))).rejects.toThrow('or a broken one: it is not a JSON object');
  });

  it.each([
    ['there is no receipt ', NONE, 'The next run writes one with --receipt.', readReceipt],
    ['cannot read the receipt ', folder, 'Name a receipt that you may read.', readReceipt],
    ['there is no file ', NONE, expect.stringContaining('Name a file that -o wrote'), survey],
    ['cannot read ', folder, 'Name a file that you may read.', survey],
  ])('and its file are named where they cannot be read: %s%s', async (message, path, hint, read) => {
    await expect(read(path)).rejects.toThrow(
      expect.objectContaining({ message: expect.stringContaining(`${message}${path}`), hint }),
    );
  });

  it('of several files tells them by their names, which are no matter where there is one', async () => {
    const files = ['a.csv', 'b.csv'].map((name) => ({ name, bytes: 1, sha256: WRITTEN.sha256 }));
    const two = await readReceipt(receipt({ output: 'out', files }));
    expect(deliveredAs('elsewhere/b.csv', two)).toBe(two[1]);
    expect(deliveredAs('c.csv', two)).toBeUndefined();
    expect(deliveredAs('c.csv', two.slice(1))).toBe(two[1]);
    expect(deliveredAs('c.csv', [])).toBeUndefined();
  });

  it('says how its file was written, unless that has another size', async () => {
    const file = join(folder, 'out.csv');
    writeFileSync(file, 'a,b\n');
    for (const bytes of [4, 5]) {
      writeFileSync(`${file}.receipt.json`, JSON.stringify({ ...WRITTEN, bytes, format: 'csv' }));
      expect((await deliveredForm(file))?.format).toBe(bytes === 4 ? 'csv' : undefined);
    }
  });
});
