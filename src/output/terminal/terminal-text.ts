import { TextDecoder } from 'node:util';
import stringWidth from 'fast-string-width';
import type { Environment, OutputStream } from '../../context.ts';
import type { Sink } from '../writer.ts';

/**
 * What a terminal must not get: controls (they move the cursor, set the title, write the clipboard), formats (bidirectional and
 * zero-width characters make text look like other text), separators of lines, lone surrogates, and the rest of what Unicode calls
 * ignorable. Only the variation selectors of emoji and the grapheme joiner pass: they choose a shape and do nothing else.
 */
const UNSAFE = /(?![\ufe00-\ufe0f\u034f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Makes text safe to show on a terminal: ESC becomes `␛`, as all controls that have a picture (C0 and DEL), any other unsafe
 * character its number, `\u{202e}`. Line feeds and tabs are controls, too.
 */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSAFE, mark);
}

function mark(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\\u{${code.toString(16)}}`;
}

/** The text, quoted so that a shell reads it as one word. */
export function quoteForShell(text: string): string {
  return /^(?:[\w@%+=:,./-]|(?<=\w)~)+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Line ends and tabs belong to the formats; everything between them is text. */
const LAYOUT = /(\r\n|\n|\t)/;

/**
 * Lets a format that is not made for terminals (csv, jsonl) write to one: all but line ends and tabs of its UTF-8 goes through
 * `visible`. Characters may be split over chunks.
 */
export class TerminalGate implements Sink {
  readonly #sink: Sink;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** A carriage return, whose line feed may come with the next chunk. */
  #held = '';

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  async write(chunk: Uint8Array | string): Promise<void> {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    const text = this.#held + this.#decoder.decode(bytes, { stream: true });
    this.#held = text.endsWith('\r') ? '\r' : '';
    await this.#pass(text.slice(0, text.length - this.#held.length));
  }

  async end(): Promise<void> {
    await this.#pass(this.#held + this.#decoder.decode());
    this.#held = '';
  }

  async #pass(text: string): Promise<void> {
    if (text === '') return;
    const parts = text.split(LAYOUT);
    await this.#sink.write(parts.map((part, index) => (index % 2 === 0 ? visible(part) : part)).join(''));
  }
}

/** European letters, punctuation, currency signs and blocks take one cell each: then the length is the width. */
const NARROW =
  /^[\x20-\x7e\xa0-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2500-\u259f]*$/;

/** More characters than one display cell shows in any language. */
const MAX_CHARACTERS_A_CELL = 32;

/** Made when first needed: that takes 10 ms. */
let graphemes: Intl.Segmenter | undefined;

/** The cells of a terminal that the text takes. For text without controls: see `visible`. */
export function displayWidth(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

/** Characters of a cell that are measured: some texts take long. */
const MEASURED = 1_000;

/** The width of a column that shows the text, up to 1,000. A longer cell pushes the rest of its row to the right. */
export function columnWidth(text: string): number {
  return text.length <= MEASURED
    ? displayWidth(text)
    : Math.min(MEASURED, displayWidth(text.slice(0, MEASURED)));
}

/** Whether the text takes at most `width` cells. A text of more characters than these show in any language is not measured. */
export function fits(text: string, width: number): boolean {
  return text.length <= width * MAX_CHARACTERS_A_CELL && displayWidth(text) <= width;
}

/** The text, cut with a `…` to at most `width` cells. */
export function truncate(text: string, width: number): string {
  if (fits(text, width)) return text;
  if (width < 1) return '';
  if (NARROW.test(text)) return `${text.slice(0, width - 1)}…`;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const most = width * MAX_CHARACTERS_A_CELL;
  let [kept, room] = ['', width - 1];
  for (const { segment } of graphemes.segment(text.slice(0, most))) {
    room -= displayWidth(segment);
    if (room < 0 || kept.length + segment.length === most) break;
    kept += segment;
  }
  return `${kept}…`;
}

/**
 * A line as it is shown on the stream: on a terminal broken at spaces, with `indent` before each line but the first; else whole,
 * so that a log can be searched.
 */
export function shownLine(text: string, { columns }: Pick<OutputStream, 'columns'>, indent = ''): string {
  if (columns === undefined) return `${text}\n`;
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (displayWidth(line) + 1 + displayWidth(word) <= columns)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(indent + word);
  }
  return `${lines.join('\n')}\n`;
}

const STYLES = {
  bold: ['1', '22'],
  dim: ['2', '22'],
  green: ['32', '39'],
  yellow: ['33', '39'],
  alarm: ['1;31', '22;39'],
} as const;

export type Style = keyof typeof STYLES;

/** The text in a style, for a terminal that has colours. It must be safe already: see `visible`. */
export function paint(text: string, style: Style): string {
  const [on, off] = STYLES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/**
 * Whether output may be coloured. The first that applies decides: `--no-color` (`flag` is false), NO_COLOR, FORCE_COLOR (`0` and
 * `false` forbid, anything else demands), no terminal, TERM=dumb, CI. An empty variable counts as not set (no-color.org).
 */
export function useColor(env: Environment, isTerminal: boolean, flag: boolean | undefined): boolean {
  if (flag === false || env['NO_COLOR']) return false;
  const force = env['FORCE_COLOR'];
  if (force) return force !== '0' && force !== 'false';
  return isTerminal && isForPeople(env);
}

/** Whether the output may be animated: not in CI, and not on a terminal that can only print (TERM=dumb). */
export function isForPeople(env: Environment): boolean {
  // CI=false lets a user at a terminal undo a CI variable that a program has set.
  return env['TERM'] !== 'dumb' && [undefined, '', 'false', '0'].includes(env['CI']);
}

export function streamWith(stream: OutputStream, write: OutputStream['write']): OutputStream {
  return {
    get isTerminal() {
      return stream.isTerminal;
    },
    get isPipe() {
      return stream.isPipe;
    },
    get columns() {
      return stream.columns;
    },
    write,
  };
}

/** Whether a terminal shows block characters, by its environment: a UTF-8 locale, and not the bare console. */
export function hasBlocks(env: Environment): boolean {
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return false;
  if (env['WT_SESSION'] || env['TERM_PROGRAM'] === 'vscode') return true;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale);
}
