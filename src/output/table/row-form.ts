import { parseCalendarDay } from '../../json/calendar-day.ts';
import type { Style } from '../terminal/colors.ts';
import type { Layout } from '../writer.ts';
import { dayOf, type ShownColumn } from './table-rows.ts';

/** Behind the due date of what is past due, where there are no colours. */
export const LATE = '!';

const CREDIT_NOTE = 'CREDIT_NOTE';

/** A number with a digit that is not zero before any exponent, however its digits are grouped. */
const POSITIVE = /^[\d.,\s]*[1-9]/;

/** What the texts of a row become before they are drawn, and how they look: days as days, and alarm for what is past due. */
export class RowForm {
  /** Whether a due date was marked. */
  hasMarked = false;
  readonly #today: number | undefined;
  readonly #marks: boolean;
  readonly #color: boolean;
  readonly #days: readonly number[];
  readonly #status: number | undefined;
  readonly #due: number | undefined;
  readonly #open: number | undefined;
  readonly #document: number | undefined;

  constructor(columns: readonly ShownColumn[], { color, today, width, raw }: Layout) {
    const placeOf = (role: ShownColumn['role']): number | undefined =>
      columns.find((column) => column.role === role)?.index;
    this.#days = columns.filter(({ days }) => days).map(({ index }) => index);
    [this.#status, this.#document] = [placeOf('status'), placeOf('document')];
    [this.#due, this.#open] = [placeOf('due'), placeOf('open')];
    this.#today = today;
    this.#color = color;
    this.#marks = !color && raw !== true && width !== undefined;
  }

  /** The places of columns that decide how others look. */
  get needed(): readonly number[] {
    return [this.#status, this.#due, this.#open, this.#document].filter((place) => place !== undefined);
  }

  /** The column with room for the mark. */
  measured(column: ShownColumn): ShownColumn {
    if (!this.#marks || this.#today === undefined || column.index !== this.#due || this.#open === undefined)
      return column;
    return { ...column, cells: column.cells + LATE.length, width: Math.max(column.width, column.cells + 1) };
  }

  shown(texts: string[]): string[] {
    for (const place of this.#days) texts[place] = dayOf(texts[place] ?? '');
    if (!this.#marks || !this.#isLate(texts)) return texts;
    this.hasMarked = true;
    texts[this.#due!] += LATE;
    return texts;
  }

  stylesOf(texts: readonly string[]): ReadonlyMap<number, Style> | undefined {
    if (!this.#color) return undefined;
    const styles = new Map<number, Style>();
    const status = this.#status === undefined ? undefined : statusStyle(texts[this.#status] ?? '');
    if (status !== undefined) styles.set(this.#status!, status);
    if (this.#isLate(texts)) for (const place of [this.#due!, this.#open!]) styles.set(place, 'alarm');
    else if (status === 'alarm' && this.#due !== undefined && this.#open === undefined) {
      styles.set(this.#due, 'alarm');
    }
    return styles;
  }

  /**
   * Whether something is still to be paid and was due before today, whatever the status says. A credit note is paid by
   * nobody.
   */
  #isLate(texts: readonly string[]): boolean {
    if (this.#today === undefined || this.#due === undefined || this.#open === undefined) return false;
    if (this.#document !== undefined && texts[this.#document] === CREDIT_NOTE) return false;
    if (!POSITIVE.test(texts[this.#open] ?? '')) return false;
    const day = parseCalendarDay(dayOf(texts[this.#due] ?? ''));
    return day !== undefined && day < this.#today;
  }
}

/** The known states of invoices. Any other state is shown without colour. */
const STYLES = new Map<string, Style>(
  Object.entries({
    PAID: 'green',
    MANUALLY_MARKED_AS_PAID: 'green',
    PENDING: 'yellow',
    PARTIALLY_PAID: 'yellow',
    OVERDUE: 'alarm',
    NULLIFIED: 'dim',
  } as const),
);

/** The style of a status, in any case; undefined for an unknown one. */
function statusStyle(status: string): Style | undefined {
  return STYLES.get(status.toUpperCase());
}
