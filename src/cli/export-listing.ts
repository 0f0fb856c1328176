import type { Context } from '../context.ts';
import { tableFooter } from '../output/table/table-notes.ts';
import { deliver } from './deliver.ts';
import { discardNotice } from './discard-notice.ts';
import type { GlobalFlags } from './global-flags.ts';
import { checkListing, openWalk, recordsOf, type OrganizationListing } from './list-organization.ts';
import type { ListingFlags } from './listing-flags.ts';
import { planOutput, type OutputPlan } from './output-plan.ts';
import { openQuestions, tableLimit } from './questions/open-questions.ts';
import type { Questions } from './questions/questions.ts';
import type { ResumableWalk } from './resumable-walk.ts';

/** Where the records of one organization go by themselves. */
export interface ExportOptions {
  /** As the listing's, but for what --output-dir makes of them. */
  readonly flags: ListingFlags & GlobalFlags;
  /** Where it is written: streams that know of the progress beside them. */
  readonly site: Context;
}

/** Writes the listing of one organization to where the flags say. Throws IncompleteError after what there was is out. */
export async function exportListing(listing: OrganizationListing, options: ExportOptions): Promise<void> {
  const { receipt, notices, session, resource } = listing;
  const { flags, site } = options;
  const output = await planOutput(site, { flags, defaults: session.defaults, sheet: resource.records });
  const makeResult = await listing.makeResult?.(session);
  const questions = await openQuestions(site, { flags, resource, plan: output, notices, makeResult });
  const plan = { ...output, openWriter: questions.writer(output.openWriter) };
  receipt.note({ plan });
  const asked = withLimit(listing, questions.limitOfListing);
  const walk = flags.resume ? await resumable(asked, plan) : undefined;
  const records = questions.answer(walk?.read() ?? recordsOf(asked));
  const delivered = await deliver(site, plan, receipt.counted(records), {
    digest: receipt.isWanted,
    journalled: flags.resume === true,
    ...discardNotice(notices, plan.target),
  }).catch((error: unknown) => {
    receipt.note({ takenOver: walk?.takenOver });
    walk?.sayHowToGoOn();
    throw error;
  });
  receipt.note({ delivered, takenOver: walk?.takenOver });
  sayHowMany(listing, questions, plan);
  checkListing(listing);
}

async function resumable(listing: OrganizationListing, { format }: OutputPlan): Promise<ResumableWalk> {
  const { openResumable } = await import('./resume.ts');
  const { resource, id, query, context, session, flags } = listing;
  const { baseUrl, profile, organization, defaults } = session;
  return openResumable({
    ...listing,
    flags: { ...defaults, ...flags },
    clock: context.clock,
    open: (resume) => openWalk(listing, resume),
    asked: {
      ...{ baseUrl, profile, organization, format },
      listing: id === undefined ? resource.name : `${resource.name} ${id}`,
      fiscalIds: query.fiscalIds,
    },
  });
}

/** The same listing, of no more records than this; undefined for all. */
export function withLimit(listing: OrganizationListing, limit: number | undefined): OrganizationListing {
  return { ...listing, query: { ...listing.query, limit } };
}

/** Says how many records there are beside those that a table's own limit let through, and what the questions found. */
export function sayHowMany(listing: OrganizationListing, questions: Questions, plan: OutputPlan): void {
  const { notices, account, flags } = listing;
  const { records, totalAtEnd } = account;
  const limit = tableLimit(flags, plan);
  if (limit === undefined || questions.limitOfListing === undefined) {
    questions.announce(records, limit !== undefined);
  } else if (totalAtEnd !== undefined && totalAtEnd > records) {
    notices.remark(tableFooter({ shown: records, total: totalAtEnd, locale: plan.layout.locale }));
  } else if (totalAtEnd === undefined && records >= limit) {
    notices.remark(`the first ${records} · --all for the rest`);
  }
}
