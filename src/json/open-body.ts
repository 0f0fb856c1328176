import { isUtf8 } from 'node:buffer';
import { BadBody } from './bad-body.ts';
import { JsonScanner } from './json-scanner.ts';

/** A scanner of a body that is UTF-8. Throws BadBody for one that is not. */
export function openBody(bytes: Buffer): JsonScanner {
  if (!isUtf8(bytes)) throw new BadBody('the body is not UTF-8 text', firstInvalid(bytes));
  return new JsonScanner(bytes);
}

/** A byte order mark is no part of JSON, yet some servers send one: it is passed over (RFC 8259, section 8.1). */
export function bodyStart(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The first byte that decoding would replace; only ever asked of a body that is refused. */
function firstInvalid(bytes: Buffer): number {
  const decoded = Buffer.from(bytes.toString('utf8'));
  return bytes.findIndex((byte, at) => byte !== decoded[at]);
}

/** Throws BadBody where more than white space stands behind the value. */
export function expectEnd(scanner: JsonScanner, end: number): void {
  const at = scanner.skipSpace(end);
  if (at < scanner.bytes.length) scanner.fail('the end of the body', at);
}
