import { bodyStart, expectEnd, openBody } from './open-body.ts';

/** Checks that a whole body is one JSON value, within the limits of a page, and builds nothing from it. Throws BadBody. */
export function checkJson(bytes: Buffer): void {
  const scanner = openBody(bytes);
  expectEnd(scanner, scanner.skipValue(scanner.skipSpace(bodyStart(bytes))));
}
