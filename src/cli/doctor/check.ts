import { FolioError, Interrupted } from '../../errors.ts';

/** What came of looking at one thing. */
export interface CheckResult {
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was found, in one line. */
  readonly says: string;
  /** What to do about it. */
  readonly mend?: string | undefined;
  /** What a command that needs it would fail with. */
  readonly failure?: FolioError;
  readonly milliseconds?: number;
  /** On the wire. */
  readonly bytes?: number;
}

export function ok(says: string, about: Partial<CheckResult> = {}): CheckResult {
  return { ...about, status: 'ok', says };
}

export function warning(says: string, mend: string): CheckResult {
  return { status: 'warning', says, mend };
}

/** What cannot be looked at since something before it is missing. */
export function skipped(says: string): CheckResult {
  return { status: 'skipped', says };
}

function failed(failure: FolioError): CheckResult {
  return { status: 'failed', says: failure.message, mend: failure.hint, failure };
}

/** Looks at something; a failure that folio knows is a result like another. */
export async function look(at: () => Promise<CheckResult> | CheckResult): Promise<CheckResult> {
  try {
    return await at();
  } catch (error) {
    if (!(error instanceof FolioError) || error instanceof Interrupted) throw error;
    return failed(error);
  }
}
