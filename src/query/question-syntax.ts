import { UsageError } from '../errors.ts';

export type Operator = '=' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '~' | '!~';

/** One `--where`: the column, how it is to relate to the values, and these as text; of `=` and `!=` there may be several. */
export interface Condition {
  readonly column: string;
  readonly operator: Operator;
  readonly values: readonly string[];
  /** As it was written. */
  readonly expression: string;
}

const COLUMN = /^(?:"((?:[^"\\]|\\.)+)"|([^\s=!<>~"'](?:[^=!<>~"']*[^\s=!<>~"'])?))/;
const OPERATOR = /^(?:!=|!~|<=|>=|==|=|<|>|~)/;
const QUOTED = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/;
/** Up to a comma without a backslash before it. */
const LISTED = /^(?:\\.|[^,\\])*/;
/** A backslash in quotes stands for itself, as in the column `a\.b`, unless before a quote or another one. */
const ESCAPE = /\\(["'\\])/g;

const FORM =
  'Write column, operator, value: status=OVERDUE,PENDING "dueBy<2026-11-01" customer.name~roble; the operators are = != < <= > >= ~ (contains) !~ and == (exactly).';

/**
 * Reads `column operator value`, spaces around the operator allowed. A column or value that has operators or quotes in
 * it, or a value that begins or ends with a space, goes in quotes. `=` and `!=` take several values with commas; a comma within
 * a value is `\,`. An empty value (`dueBy=`, `dueBy!=`) asks whether there is one. Throws UsageError naming the
 * character where it stops being an expression.
 */
export function parseCondition(expression: string): Condition {
  const fail = (what: string, at: number, hint = FORM): never => {
    throw new UsageError(`--where '${expression}' does not parse at character ${at + 1}: ${what}`, { hint });
  };
  let at = expression.length - expression.trimStart().length;
  const column = COLUMN.exec(expression.slice(at)) ?? fail('a column is expected here', at);
  at = skipSpaces(expression, at + column[0].length);

  const operator = OPERATOR.exec(expression.slice(at))?.[0] as Operator | undefined;
  if (operator === undefined)
    return fail('an operator is expected here', at, at < expression.length ? FORM : EATEN);
  at = skipSpaces(expression, at + operator.length);

  const values = readValues({ expression, at, isList: operator === '=' || operator === '!=', fail });
  const takesNone = operator === '=' || operator === '!=' || operator === '==';
  if (values[0] === '' && !takesNone) return fail(`${operator} needs a value`, at);
  return { column: column[1]?.replace(ESCAPE, '$1') ?? column[2]!, operator, values, expression };
}

/** The shell takes `>` and what follows it for a file to write, and hands on what was before. */
const EATEN =
  "Was there a < or > that the shell took for a file? Put the condition in quotes, as in --where 'totalAmount>1000'.";

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
    if (!isList || text[at] !== ',') return fail('nothing may follow the closing quote', at);
  }
}

function skipSpaces(text: string, from: number): number {
  return text.length - text.slice(from).trimStart().length;
}

/** One part of `--sort`. */
export interface SortColumn {
  readonly column: string;
  readonly descending: boolean;
  /** True for one of several columns that may hold a field: it is no fault that no record has it. */
  readonly isKnown?: boolean;
}

/** Reads `dueBy,-totalAmount`: columns in order of weight, a minus before those that are to descend. Throws UsageError. */
export function parseSort(text: string): SortColumn[] {
  return text.split(',').map((part) => {
    const descending = part.trim().startsWith('-');
    const column = part.trim().slice(descending ? 1 : 0);
    if (column !== '') return { column, descending };
    throw new UsageError(`--sort '${text}' names an empty column`, {
      hint: 'Name columns with commas between them, and a minus before one that is to descend: --sort dueBy,-totalAmount.',
    });
  });
}

/** Up to how many days overdue each bucket of an aging goes: 30, 60, 90. */
export type Buckets = readonly number[];

/** Reads `15,30,60`: whole days, each more than the one before. Throws UsageError. */
export function parseBuckets(text: string): Buckets {
  const buckets = text
    .split(',')
    .map((part) => (/^[1-9]\d{0,4}$/.test(part.trim()) ? Number(part) : Number.NaN));
  // What is no number is NaN, for which each comparison is false.
  if (buckets.every((days, index) => days > (buckets[index - 1] ?? 0))) return buckets;
  throw new UsageError(`--buckets '${text}' is not a list of days, each more than the one before`, {
    hint: 'An example is --buckets 30,60,90: not due, 1 to 30, 31 to 60, 61 to 90, over 90 days overdue.',
  });
}

/** What folio itself asks of the records of a listing; the service knows nothing of it. */
export interface QuestionFlags {
  readonly where?: readonly Condition[];
  /** Open, and due before today. */
  readonly overdue?: boolean;
  /** Dates of issue, in one of the forms that `parseDate` reads. */
  readonly since?: string;
  readonly until?: string;
  /** Which column a field is in, for the three above. */
  readonly field?: readonly (readonly [field: string, column: string])[];
  readonly count?: boolean;
  readonly sum?: readonly string[];
  readonly groupBy?: readonly string[];
  readonly sort?: readonly SortColumn[];
  /** An earlier export. */
  readonly changesSince?: string;
  /** Whether there may be none yet. */
  readonly changesSinceMissingOk?: boolean;
  /** Columns that tell records apart. */
  readonly key?: readonly string[];
}
