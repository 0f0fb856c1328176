import { UsageError } from '../errors.ts';

/** Stands for all columns that are not named. */
const OTHERS = '*';

/** Whether a part of `--columns` is no name: `*`, or `-name` for a column that is left out. */
export function isChoice(column: string): boolean {
  return column === OTHERS || column.startsWith('-');
}

/** Whether what is asked for is known only once all columns are. */
export function isOpenChoice(asked: readonly string[]): boolean {
  return asked.includes(OTHERS) || onlyLeavesOut(asked);
}

/** Whether there are only names to leave out: of all columns, then. */
export function onlyLeavesOut(asked: readonly string[]): boolean {
  return asked.every((column) => column.startsWith('-'));
}

/** Whether records keep every column under its own name. */
export function keepsAll(asked: readonly string[]): boolean {
  const isKept = (part: string): boolean => !part.startsWith('-') && namedColumn(part).heading === undefined;
  return asked.includes(OTHERS) && asked.every(isKept);
}

/** A part of `--columns` that names a column, and the heading that it gets in place of its name. */
export interface NamedColumn {
  readonly heading: string | undefined;
  readonly column: string;
}

/** A part of `Heading=column`, in quotes where it has a comma, a quote or `=` in it. */
const PIECE = /\s*(?:"((?:[^"\\]|\\.)*)"|(?!\s*")([^,=]*))?\s*/y;
/** What stands behind `=` may have another one. */
const REST = /\s*(?:"((?:[^"\\]|\\.)*)"|(?!\s*")([^,]*))?\s*/y;
const ESCAPE = /\\(["\\])/g;

/** Reads `number` or `Heading=column`: the first `=` outside quotes stands between the two. */
export function namedColumn(part: string): NamedColumn {
  const first = pieceAt(PIECE, part, 0);
  if (isChoice(part) || part[first.end] !== '=') return { heading: undefined, column: first.text };
  return { heading: first.text, column: pieceAt(REST, part, first.end + 1).text };
}

function pieceAt(pattern: RegExp, text: string, at: number): { readonly text: string; readonly end: number } {
  pattern.lastIndex = at;
  const [all, quoted, plain = ''] = pattern.exec(text)!;
  return { text: quoted?.replace(ESCAPE, '$1') ?? plain.trim(), end: at + all.length };
}

/**
 * The parts of `number,Total=totalAmount,"a,b"=c`: a comma within quotes is none. Throws UsageError for a quote that is not closed,
 * and for what stands behind one.
 */
export function splitColumns(flag: string, text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; ;) {
    const start = at;
    at = pieceAt(text[at] === '-' ? REST : PIECE, text, at).end;
    if (text[at] === '=') at = pieceAt(REST, text, at + 1).end;
    if (at < text.length && text[at] !== ',') {
      throw new UsageError(`${flag} ${JSON.stringify(text)}: a quote at character ${at + 1} does not fit`, {
        hint: 'A heading or column with a comma or = in it stands in double quotes, whole: --columns \'"Total, net"=netAmount\'. A quote within them is \\".',
      });
    }
    parts.push(text.slice(start, at).trim());
    if (at >= text.length) return parts;
    at++;
  }
}

/** The columns that are named, each with its heading, without those to leave out. */
export function columnsWithHeadings(asked: readonly string[]): NamedColumn[] {
  return asked.filter((part) => !isChoice(part)).map(namedColumn);
}

/** The parts without their headings. */
export function withoutHeadings(asked: readonly string[]): string[] {
  return asked.map((part) => (isChoice(part) ? part : namedColumn(part).column));
}

/** What is asked for, with one column before all others. */
export function withColumnBefore(column: string, asked: readonly string[]): string[] {
  return [column, ...(onlyLeavesOut(asked) ? [OTHERS] : []), ...asked];
}

/** The columns that are named, also those to leave out. */
export function namedColumns(asked: readonly string[]): string[] {
  return asked
    .filter((part) => part !== OTHERS)
    .map((part) => (isChoice(part) ? part.slice(1) : namedColumn(part).column));
}

/**
 * The columns that are asked for, of those that there are: `number,*,-files` is `number`, then all others but `files`. A name
 * also stands for the columns within it, as `customer` for `customer.name`. Where there are only names to leave out, all
 * other columns are asked for.
 */
export function chooseColumns(asked: readonly string[], there: readonly string[]): string[] {
  const left = asked.filter((column) => column.startsWith('-')).map((column) => column.slice(1));
  const named = asked.filter((column) => !isChoice(column));
  const isIn = (names: readonly string[], column: string): boolean =>
    names.some((name) => column === name || column.startsWith(`${name}.`));
  const others = there.filter((column) => !isIn(named, column) && !isIn(left, column));
  const parts = onlyLeavesOut(asked) ? [OTHERS] : asked;
  return parts.flatMap((column) => {
    if (column === OTHERS) return others;
    return isIn(left, column) || isChoice(column) ? [] : [column];
  });
}
