import { bareCurrency } from '../../invoices/invoice.ts';
import { familyOf } from '../../invoices/documents.ts';
import { isFiscalId } from '../../invoices/fiscal-ids.ts';
import { parseCalendarDay } from '../../json/calendar-day.ts';
import { addDecimals, DECIMAL_ZERO, parseDecimal, type Decimal } from '../../json/decimal.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { bareNumber, signedAmount, type DocumentsKept, type KeptDocument } from './documents-kept.ts';
import { badList, readListFile, type ListFile, type ListRow } from './list-file.ts';
import { layoutOf, type ListLayout } from './list-layout.ts';
import { type ListField, type Match } from './list-match.ts';

/** The most documents of all lists. More are no month's. */
const MAX_DOCUMENTS = 10_000_000;

/** A list whose headings are known. Its rows are still to be read. */
export interface OpenList {
  readonly path: string;
  readonly layout: ListLayout;
  readonly file: ListFile;
}

/** Opens a list and reads its headings. Throws UsageError where it is none. */
export async function openList(path: string, match: Match | undefined): Promise<OpenList> {
  const file = await readListFile(path);
  return { path, layout: layoutOf(path, file.headings, match), file };
}

/** What was read of the lists beside the documents. */
export interface ListsRead {
  /** Rows that are the total of all receipts of a kind, not documents. */
  receiptTotals: number;
}

/**
 * Reads the documents of a list. Throws UsageError, with the line, for what cannot be read.
 *
 * @param place the list's place among the lists
 */
export async function readList(
  list: OpenList,
  { place, into, read }: { readonly place: number; readonly into: DocumentsKept; readonly read: ListsRead },
): Promise<void> {
  const rows = new RowReader(list, place, into, read);
  for await (const row of list.file.rows()) rows.add(row);
}

/** Stands for a row that is no document, but that others may go on. */
const NO_DOCUMENT = { index: -1, isCredit: false };

/** Makes documents of the rows of one list. */
class RowReader {
  readonly #list: OpenList;
  readonly #place: number;
  readonly #into: DocumentsKept;
  readonly #read: ListsRead;
  readonly #width: number;
  /** The document that rows without a number of their own go on, and its further taxes. */
  #last: { readonly index: number; readonly isCredit: boolean; type: string; number: string } | undefined;
  #further: Decimal | undefined;
  /** A row that names no document: only the last may. */
  #totals: number | undefined;

  constructor(list: OpenList, place: number, into: DocumentsKept, read: ListsRead) {
    this.#list = list;
    this.#place = place;
    this.#into = into;
    this.#read = read;
    this.#width = list.layout.headings.length;
  }

  add({ line, cells, isOpen }: ListRow): void {
    // What is left of a row that was cut may look like totals, or like further taxes that there are not.
    if (isOpen && cells.join(';').trim() !== '') this.#checkWidth(line, cells);
    if (cells.every((cell) => cell.trim() === '')) return;
    if (this.#totals !== undefined) throw this.#nameless(this.#totals);
    const [type, number] = [this.#textOf('documentType', cells), this.#textOf('number', cells)];
    if (this.#goesOn(cells, type, number)) return this.#goOn(line, cells);
    const isTyped = typeof this.#list.layout.places.get('documentType') === 'object' && type !== '';
    if (number === '' && !isTyped) {
      // Without a total it is no line of totals, but perhaps a document that was cut.
      if (this.#textOf('total', cells) === '') this.#checkWidth(line, cells);
      this.#totals = line;
      return;
    }
    this.#checkWidth(line, cells);
    if (/^0*$/.test(number) && this.#list.layout.kind === 'sales' && familyOf(type) === 'receipt') {
      this.#read.receiptTotals++;
      this.#last = { ...NO_DOCUMENT, type, number };
      return;
    }
    if (number === '') throw this.#nameless(line);
    if (this.#into.count === MAX_DOCUMENTS)
      throw badList(this.#list.path, line, 'there are more than 10,000,000 documents');
    this.#further = this.#furtherTaxIn(line, cells);
    const document = this.#documentOf(line, cells, { type, number });
    const index = this.#into.add(document);
    this.#last = { index, isCredit: familyOf(type) === 'credit note', type, number };
  }

  #nameless(line: number): Error {
    return badList(this.#list.path, line, 'the row has no number of a document');
  }

  /** Whether the row has further taxes of the document before. */
  #goesOn(cells: readonly string[], type: string, number: string): boolean {
    const { row, furtherTax } = this.#list.layout;
    if (row === undefined || furtherTax === undefined || (cells[row] ?? '').trim() !== '') return false;
    const isSame = number !== '' && number === this.#last?.number && type === this.#last.type;
    if (isSame) return true;
    if (number !== '' || type !== '') return false;
    return cells.every(
      (cell, at) => at >= this.#width || furtherTax.places.includes(at) || cell.trim() === '',
    );
  }

  #goOn(line: number, cells: readonly string[]): void {
    if (this.#last === undefined) {
      throw badList(this.#list.path, line, 'the row goes on a document before it, and there is none');
    }
    const more = this.#furtherTaxIn(line, cells);
    if (more === undefined) return;
    this.#further = addDecimals(this.#further ?? DECIMAL_ZERO, more);
    const { index, isCredit } = this.#last;
    if (index !== NO_DOCUMENT.index)
      this.#into.setFurtherTax(index, signedAmount(this.#further, isCredit ? 'credit note' : 'invoice'));
  }

  #documentOf(
    line: number,
    cells: readonly string[],
    { type, number }: { type: string; number: string },
  ): KeptDocument {
    const family = familyOf(type === '' ? undefined : type);
    const signed = (amount: Decimal | undefined): Decimal | undefined =>
      amount && signedAmount(amount, family);
    const total = this.#amountOf('total', line, cells);
    if (total === undefined) throw badList(this.#list.path, line, `${this.#headingOf('total')} is empty`);
    const fiscalId = this.#textOf('counterpartyFiscalId', cells);
    const register = this.#list.layout.kind !== 'other';
    if (register && !/^\d{1,4}$/.test(type)) {
      throw badList(
        this.#list.path,
        line,
        `${this.#headingOf('documentType')} is ${shown(type)}, which is no code`,
      );
    }
    return {
      number: bareNumber(number),
      type: type || undefined,
      fiscalId: isFiscalId(fiscalId) ? fiscalId : undefined,
      name: this.#textOf('counterpartyName', cells) || undefined,
      currency: bareCurrency(this.#textOf('currency', cells)),
      day: this.#dayOf(line, cells),
      total: signed(total),
      net: signed(this.#amountOf('net', line, cells)),
      exempt: signed(this.#amountOf('exempt', line, cells)),
      tax: signed(this.#amountOf('tax', line, cells)),
      furtherTax: signed(this.#further),
      file: this.#place,
      line,
    };
  }

  /**
   * A row has a cell for each heading, perhaps an empty one behind them. Where the last headings are of a further tax, more
   * of them may follow.
   */
  #checkWidth(line: number, cells: readonly string[]): void {
    if (cells.length < this.#width && cells.length > 0) {
      const missing = this.#list.layout.headings.slice(cells.length).some((heading) => heading.trim() !== '');
      if (missing) throw this.#wrongWidth(line, cells);
    }
    if (this.#list.layout.furtherTax?.isLast === true) return;
    if (cells.slice(this.#width).some((cell) => cell.trim() !== '')) throw this.#wrongWidth(line, cells);
  }

  #wrongWidth(line: number, cells: readonly string[]): Error {
    const { path } = this.#list;
    return badList(
      path,
      line,
      `the row has ${countOf(cells.length, 'cell')}, and there are ${countOf(this.#width, 'heading')}`,
    );
  }

  #furtherTaxIn(line: number, cells: readonly string[]): Decimal | undefined {
    const { furtherTax } = this.#list.layout;
    if (furtherTax === undefined) return undefined;
    let sum = this.#readAmount(furtherTax.amount, line, cells);
    if (!furtherTax.isLast) return sum;
    for (let place = furtherTax.amount + 3; place < cells.length; place += 3) {
      const more = this.#readAmount(place, line, cells);
      if (more !== undefined) sum = addDecimals(sum ?? DECIMAL_ZERO, more);
    }
    return sum;
  }

  #textOf(field: ListField, cells: readonly string[]): string {
    const places = this.#list.layout.places.get(field);
    if (places === undefined) return '';
    return typeof places === 'string' ? places : (cells[places[0]!] ?? '').trim();
  }

  /** The sum of the field's cells; undefined where all are empty. */
  #amountOf(field: ListField, line: number, cells: readonly string[]): Decimal | undefined {
    const places = this.#list.layout.places.get(field) ?? [];
    if (typeof places === 'string') return this.#parse(places, field, line);
    let sum: Decimal | undefined;
    for (const place of places) {
      const amount = this.#readAmount(place, line, cells);
      if (amount !== undefined) sum = sum === undefined ? amount : addDecimals(sum, amount);
    }
    return sum;
  }

  #readAmount(place: number, line: number, cells: readonly string[]): Decimal | undefined {
    const heading = this.#list.layout.headings[place] ?? 'a further tax';
    return this.#parse(cells[place] ?? '', heading, line);
  }

  #parse(cell: string, heading: string, line: number): Decimal | undefined {
    const text = cell.trim();
    if (text === '') return undefined;
    if (/^-?\d{1,15}$/.test(text)) return { coefficient: BigInt(text), scale: 0 };
    const isRegister = this.#list.layout.kind !== 'other';
    const amount = parseDecimal(text.replace(/^(-?)0+(?=\d)/, '$1'));
    if (typeof amount === 'object' && (!isRegister || amount.scale === 0)) return amount;
    throw badList(
      this.#list.path,
      line,
      `${heading} is ${shown(text)}, which is no ${isRegister ? 'whole number' : 'number'}`,
      'Amounts are written 1190 or 1190.50: a point before decimals, and nothing between thousands.',
    );
  }

  /** Days are written `15/06/2026`, `15-06-2026` or `2026-06-15`, with or without a time. */
  #dayOf(line: number, cells: readonly string[]): number | undefined {
    const text = this.#textOf('date', cells);
    if (text === '' || text.toLowerCase() === 'null') return undefined;
    const [, day = '', month = '', year = ''] =
      /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?:$|[ T])/.exec(text) ?? [];
    const found = parseCalendarDay(
      year === '' ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
    );
    if (found !== undefined) return found;
    throw badList(
      this.#list.path,
      line,
      `${this.#headingOf('date')} is ${shown(text)}, which is no day`,
      'Days are written 15/06/2026, 15-06-2026 or 2026-06-15.',
    );
  }

  #headingOf(field: ListField): string {
    const places = this.#list.layout.places.get(field);
    return typeof places === 'object' ? this.#list.layout.headings[places[0]!]! : field;
  }
}

const MAX_SHOWN = 40;

function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
