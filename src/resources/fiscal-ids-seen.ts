import { isJsonObject } from '../json/json-object.ts';
import type { CooperativeTask } from '../json/cooperative-task.ts';
import { recordBytes, type RecordBatch } from '../json/records.ts';
import { foldFiscalId } from '../invoices/fiscal-ids.ts';

/** Records of a page that are read in one step. */
const STEP = 64;
/** The longest value that may be a fiscal ID. */
const MAX_LENGTH = 40;
/** How deep in a record its fiscal ID may stand. */
const MAX_DEPTH = 4;

/**
 * Finds out of which fiscal IDs an answer has records. The specification does not say where a record has the ID of its
 * customer or issuer (spec 4.9), so every column counts in which all records have one of the requested IDs.
 */
export class FiscalIdsSeen {
  readonly #wanted: ReadonlySet<string>;
  readonly #unknown = new Set<string>();
  /** The columns that may be the one, each with the IDs seen in it; undefined before the first record. */
  #columns: Map<string, Set<string>> | undefined;

  constructor(fiscalIds: readonly string[]) {
    this.#wanted = new Set(fiscalIds.map(foldFiscalId));
  }

  /** Adds an ID of which the service says that nobody has it. */
  addUnknown(fiscalId: string): void {
    this.#unknown.add(foldFiscalId(fiscalId));
  }

  /** Reads the next records. Returns false where there is no such column: some may be records of other IDs. */
  *read(records: RecordBatch): CooperativeTask<boolean> {
    for (let index = 0; index < records.count; index++) {
      if (index % STEP === STEP - 1) yield;
      const found = new Map(this.#found(JSON.parse(recordBytes(records, index).toString())));
      this.#columns ??= new Map([...found.keys()].map((column) => [column, new Set()]));
      for (const [column, ids] of this.#columns) {
        const id = found.get(column);
        if (id === undefined) this.#columns.delete(column);
        else ids.add(id);
      }
    }
    return this.#columns === undefined || this.#columns.size > 0;
  }

  /** How many of the IDs have records, by the possible column that shows the fewest. */
  get count(): number {
    const counts = [...(this.#columns?.values() ?? [])].map(({ size }) => size);
    return counts.length === 0 ? 0 : Math.min(...counts);
  }

  /** Whether the service said of an ID that nobody has it, or sent records of it. */
  has(fiscalId: string): boolean {
    const id = foldFiscalId(fiscalId);
    const columns = [...(this.#columns?.values() ?? [])];
    return this.#unknown.has(id) || (columns.length > 0 && columns.every((ids) => ids.has(id)));
  }

  /** The columns of a value that have one of the IDs. */
  *#found(value: unknown, column = '', depth = 0): Generator<[column: string, id: string]> {
    if (isJsonObject(value)) {
      if (depth === MAX_DEPTH) return;
      for (const [name, member] of Object.entries(value))
        yield* this.#found(member, `${column}.${name}`, depth + 1);
    } else if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      const id = text.length > MAX_LENGTH ? '' : foldFiscalId(text);
      if (this.#wanted.has(id)) yield [column, id];
    }
  }
}
