import { CommanderError } from 'commander';
import type { Context } from '../context.ts';
import { exitCodeOf } from './exit-codes.ts';
import { redactedStream } from './redacted-stream.ts';
import { usageErrorOf } from './usage-error.ts';
import { buildProgram } from './program.ts';
import { reportError } from './report-error.ts';

/** Runs one command line. Returns the exit code; never rejects. */
export async function run(given: Context): Promise<number> {
  const context = { ...given, stderr: redactedStream(given.stderr, given.secrets) };
  const program = buildProgram(context);
  try {
    await program.parseAsync(context.argv, { from: 'user' });
    return 0;
  } catch (thrown) {
    if (thrown instanceof CommanderError && (thrown.exitCode === 0 || thrown.code === 'commander.help'))
      return 0;
    const error = thrown instanceof CommanderError ? usageErrorOf(thrown) : thrown;
    await reportError(error, context, context.argv.includes('--debug')).catch(() => {});
    return exitCodeOf(error);
  }
}
