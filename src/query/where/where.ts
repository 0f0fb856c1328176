import type { Finding } from '../../findings.ts';
import { nameOfCell } from '../../invoices/amounts.ts';
import { Unreadable } from '../../invoices/unreadable.ts';
import type { Cell } from '../../json/cells.ts';
import { ColumnFacts } from '../../json/column-facts.ts';
import { selectRecords, type RecordBatch } from '../../json/records.ts';
import { countOf, digitGrouper } from '../../output/terminal/number-text.ts';
import { cellOrder } from '../cell-order.ts';
import { cellTest, checkValues, comparedKind, type WhereContext, type ColumnKind } from './cell-test.ts';
import { ColumnWatch } from '../column-watch.ts';
import { NamedCells, type ColumnNames } from '../named-cells.ts';
import type { Condition } from '../question-syntax.ts';
import type { FilterQuestion, PlaceOf } from '../questions.ts';

/** A test for records. */
export interface RecordTest {
  /** The columns whose cells `holds` gets, by the names that people have for them, in this order. */
  readonly columns: readonly string[];
  /** Columns whose cells it gets after these, by their own names. */
  readonly further?: readonly string[];
  /** Whether a record passes. `place` is its number in the listing, from 1, for messages. */
  readonly holds: (cells: readonly (Cell | undefined)[], place: number) => boolean;
  /** Throws UsageError where the wanted values do not fit the kinds of the columns, which are in the same order. */
  readonly check?: (kinds: readonly (ColumnKind | undefined)[]) => void;
  /** The columns whose values are told where no record passes. */
  readonly telling: readonly string[];
  /** Called at the end if any record was tested. Throws UsageError where none had the fields that the test needs. */
  readonly finish?: (isThere: (column: string) => boolean) => void;
  /** What was found in the records that were tested. */
  readonly findings?: () => readonly Finding[];
}

/**
 * The test of one `--where`. A cell that cannot be compared with the value is left out, and said.
 *
 * @param isJudged whether the answer is incomplete without it, as for dates and amounts; otherwise it is a warning
 */
export function conditionTest(condition: Condition, context: WhereContext, isJudged = false): RecordTest {
  const test = cellTest(condition, context);
  const { column, expression } = condition;
  const columns = [column];
  const unreadable = new Unreadable();
  const flag = `--where '${expression}'`;
  return {
    columns,
    telling: columns,
    holds: ([cell], place) => {
      const holds = test(cell);
      if (holds === undefined && cell !== undefined)
        unreadable.note(place, `${column} of record ${place} is ${nameOfCell(cell)}`);
      return holds === true;
    },
    check: ([kind]) => kind && checkValues(condition, kind, context),
    findings: () => {
      const found = unreadable.finding(flag);
      return [isJudged || found.level === 'fact' ? found : { ...found, level: 'warning' }];
    },
  };
}

/** Lets through the records that pass every test, in their order, batch by batch. */
export class WhereFilter {
  readonly #reader: NamedCells;
  readonly #tests: readonly (RecordTest & { readonly at: readonly number[] })[];
  readonly #unchecked: Set<RecordTest>;
  /** The tests that some record reached: only these can say that no record has a field. */
  readonly #reached = new Set<RecordTest>();
  readonly #watch: ColumnWatch;
  readonly #met: readonly (readonly [column: number, met: MetValues])[];
  readonly #placeOf: PlaceOf;
  #seen = 0;
  #kept = 0;
  /** The places in the listing of those records of the last batch that were let through. */
  #places: readonly number[] = [];

  /**
   * @param watched the columns that the user named: folio says where no record has one of them
   * @param options.names what these names stand for
   * @param options.placeOf the place in the listing of the nth record that comes in, where that is another number
   */
  constructor(
    tests: readonly RecordTest[],
    watched: readonly string[],
    {
      names,
      placeOf = (nth) => nth,
    }: { readonly names?: ColumnNames | undefined; readonly placeOf?: PlaceOf | undefined } = {},
  ) {
    this.#placeOf = placeOf;
    // The watched columns come first, because the watch takes the first cells of each record.
    const columns = [...new Set([...watched, ...tests.flatMap(({ columns }) => columns)])];
    const further = [...new Set(tests.flatMap(({ further = [] }) => further))];
    this.#reader = new NamedCells(columns, names, further);
    const placesOf = (test: RecordTest): number[] => [
      ...test.columns.map((name) => columns.indexOf(name)),
      ...(test.further ?? []).map((name) => columns.length + further.indexOf(name)),
    ];
    this.#tests = tests.map((test) => ({ ...test, at: placesOf(test) }));
    this.#unchecked = new Set(this.#tests.filter(({ check }) => check !== undefined));
    this.#watch = new ColumnWatch(watched, { names });
    const telling = [...new Set(tests.flatMap(({ telling }) => telling))];
    const all = [...columns, ...further];
    this.#met = telling.map((name) => [all.indexOf(name), new MetValues(name)]);
  }

  /** How many records came in so far. */
  get seen(): number {
    return this.#seen;
  }

  /** How many records were let through so far. */
  get kept(): number {
    return this.#kept;
  }

  /** The records of the batch that pass all tests, sharing its bytes. Throws UsageError as `RecordTest.check` does. */
  apply(batch: RecordBatch): RecordBatch {
    if (this.#unchecked.size > 0) this.#check(batch);
    this.#watch.sample(batch);
    const indices: number[] = [];
    const places: number[] = [];
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      this.#watch.see(cells);
      if (this.#kept + indices.length === 0) for (const [at, met] of this.#met) met.add(cells[at]);
      const place = this.#placeOf(this.#seen + index + 1);
      const passes = this.#tests.every((test) => {
        this.#reached.add(test);
        const own = test.at.map((column) => cells[column]);
        return test.holds(own, place);
      });
      if (!passes) continue;
      indices.push(index);
      places.push(place);
    }
    this.#places = places;
    this.#seen += batch.count;
    this.#kept += indices.length;
    return indices.length === batch.count ? batch : selectRecords(batch, indices);
  }

  /** The place in the listing, from 1, of the nth record that was let through. It must be of the last batch. */
  placeOf(nth: number): number {
    return this.#places[nth - 1 - (this.#kept - this.#places.length)]!;
  }

  /** At the end of the records. Throws UsageError as `RecordTest.finish` does. */
  finish(): void {
    for (const test of this.#reached) test.finish?.((column) => this.#watch.has(column));
    this.#watch.refuseNearMisses('--where');
  }

  /** At the end: what the tests found, and a warning for each column that no record had: its name may be misspelt. */
  findings(): Finding[] {
    const read = countOf(this.#seen, 'record');
    const complaints = this.#watch
      .complaints()
      .map((text): Finding => ({ level: 'warning', text: `--where: ${text} (${read} read)` }));
    return [...complaints, ...this.#tests.flatMap(({ findings }) => findings?.() ?? [])];
  }

  /** Where no record was let through: the values of the columns, a clause for each. */
  valuesMet(): string[] {
    return this.#met.flatMap(([, met]) => met.describe() ?? []);
  }

  /** Checks the tests by the first records that have values: whether those columns can hold what was asked for. */
  #check(batch: RecordBatch): void {
    const facts = Array.from({ length: this.#reader.count }, () => new ColumnFacts());
    for (let index = 0; index < batch.count; index++) {
      for (const [at, cell] of this.#reader.read(batch, index).entries()) if (cell) facts[at]!.add(cell);
    }
    for (const test of this.#tests) {
      if (!this.#unchecked.has(test)) continue;
      const kinds = test.at.map((column) => comparedKind(facts[column]!));
      if (kinds.every((kind) => kind === undefined)) continue;
      this.#unchecked.delete(test);
      test.check!(kinds);
    }
  }
}

/** The most values of a column that a note lists. */
const MAX_VALUES_TOLD = 10;
const MAX_CHARACTERS_TOLD = 40;

/** The values of a column in the records that were read: a few of them, or the least and the greatest. */
class MetValues {
  readonly #column: string;
  readonly #texts = new Set<string>();
  readonly #facts = new ColumnFacts();
  #least: (Cell & { readonly order: string }) | undefined;
  #most: (Cell & { readonly order: string }) | undefined;

  constructor(column: string) {
    this.#column = column;
  }

  add(cell: Cell | undefined): void {
    if (cell === undefined || cell.text === '') return;
    if (this.#texts.size <= MAX_VALUES_TOLD) this.#texts.add(cell.text);
    this.#facts.add(cell);
    const order = cellOrder(cell);
    if (this.#least === undefined || order < this.#least.order) this.#least = { ...cell, order };
    if (this.#most === undefined || order > this.#most.order) this.#most = { ...cell, order };
  }

  /** `status has PAID, PENDING`, `dueBy goes from 2024-10-15 to 2026-12-30`; undefined without any value. */
  describe(): string | undefined {
    if (this.#least === undefined || this.#most === undefined) return undefined;
    const kind = comparedKind(this.#facts);
    if ((kind === 'numbers' || kind === 'dates') && this.#texts.size > 1) {
      const [from, to] = [this.#least.text, this.#most.text].map((text) =>
        kind === 'dates' ? text.slice(0, 'yyyy-mm-dd'.length) : text,
      );
      return `${this.#column} goes from ${from} to ${to}`;
    }
    const texts = [...this.#texts].slice(0, MAX_VALUES_TOLD).map(shorten);
    if (this.#texts.size > MAX_VALUES_TOLD) texts.push('…');
    return `${this.#column} has ${texts.join(', ')}`;
  }
}

function shorten(text: string): string {
  return text.length <= MAX_CHARACTERS_TOLD ? text : `${text.slice(0, MAX_CHARACTERS_TOLD - 1)}…`;
}

interface WhereWords {
  /** What the records are, in the plural. */
  readonly what: string;
  readonly locale: string;
}

/** The question of --where: the records that the filter lets through. */
export function whereQuestion(filter: WhereFilter, words: WhereWords): FilterQuestion {
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) {
        const kept = filter.apply(batch);
        if (kept.count > 0) yield kept;
      }
      filter.finish();
    },
    counts: () => ({ seen: filter.seen, kept: filter.kept }),
    placeOf: (nth) => filter.placeOf(nth),
    findings: () => [...filter.findings(), ...noneLeft(filter, words)],
  };
}

/** Which values there are, where no record was let through. */
function noneLeft(filter: WhereFilter, { what, locale }: WhereWords): Finding[] {
  if (filter.kept > 0 || filter.seen === 0) return [];
  const none = `0 of ${digitGrouper(locale)(String(filter.seen))} ${what}`;
  return [{ level: 'remark', text: [none, ...filter.valuesMet()].join('; ') }];
}
