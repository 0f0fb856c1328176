import { readFile } from 'node:fs/promises';
import type { InputStream } from '../context.ts';
import { UsageError } from '../errors.ts';
import { systemReason } from '../output/system-reason.ts';

/**
 * The fiscal IDs that a flag names: each value is an ID, several with commas between them, `@file` or `@-` (standard
 * input), with one ID a line there. In the order given, each once.
 */
export async function readFiscalIds(
  flag: string,
  values: readonly string[],
  stdin: InputStream,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const value of values) {
    const text = value.startsWith('@') ? await readList(flag, value.slice(1), stdin) : value;
    for (const id of text.split(/[\n,]/).map((part) => part.trim())) if (id !== '') ids.add(id);
  }
  if (ids.size === 0) {
    throw new UsageError(`${flag}: no fiscal ID given`, { hint: 'leave the flag out to get everything' });
  }
  return [...ids];
}

async function readList(flag: string, file: string, stdin: InputStream): Promise<string> {
  if (file === '-') return stdin.readAll();
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag} @${file}: ${systemReason(error)}`, {
      hint: 'name a file with one ID a line, or @- for standard input',
      cause: error,
    });
  }
}

/** How the service writes a fiscal ID in its answers: without dots and dash (spec 2.4). */
export function normalizedFiscalId(id: string): string {
  return id.replace(/[.\-\s]/g, '').toUpperCase();
}
