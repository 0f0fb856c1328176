import { issued } from '../../resources/invoices.ts';
import { parser, withValues } from '../../run/flag.ts';
import { extentFlags, filterFlags, outputFlags, receiptFlags, requestFlags } from '../../run/flags.ts';
import { filters } from '../../run/filters.ts';
import { declareCommand } from '../command.ts';

/** A comma-separated list of endings of files, with or without their dots, in any case. */
const parseEndings = parser((text): readonly string[] | undefined => {
  const list = text.split(',').map((ending) => ending.trim().replace(/^\./, '').toLowerCase());
  return list.every((ending) => /^[a-z0-9]{1,8}$/.test(ending)) ? list : undefined;
}, 'endings, such as pdf,xml');

function endings(text: string, flag: string, before: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  return new Set([...before, ...parseEndings(text, flag)]);
}

// A download has no default limit, so --all would do nothing.
const { all: _, ...extent } = extentFlags(issued);

export const downloadCommand = declareCommand({
  summary: 'the files of issued invoices',
  description:
    'Puts the files of issued invoices (PDF, XML) into a folder, as <number>-<id>-<hash>.<ending>. ' +
    'A file that the folder has under that name, with any ending, is not fetched again. The hash tells files of one document ' +
    'apart, documents of one number and organizations; a link that is signed anew has the same. ' +
    'The output has a record for each file: whether it was saved, was there or failed.',
  arguments: [['<dir>', 'the folder for the files; made if need be']],
  examples: [
    ['folio issued download invoices', 'all files; the next time, the new ones'],
    ['folio issued download invoices --only pdf', 'no other files'],
    ['folio issued download late --where "open>0" --where "due<today" -o late.csv', 'of some, with a list'],
  ],
  flags: {
    only: { syntax: '--only <endings>', daily: true, about: 'files of these kinds: pdf,xml', parse: endings },
    ...filterFlags(issued),
    ...extent,
    limit: { ...extent.limit, about: 'at most n invoices' },
    ...outputFlags,
    ...receiptFlags,
    ...requestFlags,
    where: filters.where,
  },
  run: async (context, flags, [folder]) => {
    const { exportRecords } = await import('../../run/pipeline.ts');
    const { downloadColumns, downloadSource } = await import('../../run/sources/download-source.ts');
    await exportRecords(context, {
      source: downloadSource({ folder, flags }),
      // These flags are about invoices, not files. The default limit of tables must not apply to the download.
      flags: withValues(flags, { where: undefined, limit: undefined, page: undefined, all: true }),
      columns: downloadColumns,
    });
  },
});
