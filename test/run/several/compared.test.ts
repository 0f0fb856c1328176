import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelRecords } from '../../support/model-service.ts';
import { runOrganizations, type Organization } from '../../support/run-model.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const organizations: Record<string, Organization> = {
  north: { records: { issued: modelRecords(3) } },
  south: { records: { issued: modelRecords(2) } },
};

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
