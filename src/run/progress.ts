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
import { WalkStatus, type WalkEvent } from '../paging/walk-status.ts';
import type { GlobalFlags } from './flags.ts';
import { duration, timeStamp, type Notices, type Written } from './notices.ts';
import type { OutputPlan } from './output-plan.ts';
import type { Session } from './session.ts';

/** How far a part of a run is, computed from the events of its walk and requests. */
export class Progress {
  state: 'waiting' | 'running' | 'done' | 'failed' = 'waiting';
  /** Milliseconds since 1970. */
  startedAt = 0;
  records = 0;
  pages = 0;
  retries = 0;
  shrinks = 0;
  /** How often the walk read again what may have moved. */
  rereads = 0;
  /** No request is sent before this time, in milliseconds since 1970. */
  waitsUntil = 0;
  limit: number | undefined;
  #total: number | undefined;
  readonly #inFlight = new Set<number>();

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** How many records will come, as far as is known. */
  get goal(): number | undefined {
    if (this.limit === undefined) return this.#total;
    return this.#total === undefined ? undefined : Math.min(this.#total, this.limit);
  }

  begin(now: number): void {
    this.state = 'running';
    this.startedAt = now;
  }

  walked(event: WalkEvent): void {
    if (event.kind === 'shrink') this.shrinks++;
    else if (event.kind === 'reread') this.rereads = event.round;
    else if (event.kind === 'page') {
      this.pages++;
      this.#total = event.total ?? this.#total;
      // Records that are read again were counted before.
      if (this.rereads === 0) this.records = Math.min(this.records + event.records, this.goal ?? Infinity);
    }
  }

  requested(event: RequestEvent, now: number): void {
    if (event.kind === 'request') this.#inFlight.add(event.request);
    else if (event.kind === 'response') this.#inFlight.delete(event.request);
    else {
      this.waitsUntil = Math.max(this.waitsUntil, now + event.wait);
      if (event.kind === 'throttled') return;
      this.#inFlight.delete(event.request);
      this.retries++;
    }
  }
}

/** What is known of a part of a run so far, for progress, receipt and the end of the run. */
export class PartState {
  /** Undefined where the run has one part, and for what joins several. */
  readonly name: string | undefined;
  readonly notices: Notices;
  readonly progress = new Progress();
  readonly status: WalkStatus;
  /** Whose records they are, where its parts are listings of one organization; once it is known. */
  owner: string | undefined;
  /** Whose token was used, once it is known. */
  session: Pick<Session, 'profile' | 'baseUrl' | 'client' | 'tokenEndsSoon'> | undefined;
  plan: OutputPlan | undefined;
  /** Where the records were written, once all of them were. */
  delivered: Destination | undefined;
  /** What the source itself has written, such as files, for the closing line. */
  written: Written | undefined;
  /** Records handed to the writer. */
  records = 0;
  /** Why the part is missing; where it is an IncompleteError, why it is not whole. */
  failure: FolioError | undefined;
  readonly requested: (event: RequestEvent) => void;

  constructor(name: string | undefined, { clock, notices }: { clock: Clock; notices: Notices }) {
    this.name = name;
    this.notices = name === undefined ? notices : notices.forPart(name);
    this.status = new WalkStatus((event) => {
      this.progress.walked(event);
      this.notices.walked(event);
    });
    this.requested = (event) => {
      this.progress.requested(event, clock.now());
      this.notices.requested(event);
    };
  }
}

interface ProgressView {
  readonly flags: GlobalFlags;
  /** `issued invoices` */
  readonly records: string;
  readonly parts: readonly { readonly name: string | undefined; readonly progress: Progress }[];
  readonly partKind: 'profiles' | 'listings';
}

/**
 * Does the work while standard error shows how far it is; off a terminal only if the user wants it. `work` gets the context to write
 * to: where standard output is the same terminal, the first write ends the drawing.
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

/** Writes a line with the time for each running part every 10 s, for logs, or has the listener get it. Rejects when it is stopped. */
async function showLines(
  { clock, stderr, listener }: Context,
  { records, parts }: ProgressView,
  stopped: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(PERIOD, stopped);
    for (const { name, progress } of parts) {
      if (progress.state !== 'running') continue;
      const prefix = name === undefined ? '' : `${name}: `;
      const line = progressLine(progress, clock.now(), String);
      const text = `${prefix}${records}: ${line}`;
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
    return truncate(`${records}  ${progressLine(first.progress, now, group)}`, width);
  const ended = parts.filter(({ progress: { state } }) => state === 'done' || state === 'failed').length;
  const running = parts.filter(({ progress: { state } }) => state === 'running');
  const indent = Math.max(0, ...running.map(({ name }) => displayWidth(name ?? '')));
  const lines = running.map(
    ({ name = '', progress }) => `  ${name.padEnd(indent)}  ${progressLine(progress, now, group)}`,
  );
  return [`${records} · ${ended} of ${parts.length} ${partKind}`, ...lines]
    .map((line) => truncate(line, width))
    .join('\n');
}

/** Milliseconds of work before the time left is estimated. */
const ESTIMATE_AFTER = 2_000;

/** `4,000 of 12,345 · 3 pages · 4 in flight · 1 retry · 12 s left` */
export function progressLine(progress: Progress, now: number, group: GroupDigits): string {
  const { records, goal, pages, inFlight, retries, shrinks, rereads, state, startedAt, waitsUntil } =
    progress;
  const of = goal === undefined ? '' : ` of ${group(String(goal))}`;
  const parts = pages === 0 ? [] : [`${group(String(records))}${of}`, countOf(pages, 'page')];
  if (retries > 0) parts.push(retries === 1 ? '1 retry' : `${retries} retries`);
  if (shrinks > 0) parts.push(`${countOf(shrinks, 'page')} too large`);
  if (state !== 'running') return [...parts, state].join(' · ');
  if (inFlight > 0) parts.push(`${inFlight} in flight`);
  else if (waitsUntil > now) parts.push(`waits ${duration(waitsUntil - now)}`);
  const spent = now - startedAt;
  if (rereads > 0) parts.push('reading again what moved');
  else if (goal !== undefined && records > 0 && records < goal && spent >= ESTIMATE_AFTER)
    parts.push(`${duration((spent / records) * (goal - records))} left`);
  return parts.join(' · ');
}
