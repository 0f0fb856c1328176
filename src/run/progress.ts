import type { RequestEvent } from '../api/client.ts';
import type { Clock, Context, OutputStream } from '../context.ts';
import type { FolioError } from '../errors.ts';
import type { Destination } from '../output/files/destination.ts';
import { countOf, digitGrouper, localeOf, type GroupDigits } from '../output/terminal/number-text.ts';
import {
  displayWidth,
  isForPeople,
  streamWith,
  truncate,
  useColor,
} from '../output/terminal/terminal-text.ts';
import { WalkStatus } from '../paging/walk-status.ts';
import type { GlobalFlags } from './flags.ts';
import { duration, timeStamp, type Notices, type Written } from './notices.ts';
import type { OutputPlan } from './output-plan.ts';
import type { Session } from './session.ts';

/** What is known of a part of a run so far, for progress, receipt and the end of the run. */
export class PartState {
  /** Undefined where the run has one part, and for what joins several. */
  readonly name: string | undefined;
  readonly notices: Notices;
  readonly status: WalkStatus;
  stage: 'waiting' | 'running' | 'ended' = 'waiting';
  /** Milliseconds since 1970. */
  startedAt = 0;
  /** The most records that are read. */
  limit: number | undefined;
  /** The requests that are sent and not answered. */
  readonly inFlight = new Set<number>();
  /** No request is sent before this time, in milliseconds since 1970. */
  waitsUntil = 0;
  /** Whose records they are, where no session says it; once it is known. */
  owner: string | undefined;
  /** What is read, once the part is open: the fiscal IDs, and whether the records have a column with their profile. */
  source: { readonly fiscalIds?: readonly string[]; readonly hasProfileColumn?: boolean } = {};
  /** Whose token was used, once it is known. */
  session: Pick<Session, 'profile' | 'baseUrl' | 'client' | 'token'> | undefined;
  plan: OutputPlan | undefined;
  /** Where the records were written, once all of them were. */
  delivered: Destination | undefined;
  /** What the source itself has written, such as files, for the closing line. */
  written: Written | undefined;
  /** Records handed to the writer. */
  records = 0;
  /** Why the part is missing; where it is an IncompleteError, why it is not whole. */
  failure: FolioError | undefined;
  readonly #clock: Clock;

  constructor(name: string | undefined, { clock, notices }: { clock: Clock; notices: Notices }) {
    this.name = name;
    this.notices = name === undefined ? notices : notices.forPart(name);
    this.status = new WalkStatus((event) => this.notices.walked(event));
    this.#clock = clock;
  }

  begin(): void {
    this.stage = 'running';
    this.startedAt = this.#clock.now();
  }

  readonly requested = (event: RequestEvent): void => {
    this.notices.requested(event);
    if (event.kind === 'request') this.inFlight.add(event.request);
    else this.inFlight.delete(event.request);
    if (event.kind === 'retry') this.waitsUntil = Math.max(this.waitsUntil, this.#clock.now() + event.wait);
  };
}

interface ProgressView {
  readonly flags: GlobalFlags;
  /** `issued invoices` */
  readonly records: string;
  readonly parts: readonly PartState[];
  readonly partKind: 'profiles' | 'listings';
}

/**
 * Does the work while standard error shows how far it is; off a terminal only if the user wants it. `work` gets the context to
 * write to: where standard output is the same terminal, the first write ends the drawing.
 */
export async function showingProgress(
  context: Context,
  view: ProgressView,
  work: (context: Context) => Promise<void>,
): Promise<void> {
  const show = displayOf(context, view.flags);
  if (show === undefined) return work(context);
  const stopped = new AbortController();
  // Stopping rejects it. A standard error that is closed does so as well, and is no reason to stop the run.
  show(context, view, stopped.signal).catch(() => {});
  try {
    await work({ ...context, stdout: endingWith(context.stdout, stopped) });
  } finally {
    stopped.abort();
  }
}

function endingWith(stdout: OutputStream, drawing: AbortController): OutputStream {
  if (!stdout.isTerminal) return stdout;
  return streamWith(stdout, (bytes) => {
    drawing.abort();
    return stdout.write(bytes);
  });
}

/** By default only a spinner on a terminal, and nothing while the output goes through a pipe. */
function displayOf(
  { stdout, stderr, env, listener }: Context,
  flags: GlobalFlags,
): typeof showLines | typeof showSpinner | undefined {
  if (listener !== undefined) return showLines;
  if (flags.quiet || flags.progress === false) return undefined;
  if (flags.progressStyle === 'plain') return showLines;
  // On a terminal of width 0 or unknown, wiping a line would never end.
  const isWide = (stderr.columns ?? 0) > 0;
  return stderr.isTerminal && isWide && !stdout.isPipe && isForPeople(env) ? showSpinner : undefined;
}

/** Milliseconds between two lines. */
const PERIOD = 10_000;

/** Every 10 s, writes a line with the time for each running part, or calls the listener. Rejects when it is stopped. */
async function showLines(
  { clock, stderr, listener }: Context,
  { records, parts }: ProgressView,
  stopped: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(PERIOD, stopped);
    for (const part of parts.filter(({ stage }) => stage === 'running')) {
      const prefix = part.name === undefined ? '' : `${part.name}: `;
      const text = `${prefix}${records}: ${progressLine(part, clock.now(), String)}`;
      if (listener !== undefined) listener.progress(text);
      else await stderr.write(`${timeStamp(clock.now())} ${text}\n`);
    }
  }
}

/** Milliseconds of work before anything is drawn, so that a quick answer does not flicker. */
const DELAY = 150;

/** Draws a line that changes during the run, and one more for each part that is being read, until it is stopped. */
async function showSpinner(context: Context, view: ProgressView, stopped: AbortSignal): Promise<void> {
  const { clock, loadSpinner, env } = context;
  await clock.sleep(DELAY, stopped);
  const start = await loadSpinner();
  if (stopped.aborted) return;
  const color = useColor(env, true, view.flags.color !== false);
  const spinner = start({ text: () => spinnerText(context, view), color });
  stopped.addEventListener('abort', () => spinner.stop(), { once: true });
}

/** Cells of the spinner itself, and the last cell of the line, in which some terminals wrap. */
const MARGIN = 3;

function spinnerText({ clock, stderr, env }: Context, { records, parts, partKind }: ProgressView): string {
  const group = digitGrouper(localeOf(env));
  const width = (stderr.columns ?? 80) - MARGIN;
  const now = clock.now();
  const [first] = parts;
  if (first !== undefined && first.name === undefined)
    return truncate(`${records}  ${progressLine(first, now, group)}`, width);
  const ended = parts.filter(({ stage }) => stage === 'ended').length;
  const running = parts.filter(({ stage }) => stage === 'running');
  const indent = Math.max(0, ...running.map(({ name }) => displayWidth(name ?? '')));
  const lines = running.map((part) => `  ${part.name?.padEnd(indent)}  ${progressLine(part, now, group)}`);
  return [`${records} · ${ended} of ${parts.length} ${partKind}`, ...lines]
    .map((line) => truncate(line, width))
    .join('\n');
}

/** Milliseconds of work before the time left is estimated. */
const ESTIMATE_AFTER = 2_000;

/** How far a running part is: `4,000 of 12,345 · 3 pages · 4 in flight · 1 retry · 12 s left` */
function progressLine(part: PartState, now: number, group: GroupDigits): string {
  const { status, session, limit = Infinity, inFlight, waitsUntil } = part;
  const { records, pages, shrinks, rereads, totalAtEnd: total } = status;
  const { retries } = session?.client.stats ?? { retries: 0 };
  // Of several walks that make up one, the total is of those that have ended.
  const goal = total === undefined || records > total ? undefined : Math.min(total, limit);
  const of = goal === undefined ? '' : ` of ${group(String(goal))}`;
  const words = pages === 0 ? [] : [`${group(String(records))}${of}`, countOf(pages, 'page')];
  if (retries > 0) words.push(retries === 1 ? '1 retry' : `${retries} retries`);
  if (shrinks > 0) words.push(`${countOf(shrinks, 'page')} made smaller`);
  if (inFlight.size > 0) words.push(`${inFlight.size} in flight`);
  else if (waitsUntil > now) words.push(`waits ${duration(waitsUntil - now)}`);
  const spent = now - part.startedAt;
  if (rereads > 0) words.push('reading again what moved');
  else if (goal !== undefined && records > 0 && records < goal && spent >= ESTIMATE_AFTER)
    words.push(`${duration((spent / records) * (goal - records))} left`);
  return words.join(' · ');
}
