import { ServiceError } from '../errors.ts';

/**
 * A body that is not what was asked for: cut short, not JSON, or of another shape. Its message says what was expected,
 * what was found and at which byte. It never holds data: whoever asked may ask again.
 */
export class BadBody extends ServiceError {
  /** Bytes from the start of the body as it was inflated. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(`${message} (byte ${offset})`);
    this.offset = offset;
  }
}

/** Throws BadBody: what stands at `at` is not what JSON, or the shape asked for, wants there. */
export function failAt(bytes: Buffer, at: number, expected: string): never {
  throw new BadBody(`expected ${expected}, found ${describe(bytes[at])}`, Math.min(at, bytes.length));
}

function describe(byte: number | undefined): string {
  if (byte === undefined) return 'the end of the body';
  if (byte > 0x20 && byte < 0x7f) return `"${String.fromCharCode(byte)}"`;
  return `byte 0x${byte.toString(16).padStart(2, '0')}`;
}
