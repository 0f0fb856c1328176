import { FiscalIds, type RecordIds } from './ids.ts';
import { companyName, type Naming } from './names.ts';
import { hash32, type Currency } from './values.ts';

const STREETS = [
  'Av. Libertador',
  'Calle Ñuñoa',
  "O'Higgins",
  'Camino a Melipilla',
  'Pasaje 3',
  'Av. República',
];
const CITIES = ['Santiago', 'Viña del Mar', 'Concepción', 'Valparaíso', 'Temuco', 'Chillán'];

const TERMS = [30, 30, 30, 30, 15, 45, 60, 0];

/** The most texts that are kept to be used again. */
const MAX_SUMMARIES = 4096;

interface PartiesOptions extends Omit<Naming, 'seed'> {
  readonly ids: RecordIds;
  readonly count: number;
  readonly firstFiscalId: number;
}

/** The customers of an organization, or the issuers of the invoices that it receives. */
export class Parties {
  readonly seed: number;
  /** How many there are; records refer to one even where there are none. */
  readonly count: number;
  readonly ids: RecordIds;
  readonly fiscalIds: FiscalIds;
  readonly naming: Naming;
  readonly #summaries = new Map<number, string>();

  constructor({ ids, count, firstFiscalId, kind, awkward }: PartiesOptions) {
    this.seed = ids.seed;
    this.count = count;
    this.ids = ids;
    this.fiscalIds = new FiscalIds(firstFiscalId, count);
    this.naming = { seed: ids.seed, kind, awkward };
  }

  /** As a JSON string literal. */
  nameOf(index: number): string {
    return companyName(this.naming, index);
  }

  /** In which invoices are written. One in four is abroad. */
  currencyOf(index: number): Currency {
    const share = (index + this.seed) % 12;
    return share < 9 ? 'CLP' : share < 11 ? 'USD' : 'EUR';
  }

  /** Days between an invoice and the day on which it is due. */
  termOf(index: number): number {
    return TERMS[hash32(this.seed, index, 12) % TERMS.length]!;
  }

  /** Whether no value added tax is due on what is bought or sold, as for schooling. */
  isExempt(index: number): boolean {
    return hash32(this.seed, index, 23) % 9 === 0;
  }

  emailOf(index: number): string {
    return `cobranza${index + 1}@example.com`;
  }

  /** The address as a JSON object. */
  addressOf(index: number): string {
    const random = hash32(this.seed, index, 30);
    const street = `${STREETS[random % STREETS.length]} ${1 + ((random >>> 8) % 4000)}`;
    return `{"street":"${street}","city":"${CITIES[(random >>> 4) % CITIES.length]}","country":"CL"}`;
  }

  /** The object that stands for the party within an invoice. */
  summaryOf(index: number): string {
    let summary = this.#summaries.get(index);
    if (summary === undefined) {
      if (this.#summaries.size === MAX_SUMMARIES) this.#summaries.clear();
      summary =
        `{"id":"${this.ids.of(index)}","fiscalId":"${this.fiscalIds.of(index)}"` +
        `,"name":${this.nameOf(index)},"email":"${this.emailOf(index)}","address":${this.addressOf(index)}}`;
      this.#summaries.set(index, summary);
    }
    return summary;
  }
}
