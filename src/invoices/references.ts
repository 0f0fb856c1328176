import { CellReader, type Cell } from '../json/cells.ts';
import { addDecimals, DECIMAL_ZERO, negateDecimal, type Decimal } from '../json/decimal.ts';
import { parseWithDigits } from '../json/json-object.ts';
import type { RecordBatch } from '../json/records.ts';
import { readAmount } from './amounts.ts';
import { familyOf, typeCodeOf, type Family } from './documents.ts';
import { ofAny, type FieldsOf } from './fields.ts';
import { InvoiceReader, type Invoice } from './invoice.ts';

/** How much of a document's open amount the documents that it refers to leave. */
export interface Limits {
  /** The limit of the record at this place in the listing, from 1, without a sign; undefined where nothing limits it. */
  readonly of: (place: number) => Decimal | undefined;
}

/** Another document, as a reference names it: by its id, or by its number and perhaps its type. */
interface Reference {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly number: string | undefined;
}

/** A credit or debit note, and what it refers to. */
interface Note {
  readonly place: number;
  readonly family: Family;
  readonly references: readonly Reference[];
  /** The beginning of the keys of what it can refer to: its profile, and with a number its counterparty. */
  readonly profile: string;
  readonly counterparty: string;
}

interface Candidate {
  readonly place: number;
  readonly type: string | undefined;
  readonly family: Family;
  readonly isCancelled: boolean;
  readonly paid: Decimal;
}

/** Whether a setting or flag says where references are. Without it, no record need be looked at twice. */
export function hasReferences(fields: FieldsOf): boolean {
  return ofAny(fields).some(({ columns }) => columns.reference.length > 0);
}

/**
 * Finds what credit and debit notes refer to, in two looks at all records: `collect` keeps what the notes name, `look` finds
 * it. Memory grows with the notes that refer to something, not with the records.
 *
 * A credit note that refers to a cancelled document is a credit only up to what was paid of that document, and a debit note
 * that refers to a cancelled credit note is not open. A reference is the id of the other document, or else its type and
 * number, where one document alone of the same counterparty has them. One that is not found counts as none.
 */
export class ReferenceLooks {
  readonly #invoices: InvoiceReader;
  readonly #reader: CellReader;
  readonly #notes: Note[] = [];
  readonly #wanted = new Map<string, Candidate[]>();
  #collected = 0;
  #looked = 0;

  constructor(fields: FieldsOf) {
    this.#invoices = new InvoiceReader(fields, [
      'reference',
      'documentType',
      'status',
      'cancelled',
      'number',
      'paid',
      'counterpartyName',
      'counterpartyFiscalId',
    ]);
    this.#reader = new CellReader([...this.#invoices.columns, 'id']);
  }

  /** The first look. */
  collect(batch: RecordBatch): void {
    for (let index = 0; index < batch.count; index++) {
      this.#collected++;
      const invoice = this.#invoices.read(this.#reader.read(batch, index));
      const { family } = invoice;
      if (family !== 'credit note' && family !== 'debit note') continue;
      const references = readReferences(
        invoice.fields.columns.reference.length > 0 ? invoice.cell('reference') : undefined,
      );
      if (references.length === 0) continue;
      const { profile = '', counterpartyKey: counterparty } = invoice;
      this.#notes.push({ place: this.#collected, family, references, profile, counterparty });
      for (const { id, number } of references) {
        if (id !== undefined) this.#want(['id', profile, id]);
        if (number !== undefined) this.#want(['number', profile, counterparty, number]);
      }
    }
  }

  /** The second look, at the same records in the same order. */
  look(batch: RecordBatch): void {
    for (let index = 0; index < batch.count; index++) {
      this.#looked++;
      const cells = this.#reader.read(batch, index);
      const invoice = this.#invoices.read(cells);
      const { profile = '' } = invoice;
      const id = cells.at(-1)?.text;
      const number = invoice.cell('number')?.text;
      if (id !== undefined) this.#wanted.get(keyOf(['id', profile, id]))?.push(this.#candidate(invoice));
      if (number === undefined) continue;
      const key = keyOf(['number', profile, invoice.counterpartyKey, number]);
      this.#wanted.get(key)?.push(this.#candidate(invoice));
    }
  }

  /** What was found, after both looks. */
  limits(): Limits {
    const limits = new Map<number, Decimal>();
    for (const note of this.#notes) {
      const found = note.references.flatMap((reference) => this.#find(note, reference) ?? []);
      if (found.length === 0) continue;
      if (note.family === 'debit note') {
        if (found.every(({ isCancelled, family }) => isCancelled && family === 'credit note'))
          limits.set(note.place, DECIMAL_ZERO);
      } else if (found.every(({ isCancelled }) => isCancelled)) {
        limits.set(note.place, found.map(({ paid }) => paid).reduce(addDecimals, DECIMAL_ZERO));
      }
    }
    return { of: (place) => limits.get(place) };
  }

  #want(key: readonly string[]): void {
    this.#wanted.set(keyOf(key), []);
  }

  #candidate(invoice: Invoice): Candidate {
    const paid = readAmount(invoice.cell('paid'));
    const sent = typeof paid === 'string' ? DECIMAL_ZERO : paid;
    return {
      place: this.#looked,
      type: invoice.cell('documentType')?.text,
      family: invoice.family,
      isCancelled: invoice.validity === 'cancelled',
      paid: sent.coefficient < 0n ? negateDecimal(sent) : sent,
    };
  }

  /** The document that the reference means; undefined where none or several may be meant. */
  #find(note: Note, { id, type, number }: Reference): Candidate | undefined {
    const other = (candidates: readonly Candidate[] = []): Candidate[] =>
      candidates.filter(({ place }) => place !== note.place);
    const byId = id === undefined ? [] : other(this.#wanted.get(keyOf(['id', note.profile, id])));
    if (byId.length > 0) return byId.length === 1 ? byId[0] : undefined;
    if (number === undefined) return undefined;
    const key = keyOf(['number', note.profile, note.counterparty, number]);
    const byNumber = other(this.#wanted.get(key)).filter((one) => type === undefined || isOfType(one, type));
    return byNumber.length === 1 ? byNumber[0] : undefined;
  }
}

function keyOf(parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** Codes are compared as they are; a code and a word by what they mean. */
function isOfType({ type, family }: Candidate, wanted: string): boolean {
  const [one, other] = [typeCodeOf(type), typeCodeOf(wanted)];
  return one !== undefined && other !== undefined ? one === other : family === familyOf(wanted);
}

/** What a cell refers to: an id or `33 10001`, an object with an id or a type and number, or a list of these. */
function readReferences(cell: Cell | undefined): Reference[] {
  if (cell === undefined || cell.kind === 'boolean') return [];
  // In csv without its receipt, lists are texts.
  const value = /^[[{]/.test(cell.text) ? parsed(cell.text) : cell.text;
  return (Array.isArray(value) ? value : [value]).flatMap(referenceOf);
}

/** The value of JSON text, and a text that is none as it is. */
function parsed(text: string): unknown {
  try {
    return parseWithDigits(text);
  } catch {
    return text;
  }
}

const TYPE_AND_NUMBER = /^(.*[\p{L}\p{N}])[\s:/#-]+(\d+)$/u;

function referenceOf(value: unknown): Reference[] {
  if (typeof value === 'string') {
    const id = value.trim();
    if (id === '') return [];
    const [, type, number] = TYPE_AND_NUMBER.exec(id) ?? [];
    if (type === undefined || familyOf(type) === 'unknown') return [{ id, type: undefined, number: id }];
    return [{ id, type, number }];
  }
  if (typeof value !== 'object' || value === null) return [];
  const text = (names: readonly string[]): string | undefined => {
    const found = names.map((name) => (Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined));
    const one = found.find((member) => typeof member === 'string');
    return one === '' ? undefined : one;
  };
  const id = text(['id', 'documentId']);
  const number = text(['number', 'folio', 'documentNumber']);
  if (id === undefined && number === undefined) return [];
  return [{ id, type: text(['documentType', 'type', 'code']), number }];
}
