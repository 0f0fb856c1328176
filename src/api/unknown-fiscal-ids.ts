import { NotFoundError } from '../errors.ts';

/** The service's 400 where none of the fiscal IDs in the filter exist (spec 4.1 rule 3). */
export class UnknownFiscalIds extends NotFoundError {
  /** As the service normalizes them: without dots and dash. */
  readonly fiscalIds: readonly string[];
  /** Whatever else the response's `errors` said, a line each. */
  readonly warnings: readonly string[];

  constructor(fiscalIds: readonly string[], warnings: readonly string[]) {
    super(`none of the fiscal IDs exist: ${fiscalIds.join(', ')}`, {
      hint: 'Check them against a listing without the filter',
    });
    this.fiscalIds = fiscalIds;
    this.warnings = warnings;
  }
}
