const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
const CHARACTERS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/** Text as tsv has it: a tab, a line break and a backslash are `\t`, `\n` or `\r`, and `\\`. */
export function tsvText(text: string): string {
  return /[\t\n\r\\]/.test(text) ? text.replace(/[\t\n\r\\]/g, (found) => ESCAPES[found]!) : text;
}

/** What `tsvText` was given. A backslash before any other letter stands for itself. */
export function readTsvText(cell: string): string {
  return cell.replace(/\\([tnr\\])/g, (_, letter: string) => CHARACTERS[letter]!);
}
