/**
 * What makes a spreadsheet run text as a formula (OWASP, "CSV Injection"): its first character, also as the full-width
 * variant that some programs convert, and also behind white space and controls that some drop on reading, NUL among them; a
 * tab, CR or LF in front at all.
 */
const TRIGGER = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

/** Of the text behind a separator, where a tab or line break is in front of each. */
const INNER_TRIGGER = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;

/**
 * A plain number in the usual ways to write one: `-12.50`, `-1,234.56`, `-1.234,56`, `+5`, `-1e-7`, `-5 %`; also as the last of
 * a list in JSON, `-5]`.
 */
const NUMBER =
  /^\s*[+-]?(?:\d+|\d{1,3}(?:[.,'\u00a0\u202f ]\d{3})+)?(?:[.,]\d+)?(?:[eE][+-]?\d+)?\s?%?[\]}]*$/;

/** What may end a cell early: where a program was told, or takes by its locale, another separator than the file has. */
const SEPARATORS = [',', ';', '\t', '\r', '\n'];

/**
 * Text that shows the same in a spreadsheet but is never run: with an apostrophe in front, where need be. `a;=1+1` gets one within:
 * it is two cells to a program that separates by `;`, and then no quotes help, since they do not begin the cell.
 *
 * @param delimiter of the file, which a text that holds it is quoted for
 */
export function guardFormula(text: string, delimiter = ','): string {
  if (!/[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/.test(text)) return text;
  const breaks = breaksBesides(delimiter);
  if (!breaks.test(text)) return runs(text, TRIGGER) ? `'${text}` : text;
  // Parts and, between them, the separators.
  const parts = text.split(breaks);
  const guarded = parts.map((part, at) => (at > 0 && runs(part, INNER_TRIGGER) ? `'${part}` : part)).join('');
  return runs(text, TRIGGER) ? `'${guarded}` : guarded;
}

/** What `guardFormula` was given, of what it made; text that had such apostrophes of its own loses them. */
export function unguardFormula(guarded: string, delimiter = ','): string {
  if (!guarded.includes("'")) return guarded;
  const parts = guarded.split(breaksBesides(delimiter));
  const text = parts
    .map((part, at) =>
      at > 0 && part.startsWith("'") && runs(part.slice(1), INNER_TRIGGER) ? part.slice(1) : part,
    )
    .join('');
  return text.startsWith("'") && runs(text.slice(1), TRIGGER) ? text.slice(1) : text;
}

function runs(text: string, trigger: RegExp): boolean {
  return trigger.test(text) && !(NUMBER.test(text) && /\d/.test(text));
}

const known = new Map<string, RegExp>();

/** Every separator but the delimiter itself. */
function breaksBesides(delimiter: string): RegExp {
  let breaks = known.get(delimiter);
  if (breaks === undefined) {
    const separators = SEPARATORS.filter((separator) => separator !== delimiter);
    known.set(delimiter, (breaks = new RegExp(`([${separators.join('')}])`)));
  }
  return breaks;
}
