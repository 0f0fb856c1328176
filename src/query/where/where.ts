import type { Finding } from '../../findings.ts';
import { nameOfCell } from '../../invoices/amounts.ts';
import { holdsFiscalIds, PLAIN_NAMES, roleNamed, type ColumnNames } from '../../invoices/column-names.ts';
import type { Document } from '../../invoices/document.ts';
import { DocumentReader, type PlaceOf } from '../../invoices/document-reader.ts';
import { ROLE_TYPES, type Role } from '../../invoices/fields.ts';
import { Unreadable } from '../../invoices/unreadable.ts';
import type { Cell } from '../../json/cells.ts';
import { ColumnFacts } from '../../json/column-facts.ts';
import { selectRecords, type RecordBatch } from '../../json/records.ts';
import { countOf, digitGrouper } from '../../output/terminal/number-text.ts';
import { cellOrder } from '../cell-order.ts';
import { missingColumns, refuseMissing } from '../missing-columns.ts';
import type { Condition } from '../question-syntax.ts';
import type { FilterQuestion, Records } from '../questions.ts';
import { cellTest, checkValues, comparedKind, type ColumnKind, type WhereContext } from './cell-test.ts';

/** A test for records. */
export interface RecordTest {
  /** The column whose cell the test is about, by the name that people have for it. */
  readonly name?: string;
  /** The roles that it reads. */
  readonly roles: readonly Role[];
  /** Whether a record passes. The cells are those of the name: one, or one of each object in a list that it is within. */
  readonly holds: (document: Document, cells: readonly (Cell | undefined)[]) => boolean;
  /** Throws UsageError where the wanted values do not fit the kind of the column. */
  readonly check?: (kind: ColumnKind) => void;
  /** A column whose values are told where no record passes, and the cells in it. */
  readonly told?: (
    document: Document,
    cells: readonly (Cell | undefined)[],
  ) => readonly [column: string | undefined, cells: readonly (Cell | undefined)[]];
  /** Called at the end if any record was tested. Throws UsageError where none had the fields that the test needs. */
  readonly finish?: (reader: DocumentReader) => void;
  /** What was found in the records that were tested. */
  readonly findings?: () => readonly Finding[];
}

/**
 * The test of one `--where`. Of what is within a list, one object is enough; with `!=` and `!~`, none may be so. A cell that cannot be compared with the value is left out, and said.
 *
 * @param names what the column means: without a date or an amount the answer is incomplete; what else is left out is a warning
 */
export function conditionTest(
  condition: Condition,
  context: WhereContext,
  names: ColumnNames = PLAIN_NAMES,
): RecordTest {
  const role = roleNamed(condition.column, names, names.fields.usual);
  const isFiscal = holdsFiscalIds(condition.column, names);
  const test = cellTest(condition, context, isFiscal);
  const { column, expression, operator } = condition;
  const isNegated = operator === '!=' || operator === '!~';
  const unreadable = new Unreadable();
  return {
    name: column,
    roles: [],
    told: (_, cells) => [column, cells],
    holds: ({ place }, cells) => {
      let wrong: Cell | undefined;
      for (const cell of cells) {
        const holds = test(cell);
        if (holds === true) return !isNegated;
        if (holds === undefined) wrong ??= cell;
      }
      if (wrong !== undefined) unreadable.note(place, `${column} of record ${place} is ${nameOfCell(wrong)}`);
      return isNegated;
    },
    ...(!isFiscal && { check: (kind: ColumnKind) => checkValues(condition, kind, context) }),
    findings: () => {
      const found = unreadable.finding(`--where '${expression}'`);
      const isJudged = role !== undefined && ROLE_TYPES.has(role);
      return [isJudged || found.level === 'fact' ? found : { ...found, level: 'warning' }];
    },
  };
}

/** A test, and what is known of its column in the records so far. */
interface RunningTest extends RecordTest {
  /** The index of its name among all; -1 without one. */
  readonly at: number;
  readonly met: Map<string, MetValues>;
  /** What the column holds, until its kind is known and was checked. */
  unchecked: ColumnFacts | undefined;
  /** Whether some record reached it: only then it can say that no record has a field. */
  isReached: boolean;
}

interface FilterOptions {
  /** What the names stand for. */
  readonly names?: ColumnNames | undefined;
  /** The place in the listing of the nth record that comes in, where that is another number. */
  readonly placeOf?: PlaceOf | undefined;
  /** What the records are, in the plural. */
  readonly what?: string;
  readonly locale?: string;
}

/** The question of --where: the records that pass every test, in their order, batch by batch. */
export class WhereFilter implements FilterQuestion {
  readonly #reader: DocumentReader;
  readonly #tests: readonly RunningTest[];
  readonly #options: FilterOptions;
  /** The cell of each name of the record that is looked at, where it is in no list. */
  readonly #alone: (Cell | undefined)[][];
  #kept = 0;
  /** The places in the listing of those records of the last batch that were let through. */
  #places: readonly number[] = [];

  constructor(tests: readonly RecordTest[], options: FilterOptions = {}) {
    const { names: meanings = PLAIN_NAMES } = options;
    this.#options = options;
    const names = [...new Set(tests.flatMap(({ name }) => name ?? []))];
    const roles = [...new Set(tests.flatMap((test) => test.roles))];
    this.#reader = new DocumentReader(meanings, { roles, names });
    this.#alone = names.map(() => []);
    this.#tests = tests.map((test) => ({
      ...test,
      at: test.name === undefined ? -1 : names.indexOf(test.name),
      met: new Map(),
      unchecked: test.check && new ColumnFacts(),
      isReached: false,
    }));
  }

  async *answer(records: Records): AsyncGenerator<RecordBatch> {
    for await (const batch of records) {
      const kept = this.apply(batch);
      if (kept.count > 0) yield kept;
    }
    this.refuse();
  }

  counts(): { readonly seen: number; readonly kept: number } {
    return { seen: this.#reader.records, kept: this.#kept };
  }

  /** The records of the batch that pass all tests, sharing its bytes. Throws UsageError as `RecordTest.check` does. */
  apply(batch: RecordBatch): RecordBatch {
    const reader = this.#reader;
    const indices: number[] = [];
    const places: number[] = [];
    const look = (index: number): void => {
      const cells = this.#alone.map((alone, at) => {
        alone[0] = reader.named(at);
        return (alone[0] === undefined && reader.listed(at)) || alone;
      });
      if (this.#kept + indices.length === 0) this.#meet(cells);
      for (const test of this.#tests) {
        for (const cell of cells[test.at] ?? []) if (cell !== undefined) test.unchecked?.add(cell);
      }
      const passes = this.#tests.every((test) => {
        test.isReached = true;
        return test.holds(reader, cells[test.at] ?? []);
      });
      if (!passes) return;
      indices.push(index);
      places.push(reader.place);
    };
    reader.fold(batch, look, this.#options.placeOf);
    this.#check();
    this.#places = places;
    this.#kept += indices.length;
    return indices.length === batch.count ? batch : selectRecords(batch, indices);
  }

  /** The place in the listing, from 1, of the nth record that was let through. It must be of the last batch. */
  readonly placeOf: PlaceOf = (nth) => this.#places[nth - 1 - (this.#kept - this.#places.length)]!;

  /** At the end of the records. Throws UsageError as `RecordTest.finish` does, and for a column that none had. */
  refuse(): void {
    for (const { isReached, finish } of this.#tests) if (isReached) finish?.(this.#reader);
    refuseMissing(this.#reader, '--where');
  }

  /** At the end: a warning for each column that no record had, what the tests found, and the values there are where none passed. */
  findings(): Finding[] {
    const { what = 'records', locale = 'en-US' } = this.#options;
    const { seen, kept } = this.counts();
    const complaints = missingColumns(this.#reader).map((text): Finding => ({
      level: 'warning',
      text: `--where: ${text} (${countOf(seen, 'record')} read)`,
    }));
    const found = [...complaints, ...this.#tests.flatMap(({ findings }) => findings?.() ?? [])];
    if (kept > 0 || seen === 0) return found;
    const met = new Map(this.#tests.flatMap((test) => [...test.met]));
    const values = [...met].flatMap(([column, values]) => values.describe(column) ?? []);
    const none = `0 of ${digitGrouper(locale)(String(seen))} ${what}`;
    return [...found, { level: 'remark', text: [none, ...values].join('; ') }];
  }

  #meet(cellsOf: readonly (readonly (Cell | undefined)[])[]): void {
    for (const { told, at, met } of this.#tests) {
      const [column, cells = []] = told?.(this.#reader, cellsOf[at] ?? []) ?? [];
      for (const cell of cells) {
        if (column === undefined || cell === undefined || cell.text === '') continue;
        const values = met.get(column) ?? new MetValues();
        met.set(column, values);
        values.add(cell);
      }
    }
  }

  /** Checks the tests by the first records that have values: whether those columns can hold what was asked for. */
  #check(): void {
    for (const test of this.#tests) {
      const kind = test.unchecked && comparedKind(test.unchecked);
      if (kind === undefined) continue;
      test.unchecked = undefined;
      test.check!(kind);
    }
  }
}

/** The most values of a column that a note lists. */
const MAX_VALUES_TOLD = 10;
const MAX_CHARACTERS_TOLD = 40;

/** The values of a column in the records that were read: a few of them, or the least and the greatest. */
class MetValues {
  readonly #texts = new Set<string>();
  readonly #facts = new ColumnFacts();
  #least: (Cell & { readonly order: string }) | undefined;
  #most: (Cell & { readonly order: string }) | undefined;

  add(cell: Cell): void {
    if (this.#texts.size <= MAX_VALUES_TOLD) this.#texts.add(cell.text);
    this.#facts.add(cell);
    const order = cellOrder(cell);
    if (this.#least === undefined || order < this.#least.order) this.#least = { ...cell, order };
    if (this.#most === undefined || order > this.#most.order) this.#most = { ...cell, order };
  }

  /** `status has PAID, PENDING`, `dueBy goes from 2024-10-15 to 2026-12-30`; undefined without any value. */
  describe(column: string): string | undefined {
    if (this.#least === undefined || this.#most === undefined) return undefined;
    const kind = comparedKind(this.#facts);
    if ((kind === 'numbers' || kind === 'dates') && this.#texts.size > 1) {
      const [from, to] = [this.#least.text, this.#most.text].map((text) =>
        kind === 'dates' ? text.slice(0, 'yyyy-mm-dd'.length) : text,
      );
      return `${column} goes from ${from} to ${to}`;
    }
    const texts = [...this.#texts].slice(0, MAX_VALUES_TOLD).map(shorten);
    if (this.#texts.size > MAX_VALUES_TOLD) texts.push('…');
    return `${column} has ${texts.join(', ')}`;
  }
}

function shorten(text: string): string {
  return text.length <= MAX_CHARACTERS_TOLD ? text : `${text.slice(0, MAX_CHARACTERS_TOLD - 1)}…`;
}
