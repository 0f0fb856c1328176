import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { numberOrder } from '../query/cell-order.ts';
import { el, Html, type Content } from './html.ts';
import type { Writing } from './texts.ts';

/** A column: its values, its heading, its cells. Amounts and counts stand to the right; an ID never breaks into two lines. */
export type Column<Row> = readonly [kind: Kind, head: string, cell: (row: Row) => CellValue];
type Kind = 'text' | 'id' | 'day' | 'count' | 'amount';

/** A text, a day in days since 1970-01-01 or a count, an amount, or what is HTML already; undefined is nothing. */
type CellValue = string | number | Decimal | Html | undefined;

interface TableContent<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Whether amounts of zero are shown where there is nothing else: a column is left out only where no row has an amount. */
  readonly hasZeros?: boolean;
  /** Last rows, which do not take part in sorting. */
  readonly foot?: readonly (readonly CellValue[])[] | undefined;
  /** What stands below the table. */
  readonly note?: Content;
  /** What stands below the row, over all columns. */
  readonly below?: (row: Row) => string | undefined;
}

/** A table and its title, which stay together in print. */
export function titledTable<Row>(
  title: string,
  content: TableContent<Row>,
  writing: Writing,
  head = 'h4',
): Html {
  const { note } = content;
  const below = note === undefined ? undefined : el('p.note', note);
  return el('section.block', el(head, title), table(title, content, writing), below);
}

/** Longer tables may go on to the next page in print. */
const MAX_ROWS_KEPT = 15;

/** A sortable table, usually without columns of zeros. On a narrow screen each cell is a line with its heading. */
function table<Row>(caption: string, content: TableContent<Row>, writing: Writing): Html {
  const { columns, foot = [], below, hasZeros = false } = content;
  const rows = content.rows.map((row) => columns.map(([, , cell]) => cell(row)));
  const all = [...rows, ...foot];
  const isLeftOut = (value: CellValue): boolean => (hasZeros ? value === undefined : isNil(value));
  const shown = [...columns.entries()].filter(
    ([index, [kind]]) => kind !== 'amount' || !all.every((row) => isLeftOut(row[index])),
  );
  const line = (name: string, row: readonly CellValue[]): Html =>
    el(
      name,
      shown.map(([index, [kind, head]]) => {
        const [value, cell] = [row[index], contentOf(row[index], kind, writing)];
        const label = cell === undefined || index === 0 ? undefined : head;
        return el(
          'td',
          {
            class: lookOf(kind, hasZeros ? undefined : value),
            'data-l': label,
            'data-k': orderOf(value, kind),
          },
          cell,
        );
      }),
    );
  const belowLine = (text: string | undefined): Html | undefined =>
    text === undefined ? undefined : el('tr.below', el('td', { colspan: shown.length }, el('bdi', text)));
  const heads = shown.map(([, [kind, head]]) => el('th', { scope: 'col', class: lookOf(kind) }, head));
  return el(
    rows.length > MAX_ROWS_KEPT ? 'div.wide.long' : 'div.wide',
    { role: 'group', 'aria-label': caption, tabindex: 0 },
    el(
      'table',
      { 'data-sort': writing.texts.sortBy },
      el('caption', caption),
      el('thead', el('tr', heads)),
      // The last rows stand among the others: browsers leave a foot alone on a page in print.
      el('tbody', [
        rows.map((row, at) => [line('tr', row), belowLine(below?.(content.rows[at]!))]),
        foot.map((row) => line('tr.sum', row)),
      ]),
    ),
  );
}

/** Isolates the direction of the service's texts; marks amounts that are negative or zero. */
function contentOf(value: CellValue, kind: Kind, writing: Writing): Html | string | undefined {
  if (value === undefined || value instanceof Html) return value;
  if (typeof value === 'string') return el(kind === 'id' ? 'bdi.id' : 'bdi', value);
  if (typeof value === 'number')
    return kind === 'day' ? el('span.id', writing.day(value)) : writing.count(value);
  const text = writing.amount(value);
  if (value.coefficient > 0n) return text;
  return el(isNil(value) ? 'span.zero-amount' : 'span.late', text);
}

/** Text by which a column of numbers or dates is sorted; undefined where that is what is shown. */
function orderOf(value: CellValue, kind: Kind): string | undefined {
  if (value === undefined) return kind === 'amount' ? '' : undefined;
  if (typeof value === 'string' || value instanceof Html) return undefined;
  return numberOrder(typeof value === 'number' ? String(value) : formatDecimal(value));
}

function lookOf(kind: Kind, value?: CellValue): string | undefined {
  if (kind !== 'amount') return kind === 'count' ? 'amount' : undefined;
  return value !== undefined && isNil(value) ? 'amount nil' : 'amount';
}

/** Whether it is an amount of zero, or none. */
function isNil(value: CellValue): boolean {
  return (
    value === undefined || (typeof value === 'object' && 'coefficient' in value && value.coefficient === 0n)
  );
}

/** Makes headings sort, numbers and dates by their exact values. A table is whole without it. */
export const SORT_SCRIPT = `
for (const table of document.querySelectorAll('table[data-sort]')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.title = table.dataset.sort + ' ' + head.textContent;
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') !== 'descending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const sign = down ? -1 : 1;
      const compare = (a, b) => (a.dataset.k === undefined ? a.textContent.localeCompare(b.textContent) : a.dataset.k < b.dataset.k ? -1 : a.dataset.k > b.dataset.k ? 1 : 0);
      const body = table.tBodies[0];
      const rows = [...body.rows].filter((row) => row.className !== 'sum').sort((a, b) => sign * compare(a.cells[column], b.cells[column]));
      body.prepend(...rows);
    });
  });
}
`.trim();
