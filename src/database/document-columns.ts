import { createHash } from 'node:crypto';
import { dayIn, worthOf } from '../invoices/open-items.ts';
import { Document, DOCUMENT_ROLES } from '../invoices/document.ts';
import type { Family } from '../invoices/documents.ts';
import { ofProfile, type AmountRole, type Fields, type FieldsOf } from '../invoices/fields.ts';
import { Counterparties, type Party } from '../invoices/counterparties.ts';
import { CellReader } from '../json/cells.ts';
import { formatDecimal } from '../json/decimal.ts';
import { DIGEST_WORDS, digestInto } from '../json/digest-identity.ts';
import { RecordIndex } from '../json/record-index.ts';
import type { RecordBatch } from '../json/records.ts';
import type { SpooledListing } from './spooled-listing.ts';
import { storableText, type Dialect, type StoredValue } from './database.ts';

/*
 * What a document is worth, when it is due and whose it is, by the rule of `src/invoices`: columns that folio works out when it
 * writes the row, so that no query has to know the rule.
 */

const AMOUNTS = ['open', 'total', 'net', 'tax', 'paid'] as const satisfies readonly AmountRole[];

/** The columns that a row of a document has beside those of its fields, and their types. Amounts have signs. */
const TYPES = {
  _kind: 'key',
  _open: 'numeric',
  _total: 'numeric',
  _currency: 'key',
  _party: 'key',
  _party_name: 'key',
  _due: 'day',
  _net: 'numeric',
  _tax: 'numeric',
  _paid: 'numeric',
} as const;
export const DOCUMENT_COLUMNS: ReadonlyMap<string, keyof Dialect['types']> = new Map(Object.entries(TYPES));

/** Documents from which on counterparties of a single one are not remembered: a million of these would take 300 MB. */
const MANY_DOCUMENTS = 200_000;

/** The words of `_kind`; what has none counts as an invoice. */
const KINDS: Partial<Record<Family, string>> = {
  'credit note': 'credit',
  'debit note': 'debit',
  receipt: 'receipt',
  'fee note': 'receipt',
};

/** Works out the columns of the documents of one profile. */
export class DocumentColumns {
  /** Of the version, since each may have another rule, and of what the columns mean: by another one, all rows are worked out anew. */
  readonly rule: string;
  readonly #dialect: Dialect;
  readonly #cells: CellReader;
  readonly #document: Document;
  readonly #parties: Counterparties;
  #newest: ReadonlySet<string> | undefined;

  private constructor(dialect: Dialect, fields: Fields, version: string) {
    this.#dialect = dialect;
    const reads = { roles: [...DOCUMENT_ROLES, 'due', ...AMOUNTS] as const };
    const names = { fields: { usual: fields } };
    this.#document = new Document(names, reads, (at) => this.#cells.cell(at));
    this.#parties = new Counterparties(names);
    this.#cells = new CellReader(this.#document.columns);
    const meaning = JSON.stringify([version, fields.columns, fields.sharedIds]);
    this.rule = createHash('sha256').update(meaning).digest('hex').slice(0, 32);
  }

  /** Undefined for a listing of something else than documents that may be open. */
  static of(
    dialect: Dialect,
    { fields, profile, version }: { fields: FieldsOf; profile: string; version: string },
  ): DocumentColumns | undefined {
    const areDocuments = fields.usual.declared.some(([, , role]) => role === 'open');
    return areDocuments ? new DocumentColumns(dialect, ofProfile(fields, profile), version) : undefined;
  }

  /**
   * Learns what all documents say of their counterparties, before the first is read. Of a large listing only those are remembered that
   * have several documents: what one document says of its counterparty is read with it.
   */
  async learn(documents: Pick<SpooledListing, 'index' | 'all'>, many = MANY_DOCUMENTS): Promise<void> {
    const hasSeveral = documents.index.count < many ? () => true : await this.#countParties(documents);
    await this.#each(documents, () => hasSeveral() && this.#parties.of(this.#document));
  }

  /** Makes what tells whether the counterparty of the current document has others: by a digest of each, 40 bytes. */
  async #countParties(documents: Pick<SpooledListing, 'all'>): Promise<() => boolean> {
    const parties = new RecordIndex();
    const hasSeveral: boolean[] = [];
    const words = new Uint32Array(2 * DIGEST_WORDS);
    const find = (): number => {
      digestInto(words, 0, this.#parties.known(this.#document).key);
      return parties.find(words);
    };
    await this.#each(documents, () => {
      const party = find();
      if (party < 0) parties.add(words);
      else hasSeveral[party] = true;
    });
    return () => hasSeveral[find()] === true;
  }

  async #each(documents: Pick<SpooledListing, 'all'>, act: () => unknown): Promise<void> {
    for await (const batch of documents.all())
      for (let index = 0; index < batch.count; index++) {
        this.#show(batch, index);
        act();
      }
  }

  /** The cells of the columns, in the order of `DOCUMENT_COLUMNS`. */
  read(batch: RecordBatch, index: number): StoredValue[] {
    this.#show(batch, index);
    const document = this.#document;
    const [party, name] = namesOf(this.#parties.known(document));
    const due = document.text('due')?.slice(0, 'yyyy-mm-dd'.length);
    const cells: Record<keyof typeof TYPES, StoredValue> = {
      _kind: document.isInSums ? (KINDS[document.family] ?? 'invoice') : 'none',
      _open: this.#amount('open'),
      _total: this.#amount('total'),
      _currency: textOf(document.currency),
      _party: party,
      _party_name: name,
      _due: typeof dayIn(document, 'due') === 'number' ? this.#dialect.value('day', due!) : null,
      _net: this.#amount('net'),
      _tax: this.#amount('tax'),
      _paid: this.#amount('paid'),
    };
    return Object.values(cells);
  }

  /** Whether these are `_party` and `_party_name` of a counterparty that was remembered: a row that has others may have to be worked out anew. */
  areNewest(party: StoredValue, name: StoredValue): boolean {
    this.#newest ??= new Set(Array.from(this.#parties.all(), (one) => JSON.stringify(namesOf(one))));
    return this.#newest.has(JSON.stringify([party, name]));
  }

  #show(batch: RecordBatch, index: number): void {
    this.#cells.moveTo(batch, index);
    this.#document.show(0);
  }

  #amount(role: AmountRole): StoredValue {
    const worth = worthOf(this.#document, role);
    if (worth === 'in no sum') return this.#dialect.value('numeric', '0');
    return typeof worth === 'string' ? null : this.#dialect.value('numeric', formatDecimal(worth.amount));
  }
}

function textOf(text: string | undefined): StoredValue {
  return text === undefined ? null : storableText(text);
}

/**
 * `_party` and `_party_name`. The first is equal for the documents of one counterparty, and for no others: its fiscal ID; where it
 * has none, its name in quotes; both where the ID is one that many share.
 */
function namesOf(party: Party): readonly [StoredValue, StoredValue] {
  const [name, fiscalId] = [party.name?.text, party.fiscalId?.text];
  const words = fiscalId === undefined || party.isShared ? [name && JSON.stringify(name)] : [];
  // An ID with quotes may look like a name in quotes.
  const id = fiscalId?.includes('"') ? party.key : fiscalId?.trim();
  return [textOf([id, ...words].filter((word) => word !== undefined).join(' ') || undefined), textOf(name)];
}
