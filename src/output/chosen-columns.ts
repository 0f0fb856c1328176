import { UsageError } from '../errors.ts';
import { PROFILE_COLUMN } from '../invoices/fields.ts';

type Part =
  | { readonly kind: 'column'; readonly column: string; readonly heading: string | undefined }
  | { readonly kind: 'without'; readonly column: string }
  | { readonly kind: 'others' };

/** The columns that `--columns` or a setting names: each perhaps under a heading, some to leave out, or all others. */
export class ChosenColumns {
  readonly #parts: readonly Part[];

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  static named(names: readonly string[]): ChosenColumns {
    return new ChosenColumns(names.map((column) => ({ kind: 'column', column, heading: undefined })));
  }

  /**
   * Parses `number,Heading=name,*,-name`: `*` is all others, of which `-name` leaves one out. A name with a comma or `=` in it stands
   * in double quotes.
   *
   * @param flag the flag or setting, for messages
   * @throws UsageError, also for headings that cannot be told apart
   */
  static parse(flag: string, text: string): ChosenColumns {
    const refuse = (allowed: string): never => {
      throw new UsageError(`${flag} ${JSON.stringify(text)}: expected ${allowed}`);
    };
    const parts = partsOf(flag, text);
    if (parts.some((part) => part.kind === 'column' && (part.column === '' || part.heading === '')))
      refuse('names with commas between them, such as number,customer.name or Folio=number');
    checkNames(parts, refuse);
    const columns = new ChosenColumns(parts);
    const left = parts.filter((part) => part.kind === 'without');
    if (left.some(({ column }) => column === '')) refuse('a name behind each minus, such as *,-files');
    if (left.length > 0 && !columns.isOpen)
      refuse(`a * where -${left[0]!.column} is to be left out of all others, as in ${text},*`);
    return columns;
  }

  /** Whether the columns are known only once those of all records are. */
  get isOpen(): boolean {
    return this.onlyLeavesOut || this.#parts.some(({ kind }) => kind === 'others');
  }

  get onlyLeavesOut(): boolean {
    return this.#parts.every(({ kind }) => kind === 'without');
  }

  /** Whether records keep every column under its own name. */
  get keepsAll(): boolean {
    const isKept = (part: Part): boolean =>
      part.kind === 'others' || (part.kind === 'column' && part.heading === undefined);
    return this.isOpen && this.#parts.every(isKept);
  }

  get named(): readonly { readonly column: string; readonly heading: string | undefined }[] {
    return this.#parts.filter((part) => part.kind === 'column');
  }

  get names(): readonly string[] {
    return this.named.map(({ column }) => column);
  }

  get mentioned(): readonly string[] {
    return this.#parts.flatMap((part) => (part.kind === 'others' ? [] : part.column));
  }

  get headings(): ReadonlyMap<string, string> {
    return new Map(
      this.named.flatMap(({ heading, column }) => (heading === undefined ? [] : [[heading, column]])),
    );
  }

  /**
   * For each of these columns its heading, else its name. A column that comes several times has its headings in turn. Throws
   * UsageError where two are the same.
   */
  headingsOf(columns: readonly string[]): string[] {
    const left = [...this.named];
    const headings = columns.map((column) => {
      const at = left.findIndex((named) => named.column === column);
      const [named] = at < 0 ? [] : left.splice(at, 1);
      return named?.heading ?? column;
    });
    const twice = headings.find((heading, at) => headings.indexOf(heading) !== at);
    if (twice === undefined) return headings;
    throw new UsageError(`--columns: the heading ${twice} is also the name of another column`, {
      hint: `Choose another heading, or leave that column out with -${twice}.`,
    });
  }

  /**
   * The headings that have to be known to read a written file under the names of its columns. A column that comes more than once is
   * read from its own name, else from its first heading.
   */
  get readBack(): readonly { readonly heading: string; readonly column: string }[] {
    const { named } = this;
    return named.flatMap(({ heading, column }, at) => {
      const same = named.filter((other) => other.column === column);
      const isRead = same[0] === named[at] && same.every((other) => other.heading !== undefined);
      return heading !== undefined && isRead ? [{ heading, column }] : [];
    });
  }

  withFirst(column: string): ChosenColumns {
    const all: readonly Part[] = this.onlyLeavesOut ? [{ kind: 'others' }] : [];
    return new ChosenColumns([{ kind: 'column', column, heading: undefined }, ...all, ...this.#parts]);
  }

  /** The same, without the columns that the names to leave out stand for. */
  leavingOut(meant: (name: string) => readonly string[]): ChosenColumns {
    return new ChosenColumns(
      this.#parts.flatMap((part): readonly Part[] =>
        part.kind === 'without'
          ? [part, ...meant(part.column).map((column) => ({ kind: part.kind, column }))]
          : [part],
      ),
    );
  }

  /** The chosen ones of all columns. A name also stands for the columns within it, as `customer` for `customer.name`. */
  of(all: readonly string[]): string[] {
    const { names } = this;
    const left = this.#parts.flatMap((part) => (part.kind === 'without' ? part.column : []));
    const others = all.filter((column) => !isIn(names, column) && !isIn(left, column));
    if (this.onlyLeavesOut) return others;
    return this.#parts.flatMap((part) => {
      if (part.kind === 'others') return others;
      return part.kind === 'without' || isIn(left, part.column) ? [] : part.column;
    });
  }

  toJSON(): readonly string[] {
    return this.#parts.map(typed);
  }
}

function isIn(names: readonly string[], column: string): boolean {
  return names.some((name) => column === name || column.startsWith(`${name}.`));
}

/** Part of `Heading=column`, in quotes where it has a comma, a quote or `=` in it. */
const PIECE = /\s*(?:"((?:[^"\\]|\\.)*)"|(?!\s*")([^,=]*))?\s*/y;
const REST = /\s*(?:"((?:[^"\\]|\\.)*)"|(?!\s*")([^,]*))?\s*/y;
const ESCAPE = /\\(["\\])/g;

function pieceAt(pattern: RegExp, text: string, at: number): { readonly text: string; readonly end: number } {
  pattern.lastIndex = at;
  const [all, quoted, plain = ''] = pattern.exec(text)!;
  return { text: quoted?.replace(ESCAPE, '$1') ?? plain.trim(), end: at + all.length };
}

/** The first `=` outside of quotes stands between heading and column. */
function partsOf(flag: string, text: string): Part[] {
  const parts: Part[] = [];
  for (let start = 0; ;) {
    let piece = pieceAt(text[start] === '-' ? REST : PIECE, text, start);
    const heading = text[piece.end] === '=' ? piece.text : undefined;
    if (heading !== undefined) piece = pieceAt(REST, text, piece.end + 1);
    const { end } = piece;
    if (end < text.length && text[end] !== ',') {
      throw new UsageError(`${flag} ${JSON.stringify(text)}: a quote at character ${end + 1} does not fit`, {
        hint: 'A heading or column with a comma or = in it stands in double quotes, whole: --columns \'"Total, net"=netAmount\'. A quote within them is \\".',
      });
    }
    const whole = text.slice(start, end).trim();
    if (whole === '*') parts.push({ kind: 'others' });
    else if (whole.startsWith('-')) parts.push({ kind: 'without', column: whole.slice(1) });
    else parts.push({ kind: 'column', heading, column: piece.text });
    if (end >= text.length) return parts;
    start = end + 1;
  }
}

/** Refuses two equal names, and a heading within another name (`a.b` within `a`). */
function checkNames(parts: readonly Part[], refuse: (allowed: string) => never): void {
  const headings = parts.map((part) =>
    part.kind === 'column' ? (part.heading ?? part.column) : typed(part),
  );
  const twice = headings.find((heading, at) => headings.indexOf(heading) !== at);
  if (twice !== undefined) refuse(`each name and heading once, ${JSON.stringify(twice)} comes twice`);
  for (const part of parts) {
    if (part.kind !== 'column' || part.heading === undefined) continue;
    const { heading, column } = part;
    if (heading === PROFILE_COLUMN && column !== heading)
      refuse(`another heading than ${heading}, which is folio's own`);
    const other = headings.find((one) => one.startsWith(`${heading}.`) || heading.startsWith(`${one}.`));
    if (other !== undefined)
      refuse(
        `headings of which none is within another, as ${JSON.stringify(heading)} and ${JSON.stringify(other)} are`,
      );
  }
}

function typed(part: Part): string {
  if (part.kind === 'others') return '*';
  if (part.kind === 'without') return `-${part.column}`;
  return part.heading === undefined ? part.column : `${part.heading}=${part.column}`;
}
