import { EventEmitter } from 'node:events';
import type { Context } from './context.ts';
import { Interrupted } from './errors.ts';
import { version } from './version.ts';

/** Milliseconds that a run which was told to stop may take to clean up. */
const GRACE = 1_500;

/**
 * Runs folio on the real process. The only place that knows `process`.
 *
 * @returns the exit code
 */
export async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  // Answered before anything is loaded: scripts ask for the version often.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  // One listener a request in flight is no leak.
  EventEmitter.defaultMaxListeners = 100;
  const { run } = await import('./cli/run.ts');
  return run(await realContext(argv));
}

async function realContext(argv: readonly string[]): Promise<Context> {
  const env = { ...process.env };
  // What folio starts (a token command) and what shows its environment (a crash report) must not carry the token.
  delete process.env['FOLIO_TOKEN'];
  const { inputStream, outputStream } = await import('./process-streams.ts');
  const { realClock } = await import('./clock.ts');
  const { knownSecrets } = await import('./api/known-secrets.ts');
  const { processTable } = await import('./output/processes.ts');
  const signal = stopSignal();
  return {
    argv,
    stdin: inputStream(process.stdin, process.stderr),
    stdout: outputStream(process.stdout),
    stderr: outputStream(process.stderr),
    env,
    secrets: knownSecrets(env),
    signal,
    clock: realClock,
    config: async () => {
      const { openStore } = await import('./config/open-store.ts');
      return openStore({ env, clock: realClock, signal, uid: process.getuid?.() });
    },
    processes: processTable(process),
    openTransport: async (options) =>
      (await import('./api/undici-transport.ts')).openUndiciTransport(options),
    openFileTransport: async (options) =>
      (await import('./api/undici-file-transport.ts')).openUndiciFileTransport(options),
    networkProbe: async () => (await import('./api/node-network-probe.ts')).nodeNetworkProbe,
  };
}

/** Aborted by the first SIGINT or SIGTERM. A second one, or clean-up that takes too long, ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      const die = (): void => {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
      };
      if (controller.signal.aborted) die();
      controller.abort(new Interrupted(signal));
      process.once(signal, die);
      setTimeout(die, GRACE).unref();
    });
  }
  return controller.signal;
}
