import type { RequestEvent } from '../api/client.ts';
import type { Context } from '../context.ts';
import type { Finding } from '../findings.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { shownLine, visible } from '../output/terminal/terminal-text.ts';
import type { WalkEvent } from '../paging/walk-status.ts';
import { whyIncomplete } from './completeness.ts';
import type { GlobalFlags } from './flags.ts';
import { duration } from './written.ts';

/** How much folio says on standard error. */
type NoticeFlags = Pick<GlobalFlags, 'quiet' | 'verbose' | 'debug'>;

/** A time in ms since 1970 as logs write it, to the second: `2026-11-20T12:00:00Z`. */
export function timeStamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Waits of more milliseconds than this are announced. */
const LONG_WAIT = 5_000;

const REFUSED = { large: 'were too much', slow: 'took too long', size: 'were refused' } as const;

/**
 * What a run has found so far, each at once on standard error: the one list that the receipt is made of, too. Under --verbose and
 * --debug each line begins with the time. Control characters in the texts are made visible.
 */
export class Notices {
  readonly #context: Context;
  readonly #flags: NoticeFlags;
  /** Of the whole run. */
  #all: Finding[] = [];
  #about: string | undefined;

  constructor(context: Context, flags: NoticeFlags) {
    this.#context = context;
    this.#flags = flags;
  }

  /** The same notices about one part of several: its name goes before each. */
  about(part: string): Notices {
    const notices = new Notices(this.#context, this.#flags);
    notices.#all = this.#all;
    notices.#about = part;
    return notices;
  }

  /** What was found so far: in the whole run, or in the part of this name. */
  findings(part?: string): readonly Finding[] {
    return part === undefined ? this.#all : this.#all.filter((one) => one.part === part);
  }

  /** Keeps what was found and shows it: warnings once each. A failure is shown where the run ends. */
  add(...findings: readonly Finding[]): void {
    for (const finding of findings) {
      const { level, text } = finding;
      const isRepeated =
        level === 'warning' &&
        this.#all.some((one) => one.level === level && one.text === text && one.part === this.#about);
      if (isRepeated) continue;
      this.#all.push(this.#about === undefined ? finding : { ...finding, part: this.#about });
      if (level === 'remark') this.#remark(text);
      else if (!this.#flags.quiet && level === 'warning') this.#write(text, 'warning: ');
      else if (!this.#flags.quiet && level === 'answer') this.#write(text);
    }
  }

  /** Warns of something although the run goes on. Says nothing under --quiet. */
  warn(text: string): void {
    this.add({ level: 'warning', text });
  }

  /** Tells a fact to a user who watches the run: on a terminal, or under --verbose. */
  remark(text: string): void {
    this.add({ level: 'remark', text });
  }

  /** Whether anybody reads remarks. */
  get isHeard(): boolean {
    return !this.#flags.quiet && (this.#context.stderr.isTerminal || this.#isChatty);
  }

  /** Says what folio does, under --verbose and --debug. Such a line is no finding. */
  detail(text: string): void {
    if (this.#isChatty) this.#write(text);
  }

  /** A line for each request under --verbose and --debug, and a word before a long wait. */
  requested(event: RequestEvent): void {
    const ordinal = (attempt: number): string => (attempt === 0 ? '' : `, attempt ${attempt + 1}`);
    if (event.kind === 'response') {
      const { target, status, milliseconds, bytes, attempt } = event;
      this.detail(`GET ${target} → ${status}, ${bytes} bytes, ${milliseconds} ms${ordinal(attempt)}`);
    } else if (event.kind === 'retry') {
      const { target, reason, wait, attempt } = event;
      this.detail(`GET ${target} again in ${wait} ms${ordinal(attempt + 1)}: ${reason}`);
      if (wait > LONG_WAIT) this.#remark(`waits ${duration(wait)} before it asks again: ${reason}`);
    }
  }

  /** A line for each event of a walk that may explain why a record is missing. Records have their numbers in the listing. */
  walked(event: WalkEvent): void {
    const place = 'at' in event && event.at !== undefined ? ` from number ${event.at + 1}` : '';
    if (event.kind === 'shrink')
      this.detail(`shrunk: ${event.from} records${place} ${REFUSED[event.reason]}, asks for ${event.to}`);
    else if (event.kind === 'again') this.detail(`asked again: ${event.size} records${place} took too long`);
    else if (event.kind === 'give up')
      this.detail(`given up: number ${event.at + 1} of the listing is not served even alone`);
    else if (event.kind === 'repeat')
      this.detail(`repeats: ${countOf(event.records, 'record')} came again, left out`);
    else if (event.kind === 'reread')
      this.detail(`read again, round ${event.round}: ${whyIncomplete(event.reason)}`);
  }

  get #isChatty(): boolean {
    return this.#flags.verbose === true || this.#flags.debug === true;
  }

  #remark(text: string): void {
    if (this.isHeard) this.#write(text);
  }

  /** Does not wait: a standard error that is slow or closed must not stop the records. */
  #write(text: string, before = ''): void {
    const { clock, stderr } = this.#context;
    const when = this.#isChatty ? `${timeStamp(clock.now())} ` : '';
    const whose = this.#about === undefined ? '' : `${this.#about}: `;
    void stderr.write(shownLine(`${when}${before}${visible(`${whose}${text}`)}`, stderr)).catch(() => {});
  }
}
