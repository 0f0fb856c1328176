import { ServiceError } from '../errors.ts';

/**
 * A body is not what was asked for: it is cut short, is not JSON, or has another shape. The message says what was expected,
 * what was found and at which byte. No data was taken from the body, so the request may be sent again.
 */
export class BadBody extends ServiceError {
  /** Bytes from the start of the inflated body. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(`${message} (byte ${offset})`);
    this.offset = offset;
  }
}

/** Throws BadBody, because the byte at `at` is not what was expected there. */
export function failAt(bytes: Buffer, at: number, expected: string): never {
  throw new BadBody(`expected ${expected}, found ${describe(bytes[at])}`, Math.min(at, bytes.length));
}

function describe(byte: number | undefined): string {
  if (byte === undefined) return 'the end of the body';
  if (byte > 0x20 && byte < 0x7f) return `"${String.fromCharCode(byte)}"`;
  return `byte 0x${byte.toString(16).padStart(2, '0')}`;
}
