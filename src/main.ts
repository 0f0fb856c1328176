import { writeSync } from 'node:fs';
import { version } from './version.ts';

/** Runs folio on the real process. Only this file touches `process`. Returns the exit code. */
export async function main(): Promise<number> {
  const [flag, ...others] = process.argv.slice(2);
  // Scripts ask for the version often, so the answer loads nothing else.
  if (others.length === 0 && (flag === '--version' || flag === '-V')) {
    try {
      writeSync(1, `${version}\n`);
      return 0;
    } catch {
      // The whole program reports why that failed.
    }
  }
  const { start } = await import('./process-context.ts');
  return start(process);
}
