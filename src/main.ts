import { writeSync } from 'node:fs';
import { version } from './version.ts';

/**
 * Runs folio on the real process. The only place that knows `process`.
 *
 * @returns the exit code
 */
export async function main(): Promise<number> {
  const argv = process.argv.slice(2);
  // Answered before anything is loaded: scripts ask for the version often.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    try {
      writeSync(1, `${version}\n`);
      return 0;
    } catch {
      // Then it is the program that says why.
    }
  }
  const { start } = await import('./process-context.ts');
  return start(process);
}
