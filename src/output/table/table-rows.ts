import { DAY_ALONE } from '../../json/calendar-day.ts';
import { CellReader, type Cell } from '../../json/cells.ts';
import { ColumnFacts } from '../../json/column-facts.ts';
import type { RecordBatch } from '../../json/records.ts';
import {
  isIdentifier,
  knownAmong,
  rankOf,
  roleOf,
  screenOrder,
  withTypeByNumber,
  type ColumnRole,
  type KnownColumn,
} from '../column-roles.ts';
import { columnWidth, visible } from '../terminal/terminal-text.ts';
import { digitGrouper, type GroupDigits } from '../terminal/number-text.ts';
import type { Layout } from '../writer.ts';

/** A column, as far as the rows are read. */
export interface ShownColumn {
  /** Its place in the rows. */
  readonly index: number;
  /** The column of the records. */
  readonly column: string;
  /** What stands above it. */
  readonly name: string;
  /** In its head, where it is too narrow for its name. */
  readonly word: string;
  /** Display cells that the head has at least; 0 where there is no word for the column. */
  readonly head: number;
  readonly role: ColumnRole;
  /** Where room is short, columns of higher ranks are left out first; undefined for columns that nobody looks for. */
  readonly rank: number | undefined;
  /** Whether nothing is in it so far. */
  readonly empty: boolean;
  /** Display cells of its widest cell. */
  readonly cells: number;
  /** Display cells of its widest cell or its name. */
  readonly width: number;
  /** Display cells of its widest number. */
  readonly number: number;
  /** Display cells with which the names of parties and the types of documents can be told apart; 0 for other columns. */
  readonly telling: number;
  /** Words for the types of documents, which stand in their place where the column is narrower than they are. */
  readonly short?: ReadonlyMap<string, string> | undefined;
  /** Numbers only: aligned on the right. */
  readonly numeric: boolean;
  /** All are days, some of them written as the midnight with which they begin: shown as days. */
  readonly days: boolean;
  /** Lists or whole objects, which nobody reads in a cell. */
  readonly nested: boolean;
}

type RowsLayout = Pick<Layout, 'columns' | 'headings' | 'asked' | 'known' | 'raw' | 'locale'>;

/** Reads records as rows of text that is safe for a terminal, and measures them. */
export function tableRows({
  columns: named,
  headings,
  asked,
  known = [],
  raw,
  locale = 'en-US',
}: RowsLayout) {
  const reader = new CellReader(named);
  const group = raw === true ? asSent : digitGrouper(locale);
  const seen: ReturnType<typeof newColumn>[] = [];
  /** The places of the columns that are read; undefined for all. */
  let wanted: ReadonlySet<number> | undefined;

  const textOf = (cell: Cell | undefined, column: number): string => {
    if (cell === undefined || wanted?.has(column) === false) return '';
    const { kind } = cell;
    const one = (seen[column] ??= newColumn(isIdentifier(reader.columns[column]!) ? asSent : group));
    const text = kind === 'number' ? one.group(cell.text) : visible(cell.text);
    if (wanted !== undefined) return text;
    one.facts.add(cell);
    if (text !== '') one.differs ||= (one.first ??= text) !== text;
    const width = columnWidth(text);
    one.width = Math.max(one.width, width);
    if (kind === 'number') one.number = Math.max(one.number, width);
    return text;
  };

  const shownColumn = (
    column: string,
    index: number,
    { heading, like }: { readonly heading: string | undefined; readonly like: KnownColumn | undefined },
  ): ShownColumn => {
    const name = visible(heading ?? column);
    const word = heading === undefined || heading === column ? (like?.word ?? name) : name;
    const { facts, width, number } = seen[index] ?? NOTHING_SEEN;
    const filled = facts.cells - facts.empty;
    const midnights = facts.midnights + facts.localMidnights;
    const days = raw !== true && midnights > 0 && midnights + facts.days === filled;
    const cells = Math.max(days ? DAY_LENGTH : width, 1);
    const told = like?.role ?? roleOf(column);
    const role = told === 'other' && filled > 0 && facts.dated === filled ? 'date' : told;
    return {
      index,
      name,
      column,
      word,
      head: like === undefined && heading === undefined ? 0 : columnWidth(word),
      role,
      empty: filled === 0,
      rank: like?.rank ?? (role === 'profile' ? 0 : undefined),
      cells,
      width: Math.max(columnWidth(name), cells),
      number,
      telling: 0,
      numeric: facts.numbers > 0 && facts.numbers === filled,
      days,
      nested: facts.nested > 0,
    };
  };

  return {
    /** The texts of a record, one for each column so far. Empty for null and for missing fields. */
    read: (batch: RecordBatch, index: number): string[] => reader.read(batch, index).map(textOf),
    /** From now on only the cells at these places are made texts, and none is measured; the others are empty. */
    readOnly: (places: Iterable<number>): void => void (wanted = new Set(places)),
    /** The columns so far: in the order asked for, else first those that people look for, in their order. */
    columns(): ShownColumn[] {
      const names = reader.columns;
      const typeAt = names.findIndex((name) => roleOf(name, known) === 'document');
      const looked = seen[typeAt]?.differs === true ? withTypeByNumber(known) : known;
      const found = knownAmong(names, looked);
      const shown = headings?.(names);
      const columns = names.map((name, index) =>
        shownColumn(name, index, { heading: shown?.[index], like: found.get(name) }),
      );
      if (asked === true) return columns;
      return screenOrder(names, looked, (place) => rankOf(columns[place]!.role)).map(
        (place) => columns[place]!,
      );
    },
  };
}

/** Characters of `2024-10-15`. */
const DAY_LENGTH = 10;

/** What the cells of a column were so far, how wide, and how its numbers are shown. */
function newColumn(group: GroupDigits) {
  const first: string | undefined = undefined;
  return {
    facts: new ColumnFacts(),
    width: 0,
    number: 0,
    group,
    first: first as string | undefined,
    differs: false,
  };
}

const NOTHING_SEEN = newColumn(asSent);

function asSent(literal: string): string {
  return literal;
}

/** The day of a point in time that is the midnight with which a day begins; any other text as it is. */
export function dayOf(text: string): string {
  return DAY_ALONE.test(text) ? text.slice(0, DAY_LENGTH) : text;
}
