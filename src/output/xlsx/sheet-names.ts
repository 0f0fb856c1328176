/** What spreadsheets refuse in the name of a sheet: some punctuation, controls, a quote at either end. */
const REFUSED = /[:\\/?*[\]\p{Cc}\p{Cs}]/gu;
const QUOTES_AROUND = /^[\s']+|[\s']+$/g;
const MOST_CHARACTERS = 31;
/** Spreadsheets keep this one for themselves. */
const RESERVED = 'history';

/** Names for the sheets of a workbook: allowed by spreadsheets, and no two the same. */
export class SheetNames {
  readonly #given = new Set([RESERVED]);

  /** The name that was wished for, as far as it may be; numbered where it is taken. */
  claim(wish: string): string {
    const clean = wish.normalize('NFC').replace(REFUSED, '_').replace(QUOTES_AROUND, '') || 'Sheet';
    for (let number = 1; ; number++) {
      const suffix = number === 1 ? '' : ` (${number})`;
      const name = cut(clean, MOST_CHARACTERS - suffix.length) + suffix;
      if (this.#given.has(name.toLowerCase())) continue;
      this.#given.add(name.toLowerCase());
      return name;
    }
  }
}

/** At most so many UTF-16 units, which spreadsheets count, without half a character at the end. */
function cut(text: string, units: number): string {
  return text
    .slice(0, units)
    .replace(/\p{Cs}$/u, '')
    .replace(QUOTES_AROUND, '');
}
