import type { Redact } from './redact.ts';

/**
 * The error with nothing secret in its message, its stack (which begins with the message as it first was) or its causes:
 * what a service repeats may have become part of any of them. Changes the error itself, so that it stays of its kind.
 */
export function withoutSecrets(error: unknown, redact: Redact): unknown {
  for (let at = error; at instanceof Error; at = at.cause) {
    const [message, stack] = [redact(at.message), redact(at.stack ?? '')];
    if (message !== at.message) at.message = message;
    if (stack !== at.stack) at.stack = stack;
  }
  return error;
}
