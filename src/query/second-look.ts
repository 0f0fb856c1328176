import type { FieldsOf } from '../invoices/fields.ts';
import { ReferenceLooks, type Limits } from '../invoices/references.ts';
import type { RecordBatch } from '../json/records.ts';
import { Collected } from '../output/collected.ts';
import type { Records } from './questions.ts';

/**
 * Passes all records on when it has looked at them twice, to know what credit and debit notes refer to. Until then they wait in
 * a temporary file.
 */
export class SecondLook {
  readonly #fields: FieldsOf;
  #limits: Limits | undefined;

  constructor(fields: FieldsOf) {
    this.#fields = fields;
  }

  /** What references leave of open amounts, once the first record was passed on. */
  get limits(): Limits | undefined {
    return this.#limits;
  }

  /** The same records in the same order, to be read once. */
  async *answer(records: Records): AsyncGenerator<RecordBatch> {
    const looks = new ReferenceLooks(this.#fields);
    const all = new Collected();
    try {
      for await (const batch of records) {
        looks.collect(batch);
        await all.add(batch);
      }
      for await (const batch of all.read()) looks.look(batch);
      this.#limits = looks.limits();
      yield* all.read();
    } finally {
      await all.close();
    }
  }
}
