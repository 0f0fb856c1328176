import { EventEmitter } from 'node:events';
import { knownSecrets } from './api/known-secrets.ts';
import { run } from './cli/run.ts';
import { realClock } from './clock.ts';
import type { Context } from './context.ts';
import { Interrupted } from './errors.ts';
import { processTable } from './output/files/processes.ts';
import { inputStream, outputStream } from './process-streams.ts';

/** Milliseconds that a run which was told to stop may take to clean up. */
const GRACE = 1_500;

/**
 * Runs a command line on the process that `main` hands over: all that every command needs, in one file to load.
 *
 * @returns the exit code
 */
export function start(self: NodeJS.Process): Promise<number> {
  // One listener a request in flight is no leak.
  EventEmitter.defaultMaxListeners = 100;
  return run(realContext(self));
}

function realContext(self: NodeJS.Process): Context {
  const env = { ...self.env };
  // What folio starts (a token command) and what shows its environment (a crash report) must not carry the token.
  delete self.env['FOLIO_TOKEN'];
  const signal = stopSignal(self);
  return {
    argv: self.argv.slice(2),
    stdin: inputStream(
      () => self.stdin,
      () => self.stderr,
    ),
    stdout: outputStream('standard output', 1, () => self.stdout),
    stderr: outputStream('standard error', 2, () => self.stderr),
    env,
    secrets: knownSecrets(env),
    signal,
    clock: realClock,
    config: async () => {
      const { openStore } = await import('./config/open-store.ts');
      return openStore({ env, clock: realClock, signal, uid: self.getuid?.() });
    },
    processes: processTable(self),
    loadSpinner: async () => (await import('./ora-spinner.ts')).startOraSpinner(self.stderr),
    openTransport: async (options) =>
      (await import('./api/undici-transport.ts')).openUndiciTransport(options),
    openFileTransport: async (options) =>
      (await import('./api/undici-file-transport.ts')).openUndiciFileTransport(options),
    networkProbe: async () => (await import('./api/node-network-probe.ts')).nodeNetworkProbe,
  };
}

/** Aborted by the first SIGINT or SIGTERM. A second one, or clean-up that takes too long, ends the process at once. */
function stopSignal(self: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    self.once(signal, () => {
      const die = (): void => {
        self.removeAllListeners(signal);
        self.kill(self.pid, signal);
      };
      if (controller.signal.aborted) die();
      controller.abort(new Interrupted(signal));
      self.once(signal, die);
      setTimeout(die, GRACE).unref();
    });
  }
  return controller.signal;
}
