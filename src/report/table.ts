import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { numberOrder } from '../query/cell-order.ts';
import { markup, type Html } from './html.ts';
import type { Writing } from './words.ts';

interface TableCell {
  readonly content: Html;
  /** Text by which a column of numbers or dates is sorted; by what is shown where it has none. */
  readonly order: string | undefined;
}

export interface TableContent {
  readonly caption: string;
  readonly heads: readonly string[];
  /** From which column on, from 0, there are amounts, which stand to the right. */
  readonly amounts: number;
  readonly rows: readonly (readonly TableCell[])[];
  /** A last row that does not take part in sorting. */
  readonly foot?: readonly TableCell[] | undefined;
}

/** A name or another text of the service, kept from turning the direction of what stands around it. */
export function textCell(text: string): TableCell {
  return { content: markup`<bdi>${text}</bdi>`, order: undefined };
}

/** A fiscal ID or a number of an invoice, which is never broken over two lines. */
export function idCell(text: string): TableCell {
  return { content: markup`<bdi class="id">${text}</bdi>`, order: undefined };
}

/** An amount, marked where it is negative or zero; empty for undefined. */
export function amountCell(amount: Decimal | undefined, writing: Writing): TableCell {
  if (amount === undefined) return { content: markup``, order: '' };
  const text = writing.amount(amount);
  const look = amount.coefficient < 0n ? 'late' : amount.coefficient === 0n ? 'zero-amount' : undefined;
  return {
    content: look === undefined ? markup`${text}` : markup`<span class="${look}">${text}</span>`,
    order: numberOrder(formatDecimal(amount)) ?? '',
  };
}

/** A whole number. */
export function countCell(count: number, writing: Writing): TableCell {
  return { content: markup`${writing.count(count)}`, order: numberOrder(String(count)) ?? '' };
}

/** A day; `day` is in days since 1970-01-01. */
export function dayCell(day: number, writing: Writing): TableCell {
  return { content: markup`${writing.day(day)}`, order: numberOrder(String(day)) ?? '' };
}

/** A table that the script of the page makes sortable. */
export function table({ caption, heads, amounts, rows, foot }: TableContent, { words }: Writing): Html {
  const kind = (column: number): Html => (column >= amounts ? markup` class="amount"` : markup``);
  const cell = ({ content, order }: TableCell, column: number): Html =>
    markup`<td${kind(column)}${order === undefined ? undefined : markup` data-k="${order}"`}>${content}</td>`;
  const head = heads.map((text, column) => markup`<th scope="col" ${kind(column)}>${text}</th>`);
  const body = rows.map(
    (row) =>
      markup`<tr>
        ${row.map(cell)}
      </tr> `,
  );
  const last =
    foot &&
    markup`<tfoot>
      <tr>
        ${foot.map(cell)}
      </tr>
    </tfoot>`;
  return markup`<div class="wide" role="group" aria-label="${caption}" tabindex="0">
    <table data-sort="${words.sortBy}">
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
      ${last}
    </table>
  </div>`;
}
