import { createHash } from 'node:crypto';
import { dayIn, worthOf } from '../invoices/open-items.ts';
import { DOCUMENT_ROLES, DocumentReader } from '../invoices/document-reader.ts';
import type { Family } from '../invoices/document-types.ts';
import { ofProfile, type AmountRole } from '../invoices/fields.ts';
import { Counterparties, type Party } from '../invoices/counterparties.ts';
import { formatDecimal } from '../json/decimal.ts';
import { DIGEST_WORDS, digestInto } from '../json/digest-identity.ts';
import { RecordIndex } from '../json/record-index.ts';
import type { RecordBatch } from '../json/records.ts';
import type { RecordsToWrite } from './differences.ts';
import type { ShowRecord, SpooledListing } from './spooled-listing.ts';
import { storableText, type Dialect, type StoredValue } from './database.ts';

/*
 * The signed amounts, due date and counterparty of a document, by the rule of `src/invoices`: columns that folio computes when it
 * writes the row, so that no query has to repeat the rule.
 */

const AMOUNTS = ['open', 'total', 'net', 'tax', 'paid'] as const satisfies readonly AmountRole[];

/** The columns of a document's row besides those of its fields, with their types. Amounts have signs. */
export const DOCUMENT_COLUMNS: ReadonlyMap<string, keyof Dialect['types']> = new Map([
  ['_kind', 'key'],
  ['_open', 'numeric'],
  ['_total', 'numeric'],
  ['_currency', 'key'],
  ['_party', 'key'],
  ['_party_name', 'key'],
  ['_due', 'day'],
  ['_net', 'numeric'],
  ['_tax', 'numeric'],
  ['_paid', 'numeric'],
]);

/** The words of `_kind`; any other family counts as an invoice. */
const KINDS: Partial<Record<Family, string>> = {
  'credit note': 'credit',
  'debit note': 'debit',
  receipt: 'receipt',
  'fee note': 'receipt',
};

/**
 * The rule by which the columns are computed: the version of folio, since each may have another rule, and the meanings of the
 * columns. If the rule changes, all rows are computed again. Undefined for a listing without documents that may be open.
 */
export function documentRule({ fields, profile, version }: RecordsToWrite): string | undefined {
  if (!fields.usual.declared.some(([, , role]) => role === 'open')) return undefined;
  const { columns, sharedIds } = ofProfile(fields, profile);
  const meaning = JSON.stringify([version, columns, sharedIds]);
  return createHash('sha256').update(meaning).digest('hex').slice(0, 32);
}

/** Computes the columns of the documents of one profile. */
export class DocumentColumns {
  /** The columns that are NULL for an amount that cannot be read, and in how many rows. */
  readonly unreadable = new Map<string, number>();
  readonly #dialect: Dialect;
  readonly #document: DocumentReader;
  /** The parties with several spellings (a million would take 300 MB). For the others, every document has the same names. */
  readonly #parties: Counterparties;
  /** Digests of all parties, and of the names in the first document of each. */
  readonly #first = new RecordIndex();
  readonly #words = new Uint32Array(2 * DIGEST_WORDS);
  /** The number of each document's party. */
  readonly #partyOf: Uint32Array;
  readonly #varying = new Set<number>();
  #newest: ReadonlySet<string> = new Set();

  private constructor(dialect: Dialect, { fields, profile, differences }: RecordsToWrite) {
    this.#partyOf = new Uint32Array(differences.actions.length);
    this.#dialect = dialect;
    const reads = { roles: [...DOCUMENT_ROLES, 'due', ...AMOUNTS] as const, names: [] };
    const names = { fields: { usual: ofProfile(fields, profile) } };
    this.#document = new DocumentReader(names, reads);
    this.#parties = new Counterparties(names);
  }

  /** Reads all documents in order, and keeps the names from the newest of each counterparty. Calls `show` for each. */
  static async of(dialect: Dialect, documents: RecordsToWrite, show: ShowRecord): Promise<DocumentColumns> {
    const { listing } = documents.differences;
    const columns = new DocumentColumns(dialect, documents);
    await listing.each((number, batch, index) => {
      show(number, batch, index);
      columns.#learnParty(number, batch, index);
    });
    await columns.#learnNewest(listing);
    return columns;
  }

  #learnParty(number: number, batch: RecordBatch, index: number): void {
    this.#document.moveTo(batch, index);
    const party = this.#parties.known(this.#document);
    digestInto(this.#words, 0, party.key);
    const known = this.#first.find(this.#words);
    if (known >= 0 && !this.#isFirst(known, namesOf(party))) this.#varying.add(known);
    if (known < 0) digestInto(this.#words, DIGEST_WORDS, JSON.stringify(namesOf(party)));
    this.#partyOf[number] = known < 0 ? this.#first.add(this.#words) : known;
  }

  async #learnNewest(listing: SpooledListing): Promise<void> {
    if (this.#varying.size === 0) return;
    await listing.each((number, batch, index) => {
      if (!this.#varying.has(this.#partyOf[number]!)) return;
      this.#document.moveTo(batch, index);
      this.#parties.of(this.#document);
    });
    this.#newest = new Set(Array.from(this.#parties.all(), (party) => JSON.stringify(namesOf(party))));
  }

  /**
   * Whether the document with a number may have these as `_party` and `_party_name`: where it may not, there is a newer one of
   * its counterparty.
   */
  isNewest(number: number, ...names: readonly StoredValue[]): boolean {
    const party = this.#partyOf[number]!;
    return this.#varying.has(party) ? this.#newest.has(JSON.stringify(names)) : this.#isFirst(party, names);
  }

  #isFirst(party: number, names: readonly StoredValue[]): boolean {
    digestInto(this.#words, DIGEST_WORDS, JSON.stringify(names));
    return this.#first.hasContent(party, this.#words);
  }

  /** The cells of the columns, in the order of `DOCUMENT_COLUMNS`. */
  read(batch: RecordBatch, index: number): StoredValue[] {
    this.#document.moveTo(batch, index);
    const document = this.#document;
    const kind = document.isInSums ? (KINDS[document.family] ?? 'invoice') : 'none';
    const [open, total, net, tax, paid] = AMOUNTS.map((role) => this.#amount(role));
    const day = document.text('due')?.slice(0, 'yyyy-mm-dd'.length);
    const due = typeof dayIn(document, 'due') === 'number' ? this.#dialect.value('day', day!) : null;
    const names = namesOf(this.#parties.known(document));
    return [kind, open!, total!, textOf(document.currency), ...names, due, net!, tax!, paid!];
  }

  #amount(role: AmountRole): StoredValue {
    const worth = worthOf(this.#document, role);
    if (worth === 'in no sum') return this.#dialect.value('numeric', '0');
    if (worth === 'unreadable') this.unreadable.set(`_${role}`, (this.unreadable.get(`_${role}`) ?? 0) + 1);
    return typeof worth === 'string' ? null : this.#dialect.value('numeric', formatDecimal(worth.amount));
  }
}

function textOf(text: string | undefined): StoredValue {
  return text === undefined ? null : storableText(text);
}

/**
 * `_party` and `_party_name`. The first is equal for the documents of one counterparty, and for no others: its fiscal ID; where
 * it has none, its name in quotes; both where the ID is one that many share.
 */
function namesOf(party: Party): readonly [StoredValue, StoredValue] {
  const [name, fiscalId] = [party.name?.text, party.fiscalId?.text];
  const words = fiscalId === undefined || party.isShared ? [name && JSON.stringify(name)] : [];
  // An ID with quotes may look like a name in quotes.
  const id = fiscalId?.includes('"') ? party.key : fiscalId?.trim();
  return [textOf([id, ...words].filter((word) => word !== undefined).join(' ') || undefined), textOf(name)];
}
