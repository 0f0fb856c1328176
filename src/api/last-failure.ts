import { ServiceError } from '../errors.ts';
import type { FolioError } from '../errors.ts';
import type { RetryDecision } from './retry-policy.ts';

/** The failure that ends a request after so many tries, saying why there is no further one. */
export function lastFailure(failure: FolioError, tries: number, decision: RetryDecision): FolioError {
  if (decision.kind === 'come back') {
    const when = new Date(decision.at).toISOString().replace(/\.\d+Z$/, 'Z');
    return new ServiceError(`${failure.message}; the service wants no more requests before ${when}`, {
      hint: 'Run again then',
      cause: failure,
    });
  }
  // There could have been another try, had the run not used up what it may spend on them.
  if (decision.kind === 'retry')
    failure.message += '; gave up, since too many requests of this run have failed';
  else if (tries > 1) failure.message += `; gave up after ${tries} tries`;
  return failure;
}
