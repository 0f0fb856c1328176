import { createHash } from 'node:crypto';
import { dayIn, worthOf } from '../invoices/open-items.ts';
import { Document, DOCUMENT_ROLES } from '../invoices/document.ts';
import type { Family } from '../invoices/document-types.ts';
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
   * Learns what all documents say of their counterparties, before the first is read. Only those are remembered that are written in
   * several ways, since a million would take 300 MB: of any other, each document says what all say, and a digest of that will do.
   * Returns whether the document with a number may have these as `_party` and `_party_name`: where it may not, there is a newer one
   * of its counterparty.
   */
  async learn(
    documents: SpooledListing,
  ): Promise<(number: number, ...names: readonly StoredValue[]) => boolean> {
    const parties = new RecordIndex();
    const partyOf = new Uint32Array(documents.index.count);
    const varying = new Set<number>();
    const words = new Uint32Array(2 * DIGEST_WORDS);
    const isWritten = (party: number, names: readonly StoredValue[]): boolean => {
      digestInto(words, DIGEST_WORDS, JSON.stringify(names));
      return parties.hasContent(party, words);
    };
    await this.#each(documents, (number) => {
      const party = this.#parties.known(this.#document);
      digestInto(words, 0, party.key);
      const known = parties.find(words);
      if (known >= 0 && !isWritten(known, namesOf(party))) varying.add(known);
      if (known < 0) digestInto(words, DIGEST_WORDS, JSON.stringify(namesOf(party)));
      partyOf[number] = known < 0 ? parties.add(words) : known;
    });
    await this.#each(documents, (number) => {
      if (varying.has(partyOf[number]!)) this.#parties.of(this.#document);
    });
    const newest = new Set(Array.from(this.#parties.all(), (party) => JSON.stringify(namesOf(party))));
    return (number, ...names) => {
      const party = partyOf[number]!;
      return varying.has(party) ? newest.has(JSON.stringify(names)) : isWritten(party, names);
    };
  }

  async #each(documents: SpooledListing, act: (number: number) => void): Promise<void> {
    let number = 0;
    for await (const batch of documents.all())
      for (let index = 0; index < batch.count; index++) {
        this.#show(batch, index);
        act(number++);
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
