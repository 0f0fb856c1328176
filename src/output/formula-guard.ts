/**
 * What makes a spreadsheet run text as a formula (OWASP, "CSV Injection"): its first character, also as the full-width
 * variant that some programs convert, and also behind white space that some drop on reading; a tab, CR or LF in front at all.
 */
const TRIGGER = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

/** A plain number in the usual ways to write one: `-12.50`, `-1,234.56`, `-1.234,56`, `+5`, `-1e-7`, `-5 %`. */
const NUMBER = /^\s*[+-]?(?:\d+|\d{1,3}(?:[.,'\u00a0\u202f ]\d{3})+)?(?:[.,]\d+)?(?:[eE][+-]?\d+)?\s?%?$/;

/** Text that shows the same in a spreadsheet but is never run: with an apostrophe in front, where need be. */
export function guardFormula(text: string): string {
  return TRIGGER.test(text) && !(NUMBER.test(text) && /\d/.test(text)) ? `'${text}` : text;
}
