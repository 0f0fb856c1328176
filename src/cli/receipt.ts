import type { Context } from '../context.ts';
import type { Destination } from '../output/destination.ts';
import { openDestination } from '../output/open-destination.ts';
import type { WalkAccount } from '../paging/walk-account.ts';
import type { Resource } from '../resources/resource.ts';
import type { GlobalFlags } from './global-flags.ts';
import type { ListingFlags } from './listing-flags.ts';
import type { PartialResults } from './partial-results.ts';
import type { Session } from './session.ts';

export interface ReceiptSources {
  readonly flags: ListingFlags & GlobalFlags;
  readonly resource: Resource;
  readonly session: Session;
  readonly account: WalkAccount;
  readonly partial: PartialResults;
}

/** What a run did, for --report. Opened before the first request, so that a place that cannot be written is told first. */
export interface Receipt {
  delivered(destination: Destination): void;
  failed(error: unknown): void;
  write(): Promise<void>;
}

const NONE: Receipt = { delivered: () => {}, failed: () => {}, write: async () => {} };

export async function openReceipt(context: Context, sources: ReceiptSources): Promise<Receipt> {
  const { flags } = sources;
  if (flags.report === undefined) return NONE;
  const startedAt = context.clock.now();
  const file = await openDestination(flags.report, context);
  let output: Destination | undefined;
  let failure: string | undefined;
  return {
    delivered: (destination) => (output = destination),
    failed: (error) => (failure = error instanceof Error ? error.message : String(error)),
    write: async () => {
      const finishedAt = context.clock.now();
      const run = { startedAt, finishedAt, arguments: context.argv };
      await file.write(
        `${JSON.stringify(receiptOf({ ...sources, ...run, output, failure }), undefined, 2)}\n`,
      );
      await file.commit();
    },
  };
}

interface ReceiptFacts extends ReceiptSources {
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly arguments: readonly string[];
  readonly output: Destination | undefined;
  readonly failure: string | undefined;
}

function receiptOf(facts: ReceiptFacts): Record<string, unknown> {
  const { account, partial, session, resource, output, failure } = facts;
  const { requests, retries } = session.client.stats;
  const { records, pages, shrinks, totalAtStart, totalAtEnd, drift } = account;
  return {
    resource: resource.name,
    profile: session.profile ?? null,
    baseUrl: session.baseUrl.href,
    arguments: facts.arguments,
    startedAt: new Date(facts.startedAt).toISOString(),
    finishedAt: new Date(facts.finishedAt).toISOString(),
    seconds: (facts.finishedAt - facts.startedAt) / 1000,
    records,
    total: totalAtEnd ?? null,
    totalAtStart: totalAtStart ?? null,
    totalAtEnd: totalAtEnd ?? null,
    drift,
    pages,
    requests,
    retries,
    shrinks,
    bytes: output?.bytes ?? 0,
    sha256: output?.sha256() ?? null,
    missingFiscalIds: [...partial.missingFiscalIds],
    errors: [...partial.warnings, ...(failure === undefined ? [] : [failure])],
    complete: failure === undefined,
  };
}
