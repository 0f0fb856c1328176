import type { Context } from '../context.ts';
import { DownloadFolder } from '../downloads/download-folder.ts';
import { downloadFile, type DownloadResult } from '../downloads/download-files.ts';
import { LinkRenewal } from '../downloads/link-renewal.ts';
import { mapInOrder } from '../downloads/map-in-order.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import { WalkAccount } from '../paging/walk-account.ts';
import { issued } from '../resources/issued.ts';
import { filterParameters, type ListingQuery } from '../resources/listing-query.ts';
import { numberedPages } from '../resources/numbered-pages.ts';
import type { NumberedPaging } from '../resources/resource.ts';
import { checkComplete } from './completeness.ts';
import { deliver } from './deliver.ts';
import { downloadJobs } from './download-jobs.ts';
import { downloadColumns, DownloadRecords } from './download-records.ts';
import type { GlobalFlags } from './global-flags.ts';
import type { ListingFlags } from './listing-flags.ts';
import { FILES_AT_ONCE, makeFileClient } from './make-file-client.ts';
import { Notices } from './notices.ts';
import { planOutput } from './output-plan.ts';
import { PartialResults } from './partial-results.ts';
import { Progress } from './progress/progress.ts';
import { readQuery } from './read-query.ts';
import type { QuestionFlags } from './questions/question-flags.ts';
import { Receipt } from './receipt.ts';
import { openSession, type Session } from './session.ts';
import { inUsersWords } from './unknown-ids.ts';

export interface DownloadFlags extends ListingFlags, GlobalFlags, Pick<QuestionFlags, 'where'> {
  readonly only?: ReadonlySet<string>;
}

/** Files done and not yet told, since one before them is slow. */
const AHEAD = 256;

interface Run {
  readonly context: Context;
  readonly flags: DownloadFlags;
  readonly notices: Notices;
  readonly session: Session;
  readonly folder: DownloadFolder;
  readonly query: ListingQuery;
  readonly account: WalkAccount;
  readonly partial: PartialResults;
  readonly receipt: Receipt;
}

/** Fetches the files of the invoices that a listing gives, while it is walked. */
export async function runIssuedDownload(context: Context, path: string, flags: DownloadFlags): Promise<void> {
  if (flags.listColumns) return context.stdout.write(`${downloadColumns.join('\n')}\n`);
  const notices = new Notices(context, flags);
  await Progress.during(context, { flags, what: issued.records }, async (progress, site) => {
    const track = progress.track(notices);
    const account = new WalkAccount((event) => track.walked(event));
    const receipt = await Receipt.open(context, { flags, resource: issued, account, notices });
    await receipt.during(async () => {
      const session = await openSession(context, { flags, resource: issued, notices, observe: track.asked });
      receipt.note({ session });
      try {
        const merged = { ...session.defaults, ...flags };
        const query = await readQuery(context, { resource: issued, id: undefined, flags: merged });
        await inFolder(path, { context: site, flags, notices, session, query, account, receipt });
      } finally {
        await session.close();
      }
    });
  });
}

async function inFolder(path: string, run: Omit<Run, 'folder' | 'partial'>): Promise<void> {
  const partial = new PartialResults(run.query.fiscalIds, run.context.secrets.redact);
  run.receipt.note({ partial });
  const folder = await DownloadFolder.open(path, run.context);
  try {
    await downloadAll({ ...run, folder, partial });
  } catch (error) {
    throw await inUsersWords(error, { ...run, partial, resource: issued });
  } finally {
    await folder.close();
    partial.announce(run.notices, issued.fiscalIds);
  }
}

async function downloadAll(run: Run): Promise<void> {
  const { context, flags, session, account, partial, receipt } = run;
  const wish = { flags: { ...flags, columns: flags.columns ?? downloadColumns }, defaults: session.defaults };
  const plan = await planOutput(context, wish);
  receipt.note({ plan });
  const records = new DownloadRecords();
  const batches = receipt.counted(recordsOf(results(run), records));
  receipt.note({ delivered: await deliver(context, plan, batches, { digest: receipt.isWanted }) });
  records.checkAll();
  checkComplete(account, flags.strict ? [...partial.missingFiscalIds] : []);
}

async function* recordsOf(
  files: AsyncIterable<DownloadResult>,
  records: DownloadRecords,
): AsyncGenerator<RecordBatch> {
  for await (const result of files) {
    const record = records.recordOf(result);
    if (record !== undefined) yield record;
  }
}

async function* results(run: Run): AsyncGenerator<DownloadResult> {
  const { context, flags, session, folder, query } = run;
  const client = await makeFileClient(context, session.baseUrl, { ...session.defaults, ...flags });
  const request = { path: issued.path, filters: filterParameters(issued, query), client: session.client };
  const pages = numberedPages({ ...request, onErrors: () => {} }, issued.paging as NumberedPaging);
  const renewal = new LinkRenewal(pages, context.signal);
  const downloads = { folder, client, renewal, only: flags.only };
  const limits = { concurrency: FILES_AT_ONCE, ahead: AHEAD, signal: context.signal };
  try {
    yield* mapInOrder(
      (signal) => downloadJobs(run, signal),
      (job, signal) => downloadFile(job, downloads, signal),
      limits,
    );
  } finally {
    await client.close();
  }
}
