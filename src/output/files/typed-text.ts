import { promises } from 'node:fs';
import type { InputStream } from '../../context.ts';
import { systemReason, UsageError } from '../../errors.ts';

/**
 * The text of a file written by hand or by a shell: UTF-8, or UTF-16 if it begins with a byte order mark. Windows
 * PowerShell 5.1 redirects (`>`) in UTF-16, and Notepad can write it.
 */
function typedText(bytes: Buffer): string {
  const mark = bytes.toString('latin1', 0, 2);
  const isSwapped = mark === '\u00fe\u00ff';
  if (mark !== '\u00ff\u00fe' && !isSwapped) return bytes.toString('utf8').replace(/^\uFEFF/, '');
  const units = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)));
  return (isSwapped ? units.swap16() : units).toString('utf16le');
}

/** The same of a stream, such as a pipe or a device, which has no size; undefined where it has more bytes than `most`. */
export async function typedTextOf(stream: AsyncIterable<Buffer>, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return typedText(Buffer.concat(chunks));
}

/** The text that `value` names: `@file`, or `@-` for standard input. Throws UsageError with `hint` for an unreadable file. */
export async function readTyped(
  flag: string,
  value: string,
  { stdin, hint }: { readonly stdin: InputStream; readonly hint: string },
): Promise<string> {
  if (value === '@-') return stdin.readAll();
  try {
    return typedText(await promises.readFile(value.slice(1)));
  } catch (cause) {
    throw new UsageError(`${flag} ${value}: ${systemReason(cause)}`, { hint, cause });
  }
}
