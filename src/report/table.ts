import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { numberOrder } from '../query/cell-order.ts';
import { markup, type Html } from './html.ts';
import type { Writing } from './words.ts';

/** A cell of a table. */
export interface TableCell {
  readonly content: Html;
  /** Text by which a column of numbers or dates is sorted; by what is shown where it has none. */
  readonly order: string | undefined;
  /** Whether it is an amount of zero, or none. */
  readonly isNil?: boolean;
}

export interface TableContent {
  readonly caption: string;
  readonly heads: readonly string[];
  /** From which column on, from 0, there are amounts, which stand to the right. */
  readonly amounts: number;
  readonly rows: readonly (readonly TableCell[])[];
  /** Last rows, which do not take part in sorting. */
  readonly foot?: readonly (readonly TableCell[])[] | undefined;
}

/** A name or another text of the service, kept from turning the direction of what stands around it. */
export function textCell(text: string): TableCell {
  return { content: markup`<bdi>${text}</bdi>`, order: undefined };
}

/** A cell of a last row that says nothing. */
export function blankCell(): TableCell {
  return { content: markup``, order: undefined };
}

/** A fiscal ID or a number of an invoice, which is never broken over two lines. */
export function idCell(text: string): TableCell {
  return { content: markup`<bdi class="id">${text}</bdi>`, order: undefined };
}

/** An amount, marked where it is negative or zero; empty for undefined. */
export function amountCell(amount: Decimal | undefined, writing: Writing): TableCell {
  if (amount === undefined) return { content: markup``, order: '', isNil: true };
  const text = writing.amount(amount);
  const look = amount.coefficient < 0n ? 'late' : amount.coefficient === 0n ? 'zero-amount' : undefined;
  return {
    content: look === undefined ? markup`${text}` : markup`<span class="${look}">${text}</span>`,
    order: numberOrder(formatDecimal(amount)) ?? '',
    isNil: amount.coefficient === 0n,
  };
}

/** A whole number. */
export function countCell(count: number, writing: Writing): TableCell {
  return { content: markup`${writing.count(count)}`, order: numberOrder(String(count)) ?? '' };
}

/** A day; `day` is in days since 1970-01-01. */
export function dayCell(day: number, writing: Writing): TableCell {
  return {
    content: markup`<span class="id">${writing.day(day)}</span>`,
    order: numberOrder(String(day)) ?? '',
  };
}

/** Longer tables may go on to the next page in print. */
const MAX_ROWS_KEPT = 15;

/**
 * A table that the script of the page makes sortable, without the columns of amounts that are zero in every row. On a
 * narrow screen each row stands as lines, each with the head of its column before it.
 */
export function table(content: TableContent, { words }: Writing): Html {
  const { caption, amounts } = content;
  const isShown = content.heads.map(
    (_, column) =>
      column < amounts ||
      [...content.rows, ...(content.foot ?? [])].some((row) => row[column]?.isNil !== true),
  );
  const shown = <Item>(row: readonly Item[]): Item[] => row.filter((_, column) => isShown[column]);
  const heads = shown(content.heads);
  const kind = (column: number, isNil = false): Html =>
    column < amounts ? markup`` : markup` class="${isNil ? 'amount nil' : 'amount'}"`;
  const cell = ({ content: inner, order, isNil }: TableCell, column: number): Html => {
    const head = column === 0 || inner.text === '' ? undefined : markup` data-l="${heads[column]}"`;
    return markup`<td${kind(column, isNil)}${head}${order === undefined ? undefined : markup` data-k="${order}"`}>${inner}</td>`;
  };
  // The last rows stand among the others: browsers leave a foot alone on a page in print.
  const lines = (rows: readonly (readonly TableCell[])[], look?: string): Html[] =>
    rows.map(
      (row) =>
        markup`<tr${look === undefined ? undefined : markup` class="${look}"`}>
          ${shown(row).map(cell)}
        </tr> `,
    );
  const length = content.rows.length > MAX_ROWS_KEPT ? 'wide long' : 'wide';
  return markup`<div class="${length}" role="group" aria-label="${caption}" tabindex="0">
    <table data-sort="${words.sortBy}">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads.map((text, column) => markup`<th scope="col" ${kind(column)}>${text}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${lines(content.rows)} ${lines(content.foot ?? [], 'sum')}
      </tbody>
    </table>
  </div>`;
}
