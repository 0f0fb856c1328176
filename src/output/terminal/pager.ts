import type { ChildProcess } from 'node:child_process';
import { platform as systemPlatform } from 'node:os';
import { resolve as absolutePath } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { errorCode, OutputError } from '../../errors.ts';
import type { Environment, LongLines, OutputStream, Pager, StartPager } from '../../context.ts';
import type { DirectSink } from '../files/destination.ts';
import { displayWidth } from './terminal-text.ts';

/** The flags that git gives to less: quit if one screen is enough, keep colours, leave the text on the screen. */
const LESS = 'FRX';
/** For whole lines: they are not folded, and one screen is not enough where a line is longer than it is wide. */
const LESS_SIDEWAYS = 'RSX';

/** Exit codes of a shell that did not find, or could not run, the program. */
const NOT_RUN: readonly (number | null)[] = [126, 127];
/** The same of the shell of Windows, which also ends with 1 where it runs a single line. */
const NOT_RUN_ON_WINDOWS: readonly (number | null)[] = [...NOT_RUN, 1, 9009];

/** Bytes after which a pager that took them is surely running, so that they need not be kept any longer. */
const ENOUGH_TAKEN = 1024 * 1024;

/** A pager that has the terminal. */
export interface RunningPager {
  /** Resolves when the user has quit it. */
  readonly exit: Promise<unknown>;
  /** Whether more text is to come. */
  readonly isFed: boolean;
  kill(): void;
}

interface PagerOptions {
  readonly env: Environment;
  readonly longLines: LongLines;
  /** The text without what must not be shown. */
  readonly redact: (text: string) => string;
  /** Stops the wait for a pager that takes no more. */
  readonly signal: AbortSignal;
  /** Called when the pager runs. */
  readonly onStart: (pager: RunningPager) => void;
  /** As `process.platform`. */
  readonly platform?: string;
}

/**
 * The pager's command line: FOLIO_PAGER, else PAGER, else `less`. Undefined where the variable is empty or `cat`: then no pager
 * is wanted. The user's command line is for the shell, as git's is.
 */
function pagerCommand(
  env: Environment,
  less: string,
): { readonly line: string; readonly args: readonly string[]; readonly isShell: boolean } | undefined {
  const named = env['FOLIO_PAGER'] ?? env['PAGER'];
  if (named === undefined) return { line: 'less', args: [`-${less}`], isShell: false };
  const line = named.trim();
  return line === '' || line === 'cat' ? undefined : { line, args: [], isShell: true };
}

/** What a pager gets of the environment: nothing that is or holds a secret, and what `less` needs to show colours. */
function pagerEnvironment({ env, redact }: PagerOptions, less: string): Environment {
  const kept = Object.entries(env).filter(
    ([name, value]) => name !== 'FOLIO_TOKEN' && value !== undefined && redact(value) === value,
  );
  // What folio writes is UTF-8 in any locale.
  return { LESS: less, LESSCHARSET: 'utf-8', LV: '-c', ...Object.fromEntries(kept) };
}

/**
 * Whether this exit code says that there was no pager to run.
 *
 * @param platform as `process.platform`
 */
export function neverRan(code: number | null, platform: string): boolean {
  return (platform === 'win32' ? NOT_RUN_ON_WINDOWS : NOT_RUN).includes(code);
}

/** Starts the pager on the terminal that folio has. Undefined where none is wanted or there. */
export async function startPager(options: PagerOptions): Promise<Pager | undefined> {
  const { env, longLines, signal, onStart, platform = systemPlatform() } = options;
  const less = longLines === 'whole' ? LESS_SIDEWAYS : LESS;
  const command = pagerCommand(env, less);
  if (command === undefined) return undefined;
  const { spawn } = await import('node:child_process');
  const child = spawn(command.line, [...command.args], {
    shell: command.isShell,
    // Windows looks for a program in the working folder first, which may be somebody's download.
    cwd: platform === 'win32' && !command.isShell ? absolutePath('/') : undefined,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: pagerEnvironment(options, less),
  });
  const exit = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', () => resolve(NOT_RUN[0]!));
  });
  const isThere = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  if (!isThere) return undefined;
  const pager = new StartedPager(child, exit, signal);
  onStart(pager);
  return pager;
}

class StartedPager implements Pager, RunningPager {
  readonly exit: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;

  constructor(child: ChildProcess, exit: Promise<number | null>, signal: AbortSignal) {
    this.#signal = signal;
    this.#child = child;
    this.exit = exit;
    // Each write learns of its own error; without a listener the stream would also throw it.
    child.stdin!.on('error', () => undefined);
  }

  get isFed(): boolean {
    const { writableEnded, destroyed } = this.#child.stdin!;
    return !writableEnded && !destroyed;
  }

  write(text: Uint8Array | string): Promise<void> {
    const signal = this.#signal;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
      this.#child.stdin!.write(text, (error) => {
        signal.removeEventListener('abort', stop);
        if (error) reject(new OutputError('the pager was quit', { cause: asBrokenPipe(error) }));
        else resolve();
      });
    });
  }

  async end(): Promise<boolean> {
    this.#child.stdin!.end();
    return !neverRan(await this.exit, systemPlatform());
  }

  async abandon(): Promise<void> {
    this.#child.stdin!.destroy();
    await this.exit;
  }

  kill(): void {
    this.#child.kill();
  }
}

/** A pager that has ended is a pipe without a reader, whatever the system calls the error. */
function asBrokenPipe(error: Error): Error {
  return errorCode(error) === 'EPIPE' ? error : Object.assign(new Error(error.message), { code: 'EPIPE' });
}

/**
 * A terminal to which text goes through a pager once it is longer than the screen, or, where long lines stay whole, wider.
 * Shorter text is held back until its end, and goes straight.
 */
export function pagedTerminal(terminal: OutputStream, start: StartPager, longLines: LongLines): DirectSink {
  return new PagedTerminal(terminal, start, longLines);
}

class PagedTerminal implements DirectSink {
  readonly isTerminal = true;
  readonly #terminal: OutputStream;
  readonly #start: StartPager;
  readonly #longLines: LongLines;
  /** The text that may still have to go to the terminal instead of the pager; undefined once that is decided. */
  #held: string | undefined = '';
  #lines = 0;
  #pager: Pager | undefined;

  constructor(terminal: OutputStream, start: StartPager, longLines: LongLines) {
    this.#terminal = terminal;
    this.#start = start;
    this.#longLines = longLines;
  }

  async write(chunk: Uint8Array | string): Promise<void> {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    if (this.#pager !== undefined) return this.#writeToPager(this.#pager, text);
    if (this.#held === undefined) return this.#terminal.write(text);
    this.#held += text;
    this.#lines += this.#screenLines(text);
    // The last line of the screen is for the prompt.
    if (this.#lines < (this.#terminal.rows ?? Infinity)) return undefined;
    this.#pager = await this.#start(this.#longLines);
    if (this.#pager === undefined) return this.#writeDirectly();
    const all = this.#held;
    this.#held = '';
    return this.#writeToPager(this.#pager, all);
  }

  async close(): Promise<void> {
    if (this.#pager === undefined || !(await this.#pager.end())) await this.#writeDirectly();
  }

  async abandon(): Promise<void> {
    this.#held = undefined;
    await this.#pager?.abandon();
  }

  async #writeToPager(pager: Pager, text: string): Promise<void> {
    if (this.#held !== undefined)
      this.#held = this.#held.length < ENOUGH_TAKEN ? this.#held + text : undefined;
    try {
      await pager.write(text);
    } catch (error) {
      if (this.#held === undefined || (await pager.end())) throw error;
      this.#pager = undefined;
      await this.#writeDirectly();
    }
  }

  /** Writes to the terminal what was held, and from then on everything. */
  async #writeDirectly(): Promise<void> {
    const text = this.#held ?? '';
    this.#held = undefined;
    if (text !== '') await this.#terminal.write(text);
  }

  /** Lines longer than the screen take several of it; whole ones take more than there is. */
  #screenLines(text: string): number {
    const { columns = Infinity } = this.#terminal;
    const lines = text.split('\n').slice(0, -1);
    if (this.#longLines === 'whole') {
      const isWide = lines.some((line) => displayWidth(stripVTControlCharacters(line)) > columns);
      return isWide ? Infinity : lines.length;
    }
    return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
  }
}
