import { UsageError } from '../errors.ts';

/** The service's 400: an unsupported parameter, a value it does not take, or, on some listings, unknown fiscal IDs. */
export class RefusedQuery extends UsageError {
  readonly status = 400;
}
