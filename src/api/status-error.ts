import { ServiceError } from '../errors.ts';

/**
 * A status that has no meaning of its own beyond the service's having failed: one that whoever asked wanted to see
 * itself (`ApiRequest.passes`), thrown at once, or any other after its last try.
 */
export class StatusError extends ServiceError {
  readonly status: number;
  /** Inflated; empty where that was not possible. */
  readonly body: Buffer;
  /** From the request to the end of the response. */
  readonly milliseconds: number;

  constructor(error: ServiceError, answer: { status: number; body: Buffer; milliseconds: number }) {
    super(error.message, { hint: error.hint });
    this.status = answer.status;
    this.body = answer.body;
    this.milliseconds = answer.milliseconds;
  }
}
