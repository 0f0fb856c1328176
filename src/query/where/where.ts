import { UsageError } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import {
  howToMap,
  meaningOf,
  ofAll,
  phraseOf,
  PLAIN_MEANINGS,
  PROFILE_COLUMN,
  type Meanings,
  type Role,
} from '../../invoices/fields.ts';
import { DocumentReader } from '../../invoices/document-reader.ts';
import { Unreadable } from '../../invoices/left-out.ts';
import { isFilled, quoteUnlessCode, type Cell } from '../../json/cells.ts';
import { ColumnFacts } from '../../json/column-facts.ts';
import { RecordBatch, selectRecords } from '../../json/records.ts';
import { digitGrouper } from '../../output/terminal/number-text.ts';
import { cellOrder } from '../cell-order.ts';
import { missingColumns, refuseMissing, unlessRefused } from '../missing-columns.ts';
import type { Condition } from '../question-syntax.ts';
import type { FilterQuestion } from '../questions.ts';
import type { Days } from './dates.ts';
import { cellTest, checkValues, comparedKind, type ColumnKind, type WhereContext } from './cell-test.ts';

type Cells = readonly (Cell | undefined)[];

/** A test that records have to pass, for one flag. */
export interface RecordTest {
  /** As messages name it: `--open`. */
  readonly flag: string;
  /** The column that it tests, by any of its names. */
  readonly name?: string;
  /** All roles that it reads. */
  readonly roles: readonly Role[];
  /** Roles that at least one record must have, else the answer is refused. */
  readonly needs: readonly Role[];
  /** The role whose values a message lists where no record passes, as it does those of `name`. */
  readonly listed?: Role;
  /** Whether it runs last, so that its findings are about records that pass all other tests. */
  readonly isLast?: boolean;
  /** Whether a record passes. `cells` has the cell of `name`; within a list, the cell of each object. */
  readonly matches: (document: DocumentReader, cells: Cells) => boolean;
  /** Throws UsageError where the wanted values do not fit the kind of the column; any value fits text. */
  readonly checkKind?: (kind: ColumnKind) => void;
  /** Whether all cells of the column are of the kind of the first ones: then these decide. */
  readonly isOfOneKind?: boolean;
  readonly findings?: () => readonly Finding[];
}

export interface TestContext extends WhereContext, Days {
  readonly meanings: Meanings;
}

/**
 * The test of a condition. In a list, one object that matches is enough; with `!=` and `!~`, none may match. A cell that cannot
 * be compared with the value does not match, and is reported: of a date or an amount as a failure, else as a warning.
 */
export function conditionTest(
  condition: Condition,
  context: WhereContext & Partial<TestContext>,
): RecordTest {
  const { column, operator, flag, typed } = condition;
  const { type, hasFiscalIds } = meaningOf(column, context.meanings ?? PLAIN_MEANINGS);
  const test = cellTest(condition, context, { type, hasFiscalIds });
  const isNegated = operator === '!=' || operator === '!~';
  const unreadable = new Unreadable();
  return {
    flag,
    name: column,
    roles: ['number'],
    needs: [],
    matches: (document, cells) => {
      let wrong: Cell | undefined;
      for (const cell of cells) {
        const matches = test(cell);
        if (matches === true) return !isNegated;
        if (matches === undefined) wrong ??= cell;
      }
      // A cell that cannot be read differs from any value, so a negated condition keeps it.
      if (wrong !== undefined && !isNegated) unreadable.noteCell(document, column, wrong);
      return isNegated;
    },
    ...(!hasFiscalIds && { checkKind: (kind: ColumnKind) => checkValues(condition, kind, context) }),
    isOfOneKind: type === 'money' || type === 'date' || type === 'boolean',
    findings: () => {
      const found = unreadable.finding(typed);
      const isFailure = type === 'money' || type === 'date';
      return [isFailure || found.level === 'fact' ? found : { ...found, level: 'warning' }];
    },
  };
}

interface FilterOptions {
  readonly meanings?: Meanings | undefined;
  /** What the records are, in the plural. */
  readonly what?: string;
  readonly locale?: string;
}

interface TestInFilter {
  readonly test: RecordTest;
  /** The index of its name among all; -1 without one. */
  readonly at: number;
  /** Facts about the column's cells, until the wanted values fit their kind. */
  unchecked: ColumnFacts | undefined;
  /** Whether any record reached this test: else it is unknown whether a record has the field. */
  isReached: boolean;
}

/** The question of the flags that keep some records: those that pass every test, in their order, batch by batch. */
export class WhereFilter implements FilterQuestion {
  readonly #reader: DocumentReader;
  readonly #tests: readonly TestInFilter[];
  readonly #names: readonly string[];
  /** The names of each flag's tests. */
  readonly #namesOf = new Map<string, string[]>();
  readonly #options: FilterOptions;
  /** The values of the columns of tests, where no record passes. */
  readonly #seen = new Map<string, SeenValues>();
  #kept = 0;

  /** Throws UsageError for a test of a role of which no column is known. */
  constructor(tests: readonly RecordTest[], options: FilterOptions = {}) {
    const { meanings = PLAIN_MEANINGS, what = 'records' } = options;
    for (const { flag, needs } of tests) {
      const all = ofAll(meanings.fields);
      const role = needs.find((one) => all.every(({ columns }) => columns[one].length === 0));
      if (role === undefined) continue;
      const text = `${flag}: folio knows no column of ${what} with ${phraseOf(role)}`;
      throw new UsageError(text, { hint: howToMap(role) });
    }
    const roles = [...new Set(tests.flatMap(({ roles }) => roles))];
    for (const { flag, name } of tests)
      if (name !== undefined) this.#namesOf.set(flag, [...(this.#namesOf.get(flag) ?? []), name]);
    this.#options = options;
    this.#names = [...new Set([...this.#namesOf.values()].flat())];
    this.#reader = new DocumentReader(meanings, { roles, names: this.#names });
    const ordered = [...tests.filter(({ isLast }) => !isLast), ...tests.filter(({ isLast }) => isLast)];
    this.#tests = ordered.map((test) => ({
      ...{ test, isReached: false },
      at: this.#names.findIndex((name) => name === test.name),
      unchecked: test.checkKind && new ColumnFacts(),
    }));
  }

  answer(records: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    return unlessRefused(this.#keptOf(records), () => this.refuse());
  }

  async *#keptOf(records: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    for await (const batch of records) {
      const kept = this.apply(batch);
      if (kept.count > 0) yield kept;
    }
  }

  counts(): { readonly seen: number; readonly kept: number } {
    return { seen: this.#reader.records, kept: this.#kept };
  }

  /** The records of the batch that pass all tests, sharing its bytes. Throws UsageError for values of another kind. */
  apply(batch: RecordBatch): RecordBatch {
    const reader = this.#reader;
    const [indices, places]: [number[], number[]] = [[], []];
    const single = this.#names.map((): (Cell | undefined)[] => []);
    reader.fold(batch, (index) => {
      const cellsOf = single.map((cells, at): Cells => {
        cells[0] = reader.named(at);
        return (cells[0] === undefined && reader.listed(at)) || cells;
      });
      // Other values are listed only if no record passes.
      if (this.#kept + indices.length === 0) this.#addSeen(cellsOf);
      for (const { at, unchecked } of this.#tests)
        for (const cell of cellsOf[at] ?? []) if (cell !== undefined) unchecked?.add(cell);
      const passes = this.#tests.every((one) => {
        one.isReached = true;
        return one.test.matches(reader, cellsOf[one.at] ?? []);
      });
      if (!passes) return;
      indices.push(index);
      places.push(reader.place);
    });
    this.#checkKinds(false);
    this.#kept += indices.length;
    if (this.#kept === reader.records) return batch;
    return new RecordBatch({ ...selectRecords(batch, indices), places: Int32Array.from(places) });
  }

  /** Called at the end. Throws UsageError if no record had a column or a role that a test needs, or a value of the wanted kind. */
  refuse(): void {
    this.#checkKinds(true);
    for (const { isReached, test } of this.#tests)
      if (isReached) this.#reader.refuseWithout(test.needs, test.flag);
    for (const [flag, names] of this.#namesOf) refuseMissing(this.#reader, flag, { names });
  }

  /** Warnings of columns that no record had, what the tests found, and, where no record passed, some values of each column. */
  findings(): Finding[] {
    const { what = 'records', locale = 'en-US' } = this.#options;
    const reader = this.#reader;
    const { seen, kept } = this.counts();
    const found = [
      ...[...this.#namesOf].flatMap(([flag, names]) =>
        missingColumns(reader, flag, { names, isCounted: true }),
      ),
      ...this.#tests.flatMap(({ test: { flag, needs, findings }, isReached }) => [
        ...(isReached ? reader.profilesWithout(flag, { roles: needs }, this.#isWanted) : []),
        ...(findings?.() ?? []),
      ]),
      ...[...this.#namesOf].flatMap(([flag, names]) =>
        reader.profilesWithout(flag, { names }, this.#isWanted),
      ),
    ];
    if (kept > 0 || seen === 0) return found;
    const descriptions = [...this.#seen].map(([column, values]) => `${column} ${values.describe()}`);
    const none = `0 of ${digitGrouper(locale)(String(seen))} ${what}`;
    return [...found, { level: 'remark', text: [none, ...descriptions].join('; ') }];
  }

  /** Whether the conditions can match records of a profile. */
  readonly #isWanted = (profile: string): boolean => {
    const cells = [{ kind: 'string', text: profile }] as const;
    return this.#tests.every(
      ({ test, at }) => this.#names[at] !== PROFILE_COLUMN || test.matches(this.#reader, cells),
    );
  };

  #addSeen(cellsOf: readonly Cells[]): void {
    for (const { test, at } of this.#tests) {
      const { name, listed } = test;
      const column = name ?? (listed && this.#reader.columnOf(listed));
      if (column === undefined) continue;
      for (const cell of (cellsOf[at] ?? [this.#reader.cell(listed!)]).filter(isFilled)) {
        const values = this.#seen.get(column) ?? new SeenValues();
        values.add(cell);
        this.#seen.set(column, values);
      }
    }
  }

  /** Checks by the values so far, or by all, whether the columns can hold the wanted ones. What fits them fits text, too. */
  #checkKinds(areAll: boolean): void {
    for (const one of this.#tests) {
      const kind = one.unchecked && comparedKind(one.unchecked);
      if (kind === undefined || !(areAll || one.test.isOfOneKind || kind === 'text')) continue;
      one.test.checkKind!(kind);
      one.unchecked = undefined;
    }
  }
}

const MAX_VALUES_LISTED = 10;

/** The values of a column in the records that were read. */
class SeenValues {
  readonly #first = new Set<string>();
  readonly #facts = new ColumnFacts();
  /** The least and the greatest, each with its order. */
  #least: readonly [text: string, order: string] | undefined;
  #most: readonly [text: string, order: string] | undefined;

  add(cell: Cell): void {
    const [{ text }, order] = [cell, cellOrder(cell)];
    if (this.#first.size <= MAX_VALUES_LISTED) this.#first.add(text);
    this.#facts.add(cell);
    if (this.#least === undefined || order < this.#least[1]) this.#least = [text, order];
    if (this.#most === undefined || order > this.#most[1]) this.#most = [text, order];
  }

  /** Numbers and dates as `goes from 2024-10-15 to 2026-12-30`, others as `has "PAID", "PENDING"`, with a mark if there are more. */
  describe(): string {
    const kind = comparedKind(this.#facts);
    if ((kind === 'numbers' || kind === 'dates') && this.#first.size > 1) {
      const [from, to] = [this.#least!, this.#most!].map(([text]) =>
        quoteUnlessCode(kind === 'dates' ? text.slice(0, 'yyyy-mm-dd'.length) : text),
      );
      return `goes from ${from} to ${to}`;
    }
    const texts = [...this.#first].slice(0, MAX_VALUES_LISTED).map(quoteUnlessCode);
    return `has ${[...texts, ...(this.#first.size > MAX_VALUES_LISTED ? ['…'] : [])].join(', ')}`;
  }
}
