import type { Book, BookDocument, Written } from './random-book.ts';

/*
 * What the documents of a book are worth, written from the rules on what counts, with arithmetic of its own: nothing here is shared
 * with the program.
 */

/** A part of one document in a figure: what it adds, what of that is a credit note or cancelled, whether it is missing. */
export interface Worth {
  readonly sum: bigint;
  readonly creditNotes: bigint;
  readonly cancelled: bigint;
  readonly missing: number;
}

const NOTHING: Worth = { sum: 0n, creditNotes: 0n, cancelled: 0n, missing: 0 };

/** A document with what tells its counterparty, and its profile where there are several. */
export interface Entry {
  readonly document: BookDocument;
  readonly number: number;
  readonly profile: string;
  /** Equal for documents of one counterparty. */
  readonly party: string;
  readonly currency: string;
}

export type AmountRole = 'open' | 'total' | 'paid';

export function entriesOf(book: Book, profile: string, firstNumber: number): Entry[] {
  return book.documents.map((document, at) => ({
    document,
    number: firstNumber + at,
    profile,
    party: partyOf(document),
    currency: document.currency.value ?? '',
  }));
}

/** Guides, quotes and orders are in no sum, and what is void never was a document. */
export function isCounted({ kind, state }: BookDocument): boolean {
  return kind !== 'no money' && state !== 'void';
}

function mayBeOpen(document: BookDocument): boolean {
  return isCounted(document) && document.state !== 'cancelled';
}

/** What a document adds to a sum of a role. */
export function worthOf({ document }: Entry, role: AmountRole): Worth | 'unreadable' {
  const { value } = document[role];
  if (!isCounted(document) || (role === 'open' && !mayBeOpen(document) && typeof value !== 'bigint'))
    return NOTHING;
  if (value === 'unreadable') return value;
  if (value === undefined) return { ...NOTHING, missing: 1 };
  const signed = document.kind === 'credit' && value > 0n ? -value : value;
  const isCancelled = document.state === 'cancelled';
  const sum = role === 'open' && isCancelled ? 0n : signed;
  return {
    sum,
    creditNotes: document.kind === 'credit' ? sum : 0n,
    cancelled: isCancelled ? signed : 0n,
    missing: 0,
  };
}

export function addUp(all: readonly Worth[]): Worth {
  return all.reduce(
    (one, other) => ({
      sum: one.sum + other.sum,
      creditNotes: one.creditNotes + other.creditNotes,
      cancelled: one.cancelled + other.cancelled,
      missing: one.missing + other.missing,
    }),
    NOTHING,
  );
}

/** The column of aging in which a document's open amount is: none where it has none. */
export function ageOf(entry: Entry): string | undefined {
  const worth = worthOf(entry, 'open');
  if (worth === 'unreadable' || worth.sum === 0n) return undefined;
  const { due } = entry.document;
  if (worth.sum < 0n) return 'credits';
  if (due.value === 'unreadable') return 'unreadable';
  if (due.value === undefined) return 'no due date';
  const late = -due.value;
  return late <= 0
    ? 'not due'
    : late <= 30
      ? '1 to 30'
      : late <= 60
        ? '31 to 60'
        : late <= 90
          ? '61 to 90'
          : 'over 90';
}

export function isOverdue(entry: Entry): boolean {
  const { due } = entry.document;
  const age = ageOf(entry);
  return age !== undefined && age !== 'credits' && typeof due.value === 'number' && due.value < 0;
}

/** Whether what is open cannot be judged by its amount, or by its due date. */
export function hasUnreadable(
  entries: readonly Entry[],
  ...of: readonly ('open' | 'total' | 'paid' | 'age')[]
): boolean {
  return entries.some((entry) =>
    of.some((role) =>
      role === 'age' ? ageOf(entry) === 'unreadable' : worthOf(entry, role) === 'unreadable',
    ),
  );
}

/** A fiscal ID as it is compared: without dots, dashes, blanks, and zeros before a valid RUT. */
export function comparedId(fiscalId: string | undefined): string {
  const bare = (fiscalId ?? '').replaceAll(/[.\-\s]/g, '').replaceAll('k', 'K');
  const short = bare.replace(/^0+/, '');
  return isRut(short) ? short : bare;
}

/** Whether the last of its characters is what its other digits make. */
function isRut(text: string): boolean {
  if (!/^\d+[\dK]$/.test(text)) return false;
  let [sum, factor] = [0, 2];
  for (const digit of text.slice(0, -1).split('').toReversed()) {
    sum += Number(digit) * factor;
    factor = factor === 7 ? 2 : factor + 1;
  }
  const rest = 11 - (sum % 11);
  return text.at(-1) === (rest === 11 ? '0' : rest === 10 ? 'K' : String(rest));
}

/** Of buyers abroad, and of such as do not say who they are. */
export function isShared(fiscalId: string): boolean {
  return ['555555555', '666666666'].includes(comparedId(fiscalId));
}

/** A counterparty is its fiscal ID; without one its name; with one that many share, both. */
function partyOf({ fiscalId, name = '' }: BookDocument): string {
  const id = comparedId(fiscalId);
  if (id === '') return `named ${name}`;
  return isShared(id) ? `${id} ${name}` : id;
}

/** The name and the spelling of the fiscal ID that a counterparty has in every row: of its newest document that says one, of a profile or of all. */
export function newestOf(
  entries: readonly Entry[],
  party: string,
  profile?: string,
): readonly [id: string, name: string] {
  const own = entries
    .filter((entry) => entry.party === party && (profile ?? entry.profile) === entry.profile)
    .toSorted((a, b) => dayOf(b.document.date) - dayOf(a.document.date) || b.number - a.number);
  const find = (of: (document: BookDocument) => string | undefined): string =>
    own.map(({ document }) => of(document) ?? '').find((text) => text !== '') ?? '';
  return [
    comparedId(find(({ fiscalId }) => fiscalId)) === '' ? '' : find(({ fiscalId }) => fiscalId),
    find(({ name }) => name),
  ];
}

function dayOf({ value }: Written<number>): number {
  return typeof value === 'number' ? value : -Infinity;
}

export function groupsOf<T>(all: readonly T[], keyOf: (one: T) => string): [key: string, of: T[]][] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one)) ?? [];
    groups.set(keyOf(one), group);
    group.push(one);
  }
  return [...groups];
}
