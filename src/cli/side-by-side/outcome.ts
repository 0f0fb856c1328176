import {
  AuthError,
  FolioError,
  IncompleteError,
  Interrupted,
  NotFoundError,
  OutputError,
  ServiceError,
  UsageError,
} from '../../errors.ts';

/** What became of one organization of several. */
export interface Outcome {
  readonly profile: string;
  /** Why it is missing, or, where that is an IncompleteError, not whole. */
  readonly failure?: FolioError;
}

/** The failure of one organization. What concerns the whole run is thrown on: an interrupt, a fault of folio's own. */
export function failureOf(error: unknown): FolioError {
  if (error instanceof FolioError && !(error instanceof Interrupted)) return error;
  throw error;
}

/**
 * Ends a run over several organizations: nothing where all are whole; else names those that are not, each with its
 * reason. Where nothing was had of any, the failure is of the kind of the first, and so is the exit code.
 */
export function checkOutcomes(outcomes: readonly Outcome[]): void {
  const failed = outcomes.flatMap(({ profile, failure }) => (failure ? [{ profile, failure }] : []));
  const [first] = failed;
  if (first === undefined) return;
  const reasons = failed.map(({ profile, failure }) => `${profile}: ${failure.message}`).join('; ');
  const missing = failed.filter(({ failure }) => !(failure instanceof IncompleteError));
  const hint =
    failed.length === 1
      ? first.failure.hint
      : `for these again: --profile ${failed.map(({ profile }) => profile).join(',')}`;
  if (missing.length === outcomes.length) {
    const says = outcomes.length === 1 ? reasons : `none of ${outcomes.length} profiles: ${reasons}`;
    throw sameKind(first.failure, says, { hint, cause: first.failure });
  }
  throw new IncompleteError(
    `${failed.length} of ${outcomes.length} profiles ${missing.length === 0 ? 'not whole' : 'missing'}: ${reasons}`,
    { hint, cause: first.failure },
  );
}

function sameKind(error: FolioError, message: string, options: ConstructorParameters<typeof FolioError>[1]) {
  const kinds = [UsageError, AuthError, NotFoundError, ServiceError, OutputError];
  const Kind = kinds.find((kind) => error instanceof kind) ?? FolioError;
  return new Kind(message, options);
}
