import { UsageError } from '../errors.ts';

// What can be asked of a report. The command line declares these flags, so that this loads nothing of what makes a report.

/** The forms that a report comes in. */
export const REPORT_FORMATS = ['html', 'json'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** The languages that a report is written in. */
const REPORT_LANGUAGES = ['en', 'es'] as const;
export type ReportLanguage = (typeof REPORT_LANGUAGES)[number];

/** Reads `--lang`. Throws UsageError. */
export function parseLanguage(text: string): ReportLanguage {
  const language = REPORT_LANGUAGES.find((one) => one === text.toLowerCase());
  if (language !== undefined) return language;
  throw new UsageError(`--lang ${JSON.stringify(text)}: there is no such language`, {
    hint: `A report is written in ${REPORT_LANGUAGES.join(' or ')}.`,
  });
}
