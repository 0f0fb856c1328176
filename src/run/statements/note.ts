import { promises } from 'node:fs';
import type { Context } from '../../context.ts';
import { systemReason, UsageError } from '../../errors.ts';
import type { ReadPath } from '../paths.ts';

/** The file of --note, which is read. */
export function noteFile(note: string | undefined): readonly ReadPath[] {
  const file = note?.startsWith('@') ? note.slice(1) : '-';
  return file === '-' ? [] : [{ path: file, is: 'the note of --note' }];
}

/** Characters. */
const MAX_NOTE = 20_000;

/** The text of --note, which may be in a file. Throws UsageError. */
export async function noteOf(
  note: string | undefined,
  { stdin }: Pick<Context, 'stdin'>,
): Promise<string | undefined> {
  if (note === undefined || !note.startsWith('@')) return note;
  const file = note.slice(1);
  const text = file === '-' ? await stdin.readAll() : await readNote(file);
  if (text.length > MAX_NOTE) {
    throw new UsageError(
      `--note ${note}: expected a note of at most ${MAX_NOTE.toLocaleString('en')} characters`,
      {
        hint: 'Name a file of text that is to stand below the statement.',
      },
    );
  }
  return text;
}

async function readNote(file: string): Promise<string> {
  try {
    const bytes = await promises.readFile(file);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is no text in UTF-8' : systemReason(error);
    throw new UsageError(`--note @${file}: ${reason}`, {
      hint: 'Name a file of text, @- for standard input, or write the note itself.',
      cause: error,
    });
  }
}
