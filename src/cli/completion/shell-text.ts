/** A text as one word of a POSIX shell or zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Words as a shell splits them, none of which it could read as anything else. */
export function plainWords(words: readonly string[]): string {
  return words.filter((word) => /^[\w.,@%+/-]+$/.test(word)).join(' ');
}
