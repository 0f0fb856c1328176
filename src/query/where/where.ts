import type { Finding } from '../../findings.ts';
import {
  holdsFiscalIds,
  PLAIN_NAMES,
  roleNamed,
  type ColumnNames,
  declaredType,
  PROFILE_COLUMN,
  ROLE_TYPES,
  type Role,
} from '../../invoices/fields.ts';
import type { Document } from '../../invoices/document.ts';
import { DocumentReader, type PlaceOf } from '../../invoices/document-reader.ts';
import { Unreadable } from '../../invoices/left-out.ts';
import { isFilled, type Cell } from '../../json/cells.ts';
import { ColumnFacts } from '../../json/column-facts.ts';
import { selectRecords, type RecordBatch } from '../../json/records.ts';
import { digitGrouper } from '../../output/terminal/number-text.ts';
import { cellOrder } from '../cell-order.ts';
import { missingColumns, refuseMissing } from '../missing-columns.ts';
import type { Condition } from '../question-syntax.ts';
import type { FilterQuestion } from '../questions.ts';
import { cellTest, checkValues, comparedKind, type ColumnKind, type WhereContext } from './cell-test.ts';

type Cells = readonly (Cell | undefined)[];

export interface RecordTest {
  /** The column that it tests, by any of its names. */
  readonly name?: string;
  readonly roles: readonly Role[];
  /** Whether a record passes. The cells are those of the name: one, or one of each object in a list that it is within. */
  readonly matches: (document: Document, cells: Cells) => boolean;
  /** Throws UsageError where the wanted values do not fit the kind of the column. */
  readonly checkKind?: (kind: ColumnKind) => void;
  /** The column whose values are listed where no record passes, and the cells in it. */
  readonly described?: (
    document: Document,
    cells: Cells,
  ) => readonly [column: string | undefined, cells: Cells];
  /**
   * Called at the end if any record was tested. Throws UsageError where none had the fields that the test needs.
   *
   * @param isWanted whether the conditions want records of a profile
   */
  readonly finish?: (reader: DocumentReader, isWanted: (profile: string) => boolean) => void;
  readonly findings?: () => readonly Finding[];
}

/**
 * The test of one `--where`. Of what is within a list, one object is enough; with `!=` and `!~`, none may match. A cell that cannot
 * be compared with the value does not match, and is reported: of a date or an amount as a failure, else as a warning.
 */
export function conditionTest(
  condition: Condition,
  context: WhereContext,
  names: ColumnNames = PLAIN_NAMES,
): RecordTest {
  const { column, expression, operator } = condition;
  const role = roleNamed(column, names, names.fields.usual);
  const isFiscal = holdsFiscalIds(column, names);
  const type = (role && ROLE_TYPES.get(role)) ?? declaredType(names.fields, column);
  const test = cellTest(condition, context, { isFiscal, type });
  const isNegated = operator === '!=' || operator === '!~';
  const unreadable = new Unreadable();
  return {
    name: column,
    roles: ['number'],
    described: (_, cells) => [column, cells],
    matches: (document, cells) => {
      let wrong: Cell | undefined;
      for (const cell of cells) {
        const matches = test(cell);
        if (matches === true) return !isNegated;
        if (matches === undefined) wrong ??= cell;
      }
      // What cannot be read differs from any value: it is not left out.
      if (wrong !== undefined && !isNegated) unreadable.noteCell(document, column, wrong);
      return isNegated;
    },
    ...(!isFiscal && { checkKind: (kind: ColumnKind) => checkValues(condition, kind, context) }),
    findings: () => {
      const found = unreadable.finding(`--where '${expression}'`);
      const isFailure = type === 'money' || type === 'date';
      return [isFailure || found.level === 'fact' ? found : { ...found, level: 'warning' }];
    },
  };
}

interface FilterOptions {
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
  readonly #tests;
  readonly #options: FilterOptions;
  /** The cell of each name of the current record, where it is in no list. */
  readonly #single: (Cell | undefined)[][];
  #kept = 0;
  /** The positions in the listing of those records of the last batch that were let through. */
  #positions: readonly number[] = [];

  constructor(tests: readonly RecordTest[], options: FilterOptions = {}) {
    const names = [...new Set(tests.flatMap(({ name }) => name ?? []))];
    const roles = [...new Set(tests.flatMap((test) => test.roles))];
    this.#options = options;
    this.#reader = new DocumentReader(options.names ?? PLAIN_NAMES, { roles, names });
    this.#single = names.map(() => []);
    this.#tests = tests.map((test) => ({
      test,
      /** The index of its name among all; -1 without one. */
      at: test.name === undefined ? -1 : names.indexOf(test.name),
      seen: new Map<string, SeenValues>(),
      /** What is in the column, until its kind is known and was checked. */
      unchecked: test.checkKind && new ColumnFacts(),
      /** Whether a record got as far: else the test cannot say that no record has a field. */
      isReached: false,
    }));
  }

  async *answer(records: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    for await (const batch of records) {
      const kept = this.apply(batch);
      if (kept.count > 0) yield kept;
    }
    this.refuse();
  }

  counts(): { readonly seen: number; readonly kept: number } {
    return { seen: this.#reader.records, kept: this.#kept };
  }

  /** The records of the batch that pass all tests, sharing its bytes. Throws UsageError as `RecordTest.checkKind` does. */
  apply(batch: RecordBatch): RecordBatch {
    const reader = this.#reader;
    const indices: number[] = [];
    const positions: number[] = [];
    const testRecord = (index: number): void => {
      const cellsOf = this.#single.map((single, at): Cells => {
        single[0] = reader.named(at);
        return (single[0] === undefined && reader.listed(at)) || single;
      });
      // What there is besides is listed only where no record passes.
      if (this.#kept + indices.length === 0) this.#addSeen(cellsOf);
      for (const { at, unchecked } of this.#tests)
        for (const cell of cellsOf[at] ?? []) if (cell !== undefined) unchecked?.add(cell);
      const passes = this.#tests.every((one) => {
        one.isReached = true;
        return one.test.matches(reader, cellsOf[one.at] ?? []);
      });
      if (!passes) return;
      indices.push(index);
      positions.push(reader.place);
    };
    reader.fold(batch, testRecord, this.#options.placeOf);
    this.#checkKinds();
    this.#positions = positions;
    this.#kept += indices.length;
    return indices.length === batch.count ? batch : selectRecords(batch, indices);
  }

  /** The place in the listing, from 1, of the nth record that was let through. It must be of the last batch. */
  readonly placeOf: PlaceOf = (nth) => this.#positions[nth - 1 - (this.#kept - this.#positions.length)]!;

  /** At the end of the records. Throws UsageError as `RecordTest.finish` does, and for a column that none had. */
  refuse(): void {
    for (const { isReached, test } of this.#tests) if (isReached) test.finish?.(this.#reader, this.#isWanted);
    refuseMissing(this.#reader, '--where');
  }

  /** Warnings of columns that no record had, what the tests found, and, where no record passed, the values that there are. */
  findings(): Finding[] {
    const { what = 'records', locale = 'en-US' } = this.#options;
    const { seen, kept } = this.counts();
    const missing = missingColumns(this.#reader, '--where', { isCounted: true });
    const names = this.#tests.flatMap(({ test }) => test.name ?? []);
    const found = [
      ...missing,
      ...this.#tests.flatMap(({ test }) => test.findings?.() ?? []),
      ...this.#reader.profilesWithout('--where', { roles: [], names }, this.#isWanted),
    ];
    if (kept > 0 || seen === 0) return found;
    const values = new Map(this.#tests.flatMap((test) => [...test.seen]));
    const descriptions = [...values].flatMap(([column, values]) => values.describe(column) ?? []);
    const none = `0 of ${digitGrouper(locale)(String(seen))} ${what}`;
    return [...found, { level: 'remark', text: [none, ...descriptions].join('; ') }];
  }

  readonly #isWanted = (profile: string): boolean => {
    const cells = [{ kind: 'string', text: profile }] as const;
    return this.#tests.every(({ test }) => test.name !== PROFILE_COLUMN || test.matches(this.#reader, cells));
  };

  #addSeen(cellsOf: readonly Cells[]): void {
    for (const { test, at, seen } of this.#tests) {
      const [column, cells = []] = test.described?.(this.#reader, cellsOf[at] ?? []) ?? [];
      for (const cell of cells) {
        if (column === undefined || !isFilled(cell)) continue;
        const values = seen.get(column) ?? new SeenValues();
        seen.set(column, values);
        values.add(cell);
      }
    }
  }

  /** Checks by the first records that have values whether the columns can hold what is wanted. */
  #checkKinds(): void {
    for (const one of this.#tests) {
      const kind = one.unchecked && comparedKind(one.unchecked);
      if (kind === undefined) continue;
      one.unchecked = undefined;
      one.test.checkKind!(kind);
    }
  }
}

const MAX_VALUES_LISTED = 10;
const MAX_CHARACTERS_LISTED = 40;

/** The values of a column in the records that were read: a few of them, or the least and the greatest. */
class SeenValues {
  readonly #texts = new Set<string>();
  readonly #facts = new ColumnFacts();
  #least: (Cell & { readonly order: string }) | undefined;
  #most: (Cell & { readonly order: string }) | undefined;

  add(cell: Cell): void {
    if (this.#texts.size <= MAX_VALUES_LISTED) this.#texts.add(cell.text);
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
    const texts = [...this.#texts].slice(0, MAX_VALUES_LISTED).map(shorten);
    if (this.#texts.size > MAX_VALUES_LISTED) texts.push('…');
    return `${column} has ${texts.join(', ')}`;
  }
}

function shorten(text: string): string {
  return text.length <= MAX_CHARACTERS_LISTED ? text : `${text.slice(0, MAX_CHARACTERS_LISTED - 1)}…`;
}
