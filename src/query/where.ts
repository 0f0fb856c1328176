import { UsageError } from '../errors.ts';
import { CellReader, type Cell } from '../json/cells.ts';
import { selectRecords, type RecordBatch } from '../json/records.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { cellOrder, numberOrder } from './cell-order.ts';
import { ColumnWatch } from './column-watch.ts';
import type { Condition } from './question-syntax.ts';
import type { FilterQuestion, Note } from './questions.ts';

/** Says whether a cell meets the condition. `place` is the record's number in the listing, from 1, for messages. */
type CellTest = (cell: Cell | undefined, place: number) => boolean;

const DAY_OR_MONTH = /^\d{4}-\d{2}(?:-\d{2})?$/;
const STARTS_WITH_DAY = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/;

const ORDERS = {
  '<': (order: string, wanted: string) => order < wanted,
  '<=': (order: string, wanted: string) => order <= wanted,
  '>': (order: string, wanted: string) => order > wanted,
  '>=': (order: string, wanted: string) => order >= wanted,
};

/**
 * The test for a condition.
 *
 * - A field that is null, missing or empty text has no value: it equals only the empty value, differs from every
 *   other, contains nothing, and is neither less nor greater than anything.
 * - Numbers are compared as exact decimals, so that `totalAmount=10` finds 10.00. Where `<` and `>` meet text that
 *   reads as a number, as invoice numbers do, it is one; `=` and `!=` take text as it is, so that `007` is not `7`.
 * - A value that is a day or a month (2026-11-01, 2026-11) is held against that part of a date, so that
 *   `dueBy<=2026-11-01` has the whole of that day. Other dates, as all other text, are compared by their characters.
 * - `~` and `!~` look for the value anywhere in the text, in any case. Everything else minds case.
 *
 * A number compared by `<` or `>` with a value that is none (`1.000.000`) throws UsageError rather than finding nothing.
 */
function conditionTest(condition: Condition): CellTest {
  const { operator, value } = condition;
  switch (operator) {
    case '=':
      return equalityTest(value);
    case '!=': {
      const equals = equalityTest(value);
      return (cell, place) => !equals(cell, place);
    }
    case '~':
      return containsTest(value);
    case '!~': {
      const contains = containsTest(value);
      return (cell, place) => !contains(cell, place);
    }
    default:
      return orderTest(condition, operator);
  }
}

function equalityTest(value: string): CellTest {
  const number = numberOrder(value);
  const period = DAY_OR_MONTH.test(value);
  return (cell) => {
    if (cell === undefined || cell.text === value) return (cell?.text ?? '') === value;
    if (cell.kind === 'number') return number !== undefined && numberOrder(cell.text) === number;
    return period && partOfDate(cell, value) === value;
  };
}

function containsTest(value: string): CellTest {
  const part = fold(value);
  return (cell) => cell !== undefined && fold(cell.text).includes(part);
}

/** Names typed on one system and stored by another may spell the same accent in two ways. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function orderTest({ column, value }: Condition, operator: keyof typeof ORDERS): CellTest {
  const holds = ORDERS[operator];
  const wanted = cellOrder({ kind: 'string', text: value });
  const isNumber = numberOrder(value) !== undefined;
  const period = DAY_OR_MONTH.test(value);
  return (cell, place) => {
    if (cell === undefined || cell.text === '') return false;
    if (cell.kind === 'number' && !isNumber) refuse(column, cell, { value, place });
    const part = period && partOfDate(cell, value);
    const order = part ? cellOrder({ kind: 'string', text: part }) : cellOrder(cell);
    return holds(order, wanted);
  };
}

/** As much of the date in the cell as the value names; undefined when there is no date in it. */
function partOfDate(cell: Cell, value: string): string | undefined {
  return cell.kind === 'string' && STARTS_WITH_DAY.test(cell.text)
    ? cell.text.slice(0, value.length)
    : undefined;
}

function refuse(column: string, cell: Cell, { value, place }: { value: string; place: number }): never {
  throw new UsageError(
    `--where compares ${column} with '${value}', which is not a number, but record ${place} has ${cell.text} there`,
    { hint: 'Write numbers with digits and a decimal point only, such as 1000000 or 1190.10.' },
  );
}

/** Lets through the records that meet every condition, in their order, batch by batch. */
export class WhereFilter {
  readonly #reader: CellReader;
  readonly #tests: readonly (readonly [column: number, test: CellTest])[];
  readonly #watch: ColumnWatch;
  #seen = 0;
  #kept = 0;
  /** Of the records of the last batch that were let through, their places in the listing. */
  #places: readonly number[] = [];

  constructor(conditions: readonly Condition[]) {
    const columns = [...new Set(conditions.map(({ column }) => column))];
    this.#reader = new CellReader(columns);
    this.#tests = conditions.map((condition) => [
      columns.indexOf(condition.column),
      conditionTest(condition),
    ]);
    this.#watch = new ColumnWatch(columns);
  }

  /** Records that came in so far. */
  get seen(): number {
    return this.#seen;
  }

  /** Records let through so far. */
  get kept(): number {
    return this.#kept;
  }

  /** The records of the batch that meet all conditions, sharing its bytes. Throws UsageError as `conditionTest` does. */
  apply(batch: RecordBatch): RecordBatch {
    this.#watch.sample(batch);
    const indices: number[] = [];
    const places: number[] = [];
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      this.#watch.see(cells);
      const place = this.#seen + index + 1;
      if (!this.#tests.every(([column, test]) => test(cells[column], place))) continue;
      indices.push(index);
      places.push(place);
    }
    this.#places = places;
    this.#seen += batch.count;
    this.#kept += indices.length;
    return indices.length === batch.count ? batch : selectRecords(batch, indices);
  }

  /** The place in the listing, from 1, of the nth record let through, while its batch is the last one. */
  placeOf(nth: number): number {
    return this.#places[nth - 1 - (this.#kept - this.#places.length)]!;
  }

  /** At the end: a sentence for each column that no record had a value in, with the names it may have meant. */
  complaints(): string[] {
    return this.#watch.complaints();
  }
}

/** The records that the filter lets through. Says which columns no record had. */
export function whereQuestion(filter: WhereFilter): FilterQuestion {
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) {
        const kept = filter.apply(batch);
        if (kept.count > 0) yield kept;
      }
    },
    counts: () => ({ seen: filter.seen, kept: filter.kept }),
    placeOf: (nth) => filter.placeOf(nth),
    notes: () => whereNotes(filter),
  };
}

/** A warning for each column that no record had a value in: it may be a slip of the keys. */
export function whereNotes(filter: WhereFilter): Note[] {
  const read = countOf(filter.seen, 'record');
  return filter.complaints().map((text) => ({ kind: 'warning', text: `--where: ${text} (${read} read)` }));
}
