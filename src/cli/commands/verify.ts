import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { text, valued } from '../../run/flag.ts';
import { age } from '../../run/parse-values.ts';
import { addCommand } from '../command.ts';

const verifyFlags = {
  receipt: text(
    '--receipt <receipt>',
    'the receipt of that run (default: <file>.receipt.json); without a file, all that it names',
  ),
  maxAge: valued(
    '--max-age <time>',
    'how long the run may be ago: 90m, 26h, 2d or 1w; also the last sync of a database',
    age('--max-age'),
  ),
};

/** `verify`: whether files are still what runs delivered, and whether the runs were lately. */
export function addVerify(program: Command, context: Context): void {
  addCommand(program, context, 'verify', {
    description:
      'Compares files with the receipts of the runs that wrote them (--receipt): bytes, SHA-256 and, in csv, jsonl and ' +
      'json, the number of records. In a folder it compares all files that the receipts there, <name>.receipt.json, or its own, name: ' +
      'where they were written, as seen from the receipt, else beside it. Needs neither network nor token. With --max-age it also ' +
      'finds the run that never started: by the receipt, and by the last sync of each listing of a database. Exit code 0 where all ' +
      'is well, silent with -q; 6 where a file differs, is lost or too old; 2 where a file has no receipt.',
    arguments: [
      [
        '[files...]',
        'what -o wrote; a folder, or a <name>.receipt.json, for all that is named there; with --max-age a synced database',
      ],
    ],
    examples: [
      ['folio issued -o issued.csv --receipt issued.csv.receipt.json', 'an export and its receipt'],
      ['folio verify issued.csv', 'whether it is still the same'],
      [
        'folio verify -q exports --max-age 26h',
        'all files of a folder that have receipts, none older than 26 hours',
      ],
      ['folio verify books.db --max-age 26h', 'whether each listing was synced since'],
    ],
    flags: verifyFlags,
    run: async (flags, [files]) => {
      const { runVerify } = await import('./verify-files.ts');
      await runVerify(context, files, flags);
    },
  });
}
