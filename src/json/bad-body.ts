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
