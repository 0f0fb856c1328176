import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deliveredForm, readReceipt } from '../../../src/query/exports/read-receipt.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

/** A receipt as a run writes it. */
const WRITTEN = {
  ...{ output: 'x.jsonl', records: 2, bytes: 18, sha256: 'f'.repeat(64) },
  ...{ finishedAt: '2026-11-21T10:00:00Z', complete: true, errors: [] },
};

/** The path of a receipt with other members. */
function receipt(members: object): string {
  const path = join(folder, 'one.receipt.json');
  writeFileSync(path, JSON.stringify({ ...WRITTEN, ...members }));
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
    [
      { profile: null, profiles: [{ profile: 'a' }, { profile: 'b' }, null] },
      { profiles: ['a', 'b'], isOfSeveral: true },
    ],
    [{ resource: 'report', profiles: [{ profile: 'a' }] }, { profiles: [] }],
  ])('of %j is read', async (members, read) => {
    expect(await readReceipt(receipt(members))).toMatchObject([read]);
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
