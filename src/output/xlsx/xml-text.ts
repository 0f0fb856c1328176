/**
 * What cannot stand in XML as it is: markup; characters that XML 1.0 does not allow (in Unicode mode the surrogates are
 * lone ones); a carriage return, which readers turn into a line feed; and text that looks like an escape of the format.
 */
const SPECIAL = /[&<>\ufffe\uffff\p{Cs}]|(?![\t\n])\p{Cc}|_x[0-9A-Fa-f]{4}_/gu;

/** A space, tab or line feed that XML readers would leave out. */
const SPACE_TO_KEEP = /^\s|\s$|\n|\t| {2}/;

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text for the content of an element. Characters that XML cannot hold become `_x001B_` (ECMA-376, ST_Xstring). */
export function xmlText(text: string): string {
  return text.replace(
    SPECIAL,
    (found) => MARKUP[found] ?? (found.length > 1 ? `_x005F${found}` : hexEscape(found)),
  );
}

/** Text for an attribute in double quotes. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('"', '&quot;');
}

/** A string of a cell as an element of its own. It is never a formula, whatever it begins with. */
export function inlineString(text: string): string {
  return `<is><t${SPACE_TO_KEEP.test(text) ? ' xml:space="preserve"' : ''}>${xmlText(text)}</t></is>`;
}

function hexEscape(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}
