import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorkbook } from '../../output/xlsx/read-workbook.ts';
import { always } from '../../support/fault-script.ts';
import { status } from '../../support/faults.ts';
import { modelRecords } from '../../support/model-service.ts';
import { runOrganizations, type Organization } from '../../support/run-organizations.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const organizations: Record<string, Organization> = {
  north: { records: { issued: modelRecords(3) } },
  empty: { records: { issued: [] } },
  south: { records: { issued: modelRecords(2) } },
  broken: { records: { issued: modelRecords(2) }, script: always(status(500)) },
};

describe('several profiles in a workbook', () => {
  it('have a sheet each, also without records, but not where nothing was had', async () => {
    const folder = temporaryFolder();
    const line = 'issued --all-profiles --sheet-per-profile --retries 0 -o FOLDER/book.xlsx';
    const { code, stderr } = await runOrganizations(line, { organizations, folder });
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('broken') });
    const sheets = readWorkbook(readFileSync(join(folder, 'book.xlsx')));
    expect(sheets.map(({ name, rows }) => [name, rows.length])).toEqual([
      ['north', 4],
      ['south', 3],
      ['empty', 1],
    ]);
  });

  it('need a workbook for it', async () => {
    const line = 'issued --profile north,south --sheet-per-profile --format csv';
    const { code, stderr, asked } = await runOrganizations(line, { organizations });
    expect({ code, asked }).toEqual({ code: 2, asked: [] });
    expect(stderr).toContain('--sheet-per-profile goes with xlsx, not with csv');
  });
});

describe('several profiles compared with an export', () => {
  it('have their records told apart, though they have the same ids', async () => {
    const folder = temporaryFolder();
    const profiles = '--profile north,south';
    const before = await runOrganizations(`issued ${profiles} --format jsonl`, { organizations });
    const [first, ...rest] = before.stdout.trimEnd().split('\n');
    writeFileSync(join(folder, 'old.jsonl'), `${rest.join('\n')}\n`);
    const line = `issued ${profiles} --changes-since FOLDER/old.jsonl --format jsonl`;
    const { stdout, stderr } = await runOrganizations(line, { organizations, folder });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stdout).toContain(`"_change":"added","_profile":"north"`);
    expect(stdout).toContain(`"record":${first}`);
    expect(stderr).toBe('');
    writeFileSync(join(folder, 'new.jsonl'), before.stdout);
    const offline = `issued --from FOLDER/new.jsonl --changes-since FOLDER/old.jsonl --format jsonl`;
    expect(await runOrganizations(offline, { organizations, folder })).toMatchObject({ stdout, stderr: '' });
  });
});
