import { DAY_ALONE } from '../../json/calendar-day.ts';
import { CellReader, type Cell } from '../../json/cells.ts';
import { ColumnFacts } from '../../json/column-facts.ts';
import type { RecordBatch } from '../../json/records.ts';
import {
  isIdentifier,
  knownAmong,
  knownOfRows,
  rankOf,
  lookOf,
  screenOrder,
  type ColumnLook,
  type KnownColumn,
} from '../column-looks.ts';
import { digitGrouper } from '../terminal/number-text.ts';
import { columnWidth, visible } from '../terminal/terminal-text.ts';
import type { Layout } from '../writer.ts';

/** A column, as far as the rows are read. Widths are in display cells. */
export interface ShownColumn {
  readonly index: number;
  readonly name: string;
  /** Stands above it where it is too narrow for its name. */
  readonly word: string;
  /** The least width of its head; 0 where there is no word for the column. */
  readonly head: number;
  readonly look: ColumnLook;
  /** A narrow table leaves out columns of higher ranks first; undefined for columns without a rank. */
  readonly rank: number | undefined;
  /** Whether nothing is in it so far. */
  readonly empty: boolean;
  /** The width of its widest cell. */
  readonly cells: number;
  /** The width of its widest cell or its name. */
  readonly width: number;
  /** The width of its widest number. */
  readonly number: number;
  /** The width in which the names of parties and the types of documents differ; 0 for other columns. */
  readonly distinct: number;
  /** Numbers only: aligned on the right. */
  readonly numeric: boolean;
  /** All are days, some of them written as the midnight with which they begin: shown as days. */
  readonly days: boolean;
  /** Lists or whole objects, which are not readable in a cell. */
  readonly nested: boolean;
}

type RowsLayout = Pick<Layout, 'columns' | 'headings' | 'isChosen' | 'known' | 'raw' | 'locale'>;

/** What the cells of a column were so far, and the widths of the widest one and of the widest number. */
const noCells = () => ({ facts: new ColumnFacts(), width: 0, number: 0 });

/** Reads records as rows of text that is safe for a terminal, and measures them. */
export function tableRows({
  columns: named,
  headings,
  isChosen,
  known = [],
  raw,
  locale = 'en-US',
}: RowsLayout) {
  const reader = new CellReader(named);
  const group = digitGrouper(locale);
  const seen: ReturnType<typeof noCells>[] = [];
  const isGrouped: boolean[] = [];
  /** The indexes of the columns that are read; undefined for all. */
  let wanted: ReadonlySet<number> | undefined;

  const textOf = (cell: Cell | undefined, index: number): string => {
    if (cell === undefined || wanted?.has(index) === false) return '';
    const isNumber = cell.kind === 'number';
    isGrouped[index] ??= raw !== true && !isIdentifier(reader.columns[index]!);
    const text = isNumber && isGrouped[index] ? group(cell.text) : visible(cell.text);
    if (wanted !== undefined) return text;
    const cells = (seen[index] ??= noCells());
    cells.facts.add(cell);
    const width = columnWidth(text);
    cells.width = Math.max(cells.width, width);
    if (isNumber) cells.number = Math.max(cells.number, width);
    return text;
  };

  const shownColumn = (
    index: number,
    heading: string | undefined,
    like: KnownColumn | undefined,
  ): ShownColumn => {
    const column = reader.columns[index]!;
    const name = visible(heading ?? column);
    const word = heading === undefined || heading === column ? (like?.word ?? name) : name;
    const { facts, width, number } = seen[index] ?? noCells();
    const filled = facts.cells - facts.empty;
    const midnights = facts.midnights + facts.localMidnights;
    const days = raw !== true && midnights > 0 && midnights + facts.days === filled;
    const cells = Math.max(days ? DAY_LENGTH : width, 1);
    const namedLook = like?.look ?? lookOf(column);
    const look = namedLook === 'other' && filled > 0 && facts.dated === filled ? 'date' : namedLook;
    return {
      index,
      name,
      word,
      head: like === undefined && heading === undefined ? 0 : columnWidth(word),
      look,
      empty: filled === 0,
      rank: like?.rank ?? (look === 'profile' ? 0 : undefined),
      cells,
      width: Math.max(columnWidth(name), cells),
      number,
      distinct: 0,
      numeric: facts.numbers > 0 && facts.numbers === filled,
      days,
      nested: facts.nested > 0,
    };
  };

  return {
    /** The texts of a record, one for each column so far. Empty for null and for missing fields. */
    read: (batch: RecordBatch, index: number): string[] => reader.read(batch, index).map(textOf),
    /** From now on only these columns are read, and none is measured; the others are empty. */
    readOnly: (indexes: Iterable<number>): void => void (wanted = new Set(indexes)),
    /**
     * The columns so far: the named ones as they are, else first those that people look for.
     *
     * @param rows where they decide whether the type stands beside the number
     */
    columns(rows: readonly (readonly string[])[] = []): ShownColumn[] {
      const names = reader.columns;
      const ofScreen = knownOfRows(names, known, (index) => rows.map((texts) => texts[index]));
      const found = knownAmong(names, ofScreen);
      const shown = headings?.(names);
      const columns = names.map((name, index) => shownColumn(index, shown?.[index], found.get(name)));
      if (isChosen === true) return columns;
      return screenOrder(names, ofScreen, (index) => rankOf(columns[index]!.look)).map(
        (index) => columns[index]!,
      );
    },
  };
}

/** Characters of `2024-10-15`. */
const DAY_LENGTH = 10;

/** The day of a point in time that is the midnight with which a day begins; any other text as it is. */
export function dayOf(text: string): string {
  return DAY_ALONE.test(text) ? text.slice(0, DAY_LENGTH) : text;
}
