import type { Cell } from '../../json/cells.ts';
import { isIdentifier, roleOf, type ColumnRole, type KnownColumn } from '../column-roles.ts';
import { dateSerial, identifies, timeOf, type CellForm } from './cell.ts';

const CURRENCY = /^[A-Z]{3}$/;

/** What the columns of a workbook hold: their names tell, what is known of them, and the first rows. */
export class SheetColumns {
  readonly #names: () => readonly string[];
  readonly #roles = new Map<string, ColumnRole>();
  readonly #forms: CellForm[] = [];
  readonly #zones = new Map<number, string>();
  #currencies: number[] = [];
  #seen = 0;

  /**
   * @param names the columns so far
   * @param known those that people look for
   */
  constructor(names: () => readonly string[], known: readonly KnownColumn[] = []) {
    this.#names = names;
    for (const { names, role } of known) {
      for (const name of names) if (!this.#roles.has(name)) this.#roles.set(name, role);
    }
  }

  name(index: number): string {
    return this.#names()[index]!;
  }

  /** How the cells of the column are written. */
  form(index: number): CellForm {
    return (this.#forms[index] ??= this.#formOf(index));
  }

  /** The currency of the record that the cells are of, if it names one. */
  currencyOf(cells: readonly (Cell | undefined)[]): string | undefined {
    for (; this.#seen < cells.length; this.#seen++)
      if (this.#roleOf(this.name(this.#seen)) === 'currency') this.#currencies.push(this.#seen);
    for (const index of this.#currencies) {
      const text = cells[index]?.text;
      if (text !== undefined && CURRENCY.test(text)) return text;
    }
    return undefined;
  }

  /** Learns from the first rows which columns hold nothing but dates, some of them with a time, in one zone. */
  learn(rows: readonly (readonly (Cell | undefined)[])[]): void {
    for (const index of this.#names().keys()) {
      const cells = rows.flatMap((row) => (row[index]?.text ? [row[index]] : []));
      const times = cells.map(({ kind, text }) => (kind === 'string' ? timeOf(text) : undefined));
      const zones = new Set(times.flatMap((time) => time?.zone ?? []));
      const areDates = cells.every(
        ({ text }, nth) => times[nth] !== undefined || dateSerial(text) !== undefined,
      );
      const areDays = cells.every(({ text }) => dateSerial(text) !== undefined);
      if (areDates && !areDays && zones.size === 1) this.#zones.set(index, [...zones][0]!);
    }
  }

  #formOf(index: number): CellForm {
    const name = this.name(index);
    const role = this.#roleOf(name);
    return {
      identifies: identifies(name),
      grouped: role !== 'number' && !isIdentifier(name),
      isAmount: role === 'amount' || role === 'open',
      zone: this.#zones.get(index),
    };
  }

  #roleOf(name: string): ColumnRole {
    return this.#roles.get(name) ?? roleOf(name);
  }
}
