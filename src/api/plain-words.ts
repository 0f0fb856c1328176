const LONGEST = 500;

/**
 * Text of the service as part of one line of ours: runs of white space are one space; control characters, and those
 * that turn or hide text (bidirectional marks, zero-width ones), become visible as `\u001b`; cut at 500 characters.
 */
export function plainWords(text: string): string {
  // Enough for the result, and little enough that a message of megabytes costs nothing.
  const line = text
    .slice(0, 20 * LONGEST)
    .replace(/\s+/g, ' ')
    .trim();
  const words = line.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, mark);
  if (words.length <= LONGEST) return words;
  const cut = words.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '');
  return `${cut.replace(/[\w.~+/=%\\-]+$/, '').trimEnd()}…`;
}

function mark(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
}
