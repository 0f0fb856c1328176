import { statSync } from 'node:fs';
import type { Clock, Context } from '../context.ts';
import { Interrupted } from '../errors.ts';
import { formatDay, localDay, localMinute } from '../json/calendar-day.ts';
import { findStream, makeFolder } from '../output/files/target.ts';
import { compareOrders } from '../query/cell-order.ts';
import type { RecordNote } from '../report/invoice-figures.ts';
import type { GlobalFlags, OutputFlags, QuestionFlags, ReceiptFlags, RequestFlags } from './flags.ts';
import { Notices } from './notices.ts';
import { checkPaths, type ReadPath, type WrittenPath } from './paths.ts';
import { PartState, showingProgress } from './progress.ts';
import { SharedBySessions } from './session.ts';

/** The flags that concern a run as a whole: the service, the requests, the messages, and what columns mean. */
type RunFlags = GlobalFlags &
  RequestFlags &
  ReceiptFlags &
  Pick<QuestionFlags, 'field'> &
  Pick<OutputFlags, 'columns'>;

export interface RunOptions {
  readonly flags: RunFlags;
  /** As receipts name it: `issued`. */
  readonly name: string;
  /** The same in the plural, for progress: `issued invoices`. */
  readonly records: string;
  /** What it reads besides the token file and the store: none of it is ever written over. */
  readonly reads?: readonly ReadPath[] | undefined;
  /** Where the records go, as typed behind -o. The receipt names it. */
  readonly output?: string | undefined;
  /** The folder that gets a file for each part, as typed behind --output-dir. It is made if need be. */
  readonly folder?: string | undefined;
  /** What else it writes: a database, or the files of that folder, whose receipts are those of their parts. */
  readonly files?: readonly WrittenPath[] | undefined;
  /** The names of several parts, in the order of progress and receipt. */
  readonly parts?: readonly string[] | undefined;
  /** What the parts are: profiles, unless said otherwise. */
  readonly partKind?: 'profiles' | 'listings' | undefined;
}

/** A run: what all its parts share. */
export interface Run {
  /** Its standard output removes the progress from the same terminal with the first byte. */
  readonly context: Context;
  readonly flags: RunFlags;
  readonly notices: Notices;
  /** The state of the only part, or of what joins all of them. */
  readonly whole: PartState;
  readonly parts: readonly PartState[];
  readonly shared: SharedBySessions;
  readonly day: RunDay;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** The state of the part of this name; without one, of the only part, or of what joins all. */
export function stateOf({ whole, parts }: Pick<Run, 'whole' | 'parts'>, name: string | undefined): PartState {
  return parts.find((part) => part.name === name) ?? whole;
}

/**
 * Does the work of a command, which sends all its requests within; shows progress, and writes the receipt at the end, also after a
 * failure. Throws UsageError before the work where it would write over what it reads, OutputError for a receipt that cannot be written.
 */
export async function inRun(
  outer: Context,
  options: RunOptions,
  work: (run: Run) => Promise<void>,
): Promise<void> {
  const { flags, records, folder, partKind = 'profiles' } = options;
  const { clock } = outer;
  const startedAt = clock.now();
  const notices = new Notices(outer, flags);
  const whole = new PartState(undefined, { clock, notices });
  const parts = (options.parts ?? []).map((part) => new PartState(part, { clock, notices }));
  const view = { flags, records, parts: parts.length > 0 ? parts : [whole], partKind };
  await showingProgress(outer, view, async (context) => {
    const { receiptOf, withReceipt } = flags.receipt === undefined ? {} : await import('./receipt.ts');
    const receipt = receiptOf?.(flags.receipt!, options);
    await checkPaths(context, {
      tokenFile: flags.tokenFile,
      reads: options.reads ?? [],
      writes: [
        ...(folder === undefined
          ? [{ flag: '--output', path: options.output, is: 'where the records go' }]
          : []),
        ...(options.files ?? []),
        ...(receipt === undefined
          ? []
          : [{ flag: '--receipt', path: receipt, is: 'where the receipt goes' }]),
      ],
    });
    const removeEmpty = folder === undefined ? undefined : await makeFolder(folder);
    const shared = new SharedBySessions(context, flags);
    const day = new RunDay(clock, notices);
    const run = { context, flags, notices, whole, parts, shared, day, startedAt };
    try {
      if (receipt === undefined) await work(run);
      else await withReceipt!({ ...options, ...run, file: receipt }, () => work(run));
    } catch (error) {
      throw error instanceof Interrupted ? new Interrupted(error.signal, leftBy(run, options)) : error;
    } finally {
      await shared.close();
      await removeEmpty?.();
    }
  });
}

/** What has become of the files of a run that was stopped, as a sentence; undefined where it writes none. */
function leftBy({ whole, parts }: Run, { output, folder, files }: RunOptions): string | undefined {
  if (folder !== undefined && files !== undefined) {
    const written = parts.filter(({ delivered }) => delivered !== undefined).length;
    return `${written} of ${parts.length} files in ${folder} were written; the others are as they were before.`;
  }
  const target = output ?? folder;
  if (target === undefined || findStream(target) !== undefined) return undefined;
  if (whole.delivered !== undefined) return `${target} was written.`;
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return `${target} was not written.`;
  return found.isFile() || found.isDirectory() ? `${target} is as it was before.` : undefined;
}

/** Where records come from that were read earlier. */
export interface Origin {
  /** A clause: `books.db has the issued invoices`. */
  readonly shown: string;
  /** When the last of them was read, in ISO 8601, where that is known. */
  readonly readAt: string | undefined;
  /** The flags that left others out: `--limit 1`. */
  readonly only: readonly string[];
  /** Whose records they are, where others are of another day. */
  readonly profiles?: readonly string[];
}

/** The day from which `today`, `-30d`, overdue and ages count: the oldest on which records were read; for the service, today. */
export class RunDay {
  readonly #now: number;
  readonly #notices: Notices;
  readonly #origins: Origin[] = [];
  #isUndatedSaid = false;

  constructor(clock: Clock, notices: Notices) {
    this.#now = localDay(clock.now());
    this.#notices = notices;
  }

  /** Adds origins of records, and reports of when they are. A moment in the future counts as unknown. */
  add(origins: readonly Origin[]): void {
    for (const origin of origins) {
      const { shown, readAt } = origin;
      const [day = Infinity] = daysOf([origin]);
      this.#origins.push(day > this.#now ? { ...origin, readAt: undefined } : origin);
      if (day > this.#now) continue;
      const text = `${shown} as of ${localMinute(readAt!)}`;
      const details = { code: 'as of', readAt: readAt! } as const;
      this.#notices.add(
        day < this.#now
          ? { level: 'warning', text: `${text}, not as of today`, details }
          : { level: 'remark', text: `${text}.`, details },
      );
    }
  }

  /** In days since 1970-01-01. */
  get day(): number {
    return Math.min(this.#now, ...daysOf(this.#origins));
  }

  /** The same day, for an answer that depends on it: with a warning, unless it is today. */
  dayWithWarning(): number {
    const { day, caveats } = this;
    this.#warnOfUndated(day);
    const read = caveats.includes('newer') ? 'oldest records' : 'records';
    if (day < this.#now) this.#notices.warn(`days count from ${formatDay(day)}, when the ${read} were read`);
    return day;
  }

  /** The day to which a report of a period counts: its last, or that of the records where it is not over. */
  endOf(period: { readonly last: number }): number {
    if (period.last >= this.day) return this.dayWithWarning();
    this.#warnOfUndated(period.last);
    return period.last;
  }

  #warnOfUndated(day: number): void {
    if (this.#isUndatedSaid) return;
    this.#isUndatedSaid = true;
    for (const { shown } of this.#origins.filter(({ readAt }) => readAt === undefined)) {
      const text = `${shown}, and nothing says when they were read, as --receipt beside would have done`;
      this.#notices.warn(`${text}: days count from ${formatDay(day)}`);
    }
  }

  /** The day to which a statement or a report counts: that of --as-of, with a warning, else that of the records. */
  countedTo(named: number | undefined): number {
    if (named === undefined || named === this.day) return this.dayWithWarning();
    const lack = named < this.day ? 'later payments are not undone' : 'what came since is not in them';
    this.#notices.warn(`counts to ${formatDay(named)} with balances of ${formatDay(this.day)}: ${lack}`);
    return named;
  }

  /** For pages: what limits the figures. */
  get caveats(): readonly RecordNote[] {
    const all = {
      undated: this.#origins.some(({ readAt }) => readAt === undefined),
      newer: new Set(daysOf(this.#origins)).size > 1,
      part: this.#origins.some(({ only }) => only.length > 0),
    };
    return (['undated', 'newer', 'part'] as const).filter((note) => all[note]);
  }

  /** For receipts: when the oldest records of a profile, or of all, were read, and the flags that left others out. */
  facts(profile: string | undefined): Readonly<Record<string, unknown>> {
    const isMeant = ({ profiles }: Origin): boolean =>
      profile === undefined || profiles?.includes(profile) !== false;
    const origins = this.#origins.filter(isMeant);
    if (origins.length === 0) return {};
    const times = origins.map(({ readAt }) => readAt);
    const isDated = times.every((time) => time !== undefined);
    const readAt = isDated ? times.toSorted(compareOrders)[0] : null;
    return { readAt, only: [...new Set(origins.flatMap(({ only }) => only))] };
  }
}

function daysOf(origins: readonly Origin[]): number[] {
  return origins.flatMap(({ readAt }) => (readAt === undefined ? [] : localDay(Date.parse(readAt))));
}
