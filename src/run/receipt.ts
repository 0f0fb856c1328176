import { dirname, relative, resolve, sep } from 'node:path';
import type { Context } from '../context.ts';
import { FolioError, UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { openDestination, writeAndCommit } from '../output/files/destination.ts';
import { findStream } from '../output/files/target.ts';
import { RECEIPT_ENDING } from '../query/exports/read-receipt.ts';
import { resources } from '../resources/listings.ts';
import { version } from '../version.ts';
import { nearEnd } from '../profiles/token.ts';
import type { Notices } from './notices.ts';
import { statesOf, type PartState } from './run-state.ts';

/** Where the records of a run go, as typed behind -o and --output-dir, and what else it writes. */
interface Targets {
  readonly output?: string | undefined;
  readonly folder?: string | undefined;
  readonly files?: readonly unknown[] | undefined;
}

/**
 * The path of --receipt, or with `beside` that beside the file or folder; undefined where each of several files has its own.
 * Throws UsageError where there is no file to be beside, or for one receipt of several files.
 */
export function receiptOf(receipt: string, { output, folder, files }: Targets): string | undefined {
  if (receipt === 'beside') {
    if (folder !== undefined && files !== undefined) return undefined;
    const target = output ?? folder;
    if (target !== undefined && findStream(target) === undefined) return receiptPathOf(target);
    const ofDatabase = files !== undefined && folder === undefined;
    throw new UsageError(
      `--receipt beside is a file beside that of -o, and ${ofDatabase ? 'a database' : 'none'} is written`,
      {
        hint: ofDatabase
          ? 'Name a file for the receipt, as in --receipt sync.json.'
          : 'Write the records into a file with -o, or name a file for the receipt.',
      },
    );
  }
  if (folder === undefined) return receipt;
  throw new UsageError(`--receipt ${receipt} is one file, and --output-dir writes several`, {
    hint: 'A receipt belongs to one file. Say --receipt beside: each has its own, <file>.receipt.json.',
  });
}

/** The receipt beside a file or a folder. */
export function receiptPathOf(path: string): string {
  return `${path.replace(/(?<=[^/\\])[/\\]+$/, '')}${RECEIPT_ENDING}`;
}

/** What a receipt is about: a run, or one of its parts as if it were a run. */
interface ReceiptRun extends Pick<Targets, 'output' | 'folder'> {
  readonly context: Context;
  readonly name: string;
  readonly whole: PartState;
  readonly parts: readonly PartState[];
  readonly notices: Notices;
  readonly day: { facts(profile: string | undefined): { readonly only?: readonly string[] | undefined } };
  readonly startedAt: number;
}

/** Does the work of a run, then writes its receipt, also after a failure. Throws OutputError before the work if it cannot. */
export async function withReceipt(run: ReceiptRun, path: string, work: () => Promise<void>): Promise<void> {
  const opened = await openDestination(path, run.context, { hasReceipt: true });
  const write = (failure: unknown): Promise<unknown> =>
    writeAndCommit(opened, (file) => file.write(receiptText(run, path, failure)));
  try {
    await work();
  } catch (error) {
    await write(error).catch((fault: unknown) => run.notices.warn(`no receipt: ${messageOf(fault)}`));
    throw error;
  }
  await write(undefined);
}

/** The receipt as JSON. Never has a token, nor the signature of a link; nothing of the environment is in it. */
function receiptText(run: ReceiptRun, path: string, failure: unknown): string {
  const { context, whole, parts, startedAt, output, folder, notices } = run;
  const finishedAt = context.clock.now();
  const read = statesOf(run);
  const only = [...narrowingIn(run, read), ...(run.day.facts(whole.name).only ?? [])];
  // An export of one profile with a profile column is read like an export of several.
  const sections = parts.length > 0 || whole.source.hasProfileColumn ? read : [];
  const receipt = {
    folio: version,
    resource: run.name,
    ...addressOf(whole),
    arguments: context.argv,
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(finishedAt).toISOString(),
    seconds: (finishedAt - startedAt) / 1000,
    output: output ?? folder ?? null,
    ...placeOf(whole, run, path),
    ...writtenOf(whole),
    ...walkOf(read),
    ...endOf(notices.findings(), failure),
    ...run.day.facts(whole.name),
    ...(only.length > 0 && { only }),
    ...(sections.length > 0 && { profiles: sections.map((part) => sectionOf(part, run, failure)) }),
    ...factsOf(notices.findings().filter(({ part }) => part === whole.name)),
  };
  const clean = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? context.secrets.redact(value) : value;
  return `${JSON.stringify(receipt, clean, 2)}\n`;
}

function addressOf({ session, name, owner = name, startedAt }: PartState): Record<string, unknown> {
  const { profile = owner ?? null, baseUrl, token } = session ?? {};
  const end = nearEnd(token, startedAt);
  return {
    profile,
    baseUrl: baseUrl?.href ?? null,
    // Within 14 days.
    tokenEndsSoon: end === undefined ? null : new Date(end).toISOString(),
  };
}

function sectionOf(part: PartState, run: ReceiptRun, failure: unknown): Record<string, unknown> {
  const { records, name = part.owner } = part;
  // If the run failed, a part that was read whole was not delivered either.
  // What makes the joined answer incomplete may be about any part.
  const ofWhole = run.notices.findings().some((one) => one.level === 'failure' && one.part === undefined);
  const fatal = isDelivery(failure) && !ofWhole ? undefined : failure;
  return {
    ...addressOf(part),
    profile: name,
    records: isInPlace(run.whole) ? records : 0,
    ...walkOf([part]),
    ...endOf(part.notices.findings(), part.failure ?? fatal),
  };
}

/**
 * The flags that make the records a part of the listing, as typed, but with all fiscal IDs, which may come from a file. A limit
 * that was not reached leaves no record out.
 */
function narrowingIn({ context, whole }: ReceiptRun, read: readonly PartState[]): readonly string[] {
  const { narrowedBy = [] } = context;
  const fiscalIds = [...new Set(read.flatMap(({ source }) => source.fiscalIds ?? []))];
  const all = narrowedBy.flatMap(([flag, text]) => {
    if (flag === '--limit' && Number(text) > whole.records) return [];
    const isOfIds = fiscalIds.length > 0 && resources.some((one) => `--${one.fiscalIds?.flag}` === flag);
    return text === undefined ? flag : `${flag} ${isOfIds ? fiscalIds.join(',') : text}`;
  });
  // Fiscal IDs may have been typed behind several flags.
  return [...new Set(all)];
}

/** Whether an answer was delivered in spite of the failure: an incomplete one, or one with differences. */
function isDelivery(failure: unknown): boolean {
  return failure instanceof FolioError && ['incomplete', 'differs'].includes(failure.kind);
}

/** The path of the file or folder from the receipt: `folio verify` may run in another folder. */
function placeOf(
  { plan }: PartState,
  { output, folder }: ReceiptRun,
  receipt: string,
): { readonly file?: string } {
  const target = plan?.target ?? output ?? folder;
  if (findStream(target) !== undefined || findStream(receipt) !== undefined) return {};
  return { file: relative(dirname(resolve(receipt)), resolve(target!)).replaceAll(sep, '/') };
}

/** Records and bytes are 0 where a file was not put in place. */
function writtenOf(part: PartState): Record<string, unknown> {
  const { plan, delivered, records } = part;
  return {
    format: plan?.format ?? null,
    header: plan?.layout.header ?? null,
    ...(plan !== undefined && plan.headings.length > 0 && { headings: plan.headings }),
    ...(plan?.chosen !== undefined && { chosen: plan.chosen }),
    ...(plan?.expanded !== undefined && { expanded: plan.expanded }),
    ...(plan?.isResult && { isResult: true }),
    records: isInPlace(part) ? records : 0,
    bytes: delivered?.bytes ?? 0,
    sha256: delivered?.sha256() ?? null,
  };
}

/** Whether the user has the records: a stream has them at once, a file when it is put in place. */
function isInPlace({ plan, delivered }: PartState): boolean {
  return delivered !== undefined || (plan !== undefined && plan.target === undefined);
}

function walkOf(parts: readonly PartState[]): Record<string, unknown> {
  const stats = parts.flatMap(({ session }) => (session === undefined ? [] : [session.client.stats]));
  return {
    recordsRead: sum(parts, ({ status }) => status.records),
    total: total(parts, ({ status }) => status.totalAtEnd),
    totalAtStart: total(parts, ({ status }) => status.totalAtStart),
    totalAtEnd: total(parts, ({ status }) => status.totalAtEnd),
    drift: parts.some(({ status }) => status.drift),
    orderMayMove: parts.some(({ status }) => status.orderMayMove),
    pages: sum(parts, ({ status }) => status.pages),
    requests: sum(stats, ({ requests }) => requests),
    retries: sum(stats, ({ retries }) => retries),
    // As the lines of --debug count them (`WalkEvent`).
    shrinks: sum(parts, ({ status }) => status.shrinks),
    slowPages: sum(parts, ({ status }) => status.slowPages),
    rereads: sum(parts, ({ status }) => status.rereads),
    repeats: sum(parts, ({ status }) => status.repeats),
    givenUp: sum(parts, ({ status }) => status.givenUp.size),
    wireBytes: sum(stats, ({ bytes }) => bytes),
  };
}

function endOf(found: readonly Finding[], failure: unknown): Record<string, unknown> {
  const details = found.flatMap((one) => one.details ?? []);
  const missing = details.flatMap((one) => (one.code === 'unknown ids' ? one.ids : []));
  const words = details.flatMap((one) => (one.code === 'service says' ? [one.words] : []));
  return {
    missingFiscalIds: [...new Set(missing)],
    errors: failure === undefined ? words : [...words, messageOf(failure)],
    // What to do about it.
    ...(failure instanceof FolioError && failure.hint !== undefined && { hint: failure.hint }),
    // An answer with differences is whole.
    complete: failure === undefined || (failure instanceof FolioError && failure.kind === 'differs'),
  };
}

/** The facts of the answer, and how many records could not be judged for lack of a value. */
function factsOf(found: readonly Finding[]): Record<string, unknown> {
  const missing: Record<string, number> = {};
  for (const [what, count] of found.flatMap((one) => Object.entries(one.missing ?? {})))
    missing[what] = (missing[what] ?? 0) + count;
  const facts = Object.assign({}, ...found.map((one) => one.facts)) as Record<string, unknown>;
  return { ...facts, ...(Object.keys(missing).length > 0 && { missing }) };
}

function sum<One>(all: readonly One[], of: (one: One) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0);
}

/** The sum; null where one of the numbers is not known. */
function total<One>(all: readonly One[], of: (one: One) => number | undefined): number | null {
  const counts = all.map(of);
  return counts.includes(undefined) ? null : sum(counts, (count) => count!);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
