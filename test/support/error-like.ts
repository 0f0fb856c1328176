import { expect } from 'vitest';

/** For `toThrow`: an error of that class and message, whatever its hint and cause. */
export function errorLike(name: string, message: string, more: { hint?: string } = {}): Error {
  return expect.objectContaining({ name, message, ...more }) as Error;
}
