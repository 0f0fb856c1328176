import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { localDay } from '../../json/calendar-day.ts';
import type { RecordBatch } from '../../json/records.ts';
import { openDestination } from '../../output/files/open-destination.ts';
import { written } from '../../output/files/destination.ts';
import { checkFlagsOfFormat, formatOfEnding, type Format } from '../../output/formats.ts';
import { writerOfResult, type ResultForm } from '../../query/questions.ts';
import { chosenColumns } from '../../query/result-rows.ts';
import {
  statementColumns,
  statementRows,
  statementsJson,
  STATEMENT_SHOWN,
} from '../../report/statement-rows.ts';
import { writingFor } from '../../report/words.ts';
import { deliver } from '../export-part.ts';
import { planOutput } from '../output-plan.ts';
import type { ReadPath } from '../paths.ts';
import type { PartState } from '../part-state.ts';
import { remarkFile } from '../written.ts';
import { inRun } from '../run.ts';
import { flagDefaults, type FlagDefaults } from '../settings.ts';
import { noteFile, noteOf } from './note.ts';
import {
  checkOutcome,
  profilesOf,
  readAll,
  resourceOf,
  sourceOf,
  type Job,
  type StatementFlags,
  type StatementsRead,
  type StatementRun,
} from './read-statements.ts';

/**
 * Reads the invoices of one organization or of several, and writes what customers owe, or what suppliers are owed. What could
 * not be read whole says so, and the run ends in IncompleteError.
 *
 * @throws UsageError, AuthError, NotFoundError, ServiceError, OutputError: nothing was written
 */
export async function writeStatements(context: Context, asked: StatementRun): Promise<void> {
  const { flags } = asked;
  const form = await formOf(context, asked);
  if (form.kind !== 'rows') refuseRowFlags(flags);
  const source = await sourceOf(asked);
  try {
    const profiles = await profilesOf(context, source, asked);
    const options = {
      flags,
      name: 'statement',
      records: source.records,
      reads: [...(source.reads ?? []), ...noteFile(flags.note), ...pagesOf(flags)],
      output: flags.output,
      folder: flags.folder,
      ...(profiles.length > 1 && { parts: profiles.map(String) }),
    };
    await inRun(context, options, async (run) => {
      const job = { run, asked, source, profiles, today: localDay(context.clock.now()) };
      await source.open?.(run);
      if (form.kind === 'folder') await (await import('./statement-folder.ts')).writeFolder(job, form.path);
      else await (form.kind === 'rows' ? writeRows(job, form) : writeText(job, form.kind));
    });
  } finally {
    await source.close?.();
  }
}

/** The folder has what the run puts into it as one, and no receipt. */
function pagesOf({ folder: path }: StatementFlags): readonly ReadPath[] {
  return path === undefined ? [] : [{ path, is: `a page of ${path}`, names: /^/ }];
}

/** What is written: a page, one JSON document, or rows in another format. Throws UsageError for flags that it does not read. */
async function formOf(context: Context, { flags }: StatementRun): Promise<Form> {
  const { format, output, folder, excel, everyone, lang, note, organization } = flags;
  if (folder !== undefined) {
    if (excel || (format !== undefined && format !== 'html')) {
      throw new UsageError(`--output-dir writes pages, not ${format ?? 'csv'}`, {
        hint: 'Leave that out; or have the rows of all in one file with -o statements.xlsx, of one with --customer-fiscal-id <id> -o one.xlsx.',
      });
    }
    return { kind: 'folder', path: folder };
  }
  const ending = /\.([^./\\]+)$/.exec(output ?? '')?.[1]?.toLowerCase();
  const isPage = format === 'html' || (format === undefined && (ending === 'html' || ending === 'htm'));
  if (isPage) {
    if (everyone) {
      throw new UsageError('a page is for one customer, and --all names everyone', {
        hint: 'Have a page for each with --output-dir <dir>, or name one with --customer-fiscal-id <id>.',
      });
    }
    if (excel) {
      throw new UsageError('--excel goes with csv, not with html', {
        hint: 'Leave --excel out, or say --format csv.',
      });
    }
    if ((output === undefined || output === '-') && context.stdout.isTerminal) {
      throw new UsageError('a page cannot be shown on a terminal', {
        hint: 'Write it to a file with -o statement.html.',
      });
    }
    return { kind: 'html' };
  }
  const defaults = flags.sandbox
    ? {}
    : flagDefaults(await context.config(), flags.profile, resourceOf(flags));
  const ofEnding = output === undefined ? undefined : formatOfEnding(output);
  const chosen = format ?? ofEnding ?? (excel ? 'csv' : defaults.format);
  const isJson = chosen === 'json';
  const told = { lang, note, ...(!isJson && { organization }) };
  const given = Object.entries(told).find(([, value]) => value !== undefined)?.[0];
  if (given !== undefined) {
    throw new UsageError(`--${given} is for a page, and none is written`, {
      hint: 'Leave it out, or write a page with -o statement.html.',
    });
  }
  if (!isJson) return { kind: 'rows', ...(format && { format }), defaults };
  checkFlagsOfFormat('json', { '--excel': excel });
  return { kind: 'json' };
}

/** Throws UsageError for flags that say how rows look. */
function refuseRowFlags({ columns, wide }: StatementFlags): void {
  const given = { '--columns': columns !== undefined, '--wide': wide };
  const flag = Object.entries(given).find(([, isGiven]) => isGiven)?.[0];
  if (flag === undefined) return;
  throw new UsageError(`${flag} is for rows, and none are written`, {
    hint: 'Leave it out, or have rows with -o statement.csv.',
  });
}

type Form =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'html' | 'json' }
  | { readonly kind: 'rows'; readonly format?: Format; readonly defaults: FlagDefaults };

/** Writes the documents of the statements as rows. */
async function writeRows(job: Job, form: Extract<Form, { kind: 'rows' }>): Promise<void> {
  const { run, profiles, asked } = job;
  const isSeveral = profiles.length > 1;
  const { output, columns: named, excel, wide, color } = asked.flags;
  const planned = await planOutput(run.context, {
    flags: { format: form.format, output, columns: named, excel, wide },
    color: color !== false,
    defaults: form.defaults,
    sheet: 'statement',
    furtherEnding: '.html',
    isResult: true,
  });
  const columns = statementColumns(isSeveral);
  const result: ResultForm = {
    columns: (named) =>
      named === undefined ? columns : chosenColumns(columns, { asked: named, flag: '--columns' }),
    shown: STATEMENT_SHOWN,
  };
  const plan = { ...planned, openWriter: writerOfResult(planned.openWriter, result) };
  let results: readonly PartState[] = [];
  const rows = async function* (): AsyncGenerator<RecordBatch> {
    const outcome = await readAll(job);
    ({ results } = outcome);
    yield* statementRows(outcome.statements, isSeveral);
  };
  const state = run.partNamed(undefined);
  const delivered = await deliver(run.context, rows(), { plan, state, hasReceipt: run.hasReceipt });
  const count = state.records;
  remarkFile(run, delivered, { count, what: 'documents', place: plan.target });
  checkOutcome(results);
}

/** Writes one page, or one JSON document. */
async function writeText(job: Job, format: 'html' | 'json'): Promise<void> {
  const { run, asked } = job;
  const { output } = asked.flags;
  const note = await noteOf(asked.flags.note, run.context);
  let results: readonly PartState[] = [];
  const delivered = await written(
    await openDestination(output, run.context, { hasReceipt: run.hasReceipt }),
    async (destination) => {
      const outcome = await readAll(job);
      ({ results } = outcome);
      await destination.write(
        format === 'json'
          ? statementsJson(outcome.statements, outcome.facts)
          : await pageOf(job, { ...outcome, note }),
      );
    },
  );
  run.partNamed(undefined).delivered = delivered;
  remarkFile(run, delivered, { count: 1, what: 'statements', place: output });
  checkOutcome(results);
}

/** The page of the only statement. Throws UsageError where there are several. */
async function pageOf(
  { run: { context }, asked }: Job,
  { statements, facts, note }: StatementsRead & { readonly note: string | undefined },
): Promise<string> {
  const [statement, other] = statements;
  if (other !== undefined) {
    const names = statements.map(({ statement: { party } }) => party.name ?? party.fiscalId ?? 'no name');
    const shown =
      names.length > MAX_NAMED ? `${names.slice(0, MAX_NAMED).join(', ')} and more` : names.join(', ');
    throw new UsageError(`a page is for one, and ${statements.length} are meant: ${shown}`, {
      hint: 'Have a page for each with --all --output-dir <dir>, or all in one workbook with -o statements.xlsx.',
    });
  }
  const { statementPage } = await import('../../report/statement-page.ts');
  const writing = writingFor(context, asked.flags.lang);
  return statementPage(statement!, { ...facts, writing, note });
}

/** Names in a message. */
const MAX_NAMED = 5;
