import type { SizedWindow } from './page-sizes.ts';

/** Records not yet asked for, from `from` up to `to`. Without `to`: as far as the listing goes. */
export interface Region {
  readonly from: number;
  readonly to?: number;
  /** Records a page here, at most: a larger page was refused. */
  readonly most?: number;
  /** True where a page at `from` came back slow, or without it, and is asked for once more. */
  readonly again?: boolean;
  /** Records that a page here may share with the one before it, at most: where pages fall short, more would be all there is. */
  readonly overlap?: number;
}

/** One page, asked for to hold the records from `from` up to `to`. It may begin before. */
export interface Piece extends SizedWindow {
  readonly from: number;
  readonly to: number;
  readonly again: boolean;
}
