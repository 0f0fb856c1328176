import { UsageError } from '../../errors.ts';
import { unguardFormula } from '../../output/csv/formula-guard.ts';
import { parseDecimal } from '../../json/decimal.ts';
import type { RowField, Row } from '../rows.ts';

const DELIMITERS = [',', ';', '\t', '|'];

/**
 * Reads csv as folio writes it, in whatever dialect, piece by piece. A row becomes a record with a member for each
 * column. Digits become numbers again: what was text of digits, such as an id, is then a number of the same digits.
 */
export class CsvReader {
  readonly #path: string;
  #header: readonly string[] | undefined;
  #cell: RegExp | undefined;
  #delimiter = ',';
  /** With a byte order mark, of --excel, an apostrophe is before text that would run as a formula. */
  #isGuarded = false;
  #rest = '';
  #rows = 0;

  /** @param path For messages. */
  constructor(path: string) {
    this.#path = path;
  }

  /** The records of the rows that are whole with this piece of text. Throws UsageError where a row is not like the header. */
  read(piece: string): Row[] {
    const text = this.#rest + piece;
    const end = endOfRows(text);
    this.#rest = text.slice(end);
    return this.#rowsOf(text.slice(0, end));
  }

  /** Those of a last row without a line's end. Throws UsageError where the text ends within a quoted cell. */
  end(): Row[] {
    const text = this.#rest;
    this.#rest = '';
    if (isOpen(text)) throw this.#refuse('it ends within a row');
    return text === '' ? [] : this.#rowsOf(`${text}\n`);
  }

  #rowsOf(text: string): Row[] {
    const rows: Row[] = [];
    for (let at = 0; at < text.length;) {
      const { cells, next } = this.#cellsAt(text, at, (this.#cell ??= cellPattern(this.#delimiterOf(text))));
      at = next;
      this.#rows++;
      if (this.#header !== undefined) rows.push(this.#recordOf(this.#header, cells));
      else {
        this.#isGuarded = cells[0]!.startsWith('\uFEFF');
        this.#header = cells.map((name) => name.replace(/^\uFEFF/, ''));
      }
    }
    return rows;
  }

  #delimiterOf(text: string): string {
    return (this.#delimiter = delimiterOf(text));
  }

  #cellsAt(text: string, from: number, pattern: RegExp): { cells: string[]; next: number } {
    const cells: string[] = [];
    pattern.lastIndex = from;
    for (;;) {
      const match = pattern.exec(text);
      if (match === null) throw this.#refuse(`row ${this.#rows + 1} has a quote within a cell`);
      const [, quoted, plain = '', end = ''] = match;
      cells.push(quoted?.replaceAll('""', '"') ?? plain);
      if (end.endsWith('\n')) return { cells, next: pattern.lastIndex };
    }
  }

  #recordOf(header: readonly string[], cells: readonly string[]): Row {
    if (cells.length !== header.length) {
      throw this.#refuse(`row ${this.#rows} has ${cells.length} cells, its header ${header.length}`);
    }
    return header.map((name, index): RowField => [
      name,
      jsonOf(this.#isGuarded ? unguardFormula(cells[index]!, this.#delimiter) : cells[index]!),
    ]);
  }

  #refuse(what: string): UsageError {
    return new UsageError(`${this.#path} is not a whole export: ${what}`, {
      hint: 'Was it cut short or edited? `folio verify` tells whether it is what was delivered.',
    });
  }
}

/** A cell, quoted or not, and what ends it. */
function cellPattern(delimiter: string): RegExp {
  const mark = delimiter === '|' ? '\\|' : delimiter;
  return new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\r\\n${mark}]*))(${mark}|\\r?\\n)`, 'y');
}

function jsonOf(cell: string): string {
  if (cell === '') return 'null';
  return typeof parseDecimal(cell) === 'object' ? cell : JSON.stringify(cell);
}

function isOpen(text: string): boolean {
  return (text.match(/"/g)?.length ?? 0) % 2 === 1;
}

/** Behind the last line's end that is in no quoted cell. */
function endOfRows(text: string): number {
  let end = 0;
  let quotes = 0;
  for (const { 0: found, index } of text.matchAll(/["\n]/g)) {
    if (found === '"') quotes++;
    else if (quotes % 2 === 0) end = index + 1;
  }
  return end;
}

/** The one that is in the header most often, outside of names in quotes. */
function delimiterOf(text: string): string {
  const header = text.slice(0, text.indexOf('\n')).replaceAll(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}
