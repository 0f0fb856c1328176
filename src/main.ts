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
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const { start } = await import('./start.ts');
  return start(process);
}
