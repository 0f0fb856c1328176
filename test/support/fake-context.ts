import type { OpenTransport } from '../../src/api/transport.ts';
import { knownSecrets } from '../../src/api/redact.ts';
import type { Context, Environment, SpinnerOptions, StartSpinner } from '../../src/context.ts';
import type { ConfigStore } from '../../src/profiles/profile.ts';
import { openStore } from '../../src/profiles/store.ts';
import { Interrupted } from '../../src/errors.ts';
import { processTable } from '../../src/process-context.ts';
import { FakeClock, type FakeClockOptions } from './fake-clock.ts';
import { FakeInput, FakeOutput, type FakeInputOptions } from './fake-streams.ts';

export interface FakeContextOptions {
  readonly argv?: readonly string[];
  /** The whole environment; without HOME or FOLIO_CONFIG_DIR the store is empty and cannot be written. */
  readonly env?: Environment;
  readonly stdin?: FakeInputOptions;
  /** Whether stdout and stderr are terminals; `columns` across, 80 by default. */
  readonly terminal?: boolean;
  readonly columns?: number;
  /** Whether stdout goes through a pipe, whatever stderr is. */
  readonly piped?: boolean;
  readonly clock?: FakeClockOptions;
  readonly config?: () => Promise<ConfigStore>;
  /** By default a test that opens a connection fails. */
  readonly openTransport?: OpenTransport;
}

/** A Context that touches nothing but the store's folder named in its environment. */
export interface FakeContext extends Context {
  readonly stdin: FakeInput;
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
  readonly clock: FakeClock;
  readonly spinner: FakeSpinner;
  /** What Ctrl-C or a service manager does. */
  readonly stop: (signal?: 'SIGINT' | 'SIGTERM') => void;
}

/** Makes the context that a command is run with in a test; look at its stdout, stderr and clock afterwards. */
export function fakeContext(options: FakeContextOptions = {}): FakeContext {
  const env = options.env ?? {};
  const stop = new AbortController();
  const clock = new FakeClock(options.clock);
  const processes = processTable(process);
  const spinner = new FakeSpinner();
  const screen = {
    ...(options.terminal === undefined ? {} : { terminal: options.terminal }),
    ...(options.columns === undefined ? {} : { columns: options.columns }),
  };
  return {
    argv: options.argv ?? [],
    stdin: new FakeInput(options.stdin),
    stdout: new FakeOutput({ ...screen, pipe: options.piped ?? false }),
    // Wide, unless the test is about the width: what is said is then one line.
    stderr: new FakeOutput({ ...(options.terminal ? { columns: 500 } : {}), ...screen }),
    env,
    secrets: knownSecrets(env),
    signal: stop.signal,
    clock,
    processes,
    spinner,
    quietly: (load) => load(),
    loadSpinner: spinner.load,
    config:
      options.config ??
      (() => {
        const uid = process.getuid?.();
        return openStore({ env, homedir: noHome, clock, processes, signal: stop.signal, uid });
      }),
    openTransport: options.openTransport ?? refuseTransport,
    stop: (signal = 'SIGINT') => stop.abort(new Interrupted(signal)),
  };
}

function noHome(): string {
  throw new Error('the account has no home folder');
}

function refuseTransport(): never {
  throw new Error('the test expected no connection');
}

/** A spinner that draws nothing: it keeps what it was started with, and whether it still turns. */
class FakeSpinner {
  /** What it would show now; '' when it is not there. */
  get text(): string {
    return this.isTurning ? this.#options!.text() : '';
  }

  get color(): boolean | undefined {
    return this.#options?.color;
  }

  isTurning = false;
  /** How often it was started. */
  starts = 0;
  #options: SpinnerOptions | undefined;

  readonly load = async (): Promise<StartSpinner> => (options) => {
    this.#options = options;
    this.isTurning = true;
    this.starts++;
    return { stop: () => (this.isTurning = false) };
  };
}
