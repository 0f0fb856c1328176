import type { Readable } from 'node:stream';
import type { Finding } from './findings.ts';
import type { ConfigStore } from './profiles/profile.ts';
import type { Limiter } from './api/limiter.ts';
import type { Secrets } from './api/redact.ts';
import type { OpenTransport } from './api/transport.ts';

/** Everything that a command may use of the process and the world outside. */
export interface Context {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  /** The flags that leave out records, as typed; a flag that collects values once for each. */
  readonly narrowedBy?: readonly (readonly [flag: string, text: string | undefined])[];
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  readonly secrets: Secrets;
  /** Aborted when the run is to stop. Its reason is an Interrupted. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Opens the store of profiles and settings. Nothing is read before the first call. */
  readonly config: () => Promise<ConfigStore>;
  /** Opens connections, to the service or to files behind links. The first call loads the HTTP library. */
  readonly openTransport: OpenTransport;
  /** The limiter that several runs share, made for the concurrency of the first of them; undefined where each run has its own. */
  readonly limiterFor?: ((concurrency: number) => Limiter) | undefined;
  /** Receives the findings of a run, and regularly its progress, in place of standard error. */
  readonly listener?: RunListener | undefined;
  /** The processes of this machine, to know whether the run that locked a file is still alive. */
  readonly processes: Processes;
  /** Loads a part of the runtime without its warning that the part is experimental. */
  readonly quietly: <T>(load: () => Promise<T>) => Promise<T>;
  /** Loads what draws on a terminal while the user waits. Loading takes longer than a short run. */
  readonly loadSpinner: () => Promise<StartSpinner>;
  /** Called when the value of a flag, such as `--page-size`, is read: a test finds flags that no code reads. */
  readonly onFlagRead?: ((flag: string) => void) | undefined;
}

interface RunListener {
  readonly found: (finding: Finding) => void;
  /** A line about each part. */
  readonly progress: (line: string) => void;
}

/** Begins to draw on standard error. Other text that is written to the terminal goes above it. */
export type StartSpinner = (options: SpinnerOptions) => { stop(): void };

export interface SpinnerOptions {
  /** The text beside the spinner, one line or several, which changes. Must be safe for a terminal. */
  readonly text: () => string;
  readonly color: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface OutputStream {
  readonly isTerminal: boolean;
  /** Whether another program reads it as it is written. */
  readonly isPipe: boolean;
  /** Display cells across, on a terminal. */
  readonly columns: number | undefined;
  /** Resolves when the bytes are out. Rejects with OutputError; its cause has the code EPIPE when the reader is gone. */
  write(bytes: Uint8Array | string): Promise<void>;
}

export interface InputStream {
  readonly isTerminal: boolean;
  /** The input as it comes: for records, and for a conversation with another program. */
  open(): Readable;
  /** Everything up to the end of the input: see `typedText`. */
  readAll(): Promise<string>;
  /** One line that is typed at a terminal without being shown. `prompt` goes to stderr. Rejects with Interrupted on Ctrl-C. */
  readHidden(prompt: string): Promise<string>;
  /** The same of a line that is shown while it is typed. */
  readLine(prompt: string): Promise<string>;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since an arbitrary time, for measuring: unlike `now`, it never goes back and never jumps. */
  elapsed(): number;
  /** Waits, by `elapsed`. Rejects with the signal's reason when that comes first. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** 0 <= n < 1. */
  random(): number;
}

/** The processes of this host. */
export interface Processes {
  readonly pid: number;
  readonly host: string;
  /** On Linux, the namespace of process numbers: one for each container. */
  readonly namespace?: string | undefined;
  /** Whether the process runs, and when it began, if the system tells: a later process may get the same number. */
  stateOf(pid: number): Promise<{ readonly alive: boolean; readonly start?: string | undefined }>;
}
