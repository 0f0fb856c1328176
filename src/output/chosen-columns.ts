import { UsageError } from '../errors.ts';
import { PROFILE_COLUMN } from '../invoices/fields.ts';

type Choice =
  | {
      readonly kind: 'column';
      readonly column: string;
      readonly heading: string | undefined;
      /** Whether the name stands for other columns, as `customer` may for `customer.name`. */
      readonly isOther?: boolean;
    }
  | { readonly kind: 'without'; readonly column: string }
  | { readonly kind: 'others' };

/** The columns in `--columns` or a setting: some with a heading, some to leave out, or `*` for all others. */
export class ChosenColumns {
  readonly #choices: readonly Choice[];

  private constructor(choices: readonly Choice[]) {
    this.#choices = choices;
  }

  static ofNames(names: readonly string[]): ChosenColumns {
    return new ChosenColumns(names.map((column) => ({ kind: 'column', column, heading: undefined })));
  }

  /**
   * Parses `number,Heading=name,*,-name`: `*` is all others, of which `-name` leaves one out. A name with a comma or `=` in it
   * stands in double quotes.
   *
   * @param flag the flag or setting, for messages
   * @param before those of the same flag before it
   * @throws UsageError, also for headings that cannot be told apart
   */
  static parse(flag: string, text: string, before?: ChosenColumns): ChosenColumns {
    const refuse = (allowed: string): never => {
      throw new UsageError(`${flag} ${JSON.stringify(text)}: expected ${allowed}`);
    };
    const choices = [...(before === undefined ? [] : before.#choices), ...choicesOf(flag, text)];
    if (choices.some((choice) => choice.kind === 'column' && (choice.column === '' || choice.heading === '')))
      refuse('names with commas between them, such as number,customer.name or Folio=number');
    checkNames(choices, refuse);
    const columns = new ChosenColumns(choices);
    const left = choices.filter((choice) => choice.kind === 'without');
    if (left.some(({ column }) => column === '')) refuse('a name behind each minus, such as *,-files');
    if (left.length > 0 && !columns.isOpen)
      refuse(`a * where -${left[0]!.column} is to be left out of all others, as in ${text},*`);
    return columns;
  }

  /** Whether the columns are known only after all records were read. */
  get isOpen(): boolean {
    return this.onlyLeavesOut || this.#choices.some(({ kind }) => kind === 'others');
  }

  get onlyLeavesOut(): boolean {
    return this.#choices.every(({ kind }) => kind === 'without');
  }

  /** Whether records keep every column under its own name. */
  get keepsAll(): boolean {
    const isKept = (choice: Choice): boolean =>
      choice.kind === 'others' || (choice.kind === 'column' && choice.heading === undefined);
    return this.isOpen && this.#choices.every(isKept);
  }

  get named(): readonly Extract<Choice, { readonly kind: 'column' }>[] {
    return this.#choices.filter((choice) => choice.kind === 'column');
  }

  get names(): readonly string[] {
    return this.named.map(({ column }) => column);
  }

  get mentioned(): readonly string[] {
    return this.#choices.flatMap((choice) => (choice.kind === 'others' ? [] : choice.column));
  }

  get headings(): ReadonlyMap<string, string> {
    return new Map(
      this.named.flatMap(({ heading, column }) => (heading === undefined ? [] : [[heading, column]])),
    );
  }

  /**
   * For each of these columns its heading, else its name. A column that is chosen several times gets its headings in turn. Throws
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
   * The headings that are needed to read a written file by the names of its columns. A column that is written more than once
   * is read from its own name, else from its first heading.
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
    const all: readonly Choice[] = this.onlyLeavesOut ? [{ kind: 'others' }] : [];
    return new ChosenColumns([{ kind: 'column', column, heading: undefined }, ...all, ...this.#choices]);
  }

  /** The same, where a name stands for the columns that `meant` returns: `-total` leaves these out, too. */
  withMeanings(meant: (name: string) => readonly string[]): ChosenColumns {
    return new ChosenColumns(
      this.#choices.flatMap((choice): readonly Choice[] => {
        if (choice.kind === 'others') return [choice];
        const columns = meant(choice.column);
        if (choice.kind === 'without')
          return [choice, ...columns.map((column) => ({ kind: choice.kind, column }))];
        return [{ ...choice, isOther: columns.length > 0 && !columns.includes(choice.column) }];
      }),
    );
  }

  /** The chosen columns among all. A name also stands for the columns within it, as `customer` for `customer.name`. */
  of(all: readonly string[]): string[] {
    const names = this.named.flatMap(({ column, isOther }) => (isOther ? [] : column));
    const left = this.#choices.flatMap((choice) => (choice.kind === 'without' ? choice.column : []));
    const others = all.filter(
      (column) => !this.names.includes(column) && !isIn(names, column) && !isIn(left, column),
    );
    if (this.onlyLeavesOut) return others;
    return this.#choices.flatMap((choice) => {
      if (choice.kind === 'others') return others;
      return choice.kind === 'without' || isIn(left, choice.column) ? [] : choice.column;
    });
  }

  toJSON(): readonly string[] {
    return this.#choices.map(typed);
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
function choicesOf(flag: string, text: string): Choice[] {
  const choices: Choice[] = [];
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
    if (whole === '*') choices.push({ kind: 'others' });
    else if (whole.startsWith('-')) choices.push({ kind: 'without', column: whole.slice(1) });
    else choices.push({ kind: 'column', heading, column: piece.text });
    if (end >= text.length) return choices;
    start = end + 1;
  }
}

/** Refuses two equal names, and a heading within another name (`a.b` within `a`). */
function checkNames(choices: readonly Choice[], refuse: (allowed: string) => never): void {
  const headings = choices.map((choice) =>
    choice.kind === 'column' ? (choice.heading ?? choice.column) : typed(choice),
  );
  const twice = headings.find((heading, at) => headings.indexOf(heading) !== at);
  if (twice !== undefined) refuse(`each name and heading once, ${JSON.stringify(twice)} comes twice`);
  for (const choice of choices) {
    if (choice.kind !== 'column' || choice.heading === undefined) continue;
    const { heading, column } = choice;
    if (heading === PROFILE_COLUMN && column !== heading)
      refuse(`another heading than ${heading}, which is folio's own`);
    const other = headings.find((one) => one.startsWith(`${heading}.`) || heading.startsWith(`${one}.`));
    if (other !== undefined)
      refuse(
        `headings of which none is within another, as ${JSON.stringify(heading)} and ${JSON.stringify(other)} are`,
      );
  }
}

function typed(choice: Choice): string {
  if (choice.kind === 'others') return '*';
  if (choice.kind === 'without') return `-${choice.column}`;
  return choice.heading === undefined ? choice.column : `${choice.heading}=${choice.column}`;
}

/** The column of a choice as `toJSON` writes it. */
export function columnOf(typedChoice: string): string {
  return typedChoice.slice(typedChoice.lastIndexOf('=') + 1);
}
