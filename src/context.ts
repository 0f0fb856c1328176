import type { ConfigStore } from './profiles/config-store.ts';
import type { OpenFileTransport } from './api/transport.ts';
import type { NetworkProbe } from './api/network-probe.ts';
import type { OpenTransport } from './api/transport.ts';
import type { Processes } from './output/files/processes.ts';

/** Everything of the process and the outside world that a command may use. Built by `main`, or by a test. */
export interface Context {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  /** What no word on standard error and no receipt may show. */
  readonly secrets: Secrets;
  /** Aborted, with an Interrupted as its reason, when the run is to stop. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Opens the store of profiles and settings; nothing is read before the first call. */
  readonly config: () => Promise<ConfigStore>;
  /** Makes the HTTP side; the library behind it is loaded by the first call. */
  readonly openTransport: OpenTransport;
  /** The same for files behind links; it is never given a token. */
  readonly openFileTransport: OpenFileTransport;
  /** The steps of a connection one by one, for telling what is wrong with one. */
  readonly networkProbe: () => Promise<NetworkProbe>;
  /** The processes of this machine, for telling a run that still holds a file from one that died. */
  readonly processes: Processes;
  /** Loads what draws on a terminal while somebody waits, which takes longer than many a run. */
  readonly loadSpinner: () => Promise<StartSpinner>;
}

/** Begins to draw on standard error; what else is written to the terminal goes above it. */
export type StartSpinner = (options: SpinnerOptions) => Spinner;

export interface SpinnerOptions {
  /** What to show beside it, one line or several; asked for again and again. Must be safe for a terminal. */
  readonly text: () => string;
  readonly color: boolean;
}

export interface Spinner {
  /** Wipes it off the terminal. */
  stop(): void;
}

/** Texts that must not be shown, known by their exact values. */
export interface Secrets {
  /** From here on these are hidden too. */
  hide(texts: readonly string[]): void;
  /** The text without any of them. */
  readonly redact: (text: string) => string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface OutputStream {
  readonly isTerminal: boolean;
  /** Display cells across, on a terminal. */
  readonly columns: number | undefined;
  /** Resolves when the bytes are taken; rejects with OutputError, whose cause has code EPIPE when the reader is gone. */
  write(bytes: Uint8Array | string): Promise<void>;
}

export interface InputStream {
  readonly isTerminal: boolean;
  /** Everything up to the end of input, as UTF-8. */
  readAll(): Promise<string>;
  /** One line typed at a terminal without showing it; `prompt` goes to stderr. Rejects with Interrupted on Ctrl-C. */
  readHidden(prompt: string): Promise<string>;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Waits; rejects with the signal's reason when it is aborted first. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** 0 <= n < 1. */
  random(): number;
}
