import { FiscalIds } from './fiscal-id.ts';
import { hash32 } from './hash.ts';
import { companyName } from './names.ts';
import { RecordIds } from './record-id.ts';

const streets = [
  'Av. Libertador',
  'Calle Ñuñoa',
  "O'Higgins",
  'Camino a Melipilla',
  'Pasaje 3',
  'Av. República',
];
const cities = ['Santiago', 'Viña del Mar', 'Concepción', 'Valparaíso', 'Temuco', 'Chillán'];

/** The most texts that are kept to be used again. */
const mostKept = 4096;

/** The customers of an organization, or the issuers of the invoices that it receives. */
export class Parties {
  readonly seed: number;
  /** How many there are; records refer to one even where there are none. */
  readonly count: number;
  readonly ids: RecordIds;
  readonly fiscalIds: FiscalIds;
  readonly #summaries = new Map<number, string>();

  constructor(seed: number, count: number, firstFiscalId: number) {
    this.seed = seed;
    this.count = count;
    this.ids = new RecordIds(seed);
    this.fiscalIds = new FiscalIds(firstFiscalId, count);
  }

  emailOf(index: number): string {
    return `cobranza${index + 1}@example.com`;
  }

  /** The address as a JSON object. */
  addressOf(index: number): string {
    const random = hash32(this.seed, index, 30);
    const street = `${streets[random % streets.length]} ${1 + ((random >>> 8) % 4000)}`;
    return `{"street":"${street}","city":"${cities[(random >>> 4) % cities.length]}","country":"CL"}`;
  }

  /** The object that stands for the party within an invoice. */
  summaryOf(index: number): string {
    let summary = this.#summaries.get(index);
    if (summary === undefined) {
      if (this.#summaries.size === mostKept) this.#summaries.clear();
      summary =
        `{"id":"${this.ids.of(index)}","fiscalId":"${this.fiscalIds.of(index)}"` +
        `,"name":${companyName(this.seed, index)},"email":"${this.emailOf(index)}","address":${this.addressOf(index)}}`;
      this.#summaries.set(index, summary);
    }
    return summary;
  }
}
