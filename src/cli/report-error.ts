import type { Context, OutputStream } from '../context.ts';
import { FolioError, Interrupted } from '../errors.ts';
import { shownLine } from '../output/terminal/wrap-text.ts';
import { visible } from '../output/terminal/terminal-text.ts';
import { isReaderGone } from './exit-codes.ts';

/**
 * Says on standard error what ended the run: one line, then what to do about it. `debug` adds the stack and the
 * causes. What is not a FolioError is a fault of folio's own and always shows its stack.
 */
export async function reportError(error: unknown, context: Context, debug: boolean): Promise<void> {
  if (isReaderGone(error)) return;
  await context.stderr.write(describe(error, context.stderr, debug));
}

function describe(error: unknown, stderr: OutputStream, debug: boolean): string {
  if (!(error instanceof FolioError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `folio: this is a fault of folio's own, please report it\n${lines(stack)}\n`;
  }
  const message = shownLine(`folio: ${visible(error.message)}`, stderr);
  const hint =
    error.hint === undefined
      ? ''
      : `  ${shownLine(visible(error.hint), { columns: narrower(stderr) }, '  ')}`;
  if (!debug || error instanceof Interrupted) return message + hint;
  return `${message}${hint}${causes(error)}`;
}

/** The columns beside the two that a hint is set in by. */
function narrower({ columns }: OutputStream): number | undefined {
  return columns === undefined ? undefined : columns - 2;
}

function causes(error: Error): string {
  let text = '';
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    text += `${lines(at.stack ?? at.message)}\n`;
  return text;
}

function lines(text: string): string {
  return text
    .split('\n')
    .map((line) => visible(line))
    .join('\n');
}
