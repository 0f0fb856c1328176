import { errorCode, FolioError, Interrupted, OutputError } from '../errors.ts';
import type { FailureKind } from '../findings.ts';

/** What each exit code means; also the text of `folio help exit-codes`. */
export const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'everything was delivered'],
  [1, 'a bug in folio, or a file that could not be written or read'],
  [2, 'the command line or the query is wrong'],
  [3, 'the token is missing, or the service refuses it'],
  [4, 'not found: an unknown customer or fund, or only unknown fiscal IDs'],
  [5, 'the service or the network failed after all retries, or the address is not the service’s'],
  [6, 'delivered, but not all; standard error says what is missing'],
  [7, '`folio reconcile`: the list and the service differ, or amounts could not be compared'],
  [130, 'stopped by SIGINT (Ctrl-C)'],
  [143, 'stopped by SIGTERM'],
];

const CODES: Readonly<Record<Exclude<FailureKind, 'interrupted'>, number>> = {
  fault: 1,
  output: 1,
  usage: 2,
  auth: 3,
  'not-found': 4,
  service: 5,
  incomplete: 6,
  differs: 7,
};

/** The exit code for the error that ended a run. A reader that closed early (`| head`) is not a failure: 0. */
export function exitCodeOf(error: unknown): number {
  if (isReaderGone(error)) return 0;
  if (!(error instanceof FolioError)) return CODES.fault;
  if (error instanceof Interrupted) return error.signal === 'SIGINT' ? 130 : 143;
  return CODES[error.kind as keyof typeof CODES];
}

/** True for the error of an output whose reader has closed it. */
export function isReaderGone(error: unknown): boolean {
  return error instanceof OutputError && errorCode(error.cause) === 'EPIPE';
}
