import { BadQuery, type Query } from './query.ts';

const defaultSize = 20;

/** The page as asked for, and a size that falls back to 20 whatever is wrong with it. */
export function readFundWindow(query: Query, largest: number): { page: number; pageSize: number } {
  const text = query.text('options_page') ?? '1';
  if (!/^-?\d{1,15}(\.\d+)?$/.test(text)) throw new BadQuery(`Invalid value for options_page: ${text}`);
  const size = Number(query.text('options_pageSize') ?? defaultSize);
  return { page: Number(text), pageSize: size >= 1 && size <= largest ? size : defaultSize };
}

/**
 * What slicing an array gives, which is what makes page 0 empty and negative or decimal pages arbitrary (spec 4.7).
 * The list does the same, where the specification says nothing of such pages.
 */
export function slicePage(total: number, page: number, pageSize: number): { offset: number; size: number } {
  const place = (end: number): number => {
    const whole = Math.trunc(end);
    return whole < 0 ? Math.max(0, total + whole) : Math.min(total, whole);
  };
  const offset = place((page - 1) * pageSize);
  return { offset, size: Math.max(0, place(page * pageSize) - offset) };
}
