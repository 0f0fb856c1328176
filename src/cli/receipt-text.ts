import type { Destination } from '../output/destination.ts';
import type { WalkAccount } from '../paging/walk-account.ts';
import { version } from '../version.ts';
import type { OutputPlan } from './output-plan.ts';
import type { PartialResults } from './partial-results.ts';
import type { Session } from './session.ts';

/** What a run's receipt is made of; a run that failed early knows less. */
export interface ReceiptFacts {
  readonly resource: string;
  readonly arguments: readonly string[];
  /** As given to -o. */
  readonly output: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly account: WalkAccount;
  /** Records handed to the writer. */
  readonly records: number;
  /** What ended the run, when it failed. */
  readonly failure: unknown;
  readonly redact: (text: string) => string;
  readonly session?: Pick<Session, 'profile' | 'baseUrl' | 'client'> | undefined;
  readonly partial?: PartialResults | undefined;
  readonly plan?: OutputPlan | undefined;
  /** Where the records went, once all of them had. */
  readonly delivered?: Destination | undefined;
  /** Records taken over from a run that was stopped. */
  readonly takenOver?: number | undefined;
}

/** The receipt as JSON. Never holds a token, nor the signature of a link; nothing of the environment is in it. */
export function receiptText(facts: ReceiptFacts): string {
  const { failure, partial, session } = facts;
  const errors = [...(partial?.warnings ?? []), ...(failure === undefined ? [] : [messageOf(failure)])];
  const receipt = {
    folio: version,
    resource: facts.resource,
    profile: session?.profile ?? null,
    baseUrl: session?.baseUrl.href ?? null,
    arguments: facts.arguments,
    startedAt: new Date(facts.startedAt).toISOString(),
    finishedAt: new Date(facts.finishedAt).toISOString(),
    seconds: (facts.finishedAt - facts.startedAt) / 1000,
    ...outputOf(facts),
    ...walkOf(facts),
    missingFiscalIds: [...(partial?.missingFiscalIds ?? [])],
    errors,
    complete: failure === undefined,
  };
  const clean = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? facts.redact(value) : value;
  return `${JSON.stringify(receipt, clean, 2)}\n`;
}

/** What was written; nothing where a file was not put in place. */
function outputOf({ output, plan, delivered, records }: ReceiptFacts): Record<string, unknown> {
  const isStraight = plan !== undefined && plan.target === undefined;
  return {
    output: output ?? null,
    format: plan?.format ?? null,
    header: plan?.layout.header ?? null,
    delimiter: plan?.layout.delimiter ?? null,
    records: delivered !== undefined || isStraight ? records : 0,
    bytes: delivered?.bytes ?? 0,
    sha256: delivered?.sha256() ?? null,
  };
}

/** What it took to get there. Pages, requests and bytes on the wire are those of this run alone. */
function walkOf({ account, session, takenOver = 0 }: ReceiptFacts): Record<string, unknown> {
  const { requests = 0, retries = 0, bytes = 0 } = session?.client.stats ?? {};
  return {
    recordsRead: account.records,
    recordsTakenOver: takenOver,
    total: account.totalAtEnd ?? null,
    totalAtStart: account.totalAtStart ?? null,
    totalAtEnd: account.totalAtEnd ?? null,
    drift: account.drift,
    pages: account.pages,
    requests,
    retries,
    shrinks: account.shrinks,
    wireBytes: bytes,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
