import { createHmac } from 'node:crypto';

type Direction = 'ASC' | 'DESC';

/** Where a listing by cursor goes on. */
export interface CursorPlace {
  readonly position: number;
  /** The direction of the first page. */
  readonly direction: Direction;
}

/**
 * Makes and reads the cursors of one organization: base64 of a fixed beginning, the place and a check. The beginning
 * makes each hold `+` and `/`, and the length `=`, which a client must encode in a query string.
 */
export class Cursors {
  readonly #key: string;

  constructor(seed: number) {
    this.#key = `folio sandbox cursor ${seed}`;
  }

  write({ position, direction }: CursorPlace): string {
    const body = Buffer.alloc(8);
    beginning.copy(body);
    body.writeUInt8(direction === 'ASC' ? 0 : 1, beginning.length);
    body.writeUInt32BE(position, beginning.length + 1);
    return Buffer.concat([body, this.#check(body)]).toString('base64');
  }

  /** The place, or undefined for what `write` has not made. */
  read(cursor: string): CursorPlace | undefined {
    const bytes = Buffer.from(cursor, 'base64');
    const body = bytes.subarray(0, 8);
    if (bytes.length !== 14 || bytes.toString('base64') !== cursor) return undefined;
    if (!this.#check(body).equals(bytes.subarray(8))) return undefined;
    return {
      position: body.readUInt32BE(beginning.length + 1),
      direction: body.readUInt8(beginning.length) === 0 ? 'ASC' : 'DESC',
    };
  }

  #check(body: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(body).digest().subarray(0, 6);
  }
}

/** `+/++` in base64. */
const beginning = Buffer.from('+/++', 'base64');
