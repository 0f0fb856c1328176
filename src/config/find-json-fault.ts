/** A place in a text; both count from 1. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
}

const space = /[ \t\n\r]*/y;
const scalar =
  /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Where a text stops being JSON; undefined when it is JSON. The runtime's own message cannot be shown, because it quotes
 * the text around the place, which in a file of tokens is a token.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const end = endOfDocument(text);
  if (end === undefined) return undefined;
  const before = text.slice(0, end).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

/** The offset of the first character that cannot stand where it stands; undefined when there is none. */
function endOfDocument(text: string): number | undefined {
  const open: string[] = [];
  let expected: Expected = 'value';
  for (let at = skip(space, text, 0); ; at = skip(space, text, at)) {
    if (expected === 'comma or end' && open.length === 0) return at === text.length ? undefined : at;
    const char = text[at];
    const isValue: boolean = expected === 'value' || expected === 'value or ]';
    if (isValue && (char === '{' || char === '[')) {
      open.push(char);
      expected = char === '{' ? 'key or }' : 'value or ]';
      at += 1;
    } else if (closes(char, expected, open)) {
      open.pop();
      expected = 'comma or end';
      at += 1;
    } else if (expected === 'comma or end' || expected === 'colon') {
      if (char !== (expected === 'colon' ? ':' : ',')) return at;
      expected = expected === 'comma or end' && open.at(-1) === '{' ? 'key' : 'value';
      at += 1;
    } else {
      const after = isValue || char === '"' ? skip(scalar, text, at) : at;
      if (after === at) return at;
      expected = isValue ? 'comma or end' : 'colon';
      at = after;
    }
  }
}

function closes(char: string | undefined, expected: Expected, open: readonly string[]): boolean {
  if (char === '}') return open.at(-1) === '{' && (expected === 'key or }' || expected === 'comma or end');
  if (char === ']') return open.at(-1) === '[' && (expected === 'value or ]' || expected === 'comma or end');
  return false;
}

/** The offset behind what the sticky pattern matches at an offset; the offset itself when it does not match. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
