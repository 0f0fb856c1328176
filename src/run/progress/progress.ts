import type { RequestEvent } from '../../api/client.ts';
import type { Context, OutputStream } from '../../context.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { isForPeople, streamWith } from '../../output/terminal/terminal-text.ts';
import type { WalkEvent } from '../../paging/walk-status.ts';
import { whyIncomplete } from '../completeness.ts';
import type { GlobalFlags } from '../flags.ts';
import type { Notices } from '../notices.ts';
import type { ProgressView } from './progress-display.ts';
import { duration, ProgressState } from './progress-state.ts';

/** Waits of more milliseconds than this are announced. */
const LONG_WAIT = 5_000;

/** One line for each request under --verbose and --debug, and a word before a long wait. */
function logRequest(notices: Notices, event: RequestEvent): void {
  if (event.kind === 'response') {
    const { target, status, milliseconds, bytes } = event;
    notices.detail(`GET ${target} → ${status}, ${bytes} bytes, ${milliseconds} ms${ordinal(event.attempt)}`);
  } else if (event.kind === 'retry') {
    const { target, reason, wait } = event;
    notices.detail(`GET ${target} again in ${wait} ms${ordinal(event.attempt + 1)}: ${reason}`);
    if (wait > LONG_WAIT) notices.remark(`waits ${duration(wait)} before it asks again: ${reason}`);
  }
}

const REFUSED = { large: 'were too much', slow: 'took too long', size: 'were refused' } as const;

/** A line for each event of a walk that may explain why a record is missing. Records have their numbers in the listing. */
function logWalk(notices: Notices, event: WalkEvent): void {
  const line = walkLine(event);
  if (line !== undefined) notices.detail(line);
}

function walkLine(event: WalkEvent): string | undefined {
  const place = 'at' in event && event.at !== undefined ? ` from number ${event.at + 1}` : '';
  switch (event.kind) {
    case 'page':
      return undefined;
    case 'shrink':
      return `shrunk: ${event.from} records${place} ${REFUSED[event.reason]}, asks for ${event.to}`;
    case 'again':
      return `asked again: ${event.size} records${place} took too long`;
    case 'give up':
      return `given up: number ${event.at + 1} of the listing is not served even alone`;
    case 'repeat':
      return `repeats: ${countOf(event.records, 'record')} came again, left out`;
    case 'reread':
      return `read again, round ${event.round}: ${whyIncomplete(event.reason)}`;
  }
}

function ordinal(attempt: number): string {
  return attempt === 0 ? '' : `, attempt ${attempt + 1}`;
}

/** Follows the walk or the request of one part. */
export interface Track {
  readonly walked: (event: WalkEvent) => void;
  readonly asked: (event: RequestEvent) => void;
  /** Sets how many records are wanted, at most. */
  readonly expect: (limit: number | undefined) => void;
  readonly end: (state: 'done' | 'failed') => void;
}

/** Whether and how progress is shown. */
type ProgressFlags = Pick<GlobalFlags, 'quiet' | 'color' | 'progress'>;

interface ProgressOptions {
  readonly flags: ProgressFlags;
  /** What is asked for: `issued invoices`. */
  readonly what: string;
  /** The names of the run's parts, where there are several. */
  readonly parts?: readonly string[] | undefined;
  /** What the parts are: profiles, unless given. */
  readonly partKind?: ProgressView['partKind'] | undefined;
}

/** Shows on standard error how far a run has come. Off a terminal it shows nothing unless the user asked for it. */
export class Progress {
  readonly #context: Context;
  readonly #states: ProgressState[];
  readonly #stopped = new AbortController();
  #isShown = false;

  /**
   * Does the work while progress is shown.
   *
   * @param work gets the context that it must write to: the drawing ends when that is written to on the same terminal
   */
  static async during(
    context: Context,
    options: ProgressOptions,
    work: (progress: Progress, context: Context) => Promise<void>,
  ): Promise<void> {
    const progress = new Progress(context, options);
    try {
      await work(progress, { ...context, stdout: progress.#beside(context.stdout) });
    } finally {
      progress.#stop();
    }
  }

  private constructor(context: Context, { flags, what, parts, partKind = 'profiles' }: ProgressOptions) {
    this.#context = context;
    const now = context.clock.now();
    this.#states = parts?.map((name) => new ProgressState(name, now)) ?? [new ProgressState(undefined, now)];
    const form = formOf(context, flags);
    if (form !== undefined)
      this.#show(form, { context, what, states: this.#states, partKind, color: flags.color !== false });
  }

  #show(form: 'lines' | 'spinner', view: ProgressView): void {
    this.#isShown = true;
    const { signal } = this.#stopped;
    const show = async (): Promise<void> => {
      const { showLines, showSpinner } = await import('./progress-display.ts');
      await (form === 'lines' ? showLines : showSpinner)(view, signal);
    };
    // Stopping rejects it. A standard error that is closed does so as well, and is no reason to stop the run.
    show().catch(() => {});
  }

  #stop(): void {
    this.#stopped.abort();
  }

  /** The track of the part of this name, or of the only part; of what joins parts, nothing is shown. `notices` also gets its requests. */
  track(notices: Notices, name?: string): Track {
    const { clock } = this.#context;
    const state = this.#states.find((one) => one.name === name) ?? new ProgressState(name, clock.now());
    state.begin(clock.now());
    return {
      walked: (event) => {
        state.walked(event);
        logWalk(notices, event);
      },
      asked: (event) => {
        state.asked(event, clock.now());
        logRequest(notices, event);
      },
      expect: (limit) => (state.limit = limit),
      end: (end) => (state.state = end),
    };
  }

  /** Standard output. Where it is the same terminal, the first write ends the drawing. */
  #beside(stdout: OutputStream): OutputStream {
    if (!stdout.isTerminal || !this.#isShown) return stdout;
    return streamWith(stdout, (bytes) => {
      this.#stop();
      return stdout.write(bytes);
    });
  }
}

/** How progress is shown, if at all: by default only on a terminal, and not while the output goes through a pipe. */
function formOf({ stdout, stderr, env }: Context, flags: ProgressFlags): 'lines' | 'spinner' | undefined {
  if (flags.quiet || flags.progress === false) return undefined;
  if (flags.progress === 'plain') return 'lines';
  // On a terminal that says it is 0 wide, or does not say, wiping a line would never end.
  const isWide = (stderr.columns ?? 0) > 0;
  return stderr.isTerminal && isWide && !stdout.isPipe && isForPeople(env) ? 'spinner' : undefined;
}
