import { getSystemErrorMap } from 'node:util';

/** The `code` of an error of the system, such as ENOSPC; undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Why the system refused, in its own words: `no space left on device (ENOSPC)`. */
export function systemReason(error: unknown): string {
  const code = errorCode(error);
  const number = error instanceof Error && 'errno' in error ? error.errno : undefined;
  const words = typeof number === 'number' ? getSystemErrorMap().get(number)?.[1] : undefined;
  if (words !== undefined && code !== undefined) return `${words} (${code})`;
  return error instanceof Error ? error.message : String(error);
}
