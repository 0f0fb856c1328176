/** What the system said of a file operation that failed, without code and path: `permission denied`. */
export function fileFailureReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^E[A-Z0-9]+: ([^,]+)/.exec(message)?.[1] ?? message;
}

/** The system's code of a failure, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
