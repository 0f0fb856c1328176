import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { Destination } from '../output/files/destination.ts';
import { openDestination } from '../output/files/open-destination.ts';
import { findTarget, type Target } from '../output/target.ts';
import { WalkAccount } from '../paging/walk-account.ts';
import type { Resource } from '../resources/resource.ts';
import type { GlobalFlags } from './global-flags.ts';
import type { ListingFlags } from './listing-flags.ts';
import type { Notices } from './notices.ts';
import { ReceiptPart } from './receipt-part.ts';
import { receiptText } from './receipt-text.ts';

export interface ReceiptSources {
  readonly flags: ListingFlags & GlobalFlags;
  readonly resource: Resource;
  readonly account: WalkAccount;
  readonly notices: Notices;
}

interface Section {
  readonly profile: string;
  readonly part: ReceiptPart;
}

/** What a run did, for --report: written at its end, whatever the end. */
export class Receipt extends ReceiptPart {
  readonly #context: Context;
  readonly #sources: ReceiptSources;
  readonly #file: Destination | undefined;
  readonly #startedAt: number;
  readonly #sections: Section[] = [];

  private constructor(context: Context, sources: ReceiptSources, file: Destination | undefined) {
    super(sources.account, file !== undefined);
    this.#context = context;
    this.#sources = sources;
    this.#file = file;
    this.#startedAt = context.clock.now();
  }

  /** To be opened first of all: a place that cannot be written is told before anything is asked for. */
  static async open(context: Context, sources: ReceiptSources): Promise<Receipt> {
    const { report, output } = sources.flags;
    if (report === undefined) return new Receipt(context, sources, undefined);
    await refuseSameTarget(report, output);
    return new Receipt(context, sources, await openDestination(report, context));
  }

  /** The part of one organization of several, which stand in the receipt in the order of these calls. */
  section(profile: string): ReceiptPart {
    const part = new ReceiptPart(new WalkAccount(), this.isWanted);
    this.#sections.push({ profile, part });
    return part;
  }

  /** Does the run and writes the receipt, also when the run fails; then its error is what is thrown. */
  async during(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      await this.#write(error).catch((fault: unknown) => {
        this.#sources.notices.warn(`no receipt: ${fault instanceof Error ? fault.message : String(fault)}`);
      });
      throw error;
    }
    await this.#write(undefined);
  }

  async #write(failure: unknown): Promise<void> {
    if (this.#file === undefined) return;
    const { resource, flags } = this.#sources;
    const sections = this.#sections.map(({ profile, part }) => ({ ...part.facts, profile }));
    try {
      await this.#file.write(
        receiptText({
          ...this.facts,
          failure,
          output: flags.output ?? flags.outputDir,
          resource: resource.name,
          startedAt: this.#startedAt,
          finishedAt: this.#context.clock.now(),
          arguments: this.#context.argv,
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

async function refuseSameTarget(report: string, output: string | undefined): Promise<void> {
  const [one, other] = [await findTarget(report), await findTarget(output)];
  if (!isSame(one, other)) return;
  throw new UsageError(`--report ${report} is where the records go`, { hint: 'name two different files' });
}

function isSame(one: Target, other: Target): boolean {
  if (one.kind === 'file' && other.kind === 'file') {
    return one.folder === other.folder && one.name === other.name;
  }
  if (one.kind === 'device' && other.kind === 'device') return one.path === other.path;
  return one.kind === 'stdout' && other.kind === 'stdout';
}
