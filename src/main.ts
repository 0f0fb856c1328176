import { writeSync } from 'node:fs';
import type { OwnProcess } from './process-context.ts';
import { version } from './version.ts';

/** Runs folio on the real process. Only this file touches `process`. Returns the exit code. */
export async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  // Scripts ask for the version often, so the answer needs no other file.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    try {
      writeSync(1, `${version}\n`);
      return 0;
    } catch {
      // The whole program reports why that failed.
    }
  }
  const { start } = await import('./process-context.ts');
  return start(ownProcess(argv));
}

function ownProcess(argv: readonly string[]): OwnProcess {
  const env = { ...process.env };
  // A token command inherits the environment, and a crash report may show it: neither must have the token.
  delete process.env['FOLIO_TOKEN'];
  return {
    argv,
    env,
    pid: process.pid,
    uid: process.getuid?.(),
    // Getters of the runtime that make a stream when they are first read.
    stdin: () => process.stdin,
    stdout: () => process.stdout,
    stderr: () => process.stderr,
    descriptors: { stdout: 1, stderr: 2 },
    // The runtime's `performance` does the same, and takes 1 ms to load.
    elapsed: () => Number(process.hrtime.bigint()) / 1e6,
    kill: (pid, signal) => process.kill(pid, signal),
    once: (signal, listener) => void process.once(signal, listener),
    endBy(signal) {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    },
    async quietly(load) {
      const emitWarning = process.emitWarning.bind(process);
      process.emitWarning = () => undefined;
      try {
        return await load();
      } finally {
        process.emitWarning = emitWarning;
      }
    },
  };
}
