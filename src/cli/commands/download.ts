import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { issued } from '../../resources/issued.ts';
import type { FileFlags } from '../../run/sources/download-source.ts';
import { endings } from '../../run/parse-values.ts';
import { addCommand } from '../command.ts';
import { flagGroup, valued } from '../flag-group.ts';
import { extentFlags, filterFlags, outputFlags, receiptFlags, requestFlags, whereFlags } from '../flags.ts';

/** `issued download`: the files behind the invoices of a listing. */
export function addIssuedDownload(parent: Command, context: Context): void {
  addCommand(parent, 'download', {
    summary: 'the files of issued invoices',
    description:
      'Puts the files of issued invoices (PDF, XML) into a folder, as <number>-<n>.<ending>. ' +
      'A file that the folder has under that name, with any ending, is not fetched again. ' +
      'The output has a record for each file: whether it was saved, was there or failed.',
    arguments: [['<dir>', 'the folder for the files; made if need be']],
    examples: [
      ['folio issued download invoices', 'all files; the next time, the new ones'],
      ['folio issued download invoices --only pdf', 'no other files'],
      ['folio issued download due --where status=OVERDUE -o due.csv', 'of some, with a list'],
    ],
    flags: {
      files: fileFlags,
      filters: filterFlags(issued),
      extent: extentFlags(issued),
      output: outputFlags,
      receipt: receiptFlags,
      request: requestFlags,
      questions: whereFlags,
    },
    run: async ({ files, filters, extent, questions, ...values }, [folder]) => {
      const { exportRecords } = await import('../../run/pipeline.ts');
      const { downloadColumns, DownloadSource } = await import('../../run/sources/download-source.ts');
      await exportRecords(context, {
        ...values,
        source: new DownloadSource({ folder, files, filters, extent, questions }),
        // A table of a listing stops at 50. This one must not, since that would stop the download.
        extent: { all: true },
        columns: downloadColumns,
      });
    },
  });
}

const fileFlags = flagGroup<FileFlags>('Which records:', {
  only: valued('--only <endings>', 'only files of these kinds: pdf,xml', endings('--only')),
});
