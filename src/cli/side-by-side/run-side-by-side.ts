import { createRetryQuota } from '../../api/retry-quota.ts';
import type { Context } from '../../context.ts';
import { WalkAccount } from '../../paging/walk-account.ts';
import { filterParameters } from '../../resources/listing-query.ts';
import { Notices } from '../notices.ts';
import { startOwnService } from '../own-service.ts';
import { Progress } from '../progress/progress.ts';
import { fiscalIdsOf, queryOf, type ListingRun } from '../read-query.ts';
import { Receipt } from '../receipt.ts';
import type { Group } from './ask-profiles.ts';
import { chooseProfiles } from './choose-profiles.ts';
import { exportApart } from './export-apart.ts';
import { exportJoined } from './export-joined.ts';
import { checkOutcomes } from './outcome.ts';

/**
 * Lists or exports a resource of several organizations: into one result, or with --output-dir into a file for each.
 * Those that can be had are delivered whole; the others are named in the IncompleteError at the end.
 */
export async function runSideBySide(context: Context, run: ListingRun): Promise<void> {
  const { flags, resource } = run;
  const profiles = await chooseProfiles(context, flags);
  const notices = new Notices(context, flags);
  const options = { flags, what: resource.records, names: profiles };
  await Progress.during(context, options, async (progress, site) => {
    const receipt = await Receipt.open(context, { flags, resource, account: new WalkAccount(), notices });
    const sections = new Map(profiles.map((profile) => [profile, receipt.section(profile)]));
    await receipt.during(async () => {
      const fiscalIds = await fiscalIdsOf(context, run);
      // What is wrong with the command line is told once, before anybody is asked.
      filterParameters(resource, queryOf(run, fiscalIds));
      await ask({ ...run, context: site, profiles, fiscalIds, notices, progress, sections }, receipt);
    });
  });
}

async function ask(group: Omit<Group, 'shared'>, receipt: Receipt): Promise<void> {
  const { context, flags } = group;
  const service = flags.sandbox ? await startOwnService(context, flags) : undefined;
  const whole: Group = { ...group, shared: { quota: createRetryQuota(), service } };
  try {
    const apart = flags.listColumns ? undefined : flags.outputDir;
    checkOutcomes(apart === undefined ? await exportJoined(whole, receipt) : await exportApart(whole, apart));
  } finally {
    await service?.close();
  }
}
