import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { localDay } from '../json/calendar-day.ts';
import type { ChosenColumns } from '../output/chosen-columns.ts';
import type { KnownColumn } from '../output/column-roles.ts';
import {
  checkFlagsOfFormat,
  formatOf,
  formatOfEnding,
  TABS_BETWEEN_CELLS,
  formats,
  type Format,
} from '../output/formats.ts';
import { useColor } from '../output/terminal/terminal-text.ts';
import { localeOf } from '../output/terminal/number-text.ts';
import type { ColumnNames } from '../invoices/column-names.ts';
import type { DeclaredTypes, Layout, OpenWriter } from '../output/writer.ts';
import type { OutputFlags } from './flags.ts';
import type { FlagDefaults } from './settings.ts';

/** How many records a table on a terminal shows, unless --limit, --all or a setting says otherwise. */
const TABLE_LIMIT = 50;

/** How and where the records are written: flags, settings and the terminal have decided. */
export interface OutputPlan {
  readonly format: Format;
  readonly layout: Layout;
  /** The headings that columns have in place of their names. */
  readonly headings: readonly { readonly heading: string; readonly column: string }[];
  /** The columns as they were asked for, where records may have lost others by it. */
  readonly chosen?: ChosenColumns | undefined;
  /** The list of which each object is a row. */
  readonly expanded?: string | undefined;
  readonly openWriter: OpenWriter;
  /** As given to -o; undefined for standard output. */
  readonly target: string | undefined;
  /** Whether standard output is the target, and is a terminal. */
  readonly onTerminal: boolean;
  /** Records after which a table on a terminal stops by itself. */
  readonly tableLimit: number;
}

interface OutputPlanOptions {
  readonly flags: OutputFlags;
  /** False with --no-color. */
  readonly color: boolean;
  /** The values of the settings for flags that are not given. */
  readonly defaults: Pick<FlagDefaults, 'format' | 'delimiter' | 'limit' | 'types'>;
  /** True for a command that is about a single record. */
  readonly single?: boolean | undefined;
  /** xlsx: the name of the sheet. */
  readonly sheet?: string | undefined;
  /** Finds the columns that people look for; called only for a format that shows them differently. */
  readonly known?: (() => Promise<readonly KnownColumn[]>) | undefined;
  /** Finds the columns that the records are declared to have; called only for a format that stores types. */
  readonly declared?: (() => Promise<DeclaredTypes>) | undefined;
  /** What else the command writes by the ending of a file, as messages name it. */
  readonly furtherEnding?: string | undefined;
  /** Whether rows of a result come out, whose columns have no other names. */
  readonly isResult?: boolean | undefined;
  /** The list of --expand. */
  readonly expand?: string | undefined;
  /** Finds what the names of columns stand for; called only where columns are named. */
  readonly names?: (() => Promise<ColumnNames>) | undefined;
}

/** Decides on the format and its layout, and loads the writer. Throws UsageError for flags that do not go together. */
export async function planOutput(
  context: Context,
  {
    flags,
    color,
    defaults,
    single = false,
    sheet,
    known,
    declared,
    furtherEnding,
    isResult,
    expand,
    names,
  }: OutputPlanOptions,
): Promise<OutputPlan> {
  const target = flags.output === '-' ? undefined : flags.output;
  const onTerminal = target === undefined && context.stdout.isTerminal;
  const ending = target === undefined ? undefined : endingFormat(target, flags.format, furtherEnding);
  // Off a terminal a listing is rows for a script; a single record is a document.
  const usual = onTerminal ? 'table' : single ? 'json' : 'csv';
  const format = flags.format ?? ending ?? impliedFormat(flags, defaults) ?? usual;
  checkFlagsOfFormat(format, {
    '--delimiter': flags.delimiter !== undefined,
    '--excel': flags.excel,
    '--no-header': flags.header === false,
    '--wide': flags.wide,
    '--raw': flags.raw,
  });
  const isOpen = flags.columns?.isOpen === true;
  const { heeds, writer } = formatOf(format);
  const layout: Layout = {
    columns: isOpen ? undefined : flags.columns?.names,
    headings: (flags.columns?.headings.size ?? 0) > 0 ? (all) => flags.columns!.headingsOf(all) : undefined,
    asked: flags.columns !== undefined && !isOpen,
    delimiter: flags.delimiter ?? defaults.delimiter,
    header: flags.header !== false,
    excel: flags.excel === true,
    single,
    sheet,
    known: heeds?.includes('known') ? await known?.() : undefined,
    fields: heeds?.includes('fields') ? (await names?.())?.fields : undefined,
    declared: heeds?.includes('declared') ? await declared?.() : undefined,
    types: defaults.types,
    today: onTerminal ? localDay(context.clock.now()) : undefined,
    width: onTerminal ? (context.stdout.columns ?? 80) : undefined,
    wide: flags.wide,
    // Output that a program reads must not depend on a locale.
    raw: flags.raw === true || !onTerminal,
    locale: localeOf(context.env),
    color: target === undefined && useColor(context.env, onTerminal, color),
  };
  const tableLimit = defaults.limit ?? TABLE_LIMIT;
  const openWriter = await writerOf(await writer(), flags.columns, isResult ? undefined : names);
  const expanded = isResult ? undefined : expand;
  const chosen = isResult || flags.columns?.keepsAll === true ? undefined : flags.columns;
  const headings = flags.columns?.readBack ?? [];
  return { format, layout, headings, chosen, expanded, openWriter, target, onTerminal, tableLimit };
}

/** The format where none is named: csv by the flags that only it reads, else that of the settings. */
export function impliedFormat(
  { excel, delimiter }: OutputFlags,
  defaults: Pick<FlagDefaults, 'format'>,
): Format | undefined {
  return excel || delimiter !== undefined ? 'csv' : defaults.format;
}

/** The writer of a format, for columns by the names that people have for them, and chosen among those that there are. */
async function writerOf(
  plain: OpenWriter,
  columns: ChosenColumns | undefined,
  namesOf: OutputPlanOptions['names'],
): Promise<OpenWriter> {
  if (columns === undefined) return plain;
  const names = await namesOf?.();
  const { leftOutByNames, writerByNames } = await import('../query/named-columns.ts');
  const named = names === undefined ? plain : writerByNames(plain, names);
  if (!columns.isOpen) return named;
  const { choosingWriter } = await import('../output/choosing-writer.ts');
  return choosingWriter(named, names === undefined ? columns : leftOutByNames(columns, names));
}

/** The format that a file's ending names. Throws UsageError for an ending that is no format, unless one is given. */
function endingFormat(
  target: string,
  given: Format | undefined,
  further: string | undefined,
): Format | undefined {
  const found = formatOfEnding(target);
  const ending = /\.([a-z][a-z0-9]*)$/i.exec(target)?.[1];
  if (given !== undefined || found !== undefined || ending === undefined) return found;
  throw new UsageError(`-o ${target}: .${ending} is no format of folio`, {
    hint: /^(?:tsv|tab)$/i.test(ending)
      ? TABS_BETWEEN_CELLS
      : `Name a file that ends with ${[further ?? [], FILE_ENDINGS].flat().join(', ')}, or say which format it is with --format.`,
  });
}

const FILE_ENDINGS = formats
  .filter((format) => format !== 'table')
  .map((format) => `.${format}`)
  .join(', ');
