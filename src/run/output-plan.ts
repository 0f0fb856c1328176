import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import {
  type Meanings,
  declaredType,
  fixedValue,
  ofAll,
  PAYMENT_MEMBERS,
  type FieldsOf,
} from '../invoices/fields.ts';
import type { KnownColumn } from '../output/column-looks.ts';
import {
  checkFlagsOfFormat,
  endingsOf,
  formatOf,
  formatOfEnding,
  formats,
  meantFormat,
  readsFlag,
  type Format,
} from '../output/formats.ts';
import { localeOf } from '../output/terminal/number-text.ts';
import { useColor } from '../output/terminal/terminal-text.ts';
import type { DeclaredTypes, Layout, OpenWriter } from '../output/writer.ts';
import { writerOfResult, type ResultForm } from '../query/questions.ts';
import type { ReportLanguage } from '../report/texts.ts';
import type { Resource } from '../resources/resource.ts';
import type { ExtentFlags, GlobalFlags, OutputFlags, QuestionFlags } from './flags.ts';
import type { FlagDefaults } from './settings.ts';

/** How many records a table on a terminal shows, unless --limit, --all or a setting has another number. */
const TABLE_LIMIT = 50;

export interface OutputPlan {
  readonly format: Format;
  readonly layout: Layout;
  /** The headings that columns have in place of their names. */
  readonly headings: readonly { readonly heading: string; readonly column: string }[];
  /** The columns of --columns, as typed, where others may have been left out. */
  readonly chosen?: readonly string[] | undefined;
  /** The list whose objects are the rows. */
  readonly expanded?: string | undefined;
  /** Whether rows of a result come out. */
  readonly isResult: boolean;
  readonly openWriter: OpenWriter;
  /** As typed behind -o; undefined for standard output. */
  readonly target: string | undefined;
  readonly isTerminalTable: boolean;
  /** How many records a table on a terminal shows by default; undefined for all. */
  readonly tableLimit: number | undefined;
}

type PlanFlags = OutputFlags &
  Pick<GlobalFlags, 'color'> &
  Pick<ExtentFlags, 'all' | 'limit' | 'page'> &
  Pick<QuestionFlags, 'count' | 'groupBy'>;

/** What the columns of the records mean, and the day at which what is due is late. */
type Described = Pick<Layout, 'known' | 'fields' | 'declared' | 'today'>;

interface PlanOptions extends Partial<Pick<Layout, 'single' | 'sheet'>> {
  /** Called for a format that shows what columns mean. */
  readonly describe?: () => Described;
  /** The settings, for flags that are not set. */
  readonly defaults?: Pick<FlagDefaults, 'format' | 'delimiter' | 'limit' | 'types'>;
  /** What the columns mean; undefined where the records are of a form of their own. */
  readonly meanings?: Meanings;
  readonly expand?: string | undefined;
  /** The language of headings in a workbook, by flag and by setting; undefined where columns have their names. */
  readonly lang?:
    | { readonly flag: ReportLanguage | undefined; readonly setting: ReportLanguage | undefined }
    | undefined;
  /** Whether rows of a result come out, whose columns have no other names. */
  readonly isResult?: boolean | undefined;
  /** Of a result whose form is known before it is made. */
  readonly form?: ResultForm;
}

/** Decides on the format and its layout, and loads the writer. Throws UsageError for flags that do not go together. */
export async function planOutput(
  context: Context,
  flags: PlanFlags,
  options: PlanOptions = {},
): Promise<OutputPlan> {
  const {
    defaults = {},
    meanings,
    expand,
    lang,
    form,
    isResult = form !== undefined,
    single = false,
    sheet,
    describe,
  } = options;
  const target = flags.output === '-' ? undefined : flags.output;
  const onTerminal = target === undefined && context.stdout.isTerminal;
  const ending = target === undefined ? undefined : endingFormat(target, flags.format);
  // Off a terminal, a listing is csv for scripts, and a single record is a JSON document.
  const usual = onTerminal ? 'table' : single ? 'json' : 'csv';
  const format = flags.format ?? ending ?? impliedFormat(flags, defaults) ?? usual;
  checkFlagsOfFormat(format, {
    '--delimiter': flags.delimiter !== undefined,
    '--excel': flags.excel,
    '--no-header': flags.header === false,
    '--wide': flags.wide,
    '--raw': flags.raw,
    '--lang': lang?.flag !== undefined,
  });
  const { columns } = flags;
  const isOpen = columns?.isOpen === true;
  let headings: Layout['headings'] =
    columns !== undefined && columns.headings.size > 0 ? (all) => columns.headingsOf(all) : undefined;
  const language = lang?.flag ?? lang?.setting;
  if (headings === undefined && language !== undefined && readsFlag(format, '--lang')) {
    const { writingFor } = await import('../report/texts.ts');
    headings = (await import('../report/terms.ts')).headingsIn(writingFor(context, language).texts);
  }
  const { writer, isTyped } = formatOf(format);
  const { today, ...typed }: Described = (isTyped && describe?.()) || {};
  const layout: Layout = {
    ...typed,
    single,
    sheet,
    columns: isOpen ? undefined : columns?.names,
    headings,
    isChosen: columns !== undefined && !isOpen,
    delimiter: flags.delimiter ?? defaults.delimiter,
    header: flags.header ?? !isLoneCount(flags),
    excel: flags.excel === true,
    types: defaults.types,
    today: onTerminal ? today : undefined,
    width: onTerminal ? (context.stdout.columns ?? 80) : undefined,
    wide: flags.wide,
    // Output that a program reads must not depend on a locale.
    raw: flags.raw === true || !onTerminal,
    locale: onTerminal ? localeOf(context.env) : undefined,
    color: target === undefined && useColor(context.env, onTerminal, flags.color !== false),
  };
  const plain = await writer();
  const { writerOfChosen } = columns ? await import('../query/named-columns.ts') : {};
  const openWriter = writerOfChosen?.(plain, columns!, isResult ? undefined : meanings) ?? plain;
  const isTerminalTable = onTerminal && format === 'table';
  const { all = false, limit, page } = flags;
  const stops = isTerminalTable && !all && (limit ?? page) === undefined;
  return {
    format,
    layout,
    headings: columns?.readBack ?? [],
    chosen: isResult || columns?.keepsAll === true ? undefined : columns?.toJSON(),
    expanded: isResult ? undefined : expand,
    isResult,
    openWriter: form === undefined ? openWriter : writerOfResult(openWriter, form),
    target,
    isTerminalTable,
    tableLimit: stops ? (defaults.limit ?? TABLE_LIMIT) : undefined,
  };
}

const DUE_BEFORE_DATE = 6.5;

/** The columns that people look for. `isOfDue`: records are chosen by what is due, which then matters more than the status. */
export function shownColumns(
  fields: FieldsOf,
  {
    resource,
    expand,
    isOfDue,
  }: { resource: Resource | undefined; expand: string | undefined; isOfDue: boolean },
): readonly KnownColumn[] {
  const all = ofAll(fields);
  const known = (resource?.shown ?? []).map(({ in: place, ...column }): KnownColumn => {
    const isRole = typeof place === 'string';
    const names = isRole ? all.flatMap(({ columns }) => columns[place]) : place;
    const rank = isOfDue && column.look === 'due' ? DUE_BEFORE_DATE : column.rank;
    return { ...column, rank, names: [...new Set([...names, column.word, ...(isRole ? [place] : [])])] };
  });
  if (expand === undefined) return known;
  // The columns of an expanded list come before all of the record but its number.
  const membersOf = (role: 'date' | 'amount', rank: number): KnownColumn[] =>
    PAYMENT_MEMBERS[role].map((member) => {
      const name = `${expand}.${member}`;
      return { names: [name], word: name, look: role, rank };
    });
  return [...known, ...membersOf('date', 1.2), ...membersOf('amount', 1.1)];
}

/** What the resource declares of its columns, and the settings of roles. */
export function declaredColumns(fields: FieldsOf, expand: string | undefined): DeclaredTypes {
  const { declared } = fields.usual;
  const lists = declared.flatMap(([name, type]) => (type === 'list' ? [name] : []));
  const listOf = (column: string): string | undefined => lists.find((list) => column.startsWith(`${list}.`));
  const mapped = ofAll(fields).flatMap(({ columns }) => Object.values(columns).flat());
  const names = [...declared.map(([name]) => name), ...mapped].filter(
    (name) => fixedValue(name) === undefined && name !== expand && [undefined, expand].includes(listOf(name)),
  );
  return { names: [...new Set(names)], typeOf: (column) => declaredType(fields, column) };
}

/** The format without --format: csv for the flags of csv and for a lone --count, else the format of the settings. */
export function impliedFormat(flags: PlanFlags, defaults: Pick<FlagDefaults, 'format'>): Format | undefined {
  const { excel, delimiter } = flags;
  return excel || delimiter !== undefined || isLoneCount(flags) ? 'csv' : defaults.format;
}

/** Whether the output is a lone number, without a header: `n=$(folio issued --count)`. */
function isLoneCount({ count, groupBy, format, output: target = '-', excel, delimiter }: PlanFlags): boolean {
  return count === true && (groupBy ?? format ?? excel ?? delimiter) === undefined && target === '-';
}

/**
 * The format that a file's ending names. Throws UsageError for an ending that is not a format, unless a flag names one.
 *
 * @param extra another ending that the command can write, for the message
 */
export function endingFormat(target: string, chosen: string | undefined, extra?: string): Format | undefined {
  const found = formatOfEnding(target);
  const ending = /\.([a-z][a-z0-9]*)$/i.exec(target)?.[1];
  if (chosen !== undefined || found !== undefined || ending === undefined) return found;
  const files = formats.filter((format) => format !== 'table').map((format) => `.${endingsOf(format)[0]}`);
  throw new UsageError(`-o ${target}: unknown file extension .${ending}`, {
    hint:
      meantFormat(ending) ??
      `Name a file that ends with ${[extra ?? [], files].flat().join(', ')}, or say which format it is with --format.`,
  });
}
