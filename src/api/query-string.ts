import { UsageError } from '../errors.ts';

export type ListEncoding = 'comma' | 'repeat' | 'brackets';
export type QueryPair = readonly [name: string, value: string];

/** `a=1&b=x%20y`, without a question mark; empty for no pairs. Order and repetition are kept. */
export function queryString(pairs: readonly QueryPair[]): string {
  return pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
}

/**
 * The pairs by which a list is sent. How is not in the specification (spec 4.9), so the user may choose: `a=1,2`,
 * `a=1&a=2` or `a[]=1&a[]=2`. An empty list is no pair. Throws UsageError for a comma within a comma-separated value.
 */
export function listPairs(name: string, values: readonly string[], encoding: ListEncoding): QueryPair[] {
  if (encoding === 'repeat') return values.map((value) => [name, value]);
  if (encoding === 'brackets') return values.map((value) => [`${name}[]`, value]);
  const divided = values.find((value) => value.includes(','));
  if (divided !== undefined) {
    throw new UsageError(
      `${JSON.stringify(divided)} holds a comma, by which the values of ${name} are separated`,
      {
        hint: 'Send the values apart from each other with --list-encoding repeat',
      },
    );
  }
  return values.length === 0 ? [] : [[name, values.join(',')]];
}

/**
 * `id` as one segment of a path, so that it can never lead elsewhere. Throws UsageError for an empty one and for
 * `.` and `..`, which mean another path even when encoded.
 */
export function pathSegment(id: string): string {
  if (id === '' || id === '.' || id === '..') {
    throw new UsageError(`${JSON.stringify(id)} is not an ID`, { hint: 'Give the ID as a listing shows it' });
  }
  return encoded(id);
}

/** Percent-encodes all but the unreserved characters of RFC 3986; encodeURIComponent leaves `!'()*` as well. */
function encoded(text: string): string {
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch (cause) {
    throw new UsageError(`${JSON.stringify(text)} holds half a character, which cannot be sent`, { cause });
  }
}
