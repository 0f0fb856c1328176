import { Option, type Command } from 'commander';
import type { Context } from '../../context.ts';
import { issued } from '../../resources/issued.ts';
import { flagsOf } from '../flags.ts';
import { declareLater } from '../declare-later.ts';
import { addExamples } from './listing.ts';
import { addListingFlags } from '../flags.ts';
import { endings } from '../parse-values.ts';
import { whereOption } from '../question-flags.ts';
import type { DownloadFlags } from '../../run/download.ts';

/** `issued download`: the files behind the invoices of a listing. */
export function addIssuedDownload(parent: Command, context: Context): void {
  const command = parent.command('download').argument('<dir>', 'the folder for the files; made if need be');
  command.summary('the files of issued invoices');
  command.description(
    'Puts the files of issued invoices (PDF, XML) into a folder, as <number>-<n>.<ending>. ' +
      'A file is there, and not fetched again, when the folder has that name with any ending. ' +
      'A record for each file says what became of it.',
  );
  addExamples(command, [
    ['folio issued download invoices', 'all files; again, what is new'],
    ['folio issued download invoices --only pdf', 'no other files'],
    ['folio issued download due --where status=OVERDUE -o due.csv', 'of some, with a list'],
  ]);
  declareLater(command, () => {
    const only = new Option('--only <endings>', 'only files of these kinds: pdf,xml');
    command.addOption(only.argParser(endings('--only')).helpGroup('Which records:'));
    addListingFlags(command, issued);
    command.addOption(whereOption());
  });
  command.action(async (folder: string) => {
    const { runIssuedDownload } = await import('../../run/download.ts');
    await runIssuedDownload(context, folder, flagsOf<DownloadFlags>(command));
  });
}
