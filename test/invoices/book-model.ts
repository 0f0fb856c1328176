import type { Book, BookDocument } from './book.ts';

/** What is open in a book, in cents: worked out from what its maker knows, with nothing of the program. */
export interface ModelFigures {
  readonly open: bigint;
  readonly creditNotes: bigint;
  readonly cancelled: bigint;
  readonly missing: number;
  readonly total: bigint;
  readonly overdue: bigint;
  readonly credits: bigint;
  readonly undated: bigint;
  readonly notDue: bigint;
}

const NOTHING: ModelFigures = {
  ...{ open: 0n, creditNotes: 0n, cancelled: 0n, missing: 0, total: 0n, overdue: 0n, credits: 0n },
  ...{ undated: 0n, notDue: 0n },
};

/** How a document counts. */
interface Counted {
  readonly document: BookDocument;
  /** In which row: the currency, and the counterparty. */
  readonly currency: string;
  readonly party: string;
  readonly figures: ModelFigures;
  /** Whether its open amount cannot be read; or its due date, where that matters. */
  readonly noAmount: boolean;
  readonly noDate: boolean;
}

/** How each document of a book counts. What cannot be read counts for nothing, for due dates in ages alone. */
export function countBook(book: Book): readonly Counted[] {
  return book.documents.map((document) => {
    const { kind, state, open, due, currency = '' } = document;
    const isIn = kind !== 'no money' && state !== 'void';
    const mayBeOpen = isIn && state !== 'cancelled';
    const base = { document, currency, party: partyOf(document), noAmount: false, noDate: false };
    const sign = (cents: bigint): bigint => (kind === 'credit' && cents > 0n ? -cents : cents);
    const total = isIn && document.total !== undefined ? sign(document.total) : 0n;
    const figures = { ...NOTHING, total };
    if (!isIn) return { ...base, figures };
    if (open === 'unreadable') return { ...base, figures, noAmount: mayBeOpen };
    if (open === undefined) return { ...base, figures: { ...figures, missing: mayBeOpen ? 1 : 0 } };
    const sent = sign(open);
    const left = mayBeOpen ? sent : 0n;
    const counted = {
      ...figures,
      open: left,
      cancelled: sent - left,
      creditNotes: kind === 'credit' ? left : 0n,
    };
    if (left <= 0n) return { ...base, figures: { ...counted, credits: left } };
    if (due === 'unreadable') return { ...base, figures: counted, noDate: true };
    if (due === undefined) return { ...base, figures: { ...counted, undated: left } };
    return { ...base, figures: { ...counted, ...(due < 0 ? { overdue: left } : { notDue: left }) } };
  });
}

/** A counterparty is its fiscal ID; without one, or with one that many share, its name. */
function partyOf({ fiscalId, name = '' }: Pick<BookDocument, 'fiscalId' | 'name'>): string {
  const id = (fiscalId ?? '').replaceAll(/[^0-9a-z]/gi, '').toLowerCase();
  if (id === '') return `named ${name}`;
  return id === '555555555' || id === '666666666' ? `${id} ${name}` : id;
}

/** The figures of documents by a key, of those that count with any. */
export function sumUp(
  counted: readonly Counted[],
  keyOf: (one: Counted) => string,
): Map<string, ModelFigures> {
  const sums = new Map<string, ModelFigures>();
  for (const one of counted) {
    const key = keyOf(one);
    const before = sums.get(key) ?? NOTHING;
    const { figures } = one;
    sums.set(key, {
      open: before.open + figures.open,
      creditNotes: before.creditNotes + figures.creditNotes,
      cancelled: before.cancelled + figures.cancelled,
      missing: before.missing + figures.missing,
      total: before.total + figures.total,
      overdue: before.overdue + figures.overdue,
      credits: before.credits + figures.credits,
      undated: before.undated + figures.undated,
      notDue: before.notDue + figures.notDue,
    });
  }
  return sums;
}
