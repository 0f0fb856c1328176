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
  let written = Promise.resolve();
  const program = buildProgram(context, (text) => {
    written = written.then(() => context.stdout.write(text));
    // Awaited below, unless something else went wrong first.
    written.catch(() => {});
  });
  try {
    await program.parseAsync(context.argv, { from: 'user' }).catch(passHelp);
    await written;
    return 0;
  } catch (thrown) {
    const error = thrown instanceof CommanderError ? usageErrorOf(thrown) : thrown;
    await reportError(error, context, context.argv.includes('--debug')).catch(() => {});
    return exitCodeOf(error);
  }
}

/** That help or the version was asked for is no error, though commander throws it. */
function passHelp(thrown: unknown): void {
  const isAnswer =
    thrown instanceof CommanderError && (thrown.exitCode === 0 || thrown.code === 'commander.help');
  if (!isAnswer) throw thrown;
}
