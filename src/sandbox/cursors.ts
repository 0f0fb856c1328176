import { createHmac } from 'node:crypto';

/** Where a listing by cursor goes on, in the direction of its first page. */
export interface CursorPlace {
  readonly position: number;
  readonly direction: 'ASC' | 'DESC';
}

/** `+/++` in base64. It makes each cursor hold `+` and `/`, and the length `=`: a client must encode them in a query string. */
const BEGINNING = Buffer.from('+/++', 'base64');

/** A cursor of the organization whose customers have this seed: base64 of the beginning, the place and a check. */
export function writeCursor(seed: number, { position, direction }: CursorPlace): string {
  const body = Buffer.alloc(8);
  BEGINNING.copy(body);
  body.writeUInt8(direction === 'ASC' ? 0 : 1, BEGINNING.length);
  body.writeUInt32BE(position, BEGINNING.length + 1);
  return Buffer.concat([body, check(seed, body)]).toString('base64');
}

/** Undefined for what `writeCursor` has not made. */
export function readCursor(seed: number, cursor: string): CursorPlace | undefined {
  const bytes = Buffer.from(cursor, 'base64');
  const body = bytes.subarray(0, 8);
  if (bytes.length !== 14 || bytes.toString('base64') !== cursor) return undefined;
  if (!check(seed, body).equals(bytes.subarray(8))) return undefined;
  return {
    position: body.readUInt32BE(BEGINNING.length + 1),
    direction: body.readUInt8(BEGINNING.length) === 0 ? 'ASC' : 'DESC',
  };
}

function check(seed: number, body: Buffer): Buffer {
  return createHmac('sha256', `folio sandbox cursor ${seed}`).update(body).digest().subarray(0, 6);
}
