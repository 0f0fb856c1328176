import { parseCalendarDay } from '../json/calendar-day.ts';
import type { Cell } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';
import type { Meanings } from './fields.ts';
import { DocumentReader } from './document-reader.ts';
import { counterpartyKey, isFiscalId, isSharedId } from './fiscal-ids.ts';

type CellOf = (
  document: DocumentReader,
  role: 'counterpartyName' | 'counterpartyFiscalId',
) => Cell | undefined;

/** A name or a fiscal ID, and the day and the number of the newest document that has it. */
interface Newest {
  cell: Cell | undefined;
  day: string;
  number: string;
}

/** A counterparty, with the name and the spelling of its fiscal ID that every row of an answer has. */
export class Party {
  /** Equal for all documents of the counterparty. */
  readonly key: string;
  /** Whether its fiscal ID is one that many share, so that the name, too, tells it apart. */
  readonly isShared: boolean;
  readonly named: Newest = { cell: undefined, day: '', number: '' };
  readonly spelled: Newest = { cell: undefined, day: '', number: '' };

  constructor(key: string, isShared: boolean) {
    this.key = key;
    this.isShared = isShared;
  }

  get name(): Cell | undefined {
    return this.named.cell;
  }

  get fiscalId(): Cell | undefined {
    return this.spelled.cell;
  }
}

const COUNTERPARTY_ROLES = ['counterpartyName', 'counterpartyFiscalId', 'date', 'number'] as const;

/** How many spellings of fiscal IDs and names are remembered, so that they are not folded again. */
const MAX_WRITTEN = 20_000;

/**
 * Collects counterparties, each with one name and one spelling of its fiscal ID, however records spell them: those of the
 * newest document that has them, by date, then by number, among all records that are read, also where a question keeps few of
 * them.
 */
export class Counterparties {
  readonly #cellOf: CellOf;
  readonly #parties = new Map<string, Party>();
  /** By profile, fiscal ID and name as they are written. */
  readonly #written = new Map<string, Party>();
  /** Reads the records before a filter. */
  readonly #reader: DocumentReader;
  #isSampled = false;

  /**
   * @param reads the names that `cellOf` reads, besides the roles of the counterparty
   * @param cellOf the cell of a document's counterparty, where it may be another one than that of the role
   */
  constructor(
    meanings: Meanings,
    reads: readonly string[] = [],
    cellOf: CellOf = (document, role) => document.cell(role),
  ) {
    this.#cellOf = cellOf;
    this.#reader = new DocumentReader(meanings, { roles: COUNTERPARTY_ROLES, names: reads });
  }

  /** Collects from records before a filter. Records that pass the filter are not collected again. */
  sample(batch: RecordBatch): void {
    this.#isSampled = true;
    this.#reader.fold(batch, () => this.#learn(this.#partyOf(this.#reader), this.#reader));
  }

  /** The counterparty of a document, which is collected. Name and spelling are final after all documents were collected. */
  of(document: DocumentReader): Party {
    const party = this.#partyOf(document);
    if (!this.#isSampled) this.#learn(party, document);
    return party;
  }

  /**
   * The counterparty of a document as collected so far; if none of its documents was collected, as the document has it.
   * Remembers nothing.
   */
  known(document: DocumentReader): Party {
    const party = this.#partyOf(document, false);
    if (!this.#parties.has(party.key)) this.#learn(party, document);
    return party;
  }

  all(): Iterable<Party> {
    return this.#parties.values();
  }

  /** Takes newer names and spellings from other records of the same counterparties. */
  learnFrom(other: Counterparties): void {
    for (const [key, { named, spelled }] of other.#parties) {
      const own = this.#parties.get(key);
      if (own === undefined) continue;
      takeNewer(own.named, named);
      takeNewer(own.spelled, spelled);
    }
  }

  #partyOf(document: DocumentReader, remembers = true): Party {
    const id = this.#cellOf(document, 'counterpartyFiscalId')?.text;
    const name = this.#cellOf(document, 'counterpartyName')?.text;
    // With its length, an ID that has a line feed is no other ID beside another name.
    const written = `${document.profile ?? ''}\n${id?.length ?? ''}\n${id ?? ''}${name ?? ''}`;
    const known = this.#written.get(written);
    if (known !== undefined) return known;
    const { sharedIds } = document.fields;
    const fiscalId = isFiscalId(id) ? id : undefined;
    const key = counterpartyKey({ name, fiscalId }, sharedIds);
    const isShared = fiscalId !== undefined && isSharedId(fiscalId, sharedIds);
    const party = this.#parties.get(key) ?? new Party(key, isShared);
    if (!remembers) return party;
    this.#parties.set(key, party);
    if (this.#written.size < MAX_WRITTEN) this.#written.set(written, party);
    return party;
  }

  #learn(party: Party, document: DocumentReader): void {
    const day = document.text('date')?.slice(0, 'yyyy-mm-dd'.length) ?? '';
    const number = document.text('number') ?? '';
    const fiscalId = this.#cellOf(document, 'counterpartyFiscalId');
    takeNewer(party.named, { cell: this.#cellOf(document, 'counterpartyName'), day, number });
    if (isFiscalId(fiscalId?.text)) takeNewer(party.spelled, { cell: fiscalId, day, number });
  }
}

/** Takes the cell of a newer document. For documents of one age the greater text counts, so that their order does not matter. */
function takeNewer(known: Newest, { cell, day: written, number }: Newest): void {
  if (cell === undefined) return;
  const day = written === known.day || parseCalendarDay(written) !== undefined ? written : '';
  const isNewer =
    known.cell === undefined ||
    day > known.day ||
    (day === known.day &&
      (compareNumbers(number, known.number) || (cell.text > known.cell.text ? 1 : -1)) > 0);
  if (!isNewer) return;
  [known.day, known.number] = [day, number];
  known.cell = cell;
}

/** Compares whole numbers by value; any other text counts as older. */
function compareNumbers(left: string, right: string): number {
  if (left === right) return 0;
  const [a, b] = [left, right].map((text) => (/^\d+$/.test(text) ? BigInt(text) : -1n));
  return a === b ? (left < right ? -1 : 1) : a! < b! ? -1 : 1;
}
