import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { addExamples } from './listing.ts';

/** `verify`: whether a file is still what a run delivered. */
export function addVerify(program: Command, context: Context): void {
  const command = program.command('verify').summary('whether a file is still what was delivered');
  command.description(
    `Holds a file against the receipt of the run that wrote it (--report): bytes, SHA-256 and, in csv, tsv, jsonl and
json, the number of records. Needs neither network nor token. Exit code 0 where it is still what was delivered, 6
with the differences where it is not. Without a receipt it says whether the file is whole, and what is in it.`,
  );
  command.argument('<file>', 'what -o wrote');
  command.option(
    '--report <receipt>',
    'the receipt of that run (default: <file>.report.json where there is one)',
  );
  addExamples(command, [
    ['folio issued -o issued.csv --report issued.csv.report.json', 'an export and its receipt'],
    ['folio verify issued.csv', 'whether it is still the same'],
  ]);
  command.action(async (file: string, { report }: { report?: string }) => {
    const { runVerify } = await import('./run-verify.ts');
    await runVerify(context, file, report);
  });
}
