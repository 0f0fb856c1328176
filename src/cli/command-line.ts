import { CommanderError } from 'commander';
import type { Context, OutputStream, Secrets } from '../context.ts';
import { localDay } from '../json/calendar-day.ts';
import { FolioError, Interrupted } from '../errors.ts';
import { commandOf } from './command.ts';
import { exitCodeOf, isReaderGone } from './exit-codes.ts';
import { programFor, wholeProgram } from './program.ts';
import { shownLine, streamWith, visible } from '../output/terminal/terminal-text.ts';

/** A stream for messages: it removes secrets from each text, not one split over two writes; folio writes a line at a time. */
function redactedStream(stream: OutputStream, secrets: Secrets): OutputStream {
  return streamWith(stream, (bytes) => stream.write(secrets.redact(Buffer.from(bytes as string).toString())));
}

/** Runs one command line. Returns the exit code; never rejects. */
export async function runCommandLine(outer: Context): Promise<number> {
  const context = { ...outer, stderr: redactedStream(outer.stderr, outer.secrets) };
  let answer = '';
  try {
    const program = await programFor(context, context.argv, (text) => void (answer += text));
    await program.parseAsync(context.argv, { from: 'user' }).catch(ignoreHelp);
    // Written at once: for a small text the runtime needs no stream, which takes 4 ms to make.
    if (answer !== '') await context.stdout.write(answer);
    return 0;
  } catch (thrown) {
    const error = await asFolioError(thrown, context);
    const text = errorText(error, context.stderr, context.argv.includes('--debug'));
    if (!isReaderGone(error)) await context.stderr.write(text).catch(() => {});
    return exitCodeOf(error);
  }
}

/** The error as one of folio's; faults as they are. */
async function asFolioError(thrown: unknown, context: Context): Promise<unknown> {
  if (!(thrown instanceof CommanderError)) return thrown;
  const { explained } = await import('./suggestions.ts');
  const today = localDay(context.clock.now());
  const command = commandOf(thrown);
  return explained(thrown, { command, today, wholeProgram: () => wholeProgram(context) });
}

/** Drops the errors that commander throws for help and for the version, which are answers. */
function ignoreHelp(thrown: unknown): void {
  const isAnswer =
    thrown instanceof CommanderError && (thrown.exitCode === 0 || thrown.code === 'commander.help');
  if (!isAnswer) throw thrown;
}

/** The message and the hint; `debug` adds the stack and the causes. A fault of folio's own always shows its stack. */
function errorText(error: unknown, { columns }: OutputStream, debug: boolean): string {
  if (!(error instanceof FolioError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `folio: this is a fault of folio's own, please report it\n${visibleLines(stack)}\n`;
  }
  const [first = '', ...others] = error.lines.map(visible);
  let text = shownLine(`folio: ${first}`, { columns });
  for (const line of others) text += shownLine(line, { columns }, '  ');
  if (error.hint !== undefined) {
    const narrower = columns === undefined ? undefined : columns - 2;
    text += `  ${shownLine(visible(error.hint), { columns: narrower }, '  ')}`;
  }
  if (debug && !(error instanceof Interrupted))
    for (let at: unknown = error; at instanceof Error; at = at.cause)
      text += `${visibleLines(at.stack ?? at.message)}\n`;
  return text;
}

function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}
