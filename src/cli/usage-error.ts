import type { CommanderError } from 'commander';
import { UsageError } from '../errors.ts';

/** The parser's complaint in folio's own form: one line, then what to do. */
export function usageErrorOf({ message }: CommanderError): UsageError {
  // `--tokn=…` may be a token, given to a flag that there is not.
  const [complaint = '', suggestion = ''] = message
    .replace(/^error: /, '')
    .replace(/^(unknown option '--[^=']+=)[^\n]*'/, "$1…'")
    .split('\n');
  const hint = suggestion.replace(/^\((.*)\)$/, '$1');
  return new UsageError(complaint, { hint: hint === '' ? 'see --help for what there is' : lowerFirst(hint) });
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
