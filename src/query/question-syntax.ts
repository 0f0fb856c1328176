import { UsageError } from '../errors.ts';
import type { Buckets } from '../invoices/open-items.ts';
import { CALENDAR_UNITS, type CalendarUnit } from '../invoices/periods.ts';

/** How a column and the values of a condition are compared: see `folio help questions`. */
export type Operator = '=' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '~' | '!~';

/** A column, an operator and values. Only `=` and `!=` take several values. */
export interface Condition {
  /** The flag of the condition: `--where`. */
  readonly flag: string;
  /** The flag and the condition, as typed. */
  readonly typed: string;
  readonly column: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

const COLUMN = /^(?:"((?:[^"\\]|\\.)+)"|([^\s=!<>~"'](?:[^=!<>~"']*[^\s=!<>~"'])?))/;
const OPERATOR = /^(?:!=|!~|<=|>=|==|=|<|>|~)/;
const QUOTED = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/;
/** Up to a comma without a backslash before it. */
const LISTED = /^(?:\\.|[^,\\])*/;
/** A backslash within quotes stands for itself, as in the column `a\.b`, unless a quote or another backslash follows. */
const ESCAPE = /\\(["'\\])/g;

const SYNTAX_HINT =
  'Write column, operator, value: status=OVERDUE,PENDING "dueBy<2026-11-01" customer.name~roble; the operators are = != < <= > >= ~ (contains) !~ and == (exactly).';

/**
 * Reads `column operator value`, with or without spaces around the operator. A column or value with an operator or a quote in
 * it stands in quotes, and so does a value that begins or ends with a space. `=` and `!=` take several values with commas; a
 * comma within a value is `\,`. An empty value (`dueBy=`, `dueBy!=`) asks whether there is one. Throws UsageError with the
 * place of the first character that does not fit.
 */
export function parseCondition(expression: string, flag = '--where'): Condition {
  const typed = `${flag} '${expression}'`;
  const fail = (what: string, at: number, hint = SYNTAX_HINT): never => {
    throw new UsageError(`${typed} does not parse at character ${at + 1}: ${what}`, { hint });
  };
  let at = expression.length - expression.trimStart().length;
  const column = COLUMN.exec(expression.slice(at)) ?? fail('a column is expected here', at);
  at = skipSpaces(expression, at + column[0].length);

  const operator = OPERATOR.exec(expression.slice(at))?.[0] as Operator | undefined;
  if (operator === undefined)
    return fail('an operator is expected here', at, at < expression.length ? SYNTAX_HINT : QUOTES_HINT);
  at = skipSpaces(expression, at + operator.length);

  const values = readValues({ expression, at, isList: operator === '=' || operator === '!=', fail });
  const takesNone = operator === '=' || operator === '!=' || operator === '==';
  if (values[0] === '' && !takesNone) return fail(`${operator} needs a value`, at);
  return { flag, typed, column: column[1]?.replace(ESCAPE, '$1') ?? column[2]!, operator, values };
}

/** The hint for a missing operator: the shell takes `>` and the next word as a file to write. */
const QUOTES_HINT =
  "The shell takes a < or > for a file: put the condition in quotes, as in --where 'totalAmount>1000'.";

interface ValuesAt {
  readonly expression: string;
  readonly at: number;
  readonly isList: boolean;
  readonly fail: (what: string, at: number) => never;
}

function readValues({ expression, at: start, isList, fail }: ValuesAt): string[] {
  const text = expression.trimEnd();
  const values: string[] = [];
  for (let at = start; ; at = skipSpaces(text, at + 1)) {
    const rest = text.slice(at);
    const quoted = /^["']/.test(rest)
      ? (QUOTED.exec(rest) ?? fail('this quote is not closed', at))
      : undefined;
    const plain = quoted === undefined ? (isList ? LISTED.exec(rest)![0] : rest) : '';
    const operator = plain.search(/[=<>~]/);
    if (operator !== -1) return fail('a value with an operator in it goes in quotes', at + operator);
    values.push(
      quoted ? (quoted[1] ?? quoted[2]!).replace(ESCAPE, '$1') : plain.trim().replaceAll('\\,', ','),
    );
    at = skipSpaces(text, at + (quoted?.[0] ?? plain).length);
    if (at >= text.length) return values;
    if (isList && text[at] === ',') continue;
    return fail(
      quoted ? 'nothing may follow the closing quote' : 'a backslash needs a character behind it',
      at,
    );
  }
}

function skipSpaces(text: string, from: number): number {
  return text.length - text.slice(from).trimStart().length;
}

export interface SortColumn {
  readonly column: string;
  readonly descending: boolean;
}

/** Reads `dueBy,-totalAmount`: the columns to sort by, the first one first; a minus means descending. Throws UsageError. */
export function parseSort(text: string, _flag?: string, before: readonly SortColumn[] = []): SortColumn[] {
  const columns = text.split(',').map((part) => {
    const descending = part.trim().startsWith('-');
    const column = part
      .trim()
      .slice(descending ? 1 : 0)
      .trim();
    if (column !== '') return { column, descending };
    throw new UsageError(`--sort '${text}' names an empty column`, {
      hint: 'Name columns with commas between them, and a minus before one that is to descend: --sort dueBy,-totalAmount.',
    });
  });
  return [...before, ...columns];
}

/** A part of `--group-by`: a column, and the unit of the calendar by which its dates are grouped. */
export interface GroupColumn {
  readonly column: string;
  readonly unit: CalendarUnit | undefined;
}

/** Reads `status` or `date:month`. Text after the last colon that is not a unit is a part of the name. */
export function groupColumn(text: string): GroupColumn {
  const colon = text.lastIndexOf(':');
  const unit = CALENDAR_UNITS.find((one) => one === text.slice(colon + 1).toLowerCase());
  return colon < 1 || unit === undefined
    ? { column: text, unit: undefined }
    : { column: text.slice(0, colon), unit };
}

/** Reads `15,30,60`: whole days, each more than the one before. Throws UsageError. */
export function parseBuckets(text: string): Buckets {
  const buckets = text
    .split(',')
    .map((part) => (/^[1-9]\d{0,4}$/.test(part.trim()) ? Number(part) : Number.NaN));
  // Text that is not a number becomes NaN, for which each comparison is false.
  if (buckets.every((days, index) => days > (buckets[index - 1] ?? 0))) return buckets;
  throw new UsageError(`--buckets '${text}' is not a list of days, each more than the one before`, {
    hint: 'An example is --buckets 30,60,90: not due, 1 to 30, 31 to 60, 61 to 90, over 90 days overdue.',
  });
}
