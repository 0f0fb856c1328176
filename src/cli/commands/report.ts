import { parser, type Flags } from '../../run/flag.ts';
import {
  asOfFlag,
  allProfilesFlag,
  fieldFlag,
  langFlag,
  OUTPUT_DIR_RULES,
  outputFlags,
  READS_A_FILE,
  receiptFlags,
  requestFlags,
} from '../../run/flags.ts';
import { declareCommand } from '../command.ts';

const reportFlags = {
  period: {
    syntax: '--period <period>',
    daily: true,
    about: 'a month, quarter or year: 2026-11, 2026-Q3, last-month (default: this month)',
  },
  allProfiles: { ...allProfilesFlag, about: 'of every profile, a page each; --profile a,b for some' },
  from: {
    syntax: '--from <file...>',
    daily: true,
    about: 'of exports, or of a synced database, in place of the service: issued.jsonl, received=in.json',
    rules: [READS_A_FILE],
  },
  asOf: asOfFlag,
  lang: langFlag,
  title: {
    syntax: '--title <text>',
    daily: true,
    about: "what stands at the top (default: the organization's name)",
    parse: parser((title) => title.trim() || undefined, 'the name that the page is to have'),
  },
  field: fieldFlag,
  format: {
    syntax: '--format <format>',
    daily: true,
    about:
      'html, or json for the figures behind the page (default: by the ending of --output, else html; on a terminal a table)',
    choices: ['html', 'json'],
  },
  output: { ...outputFlags.output, about: 'write a file, whole or not at all' },
  outputDir: {
    syntax: '--output-dir <dir>',
    about: 'with several profiles: a page for each, <profile>.report.html',
    rules: OUTPUT_DIR_RULES,
  },
} as const satisfies Flags;

export const reportCommand = declareCommand({
  description:
    'One self-contained HTML page: what is open and overdue, by age and by counterparty, what falls due, months ' +
    'and funds. Amounts are exact, and currencies are never added together. A page that is not whole says so at ' +
    'its top. All days are counted from today, or from the day of the export or the database.',
  examples: [
    ['folio report', 'on a terminal: the month as a table'],
    ['folio report -o november.html', 'this month on a page, as of today'],
    ['folio report --period last-month --lang es -o octubre.html', 'the month before, in Spanish'],
    ['folio report --all-profiles --output-dir reports', 'a page for each organization'],
    ['folio report --from issued.jsonl --from received.jsonl -o offline.html', 'of exports, offline'],
    ['folio report --format json', 'the figures behind the page'],
  ],
  flags: { ...reportFlags, ...receiptFlags, ...requestFlags },
  run: async (context, flags) => {
    const { writeReport } = await import('../../run/pages/report.ts');
    await writeReport(context, flags);
  },
});
