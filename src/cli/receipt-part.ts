import type { RecordBatch } from '../json/record-batch.ts';
import type { WalkAccount } from '../paging/walk-account.ts';
import type { PartFacts } from './receipt-text.ts';

/** What a receipt tells of one organization, gathered while it is asked. */
export class ReceiptPart {
  /** Whether the receipt will ask for the hash of what was written. */
  readonly isWanted: boolean;
  #facts: PartFacts;
  #records = 0;

  constructor(account: WalkAccount, isWanted: boolean) {
    this.isWanted = isWanted;
    this.#facts = { account };
  }

  /** What is known so far. */
  get facts(): PartFacts & { readonly records: number } {
    return { ...this.#facts, records: this.#records };
  }

  /** Notes what has become known. */
  note(facts: Partial<PartFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /** Counts the records that pass. */
  async *counted(batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    for await (const batch of batches) {
      this.#records += batch.count;
      yield batch;
    }
  }
}
