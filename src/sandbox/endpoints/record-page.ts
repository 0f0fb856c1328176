import type { RecordView } from '../data/ledger.ts';

/** One page of records as JSON text: `head`, the records between commas, `tail`. */
export interface RecordPage {
  readonly view: RecordView;
  /** The position of the first record; beyond the end the page is empty. */
  readonly offset: number;
  readonly size: number;
  readonly head: string;
  readonly tail: string;
  render(index: number): string;
}

/** Records in a piece: small, as one character beyond Latin-1 makes a whole piece slow to encode. */
const recordsPerPiece = 50;

/** How many records the page really holds. */
export function countRecords({ view, offset, size }: RecordPage): number {
  return Math.max(0, Math.min(view.total - offset, size));
}

/** The page in pieces, each made when it is asked for. */
export function* renderPieces(page: RecordPage): Generator<Buffer> {
  const end = page.offset + countRecords(page);
  let text = page.head;
  for (let position = page.offset; position < end; position++) {
    text += page.render(page.view.at(position)) + (position + 1 < end ? ',' : '');
    if ((position + 1 - page.offset) % recordsPerPiece !== 0) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + page.tail);
}

/** The page in one, or undefined when it is larger than `mostBytes`. */
export function renderPage(page: RecordPage, mostBytes = Infinity): Buffer | undefined {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (const piece of renderPieces(page)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > mostBytes) return undefined;
  }
  return Buffer.concat(pieces, bytes);
}

/** The head of the page envelope (spec 2.2); the records and `pageTail` follow. */
export function pageHead(total: number, page: number, pageSize: number): string {
  return `{"total":${total},"page":${page},"pageSize":${pageSize},"pageResults":[`;
}

/** The end of the page envelope, with the elements of `errors` (spec 2.4). */
export function pageTail(errors: readonly object[] = []): string {
  return `],"errors":${JSON.stringify(errors)}}`;
}
