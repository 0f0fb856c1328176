import { describe, expect, it } from 'vitest';
import { runOrganizations } from '../../support/run-model.ts';
import { expectRefused } from '../../support/expect-exit.ts';

const organizations = { north: { records: {} }, south: { records: {} } };

const REFUSED: readonly (readonly [line: string, says: RegExp])[] = [
  ['issued --all-profiles --profile north', /--all-profiles and --profile/],
  ['issued --profile north,nowhere', /there is no profile "nowhere"/],
  ['issued --profile north,', /--profile "north,"/],
  ['issued --profile north,north', /expected names with commas between them, none twice/],
  ['customers --all-profiles --next-token c1', /--next-token and several profiles do not go/],
  ['customers --profile north --output-dir FOLDER --next-token c1', /--next-token and --output-dir do not/],
  ['issued --all-profiles --token-file FOLDER/token', /--token-file gives one token/],
  ['issued --output-dir FOLDER', /--output-dir needs several profiles/],
  ['issued --all-profiles --output-dir FOLDER -o FOLDER/out.csv', /--output-dir and --output/],
  ['issued --all-profiles --output-dir FOLDER --changes-since FOLDER/a.jsonl', /--changes-since/],
  ['issued --all-profiles --limit 1 --all', /^folio: --all and --limit do not go together\n/],
  ['received --all-profiles --param totalAmount=1', /^folio: --param totalAmount: the service/],
  ['customers get 1 --profile north,south', /this command asks one organization/],
  ['get /customers --profile north,south', /this command asks one organization/],
  ['--sandbox issued --profile one,three', /--sandbox has no profile "three"/],
];

describe('several profiles are refused, before anything is asked', () => {
  it.each(REFUSED)('%s', async (line, says) => {
    const { code, stderr, asked } = await runOrganizations(line, { organizations });
    expect(stderr).toMatch(says);
    expect([code, asked]).toEqual([2, []]);
  });

  it('with FOLIO_TOKEN in the environment', async () => {
    const env = { FOLIO_TOKEN: 'a-token-of-somebody' };
    await expectRefused(
      runOrganizations('issued --all-profiles', { organizations, env }),
      'FOLIO_TOKEN gives one token, and several profiles have each their own',
    );
  });

  it('where there are none', async () => {
    const { code, stderr } = await runOrganizations('issued --all-profiles', { organizations: {} });
    expect([code, stderr.split('\n')[0]]).toEqual([3, 'folio: there are no profiles']);
  });
});
