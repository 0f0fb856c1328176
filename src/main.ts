import { writeSync } from 'node:fs';
import { version } from './version.ts';

/**
 * Runs folio on the real process. The only place that knows `process`.
 *
 * @returns the exit code
 */
export async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  // Scripts ask for the version often, so the answer needs no other file.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    try {
      writeSync(1, `${version}\n`);
      return 0;
    } catch {
      // The whole program says why that failed.
    }
  }
  const { start } = await import('./process-context.ts');
  return start(process);
}
