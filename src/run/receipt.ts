import { dirname, relative, resolve, sep } from 'node:path';
import type { Context } from '../context.ts';
import { FolioError } from '../errors.ts';
import type { RecordBatch } from '../json/records.ts';
import type { Destination } from '../output/files/destination.ts';
import { openDestination } from '../output/files/open-destination.ts';
import { findStream } from '../output/files/target.ts';
import { WalkStatus } from '../paging/walk-status.ts';
import { version } from '../version.ts';
import type { PartialResults } from './completeness.ts';
import type { Notices } from './notices.ts';
import type { OutputPlan } from './output-plan.ts';
import type { Session } from './session.ts';

/** What a receipt says of one part of a run, collected while the part is read. */
export class ReceiptPart {
  /** Whether a receipt is written, so that the hash of the output is needed. */
  readonly isWanted: boolean;
  #facts: PartFacts;
  #records = 0;

  constructor(isWanted: boolean) {
    this.isWanted = isWanted;
    this.#facts = { status: new WalkStatus() };
  }

  /** What is known so far. */
  get facts(): PartFacts & { readonly records: number } {
    return { ...this.#facts, records: this.#records };
  }

  /** Notes what has become known. */
  note(facts: Partial<PartFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  count(records: number): void {
    this.#records += records;
  }

  /** Counts the records that pass. */
  async *counted(batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    for await (const batch of batches) {
      this.count(batch.count);
      yield batch;
    }
  }
}

/** The facts of a receipt, for a run or for one of its parts. A part that failed early has fewer of them. */
interface PartFacts {
  readonly status: WalkStatus;
  /** The error that ended it, where it failed. */
  readonly failure?: unknown;
  readonly session?: Pick<Session, 'profile' | 'baseUrl' | 'client' | 'tokenEndsSoon'> | undefined;
  readonly partial?: PartialResults | undefined;
  readonly plan?: OutputPlan | undefined;
  /** Where the records were written, once all of them were. */
  readonly delivered?: Destination | undefined;
  /** Further members of the receipt, by name. */
  readonly results?: Readonly<Record<string, unknown>> | undefined;
}

interface CountedFacts extends PartFacts {
  /** Records handed to the writer. */
  readonly records: number;
}

interface ReceiptFacts extends CountedFacts {
  readonly resource: string;
  readonly arguments: readonly string[];
  /** As given to -o. */
  readonly output: string | undefined;
  /** As given to --output-dir. */
  readonly folder: string | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly redact: (text: string) => string;
  /** The file's path as seen from the folder of the receipt; undefined where the receipt has no folder. */
  readonly fromReceipt: (file: string) => string | undefined;
  /** Where the run has several parts: the facts of each. */
  readonly sections?: readonly (CountedFacts & { readonly profile: string })[];
}

/** The receipt as JSON. Never holds a token, nor the signature of a link; nothing of the environment is in it. */
function receiptText(facts: ReceiptFacts): string {
  const { sections, session } = facts;
  const parts = sections ?? [facts];
  const receipt = {
    folio: version,
    resource: facts.resource,
    profile: session?.profile ?? null,
    baseUrl: session?.baseUrl.href ?? null,
    tokenEndsSoon: endOfToken(session),
    arguments: facts.arguments,
    startedAt: new Date(facts.startedAt).toISOString(),
    finishedAt: new Date(facts.finishedAt).toISOString(),
    seconds: (facts.finishedAt - facts.startedAt) / 1000,
    output: facts.output ?? facts.folder ?? null,
    ...placeOf(facts, facts),
    ...(sections === undefined || isOneFile(facts) ? writtenOf(facts) : writtenOfAll(sections)),
    ...walkOf(parts),
    ...endOf(parts, facts.failure),
    ...(sections && { profiles: sections.map((section) => sectionOf(section, facts)) }),
    ...facts.results,
  };
  const clean = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? facts.redact(value) : value;
  return `${JSON.stringify(receipt, clean, 2)}\n`;
}

/** When the token expires, where that is within 14 days. */
function endOfToken(session: PartFacts['session']): string | null {
  const end = session?.tokenEndsSoon;
  return end === undefined ? null : new Date(end).toISOString();
}

function sectionOf(
  section: CountedFacts & { readonly profile: string },
  run: ReceiptFacts,
): Record<string, unknown> {
  const { profile, session, plan } = section;
  return {
    profile,
    baseUrl: session?.baseUrl.href ?? null,
    tokenEndsSoon: endOfToken(session),
    ...(plan === undefined
      ? { records: isInPlace(run) ? section.records : 0 }
      : { output: plan.target ?? null, ...placeOf(section, run), ...writtenOf(section) }),
    ...walkOf([section]),
    ...endOf([section], section.failure ?? fatalTo(section, run)),
  };
}

/** What ended the run, where that kept a part from being delivered that may itself have been read whole. */
function fatalTo({ delivered }: PartFacts, { failure }: PartFacts): unknown {
  const isFatal = !(failure instanceof FolioError && ['incomplete', 'differs'].includes(failure.kind));
  return isFatal && delivered === undefined ? failure : undefined;
}

/** Where the file or the folder is, for `folio verify`, which may run in another folder. */
function placeOf({ plan }: PartFacts, { fromReceipt, folder }: ReceiptFacts): { readonly file?: string } {
  const target = plan?.target ?? folder;
  const file = target === undefined ? undefined : fromReceipt(target);
  return file === undefined ? {} : { file };
}

/** Whether all parts were written into one file or stream. */
function isOneFile({ plan, delivered }: PartFacts): boolean {
  return plan !== undefined || delivered !== undefined;
}

/** What was written. Records and bytes are 0 where a file was not put in place. */
function writtenOf(facts: CountedFacts): Record<string, unknown> {
  const { plan, delivered, records } = facts;
  return {
    format: plan?.format ?? null,
    header: plan?.layout.header ?? null,
    ...(plan !== undefined && plan.headings.length > 0 && { headings: plan.headings }),
    ...(plan?.chosen !== undefined && { chosen: plan.chosen }),
    ...(plan?.expanded !== undefined && { expanded: plan.expanded }),
    records: isInPlace(facts) ? records : 0,
    bytes: delivered?.bytes ?? 0,
    sha256: delivered?.sha256() ?? null,
  };
}

/** Whether the records that were written are there for the user: a stream has them at once, a file when it is put in place. */
function isInPlace({ plan, delivered }: PartFacts): boolean {
  return delivered !== undefined || (plan !== undefined && plan.target === undefined);
}

/** The same for a folder with a file for each part. The hashes are those of the parts. */
function writtenOfAll(sections: readonly CountedFacts[]): Record<string, unknown> {
  const delivered = sections.filter((section) => section.delivered !== undefined);
  const formats = new Set(delivered.map(({ plan }) => plan?.format));
  return {
    format: formats.size === 1 ? [...formats][0] : null,
    records: sum(delivered, ({ records }) => records),
    bytes: sum(delivered, ({ delivered: file }) => file?.bytes ?? 0),
    sha256: null,
  };
}

/** How the records were read. */
function walkOf(parts: readonly PartFacts[]): Record<string, unknown> {
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
    // What may explain why a record is missing or comes late, as the lines of --debug tell it (`WalkEvent`).
    shrinks: sum(parts, ({ status }) => status.shrinks),
    slowPages: sum(parts, ({ status }) => status.slowPages),
    rereads: sum(parts, ({ status }) => status.rereads),
    repeats: sum(parts, ({ status }) => status.repeats),
    givenUp: sum(parts, ({ status }) => status.unreadable.size),
    wireBytes: sum(stats, ({ bytes }) => bytes),
  };
}

function endOf(parts: readonly PartFacts[], failure: unknown): Record<string, unknown> {
  const missing = parts.flatMap(({ partial }) => [...(partial?.missingFiscalIds ?? [])]);
  const warnings = parts.flatMap(({ partial }) => [...(partial?.warnings ?? [])]);
  const errors = failure === undefined ? warnings : [...warnings, messageOf(failure)];
  return {
    missingFiscalIds: [...new Set(missing)],
    errors,
    // A difference that an answer tells of is no lack of the answer.
    complete: failure === undefined || (failure instanceof FolioError && failure.kind === 'differs'),
  };
}

function sum<Part>(parts: readonly Part[], of: (part: Part) => number): number {
  return parts.reduce((sum, part) => sum + of(part), 0);
}

/** The sum; null where one of the numbers is not known. */
function total<Part>(parts: readonly Part[], of: (part: Part) => number | undefined): number | null {
  return parts.reduce<number | null>((sum, part) => {
    const count = of(part);
    return sum === null || count === undefined ? null : sum + count;
  }, 0);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The path of a file as seen from the folder of a receipt, which is no stream. */
function pathBetween(receipt: string | undefined, file: string): string | undefined {
  if (receipt === undefined || findStream(receipt) !== undefined) return undefined;
  return relative(dirname(resolve(receipt)), resolve(file)).replaceAll(sep, '/');
}

interface ReceiptOptions {
  /** Where the receipt is written, as given to --receipt; undefined where none is wanted. */
  readonly file: string | undefined;
  /** Where the records go, as given to -o. */
  readonly output: string | undefined;
  /** As given to --output-dir. */
  readonly folder: string | undefined;
  /** What is asked for: `issued`. */
  readonly name: string;
  /** The parts of the run, where there are several, in their order. */
  readonly parts: readonly string[] | undefined;
  readonly notices: Notices;
}

interface Section {
  readonly profile: string;
  readonly part: ReceiptPart;
}

/** The receipt of a run, for --receipt. It is written when the run ends, also when it fails. */
export class Receipt extends ReceiptPart {
  readonly #context: Context;
  readonly #options: ReceiptOptions;
  readonly #file: Destination | undefined;
  readonly #startedAt: number;
  readonly #sections: readonly Section[];

  private constructor(context: Context, options: ReceiptOptions, file: Destination | undefined) {
    super(file !== undefined);
    this.#context = context;
    this.#options = options;
    this.#file = file;
    this.#startedAt = context.clock.now();
    this.#sections = (options.parts ?? []).map((profile) => ({
      profile,
      part: new ReceiptPart(file !== undefined),
    }));
  }

  /** Opens the receipt's file. Throws OutputError where it cannot be written. */
  static async open(context: Context, options: ReceiptOptions): Promise<Receipt> {
    const { file } = options;
    if (file === undefined) return new Receipt(context, options, undefined);
    return new Receipt(context, options, await openDestination(file, context, { hasReceipt: true }));
  }

  /** The receipt of the part of this name. */
  section(name: string): ReceiptPart {
    const section = this.#sections.find(({ profile }) => profile === name);
    if (section === undefined) throw new TypeError(`the receipt has no part ${name}`);
    return section.part;
  }

  /** Does the run and writes the receipt. Where the run fails, writes it as well and throws the run's error. */
  async during(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      await this.#write(error).catch((fault: unknown) => {
        this.#options.notices.warn(`no receipt: ${messageOf(fault)}`);
      });
      throw error;
    }
    await this.#write(undefined);
  }

  async #write(failure: unknown): Promise<void> {
    if (this.#file === undefined) return;
    const { name, output, folder } = this.#options;
    const sections = this.#sections.map(({ profile, part }) => ({ ...part.facts, profile }));
    try {
      await this.#file.write(
        receiptText({
          ...this.facts,
          failure,
          output,
          folder,
          resource: name,
          startedAt: this.#startedAt,
          finishedAt: this.#context.clock.now(),
          arguments: this.#context.argv,
          fromReceipt: (path) => pathBetween(this.#options.file, path),
          redact: (text) => this.#context.secrets.redact(text),
          ...(sections.length > 0 && { sections }),
        }),
      );
      await this.#file.commit();
    } finally {
      await this.#file.discard();
    }
  }
}
