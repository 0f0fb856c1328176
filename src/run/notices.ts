import type { Context } from '../context.ts';
import type { Finding } from '../findings.ts';
import { shownLine, visible } from '../output/terminal/terminal-text.ts';
import type { GlobalFlags } from './flags.ts';

/** How much folio says on standard error. */
type NoticeFlags = Pick<GlobalFlags, 'quiet' | 'verbose' | 'debug'>;

/** A time in ms since 1970 as logs write it, to the second: `2026-11-20T12:00:00Z`. */
export function timeStamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/**
 * What folio says on standard error besides errors. Under --verbose and --debug each line begins with the time. Control
 * characters in the texts are made visible.
 */
export class Notices {
  readonly #context: Context;
  readonly #flags: NoticeFlags;
  /** The warnings so far, of all notices of the run. */
  #said = new Set<string>();
  #about = '';

  constructor(context: Context, flags: NoticeFlags) {
    this.#context = context;
    this.#flags = flags;
  }

  /** The same notices about one organization of several: its name goes before each. */
  about(name: string): Notices {
    const notices = new Notices(this.#context, this.#flags);
    notices.#said = this.#said;
    notices.#about = `${name}: `;
    return notices;
  }

  /** Warns of something although the run goes on, each warning once. Says nothing under --quiet. */
  warn(text: string): void {
    const warning = `warning: ${this.#about}${text}`;
    if (this.#flags.quiet || this.#said.has(warning)) return;
    this.#said.add(warning);
    this.#write(warning);
  }

  /** Whether anybody reads remarks: on a terminal, or under --verbose. */
  get isHeard(): boolean {
    return !this.#flags.quiet && (this.#context.stderr.isTerminal || this.#chatty);
  }

  /** Tells a fact to a user who watches the run: on a terminal, or under --verbose. */
  remark(text: string): void {
    if (this.isHeard) this.#write(this.#about + text);
  }

  /** Tells what is a part of the answer, and stands beside the records. Says nothing under --quiet. */
  answer(text: string): void {
    if (!this.#flags.quiet) this.#write(this.#about + text);
  }

  /** Tells what was found, but for failures: these end the run. */
  tell(findings: readonly Finding[]): void {
    for (const { level, text } of findings) {
      if (level === 'warning') this.warn(text);
      else if (level === 'answer') this.answer(text);
      else if (level === 'remark') this.remark(text);
    }
  }

  /** Says what folio does, under --verbose and --debug. */
  detail(text: string): void {
    if (this.#chatty) this.#write(this.#about + text);
  }

  get #chatty(): boolean {
    return this.#flags.verbose === true || this.#flags.debug === true;
  }

  /** Does not wait: a standard error that is slow or closed must not stop the records. */
  #write(text: string): void {
    const { clock, stderr } = this.#context;
    const when = this.#chatty ? `${timeStamp(clock.now())} ` : '';
    void stderr.write(shownLine(`${when}${visible(text)}`, stderr)).catch(() => {});
  }
}
