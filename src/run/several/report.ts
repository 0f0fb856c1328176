import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { localDay } from '../../json/calendar-day.ts';
import { openDestination } from '../../output/files/open-destination.ts';
import type { ReportFigures } from '../../report/figures.ts';
import type { ReportDates } from '../../report/invoice-figures.ts';
import { monthOf, parsePeriod } from '../../invoices/periods.ts';
import { writingFor, type ReportLanguage } from '../../report/words.ts';
import { version } from '../../version.ts';
import { remarkFile } from '../export-part.ts';
import { hasRecords, type PartResult, type Source } from '../part.ts';
import type { GlobalFlags, ProfilesFlags, QuestionFlags, ReceiptFlags, RequestFlags } from '../flags.ts';
import { checkResults } from './outcome.ts';
import { forEachPart } from './buffered-parts.ts';
import { figuresOf, organizationsIn, readPart, type PartFigures } from './report-figures.ts';
import { reportParts, type ReportPart } from './report-parts.ts';
import { inRun } from '../run.ts';

/** The forms that a report comes in, by the endings of their files. */
const FORMATS = ['html', 'json'] as const;
type ReportFormat = (typeof FORMATS)[number];

/** What is asked of a report. */
interface ReportFlags
  extends
    GlobalFlags,
    RequestFlags,
    ReceiptFlags,
    Pick<ProfilesFlags, 'allProfiles'>,
    Pick<QuestionFlags, 'field'> {
  /** `2026-11`, `2026-Q3`, `last-month`. */
  readonly period?: string | undefined;
  /** Exports instead of the service: `issued.jsonl`, `received=in.json`. */
  readonly from?: readonly string[] | undefined;
  readonly lang?: ReportLanguage | undefined;
  /** What stands at the top of the page instead of the organization's name. */
  readonly title?: string | undefined;
  readonly format?: ReportFormat | undefined;
  readonly output?: string | undefined;
}

/**
 * Reads the invoices and funds of one organization or of several, and writes one page about them. A listing that could not
 * be read whole does not keep the page from being written: it is said at its top, and the run ends in IncompleteError.
 *
 * @throws UsageError, AuthError, ServiceError, OutputError: no page was written
 */
export async function writeReport(context: Context, flags: ReportFlags): Promise<void> {
  const { output, receipt, field = [] } = flags;
  const format = formatOf(context, flags);
  const dates = datesOf(context, flags);
  const parts = await reportParts(context, flags);
  const names = parts.map(({ name }) => name);
  const options = {
    flags,
    name: 'report',
    records: 'invoices and funds',
    partKind: 'listings' as const,
    reads: parts.flatMap(({ source }) => source.reads ?? []),
  };
  await inRun(context, { ...options, output, parts: names }, async (run) => {
    const destination = await openDestination(output, run.context, {
      hasReceipt: receipt !== undefined,
    });
    try {
      for (const source of sourcesOf(parts)) await source.open?.(run);
      const read: PartFigures[] = [];
      for await (const one of forEachPart(run, parts, (part, signal) =>
        readPart(run, { part, signal, dates, fields: field }),
      )) {
        read.push(one);
      }
      const results = read.map(({ result }) => result);
      if (!results.some(hasRecords)) checkListings(results);
      await destination.write(
        await textOf(figuresOf(read, organizationsOf(read), dates), { format, flags, context }),
      );
      await destination.commit();
      run.receipt.note({ delivered: destination });
      await remarkFile(run, destination, { count: 1, what: 'reports', place: output });
      checkListings(results);
    } finally {
      for (const source of sourcesOf(parts)) await source.close?.();
      await destination.discard();
    }
  });
}

/** Each once: parts may have one in common. */
function sourcesOf(parts: readonly ReportPart[]): ReadonlySet<Source> {
  return new Set(parts.map(({ source }) => source));
}

function formatOf(context: Context, { format, output, lang, title }: ReportFlags): ReportFormat {
  const ending = /\.([a-z]+)$/i.exec(output ?? '')?.[1]?.toLowerCase();
  const ofEnding = ending === 'htm' ? 'html' : FORMATS.find((one) => one === ending);
  if (
    format === undefined &&
    output !== undefined &&
    output !== '-' &&
    ofEnding === undefined &&
    ending !== undefined
  ) {
    throw new UsageError(`-o ${output}: .${ending} is no form of a report`, {
      hint: 'Give the file the ending .html or .json, or add --format.',
    });
  }
  const chosen = format ?? ofEnding ?? 'html';
  const ofWords = lang !== undefined ? '--lang' : title !== undefined ? '--title' : undefined;
  if (chosen === 'json' && ofWords !== undefined) {
    throw new UsageError(`${ofWords} and json do not go together: the figures have no words`, {
      hint: `Leave out ${ofWords}, or write html.`,
    });
  }
  if (chosen === 'html' && (output === undefined || output === '-') && context.stdout.isTerminal) {
    throw new UsageError('a page cannot be shown on a terminal', {
      hint: 'Write it to a file with `folio report -o report.html`.',
    });
  }
  return chosen;
}

/** A period that is over is told as of its last day. */
function datesOf({ clock }: Context, { period: wish }: ReportFlags): ReportDates {
  const today = localDay(clock.now());
  const period = wish === undefined ? monthOf(today) : parsePeriod(wish, today);
  return { today, asOf: Math.min(today, period.last), period };
}

/** The organizations in the order in which they were asked for. */
function organizationsOf(read: readonly PartFigures[]): readonly string[] {
  return read[0]?.part.ofSeveral?.only ?? organizationsIn(read);
}

interface TextOptions {
  readonly format: ReportFormat;
  readonly flags: ReportFlags;
  readonly context: Context;
}

async function textOf(figures: ReportFigures, { format, flags, context }: TextOptions): Promise<string> {
  if (format === 'json') {
    const { figuresJson } = await import('../../report/figures-json.ts');
    return figuresJson(figures);
  }
  const { reportPage } = await import('../../report/page.ts');
  return reportPage(figures, { writing: writingFor(context, flags.lang), version, title: flags.title });
}

/** Throws where the page is not about everything. */
function checkListings(results: readonly PartResult[]): void {
  checkResults(results, { what: 'listings', lack: 'not whole in the report, which says so' });
}
