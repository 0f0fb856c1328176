import { ServiceError } from '../errors.ts';
import type { Page } from './page.ts';
import type { PageSizes } from './page-sizes.ts';
import type { Piece } from './piece.ts';

/** Times that the service may change the page size that it applies. */
const REBASES = 8;

/** Finds out which size the service gave a page, and has the sizes to come follow it. */
export class ServedSize {
  readonly #sizes: PageSizes;
  #rebases = 0;

  constructor(sizes: PageSizes) {
    this.#sizes = sizes;
  }

  /**
   * The piece as it was served: where its size is not the one asked for, its number says that it begins elsewhere. What a
   * page holds counts for more than the size that the service says it applied. Throws ServiceError where that never
   * stays the same.
   *
   * @param until where the walk ends, in records
   */
  placed(piece: Piece, { pageSize = 0, records }: Page, until: number): Piece {
    const { offset, size } = piece;
    const told = pageSize > 0 ? pageSize : size;
    const served = records.count > Math.max(size, told) ? records.count : told;
    if (served === size) return piece;
    this.#rebase(served, size);
    const begin = (offset / size) * served;
    const to = Math.max(piece.to, Math.min(begin + served, until));
    return { ...piece, offset: begin, size: served, to };
  }

  #rebase(pageSize: number, asked: number): void {
    // Of pages that were on their way before the size was known.
    if (pageSize === this.#sizes.largest && (asked > pageSize || this.#sizes.isFixed)) return;
    if (++this.#rebases > REBASES) {
      throw new ServiceError('the service keeps changing the page size that it applies', {
        hint: 'give --page-size a smaller number',
      });
    }
    this.#sizes.rebase(pageSize, asked);
  }
}
