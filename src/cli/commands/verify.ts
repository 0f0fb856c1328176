import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { addCommand } from '../command.ts';
import { flagGroup, text } from '../flag-group.ts';

interface VerifyFlags {
  readonly receipt?: string;
}

const verifyFlags = flagGroup<VerifyFlags>(undefined, {
  receipt: text(
    '--receipt <receipt>',
    'the receipt of that run (default: <file>.receipt.json); without a file, all that it names',
  ),
});

/** `verify`: whether files are still what runs delivered. */
export function addVerify(program: Command, context: Context): void {
  addCommand(program, 'verify', {
    summary: 'whether a file is still what was delivered',
    description:
      'Compares files with the receipts of the runs that wrote them (--receipt): bytes, SHA-256 and, in csv, tsv, jsonl and ' +
      'json, the number of records. In a folder it compares all files that the receipts there, <name>.receipt.json, name. Needs ' +
      'neither network nor token. Exit code 0 where all files are still what was delivered, 6 with the differences where one ' +
      'is not, 2 where a file has no receipt.',
    arguments: [
      ['[files...]', 'what -o wrote; a folder, or a <name>.receipt.json, for all that is named there'],
    ],
    examples: [
      ['folio issued -o issued.csv --receipt issued.csv.receipt.json', 'an export and its receipt'],
      ['folio verify issued.csv', 'whether it is still the same'],
      ['folio verify exports', 'all files of a folder that have receipts'],
    ],
    flags: { receipt: verifyFlags },
    run: async ({ receipt }, [files]) => {
      const { runVerify } = await import('./verify-files.ts');
      await runVerify(context, files, receipt.receipt);
    },
  });
}
