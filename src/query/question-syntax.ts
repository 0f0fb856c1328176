import { UsageError } from '../errors.ts';
import type { Buckets } from './aging.ts';

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '~' | '!~';

/** One `--where`: the column, how it is to relate to the value, and the value as text. */
export interface Condition {
  readonly column: string;
  readonly operator: Operator;
  readonly value: string;
}

const COLUMN = /^(?:"((?:[^"\\]|\\.)+)"|([^\s=!<>~"'](?:[^=!<>~"']*[^\s=!<>~"'])?))/;
const OPERATOR = /^(?:!=|!~|<=|>=|=|<|>|~)/;
const QUOTED = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/;
/** A backslash in quotes stands for itself, as in the column `a\.b`, unless before a quote or another one. */
const ESCAPE = /\\(["'\\])/g;

const FORM =
  'Write column, operator, value: status=OVERDUE, "dueBy<2026-11-01", customer.name~roble. The operators are = != < <= > >= ~ (contains) and !~ (does not contain).';

/**
 * Reads `column operator value`, spaces around the operator allowed. A column or value that has operators or quotes in
 * it, or a value that begins or ends with a space, goes in quotes. An empty value (`dueBy=`, `dueBy!=`) asks whether
 * there is one. Throws UsageError naming the character where it stops being an expression.
 */
export function parseCondition(expression: string): Condition {
  const fail = (what: string, at: number): never => {
    throw new UsageError(`--where '${expression}' does not parse at character ${at + 1}: ${what}`, {
      hint: FORM,
    });
  };
  let at = expression.length - expression.trimStart().length;
  const column = COLUMN.exec(expression.slice(at)) ?? fail('a column is expected here', at);
  at = skipSpaces(expression, at + column[0].length);

  const operator = OPERATOR.exec(expression.slice(at))?.[0] as Operator | undefined;
  if (operator === undefined) return fail('an operator is expected here', at);
  at = skipSpaces(expression, at + operator.length);

  const value = readValue(expression, at, fail);
  if (value === '' && operator !== '=' && operator !== '!=') return fail(`${operator} needs a value`, at);
  return { column: column[1]?.replace(ESCAPE, '$1') ?? column[2]!, operator, value };
}

function readValue(expression: string, start: number, fail: (what: string, at: number) => never): string {
  const rest = expression.slice(start).trimEnd();
  if (rest.startsWith('"') || rest.startsWith("'")) {
    const quoted = QUOTED.exec(rest) ?? fail('this quote is not closed', start);
    if (quoted[0].length < rest.length) {
      return fail('nothing may follow the closing quote', skipSpaces(expression, start + quoted[0].length));
    }
    return (quoted[1] ?? quoted[2]!).replace(ESCAPE, '$1');
  }
  const operator = rest.search(/[=<>~]/);
  return operator === -1 ? rest : fail('a value with an operator in it goes in quotes', start + operator);
}

function skipSpaces(text: string, from: number): number {
  return text.length - text.slice(from).trimStart().length;
}

/** One part of `--sort`. */
export interface SortColumn {
  readonly column: string;
  readonly descending: boolean;
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

/** Reads `15,30,60`: whole days, each more than the one before. Throws UsageError. */
export function parseBuckets(text: string): Buckets {
  const buckets = text
    .split(',')
    .map((part) => (/^[1-9]\d{0,4}$/.test(part.trim()) ? Number(part) : Number.NaN));
  // NaN is more than nothing, and nothing is more than NaN.
  if (buckets.every((days, index) => days > (buckets[index - 1] ?? 0))) return buckets;
  throw new UsageError(`--buckets '${text}' is not a list of days, each more than the one before`, {
    hint: 'An example is --buckets 30,60,90: not due, 1 to 30, 31 to 60, 61 to 90, over 90 days overdue.',
  });
}

/** What is asked of the records of a listing, on this side: the service knows nothing of it. */
export interface QuestionFlags {
  readonly where?: readonly Condition[];
  readonly sum?: readonly string[];
  readonly groupBy?: readonly string[];
  readonly sort?: readonly SortColumn[];
  /** An earlier export. */
  readonly changesSince?: string;
  /** Columns that tell records apart. */
  readonly key?: readonly string[];
}
