import { UsageError } from '../../errors.ts';
import { isPeriod, meantPeriod, readPeriod } from '../../invoices/periods.ts';
import { formatDay } from '../../json/calendar-day.ts';
import { DATE_FORMS, isEmptySpan, parseDate, type DateValue, type DayOfQuestion } from './date-value.ts';

/** The first and the last date that count; undefined where nothing limits them. */
export interface DateSpan {
  readonly from?: DateValue | undefined;
  readonly to?: DateValue | undefined;
}

/** The value of a date flag, which may depend on the day of the run. */
export interface DateRange {
  /** As typed: `-30d`. */
  readonly text: string;
  readonly on: (day: DayOfQuestion) => DateSpan;
}

interface DateFlagRow {
  /** `until` is the flag `--until`. */
  readonly name: string;
  /** Which end its date is of the span; a period is both. */
  readonly bound: 'from' | 'to' | 'period';
  readonly about: string;
}

/** The flags that keep documents by the date of issue. How a value is read, and what it tests, follows from its row. */
const ROWS = [
  {
    name: 'since',
    bound: 'from',
    about: 'issued on that day or later: 2026-11-21, 2026-11, today, -30d',
  },
  { name: 'until', bound: 'to', about: 'issued on that day or before; a month counts whole' },
  {
    name: 'period',
    bound: 'period',
    about: 'issued in 2026-10, 2026-Q3, 2026 or last-month; also this-month',
  },
] as const satisfies readonly DateFlagRow[];

type DateFlagName = (typeof ROWS)[number]['name'];

/** One of these flags, as it is typed. */
export interface DateFlag extends DateFlagRow {
  readonly name: DateFlagName;
  /** `--since` */
  readonly flag: string;
}

export const DATE_FLAGS: readonly DateFlag[] = ROWS.map((row) => ({ ...row, flag: `--${row.name}` }));

/** Reads the value of a date flag. Throws UsageError, here or, for words such as `october`, once the day of the run is known. */
export function parseDateRange({ flag, bound }: DateFlag, text: string): DateRange {
  if (bound === 'period') return periodRange(flag, text);
  if (parseDate(text, () => 0) !== undefined)
    return { text, on: (day) => ({ [bound]: parseDate(text, day) }) };
  const refuse = (hint: string): never => {
    throw new UsageError(`${flag} ${JSON.stringify(text)} is no date`, { hint });
  };
  if (isPeriod(text)) return refuse(`A month or a quarter is a period: --period ${text.trim()}.`);
  // Which year `october` is of depends on the day of the run.
  if (meantPeriod(text, 0) === undefined) return refuse(DATE_FORMS);
  return {
    text,
    on(today) {
      const meant = meantPeriod(text, today())!;
      return refuse(`Write ${parseDate(meant, today) === undefined ? '--period' : flag} ${meant}.`);
    },
  };
}

function periodRange(flag: string, text: string): DateRange {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) {
    throw new UsageError(`${flag} ${text}: expected a month, a quarter or a year`, {
      hint: `Write --since ${text} --until ${text}.`,
    });
  }
  if (meantPeriod(text, 0) === undefined) readPeriod(text, () => 0);
  const on = (day: DayOfQuestion): DateSpan => {
    const { first, last } = readPeriod(text, day);
    return { from: { period: formatDay(first) }, to: { period: formatDay(last) } };
  };
  return { text, on };
}

/** All flags that keep documents by what folio knows of them. */
export const DOCUMENT_FLAGS: readonly (keyof DocumentFlags)[] = [
  'open',
  'overdue',
  ...ROWS.map(({ name }) => name),
];

export type DocumentFlags = Readonly<
  Partial<Record<'open' | 'overdue', true | undefined> & Record<DateFlagName, DateRange | undefined>>
>;

/** Whether records are kept by what folio knows of documents, besides --where. */
export function hasDocumentFlags(flags: DocumentFlags): boolean {
  return DOCUMENT_FLAGS.some((name) => flags[name] !== undefined);
}

/** The date flags that are there, with their spans. Throws UsageError for two of one date that no document meets. */
export function datesIn(
  flags: DocumentFlags,
  day: DayOfQuestion,
): readonly { readonly flag: DateFlag; readonly text: string; readonly span: DateSpan }[] {
  const all = DATE_FLAGS.flatMap((flag) => {
    const range = flags[flag.name];
    return range === undefined ? [] : [{ flag, text: range.text, span: range.on(day) }];
  });
  for (const one of all) {
    for (const other of all) {
      const [from, to] = [one.span.from, other.span.to];
      if (one === other || from === undefined || to === undefined || !isEmptySpan(from, to)) continue;
      const [first, last] = [`${one.flag.flag} ${one.text}`, `${other.flag.flag} ${other.text}`];
      throw new UsageError(`${first} is later than ${last}: no document is of both`, {
        hint: `Write the earlier date behind ${one.flag.flag}.`,
      });
    }
  }
  return all;
}
