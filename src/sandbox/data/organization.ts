import { Ledger, Ordering } from './ledger.ts';
import { companyName, hash32 } from './values.ts';

/** How much there is of everything in the first organization; the second has a third of it. */
export interface Counts {
  readonly issued: number;
  readonly received: number;
  readonly customers: number;
  readonly funds: number;
  /** Assigned documents of each fund. */
  readonly documents: number;
}

/** One organization's data: what there is of it, by index. Nothing of it is text before it is asked for. */
export interface Organization {
  readonly id: string;
  readonly fiscalId: string;
  readonly issued: Book;
  readonly received: Book;
  readonly funds: Funds;
}

/** One kind of invoices with the other side of each, a customer or an issuer. */
export interface Book {
  readonly ledger: Ledger;
  readonly ordering: Ordering;
  readonly ids: RecordIds;
  readonly parties: Parties;
  /** The fiscal ID of the organization itself, which is the other party of each. */
  readonly owner: string;
}

export interface Funds {
  readonly seed: number;
  readonly count: number;
  /** Assigned documents of each fund. */
  readonly documents: number;
  readonly ids: RecordIds;
  /** Those whose documents are assigned. */
  readonly issuers: Parties;
}

/**
 * The first and the second organization, the second a third as large and different throughout.
 *
 * @param repeatIds whether different records share an id
 */
export function makeOrganizations(
  counts: Counts,
  seed: number,
  repeatIds = false,
): readonly [Organization, Organization] {
  const fewer = {
    issued: third(counts.issued),
    received: third(counts.received),
    customers: third(counts.customers),
    funds: third(counts.funds),
    documents: third(counts.documents),
  };
  return [
    makeOrganization(counts, {
      seed: hash32(seed, 1),
      customers: 60_000_000,
      issuers: 77_000_000,
      repeatIds,
    }),
    makeOrganization(fewer, { seed: hash32(seed, 2), customers: 70_000_000, issuers: 82_000_000, repeatIds }),
  ];
}

function third(count: number): number {
  return Math.ceil(count / 3);
}

interface Origin {
  readonly seed: number;
  /** The lowest numbers of the fiscal IDs; no two ranges meet, so that no organization knows the other's parties. */
  readonly customers: number;
  readonly issuers: number;
  readonly repeatIds: boolean;
}

function makeOrganization(counts: Counts, origin: Origin): Organization {
  const { seed, repeatIds } = origin;
  const owner = fiscalIdOfOwner(seed);
  const shift = hash32(seed, 2) % 4_000_000;
  const customers = new Parties({
    ids: new RecordIds(hash32(seed, 3), repeatIds),
    count: counts.customers,
    firstFiscalId: origin.customers + shift,
  });
  const issuers = new Parties({
    ids: new RecordIds(hash32(seed, 4), repeatIds),
    count: Math.min(5000, Math.ceil(counts.received / 4)),
    firstFiscalId: origin.issuers + shift,
  });
  const issuedIds = new RecordIds(hash32(seed, 6), repeatIds);
  const receivedIds = new RecordIds(hash32(seed, 7), repeatIds);
  const fundIds = new RecordIds(hash32(seed, 8), repeatIds);
  return {
    id: new RecordIds(hash32(seed, 5)).of(0),
    fiscalId: owner,
    issued: makeBook({ count: counts.issued, dated: true, ids: issuedIds, parties: customers, owner }),
    received: makeBook({ count: counts.received, dated: false, ids: receivedIds, parties: issuers, owner }),
    funds: { seed: hash32(seed, 8), count: counts.funds, documents: counts.documents, ids: fundIds, issuers },
  };
}

function fiscalIdOfOwner(seed: number): string {
  return new FiscalIds(96_000_000 + (hash32(seed, 1) % 900_000), 1).of(0);
}

function makeBook({
  count,
  dated,
  ...rest
}: Pick<Book, 'ids' | 'parties' | 'owner'> & { count: number; dated: boolean }): Book {
  const { ids, parties } = rest;
  const ledger = new Ledger({ seed: ids.seed, count, dated, parties: Math.max(1, parties.count) });
  return { ...rest, ledger, ordering: new Ordering(ledger) };
}

const STREETS = [
  'Av. Libertador',
  'Calle Ñuñoa',
  "O'Higgins",
  'Camino a Melipilla',
  'Pasaje 3',
  'Av. República',
];
const CITIES = ['Santiago', 'Viña del Mar', 'Concepción', 'Valparaíso', 'Temuco', 'Chillán'];

/** The most texts that are kept to be used again. */
const MAX_SUMMARIES = 4096;

/** The customers of an organization, or the issuers of the invoices that it receives. */
export class Parties {
  readonly seed: number;
  /** How many there are; records refer to one even where there are none. */
  readonly count: number;
  readonly ids: RecordIds;
  readonly fiscalIds: FiscalIds;
  readonly #summaries = new Map<number, string>();

  constructor({ ids, count, firstFiscalId }: { ids: RecordIds; count: number; firstFiscalId: number }) {
    this.seed = ids.seed;
    this.count = count;
    this.ids = ids;
    this.fiscalIds = new FiscalIds(firstFiscalId, count);
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
        `,"name":${companyName(this.seed, index)},"email":"${this.emailOf(index)}","address":${this.addressOf(index)}}`;
      this.#summaries.set(index, summary);
    }
    return summary;
  }
}

/** The spelling in which the service resolves a fiscal ID: no dots, no dash, K in upper case (spec 2.4). */
export function normalizeFiscalId(text: string): string {
  return text.trim().replaceAll(/[.-]/g, '').toUpperCase();
}

/**
 * The fiscal IDs of one kind of party, each computed from the party's index and found again from it, so that a
 * filter over a large organization needs no table.
 */
export class FiscalIds {
  readonly #first: number;
  readonly #count: number;

  /** `first` is the lowest number before the check digit; each further one is 5 higher. */
  constructor(first: number, count: number) {
    this.#first = first;
    this.#count = count;
  }

  /** As the service writes it: `86345678-9`, `80765432-k`. */
  of(index: number): string {
    const number = this.#first + index * STRIDE;
    return `${number}-${checkDigit(number)}`;
  }

  /** The party of a normalized fiscal ID, or -1 when nobody has it. */
  indexOf(normalized: string): number {
    const number = Number(normalized.slice(0, -1));
    const index = (number - this.#first) / STRIDE;
    const known = Number.isInteger(index) && index >= 0 && index < this.#count;
    return known && normalizeFiscalId(this.of(index)) === normalized ? index : -1;
  }
}

const STRIDE = 5;

/** Modulo 11 with the weights 2 to 7 from the right, as Chilean fiscal IDs have it. */
function checkDigit(number: number): string {
  let sum = 0;
  for (let rest = number, weight = 2; rest > 0; rest = Math.floor(rest / 10)) {
    sum += (rest % 10) * weight;
    weight = weight === 7 ? 2 : weight + 1;
  }
  const digit = 11 - (sum % 11);
  return digit === 11 ? '0' : digit === 10 ? 'k' : String(digit);
}

/**
 * The ids of one kind of record in one organization: 24 hexadecimal digits, of which 16 follow from the seed and 8
 * hold the index, masked. An id of another organization or kind therefore leads nowhere.
 */
export class RecordIds {
  readonly seed: number;
  readonly #mask: number;
  readonly #repeat: boolean;

  /** With `repeat` some records have the id of another. */
  constructor(seed: number, repeat = false) {
    this.seed = seed;
    this.#mask = hash32(seed, 0, 1);
    this.#repeat = repeat;
  }

  of(index: number): string {
    const own = this.sharedIndex(index);
    const head = hex(hash32(this.seed, own, 2)) + hex(hash32(this.seed, own, 3));
    return head + hex((own ^ this.#mask) >>> 0);
  }

  /** The index of the first record with the id of this one: another where ids repeat, on the same page and from page to page. */
  sharedIndex(index: number): number {
    if (!this.#repeat) return index;
    return index % 5 === 3 ? index - 2 : index % 35 === 34 ? index - 30 : index;
  }

  /** The index of the record with this id among the first `count`, or -1. */
  indexOf(id: string, count: number): number {
    const index = (Number.parseInt(id.slice(16), 16) ^ this.#mask) >>> 0;
    return index < count && this.of(index) === id ? index : -1;
  }
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0');
}
