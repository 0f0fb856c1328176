import type { Context } from '../context.ts';
import { WalkAccount } from '../paging/walk-account.ts';
import { exportListing } from './export-listing.ts';
import { checkListing, listOrganization, recordsOf } from './list-organization.ts';
import { Notices } from './notices.ts';
import { Progress } from './progress/progress.ts';
import { checkQuestions } from './questions/check-questions.ts';
import { fiscalIdsOf, type ListingRun } from './read-query.ts';
import { Receipt } from './receipt.ts';

/**
 * Lists or exports a resource, of one organization or of several. What was asked for but is not there ends in
 * IncompleteError, after everything that could be had was delivered.
 */
export async function runListing(context: Context, run: ListingRun): Promise<void> {
  const { profile, allProfiles, outputDir } = run.flags;
  checkQuestions(run.flags);
  // What is made for the settings of one profile cannot be made of several: then the session refuses them.
  if (run.makeResult !== undefined) return runOne(context, run);
  if (allProfiles || outputDir !== undefined || profile?.includes(',') === true) {
    const { runSideBySide } = await import('./side-by-side/run-side-by-side.ts');
    return runSideBySide(context, run);
  }
  return runOne(context, run);
}

async function runOne(context: Context, run: ListingRun): Promise<void> {
  const { flags, resource } = run;
  const notices = new Notices(context, flags);
  await Progress.during(context, { flags, what: resource.records }, async (progress, site) => {
    const track = progress.track(notices);
    const account = new WalkAccount((event) => track.walked(event));
    const receipt = await Receipt.open(context, { flags, resource, account, notices });
    await receipt.during(async () => {
      const fiscalIds = await fiscalIdsOf(context, run);
      const asking = { ...run, context, fiscalIds, notices, track, receipt, account };
      await listOrganization(asking, async (listing) => {
        if (!flags.listColumns) return exportListing(listing, { flags, site });
        const { listColumns } = await import('./list-columns.ts');
        await listColumns(site, recordsOf(listing), flags.output);
        checkListing(listing);
      });
    });
  });
}
